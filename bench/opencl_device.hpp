#pragma once
// The OpenCL devices of a program, opened once.

#if TRIFAC_EXPECT_OPENCL
  #include <charconv>
  #include <map>
  #include <string>

  #include "trifac/backend/opencl.hpp"

namespace bench {

/// The OpenCL device of a kind, or at an index in the list of `trifac info`. One for all calls,
/// never destroyed: some drivers are unloaded before static objects are destroyed.
inline const trifac::backend::opencl& opencl_device(const std::string& which) {
  using trifac::backend::opencl;
  static auto& opened = *new std::map<std::string, opencl>;
  const auto found = opened.find(which);
  if (found != opened.end()) return found->second;
  const auto kind = trifac::device::value_named<trifac::backend::device_kind>(
      trifac::device::device_kind_names, which);
  int place = -1;
  std::from_chars(which.data(), which.data() + which.size(), place);
  return opened.emplace(which, kind ? opencl::first(*kind) : opencl::at(place)).first->second;
}

}  // namespace bench
#endif
