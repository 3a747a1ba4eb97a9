#pragma once
// The device of a program that tests one backend on a device: CUDA's, or the first of OpenCL.

#include <gtest/gtest.h>

#include "backends.hpp"

namespace trifac::test {

#if TRIFAC_TEST_CUDA_ALONE
using device_backend = backend::cuda;
#else
using device_backend = backend::opencl;
#endif

inline const device_backend& device() {
  // Never destroyed: a simulator is gone before a program's static objects.
  static const device_backend& first = *new device_backend(device_backend::first());
  return first;
}

/// Tests for each scalar type that are skipped where the device is not there.
template <class T>
class OnDevice : public testing::Test {
 protected:
  void SetUp() override {
    if (!device().available()) GTEST_SKIP() << device().available().reason;
  }
};

}  // namespace trifac::test
