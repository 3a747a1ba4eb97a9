#pragma once
// Factors from matrices that other programs have factored, for example LAPACK with its ipiv, or
// read from files.

#include <concepts>
#include <span>
#include <utility>

#include "trifac/engine/call/argument_types.hpp"
#include "trifac/engine/call/call.hpp"
#include "trifac/engine/cholesky/factor.hpp"
#include "trifac/engine/lu/factor.hpp"

namespace trifac {

/// The number of the first row in ipiv: 1 in LAPACK, 0 in SciPy's lu_factor.
enum class ipiv_base { zero = 0, one = 1 };

inline namespace TRIFAC_ABI {
namespace detail {

template <class M>
constexpr void check_refers() {
  check_scalars<M>();
  static_assert(std::is_reference_v<M> || !SaysWhetherItOwns<M> || !OwningTemporary<M>,
                "A is a temporary: its factor would refer to nothing; give it a name");
}

/// Status of the first diagonal element that is invalid for solves: not finite, or is_bad(u).
template <class T, class IsBad>
status check_factored_diagonal(const matrix_view<const T>& A, status_kind kind, IsBad is_bad) {
  for (index_t k = 0; k < A.rows() && k < A.cols(); ++k) {
    const T u = A(k, k);
    if (!is_finite(u)) return status::at(status_kind::not_finite, k);
    if (is_bad(u)) return status::at(kind, k);
  }
  return {};
}

}  // namespace detail

/// The Cholesky factor from A, n×n, that holds L with L·Lᴴ (lower) or U with Uᴴ·U (upper), as potrf
/// returns it. Refers to A; nothing is copied. A may be const, unless the factor is to be updated.
/// Status: not_positive_definite or not_finite with the index of a diagonal element that no
/// Cholesky factor has; invalid_argument for an A that is not square or not a valid view. n
/// comparisons.
template <MatrixLike M>
[[nodiscard]] auto factored_cholesky(M&& A, triangle part = triangle::lower) noexcept {
  using T = scalar_t<M>;
  detail::check_refers<M>();
  const matrix_view<const T> view = view_of(A);
  status s = detail::check_view(view, "A");
  if (s && view.rows() != view.cols()) s = status::argument("A", "is not square");
  if (s && !detail::is_one_of(part)) s = status::argument("part", "is not one of its enumeration");
  if (s)
    s = detail::check_factored_diagonal<T>(
        view, status_kind::not_positive_definite, [](const T& x) {
          return !(detail::real_part(x) > real_t<T>(0)) || T(detail::real_part(x)) != x;
        });
  return cholesky_factor<T>(view_of(A), part, s);
}

/// The LU factor from A, m×n, that holds L\U, and min(m, n) row interchanges `ipiv` of any integer
/// type, as getrf returns both. Refers to A, which may be const; the row numbers are converted once
/// into the factor's own. Status: singular or not_finite with the index of the first such diagonal
/// element of U; invalid_argument for an `ipiv` of wrong length or with rows out of range, and for
/// an A that is not a valid view; out_of_memory. O(n).
template <MatrixLike M, class P>
requires std::integral<typename decltype(std::span(std::declval<const P&>()))::value_type>
[[nodiscard]] auto factored_lu(M&& A, const P& ipiv, ipiv_base base = ipiv_base::one) noexcept {
  using T = scalar_t<M>;
  detail::check_refers<M>();
  const matrix_view<const T> view = view_of(A);
  pivots p;
  const status s = detail::without_exceptions([&]() -> status {
    if (const status shape = detail::check_view(view, "A"); !shape) return shape;
    const index_t steps = detail::min(view.rows(), view.cols());
    const std::span rows(ipiv);
    if (static_cast<index_t>(rows.size()) != steps)
      return status::argument("ipiv", "has not min(m, n) numbers");
    pivots converted(steps);
    for (index_t k = 0; k < steps; ++k)
      converted[k] = detail::counted_from_0(static_cast<index_t>(rows[detail::as_size(k)]),
                                            static_cast<index_t>(base));
    if (!converted.fit(steps, view.rows()))
      return status::argument("ipiv", "has a row that A has not, or that is done already");
    p = std::move(converted);
    return detail::check_factored_diagonal<T>(view, status_kind::singular,
                                              [](const T& x) { return x == T(0); });
  });
  return lu_factor<T>(view, std::move(p), s);
}

}  // namespace TRIFAC_ABI
}  // namespace trifac
