#pragma once
// Available memory, which readers compare with the size of a matrix before allocating it.

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>

#include "trifac/engine/base/config.hpp"

namespace trifac::io {
inline namespace TRIFAC_ABI {
namespace detail {

/// The first number in a text; `otherwise` if there is none.
inline std::size_t first_number(std::string_view text, std::size_t otherwise) {
  const auto first = std::min(text.find_first_of("0123456789"), text.size());
  std::from_chars(text.data() + first, text.data() + text.size(), otherwise);
  return otherwise;
}

}  // namespace detail

/// Available memory in bytes: Linux's estimate, limited by the control group (container). On other
/// systems unlimited: the allocation itself must fail.
inline std::size_t available_memory() {
  std::size_t bytes = std::numeric_limits<std::size_t>::max();
  std::ifstream meminfo("/proc/meminfo");
  for (std::string line; std::getline(meminfo, line);)
    if (line.compare(0, 13, "MemAvailable:") == 0)
      bytes = detail::first_number(line, bytes / 1024) * 1024;
  std::ifstream group("/sys/fs/cgroup/memory.max");
  std::string limit;  // "max" if unlimited
  if (std::getline(group, limit)) bytes = std::min(bytes, detail::first_number(limit, bytes));
  return bytes;
}

}  // namespace TRIFAC_ABI
}  // namespace trifac::io
