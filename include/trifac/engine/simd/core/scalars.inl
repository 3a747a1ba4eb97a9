// Solves of a few rows, by scalars in registers: a triangle of vectors would be mostly empty.

/// Few elements: see few_elements_of_solve.
template <class R>
using columns_at_once = R;
template <class R>
inline constexpr int lanes_at_once = 1;

#include "trifac/engine/blas/scalars_solve.inl"

/// The solves in frames of their own.
template <int N, class R>
inline __attribute__((noinline)) bool solve_known_cholesky(const R* A, index_t down, index_t along,
                                                           const matrix_view<R>& B) {
  return solve_cholesky_in_scalars<N>(A, down, along, B);
}
template <int N, class R>
inline __attribute__((noinline)) void solve_known_lu(const R* A, index_t down, index_t along,
                                                     const index_t* interchanges, operation op,
                                                     const matrix_view<R>& B) {
  solve_lu_in_scalars<N>(A, down, along, interchanges, op, B);
}

/// solve_cholesky_in_scalars for n ≤ cholesky_by_scalars known at run time.
template <class R>
TRIFAC_ENTRY bool solve_few_cholesky(target, const R* A, index_t n, index_t down, index_t along,
                                     const matrix_view<R>& B) {
  switch (n) {
    case 1:
      return solve_known_cholesky<1>(A, down, along, B);
    case 2:
      return solve_known_cholesky<2>(A, down, along, B);
    case 3:
      return solve_known_cholesky<3>(A, down, along, B);
    case 4:
      return solve_known_cholesky<4>(A, down, along, B);
    case 5:
      return solve_known_cholesky<5>(A, down, along, B);
    case 6:
      return solve_known_cholesky<6>(A, down, along, B);
    case 7:
      return solve_known_cholesky<7>(A, down, along, B);
    default:
      return solve_known_cholesky<8>(A, down, along, B);
  }
}

/// solve_lu_in_scalars for n ≤ lu_by_scalars.
template <class R>
TRIFAC_ENTRY void solve_few_lu(target, const R* A, index_t n, index_t down, index_t along,
                               const index_t* interchanges, operation op, const matrix_view<R>& B) {
  switch (n) {
    case 1:
      return solve_known_lu<1>(A, down, along, interchanges, op, B);
    case 2:
      return solve_known_lu<2>(A, down, along, interchanges, op, B);
    case 3:
      return solve_known_lu<3>(A, down, along, interchanges, op, B);
    case 4:
      return solve_known_lu<4>(A, down, along, interchanges, op, B);
    case 5:
      return solve_known_lu<5>(A, down, along, interchanges, op, B);
    default:
      return solve_known_lu<6>(A, down, along, interchanges, op, B);
  }
}
