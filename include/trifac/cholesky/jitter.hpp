#pragma once
// Cholesky of A + shift·I with the smallest shift of a sequence that makes it positive definite.

#include <type_traits>
#include <utility>

#include "trifac/cholesky/options.hpp"
#include "trifac/detail/call.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// A real type that has every double, or is float; R{x} refuses to round x to an integer on its way.
template <class R>
concept FromDouble = std::is_floating_point_v<R> || requires(double x) {
  R{x};
};

constexpr status check_jitter(const cholesky_jitter& jitter) {
  if (!(jitter.first >= 0) || !is_finite(jitter.first))
    return status::argument("options.jitter", "first is negative or not finite");
  if (!(jitter.factor > 1) || !is_finite(jitter.factor) || jitter.most < 0)
    return status::argument("options.jitter", "factor is not above 1, or most is negative");
  return {};
}

/// The lower triangle of L from that of A + shift·I, with shift = 0 and then those of the sequence
/// until factor(), which overwrites L, is not `not_positive_definite`. A lies where L does not, except
/// for its diagonal. Each try costs n²/2 copies besides.
template <class T, class Factor>
status factor_with_jitter(const cholesky_jitter& jitter, const operand<T>& A,
                          const matrix_view<T>& L, real_t<T>& shift, Factor factor) {
  using R = real_t<T>;
  const index_t n = L.rows();
  matrix<R> diagonal(n, 1);
  R mean(0);
  for (index_t i = 0; i < n; ++i) {
    diagonal(i, 0) = real_part(A(i, i));
    mean = mean + absolute(diagonal(i, 0)) / R(static_cast<int>(n));
  }
  if (mean == R(0)) mean = R(1);
  double next = jitter.first;
  shift = R(0);
  for (int tries = 0;; ++tries) {
    for (index_t j = 0; j < n; ++j) {
      L(j, j) = T(diagonal(j, 0) + shift);
      for (index_t i = j + 1; i < n; ++i) L(i, j) = A(i, j);
    }
    const status s = factor();
    if (s.kind() != status_kind::not_positive_definite || tries == jitter.most) return s;
    shift = static_cast<R>(std::exchange(next, next * jitter.factor)) * mean;
  }
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
