#pragma once
// The scalar types that the program was built for: those of trifac::kernels, as CMakeLists.txt says.

#include <complex>
#include <string>

#include "options.hpp"

#ifndef TRIFAC_PROGRAM_TYPES
  #define TRIFAC_PROGRAM_TYPES float, double, std::complex<float>, std::complex<double>
#endif

namespace program {

template <class T>
inline constexpr scalar scalar_of = scalar::real_double;
template <>
inline constexpr scalar scalar_of<float> = scalar::real_single;
template <>
inline constexpr scalar scalar_of<std::complex<float>> = scalar::complex_single;
template <>
inline constexpr scalar scalar_of<std::complex<double>> = scalar::complex_double;

template <class... T>
struct scalar_types {
  /// run(T()) for the T of `type`. Throws usage_error where the program was built without it.
  template <class Run>
  static int call(scalar type, const Run& run) {
    int result = 2;
    const bool found = ((scalar_of<T> == type && (result = run(T()), true)) || ...);
    if (found) return result;
    throw usage_error("this program was built without " + std::string(to_string(type)) +
                      ": configure with all of TRIFAC_KERNEL_TYPES");
  }
};
using types_of_program = scalar_types<TRIFAC_PROGRAM_TYPES>;

}  // namespace program
