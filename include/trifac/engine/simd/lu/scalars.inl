// LU of a few rows and columns, by scalars: a vector would be mostly empty, and its search for a
// pivot is a tree of shuffles.

/// |x| as an integer, in the order of pivot_key.inl.
template <class R>
TRIFAC_INLINE key<R> scalar_key(R x) {
  key<R> bits;
  __builtin_memcpy(&bits, &x, sizeof(R));
  return bits & lanes<R>::magnitude;
}

#include "trifac/engine/blas/scalars_lu.inl"

/// factor_lu_in_scalars in a frame of its own.
template <int N, class R>
inline __attribute__((noinline)) bool factor_known_lu_rows(R* A, index_t down, index_t along,
                                                           index_t* interchanges) {
  return factor_lu_in_scalars<N>(A, down, along, interchanges);
}

/// factor_lu_in_scalars for n ≤ lu_by_scalars known at run time.
template <class R>
TRIFAC_ENTRY bool factor_few_lu_rows(target, R* A, index_t n, index_t down, index_t along,
                                     index_t* interchanges) {
  static_assert(lu_by_scalars.of<R>() <= 6);
  switch (n) {
    case 1:
      return factor_known_lu_rows<1>(A, down, along, interchanges);
    case 2:
      return factor_known_lu_rows<2>(A, down, along, interchanges);
    case 3:
      return factor_known_lu_rows<3>(A, down, along, interchanges);
    case 4:
      return factor_known_lu_rows<4>(A, down, along, interchanges);
    case 5:
      return factor_known_lu_rows<5>(A, down, along, interchanges);
    default:
      return factor_known_lu_rows<6>(A, down, along, interchanges);
  }
}
