#pragma once
// Types that device runtimes and executors share: device properties, launch sizes, program sources.

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

/// The kind of a device error.
enum class device_fault { other, out_of_memory, launch_failed, device_lost };

/// A backend_error with the kind of fault, for programs that handle it. Thrown for all errors of
/// CUDA and its libraries; for OpenCL only `out_of_memory`, other errors are plain backend_errors.
/// After `device_lost` the device is unusable; after `launch_failed` it is usable only if the
/// launch was refused (configuration, resources), not if a running kernel failed.
class device_error : public backend_error {
 public:
  device_error(device_fault fault, const std::string& what) : backend_error(what), fault_(fault) {}
  device_fault fault() const noexcept { return fault_; }

 private:
  device_fault fault_;
};

/// Properties of a device.
struct device_facts {
  std::string name, vendor, driver;
  bool is_cpu = false;  ///< shares the host's memory and its caches
  bool has_double = false;
  bool keeps_programs = false;  ///< the driver caches compiled programs on disk
  bool exact_division = false;  ///< float division and square root can be correctly rounded
  int units = 1;                ///< compute units
  int float_width = 1;          ///< lanes of a vector register, as reported by the driver
  int double_width = 1;
  std::size_t most_items = 1;     ///< work-items per group
  std::uint64_t local_bytes = 0;  ///< local memory per group
  int cluster = 1;                ///< largest number of groups that can access each other's local
                                  ///< memory
  std::uint64_t most_bytes = 0;   ///< largest single allocation
  std::uint64_t all_bytes = 0;
};

/// The queues of a device: their commands run concurrently unless one waits for the other.
enum class device_queue { first, second };

/// Work-groups or work-items along the two axes of a launch.
struct extent {
  std::size_t x = 1, y = 1;
};

/// The arithmetic that a program is compiled for. `fast` is fast-math: sums and products may be
/// reordered, and NaN and infinities may go undetected.
using trifac::float_model;

/// A program: pieces of kernel text (without the prelude) and -D parameters.
struct program_source {
  const char* name;  ///< for messages; unique for each set of texts
  std::vector<const char*> texts;
  std::vector<std::string> definitions;  ///< "NAME=value"; `fast` selects fast-math

  static constexpr const char* fast = "FAST=1";
  static constexpr std::string_view with_launch = "LOCAL_WITH_LAUNCH=";
  float_model floats() const {
    return std::find(definitions.begin(), definitions.end(), fast) == definitions.end()
               ? float_model::ieee
               : float_model::fast;
  }
  /// Bytes of local memory allocated at launch, for the array LARGE_LOCAL; or 0.
  std::size_t local_with_launch() const {
    for (const std::string& d : definitions)
      if (d.starts_with(with_launch)) return std::stoul(d.substr(with_launch.size()));
    return 0;
  }
};

}  // namespace trifac::device
