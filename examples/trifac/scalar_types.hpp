#pragma once
// The scalar types that the program was built for: those of trifac::kernels, as
// examples/CMakeLists.txt says in TRIFAC_PROGRAM_TYPES.

#include <complex>
#include <string>

#include "options.hpp"

namespace program {

template <class T>
extern const scalar scalar_of;
template <>
inline constexpr scalar scalar_of<float> = scalar::real_single;
template <>
inline constexpr scalar scalar_of<double> = scalar::real_double;
template <>
inline constexpr scalar scalar_of<std::complex<float>> = scalar::complex_single;
template <>
inline constexpr scalar scalar_of<std::complex<double>> = scalar::complex_double;

template <class... T>
struct scalar_types {
  /// Throws usage_error where the program was built without the type.
  static void check(scalar type) {
    if (((scalar_of<T> != type) && ...))
      throw usage_error("this program was built without " + std::string(to_string(type)) +
                        ": add it to TRIFAC_KERNEL_TYPES of the build");
  }
  template <class Run>
  static void for_each(const Run& run) {
    (run(T()), ...);
  }
  /// run(T()) for the T of `type`.
  template <class Run>
  static int call(scalar type, const Run& run) {
    int result = 2;
    static_cast<void>(((scalar_of<T> == type && (result = run(T()), true)) || ...));
    return result;
  }
};
using types_of_program = scalar_types<TRIFAC_PROGRAM_TYPES>;

}  // namespace program
