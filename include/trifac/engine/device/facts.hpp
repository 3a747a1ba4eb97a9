#pragma once
// The words that device runtimes and the executors above them share: what a device is, how large a
// launch is, what a program is made of.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trifac/engine/base/config.hpp"
#include "trifac/engine/base/float_model.hpp"
#include "trifac/status.hpp"

namespace trifac::device {

/// What went wrong on a device.
enum class device_fault { other, out_of_memory, launch_failed, device_lost };

/// A backend_error with the kind of fault, by which a program may decide what to do. Of CUDA and
/// its libraries; of OpenCL's errors `out_of_memory` only, the others are plain backend_errors.
/// After `device_lost` the device runs nothing any more; after `launch_failed` it does only if the
/// launch was refused (its configuration, its resources), not if a kernel failed while it ran.
class device_error : public backend_error {
 public:
  device_error(device_fault fault, const std::string& what) : backend_error(what), fault_(fault) {}
  device_fault fault() const noexcept { return fault_; }

 private:
  device_fault fault_;
};

/// What is known about a device.
struct device_facts {
  std::string name, vendor, driver;
  bool is_cpu = false;  ///< shares the host's memory and its caches
  bool has_double = false;
  bool keeps_programs = false;  ///< the driver itself keeps compiled programs on disk
  bool exact_division = false;  ///< float division and square root can be correctly rounded
  int units = 1;                ///< compute units
  int float_width = 1;          ///< lanes of a vector register, as the driver tells
  int double_width = 1;
  std::size_t most_items = 1;     ///< work-items in a group
  std::uint64_t local_bytes = 0;  ///< local memory that a group can have
  int cluster = 1;                ///< groups that reach each other's local memory, at most
  std::uint64_t most_bytes = 0;   ///< largest single allocation
  std::uint64_t all_bytes = 0;
};

/// The queues of a device: work in one runs concurrently with that in the other, except where one
/// waits.
enum class device_queue { first, second };

/// Groups or items along the two axes of a launch.
struct extent {
  std::size_t x = 1, y = 1;
};

/// The arithmetic that a program is compiled for. `fast` is fast-math: products and sums may be
/// reordered, NaN and infinities need not be noticed.
using trifac::float_model;

/// A program: pieces of kernel text (without the prelude) and -D parameters.
struct program_source {
  const char* name;  ///< for messages; each set of texts has its own
  std::vector<const char*> texts;
  std::vector<std::string> definitions;  ///< "NAME=value"; `fast` asks for fast-math

  static constexpr const char* fast = "FAST=1";
  static constexpr std::string_view with_launch = "LOCAL_WITH_LAUNCH=";
  float_model floats() const {
    return std::find(definitions.begin(), definitions.end(), fast) == definitions.end()
               ? float_model::ieee
               : float_model::fast;
  }
  /// Bytes of local memory that a launch gives: of the array LARGE_LOCAL, or 0.
  std::size_t local_with_launch() const {
    for (const std::string& d : definitions)
      if (d.starts_with(with_launch)) return std::stoul(d.substr(with_launch.size()));
    return 0;
  }
};

}  // namespace trifac::device
