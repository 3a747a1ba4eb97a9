#pragma once
// The status of a factor computed by a library's whole factorization.

#include <algorithm>

#include "trifac/matrix_view.hpp"
#include "trifac/scalar.hpp"
#include "trifac/status.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// Libraries report success for NaN: checks the diagonal. `info` is LAPACK's; `failure` is its
/// meaning if positive.
template <class T>
status status_of_factor(matrix_view<T> A, index_t info, status_kind failure) {
  const index_t n = std::min(A.rows(), A.cols());
  const index_t bad = info > 0 ? info - 1 : n;
  const bool stopped = failure == status_kind::not_positive_definite;
  for (index_t k = 0; k < (stopped && bad < n ? bad + 1 : n); ++k)
    if (!is_finite(A(k, k))) return status::at(status_kind::not_finite, k);
  return bad < n ? status::at(failure, bad) : status{};
}

template <class T>
void conjugate_in_place(matrix_view<T> B) {
  if constexpr (is_complex<T>)
    for (index_t j = 0; j < B.cols(); ++j)
      for (index_t i = 0; i < B.rows(); ++i) B(i, j) = conjugate(B(i, j));
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
