#pragma once
// Triangular solves in plain loops, for the doubles of cuBLAS and cuSOLVER.

#include <complex>
#include <cstdint>
#include <type_traits>

namespace cuda_double {

template <class T>
T conjugate(T x) {
  if constexpr (std::is_floating_point_v<T>)
    return x;
  else
    return std::conj(x);
}

/// x := T⁻¹·x for a triangle with elements at(i, j), lower or upper; with `unit` its diagonal is 1.
template <class T, class At>
void substitute(std::int64_t n, T* x, bool lower, bool unit, At at) {
  for (std::int64_t s = 0; s < n; ++s) {
    const std::int64_t i = lower ? s : n - 1 - s;
    for (std::int64_t p = 0; p < s; ++p) {
      const std::int64_t j = lower ? p : n - 1 - p;
      x[i] -= at(i, j) * x[j];
    }
    if (!unit) x[i] /= at(i, i);
  }
}

}  // namespace cuda_double
