#pragma once
// A device runtime that computes nothing and writes down which programs and kernels the executors
// ask for: what a table of kernels is made from.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "trifac/engine/device/facts.hpp"

namespace trifac::test {

/// The same members as device::cuda_runtime, for a large GPU of NVIDIA's.
class recording_runtime {
 public:
  using handle = void*;
  class memory {
   public:
    handle get() const { return nullptr; }
  };
  class program {
   public:
    device::program_source source;
    std::set<std::string> launched;
    std::map<std::string, int> launches;  ///< how many of each kernel
  };
  static constexpr std::string_view name = "recording";
  static constexpr bool has_vectors = false;
  static constexpr bool shares_memory = false;
  static constexpr bool has_second_queue = false;
  static constexpr bool has_clusters = true;
  static constexpr bool has_library = false;
  static constexpr bool has_staging = false;

  explicit recording_runtime(std::map<std::string, program>* programs) : programs_(programs) {
    facts_.name = "GPU";
    facts_.has_double = facts_.exact_division = true;
    facts_.units = 132;
    facts_.most_items = 1024;
    facts_.local_bytes = 227 * 1024;
    facts_.cluster = 16;
    facts_.most_bytes = facts_.all_bytes = std::uint64_t{1} << 37;
  }

  const device::device_facts& facts() const { return facts_; }
  memory allocate(std::uint64_t) const { return {}; }
  void write(handle, std::uint64_t, const void*, std::uint64_t) const {}
  void read(handle, std::uint64_t, void* to, std::uint64_t bytes) const {
    if (bytes > 0) std::memset(to, 0, static_cast<std::size_t>(bytes));
  }
  void copy(handle, handle, std::uint64_t) const {}
  void clear(handle, std::uint64_t) const {}
  void finish() const {}
  void flush() const {}
  void save_programs() const {}
  program& load(const device::program_source& source) {
    std::string key = source.name;
    for (const std::string& d : source.definitions) key += ' ' + d;
    program& p = (*programs_)[key];
    p.source = source;
    return p;
  }
  template <class... Arguments>
  void launch(program& from, const char* kernel_name, device::extent, device::extent,
              const Arguments&...) {
    from.launched.insert(kernel_name);
    ++from.launches[kernel_name];
  }
  template <class... Arguments>
  bool launch_cluster(program& from, device::device_queue, const char* kernel_name, int,
                      device::extent items, const Arguments&... arguments) {
    launch(from, kernel_name, {}, items, arguments...);
    return true;
  }

 private:
  std::map<std::string, program>* programs_;
  device::device_facts facts_;
};

}  // namespace trifac::test
