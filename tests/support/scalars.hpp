#pragma once
// The scalar types of typed tests, and the names under which GoogleTest shows them.

#include <gtest/gtest.h>

#include <complex>
#include <limits>
#include <string>
#include <type_traits>

namespace trifac::test {

// Fewer in the quick tier. Devices and the CPU have all four between them; the CPU's suites run on
// OpenCL in a complex type and on the double of CUDA, whose kernels have the same texts, in a real
// one. Double alone where trifac::kernels have no other type.
#if TRIFAC_TEST_DOUBLE
using lapack_scalars = testing::Types<double>;
#elif TRIFAC_TEST_ONE_SCALAR && TRIFAC_TEST_CUDA_ALONE
using lapack_scalars = testing::Types<float>;
#elif TRIFAC_TEST_ONE_SCALAR
using lapack_scalars = testing::Types<std::complex<double>>;
#elif TRIFAC_TEST_TWO_SCALARS && TRIFAC_TEST_OPENCL_ALONE
using lapack_scalars = testing::Types<float, std::complex<double>>;
#elif TRIFAC_TEST_TWO_SCALARS
using lapack_scalars = testing::Types<double, std::complex<float>>;
#else
using lapack_scalars = testing::Types<float, double, std::complex<float>, std::complex<double>>;
#endif

struct scalar_names {
  template <class T>
  static std::string GetName(int) {
    if (std::is_same_v<T, float>) return "float";
    if (std::is_same_v<T, double>) return "double";
    if (std::is_same_v<T, std::complex<float>>) return "complex_float";
    if (std::is_same_v<T, std::complex<double>>) return "complex_double";
    if (std::is_same_v<T, long double>) return "long_double";
    if (std::is_same_v<T, std::complex<long double>>) return "complex_long_double";
    return std::numeric_limits<T>::radix == 10 ? "decimal_multiprecision" : "binary_multiprecision";
  }
};

}  // namespace trifac::test
