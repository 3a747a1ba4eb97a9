// Cholesky of a few rows and columns, by scalars in registers: a vector would be mostly empty, and
// its chain of lanes is longer.

template <class R>
TRIFAC_INLINE R scalar_root(R x) {
  if constexpr (sizeof(R) == 8)
    return __builtin_sqrt(x);
  else
    return __builtin_sqrtf(x);
}

#include "trifac/engine/blas/scalars_cholesky.inl"

/// factor_in_scalars in a frame of its own: that of all orders in one function costs order 4 a
/// seventh more.
template <int N, class R>
inline __attribute__((noinline)) bool factor_known_rows(R* A, index_t down, index_t along) {
  return factor_in_scalars<N>(A, down, along);
}

/// factor_in_scalars for n ≤ cholesky_by_scalars known at run time.
template <class R>
TRIFAC_ENTRY bool factor_by_scalars(target, R* A, index_t n, index_t down, index_t along) {
  static_assert(cholesky_by_scalars.of<R>() <= 8);
  switch (n) {
    case 1:
      return factor_known_rows<1>(A, down, along);
    case 2:
      return factor_known_rows<2>(A, down, along);
    case 3:
      return factor_known_rows<3>(A, down, along);
    case 4:
      return factor_known_rows<4>(A, down, along);
    case 5:
      return factor_known_rows<5>(A, down, along);
    case 6:
      return factor_known_rows<6>(A, down, along);
    case 7:
      return factor_known_rows<7>(A, down, along);
    default:
      return factor_known_rows<8>(A, down, along);
  }
}
