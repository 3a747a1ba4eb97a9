#pragma once
// W += |A|·|X| in plain loops: the componentwise scale of a residual.

#include "trifac/engine/blas/update.hpp"
#include "trifac/matrix_view.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace blas {

/// w += |A|·|x|; A: m×n, x: n×1, w: m×1. |z| is |Re z| + |Im z|, as in LAPACK's gerfs. 2mn flops.
template <Scalar T>
void add_absolute_product(const matrix_view<const T>& A, const matrix_view<const T>& x,
                          const matrix_view<real_t<T>>& w) {
  using detail::pivot_size;
  if (prefers_columns(A)) {
    for (index_t j = 0; j < A.cols(); ++j) {
      const real_t<T> size = pivot_size(x(j, 0));
      for (index_t i = 0; i < A.rows(); ++i) w(i, 0) = w(i, 0) + pivot_size(A(i, j)) * size;
    }
  } else {
    for (index_t i = 0; i < A.rows(); ++i)
      for (index_t j = 0; j < A.cols(); ++j)
        w(i, 0) = w(i, 0) + pivot_size(A(i, j)) * pivot_size(x(j, 0));
  }
}

/// The same for a Hermitian A: reads the lower triangle and the real part of the diagonal.
template <Scalar T>
void add_absolute_lower_product(const matrix_view<const T>& A, const matrix_view<const T>& x,
                                const matrix_view<real_t<T>>& w) {
  using detail::pivot_size;
  for (index_t j = 0; j < A.cols(); ++j) {
    const real_t<T> size = pivot_size(x(j, 0));
    real_t<T> sum = detail::absolute(detail::real_part(A(j, j))) * size;
    for (index_t i = j + 1; i < A.rows(); ++i) {
      const real_t<T> a = pivot_size(A(i, j));
      w(i, 0) = w(i, 0) + a * size;
      sum = sum + a * pivot_size(x(i, 0));
    }
    w(j, 0) = w(j, 0) + sum;
  }
}

}  // namespace blas
}  // namespace TRIFAC_ABI
}  // namespace trifac
