#pragma once
// low_rank_cholesky(): A ≈ L·Lᴴ with few columns, for an A given by functions.

#include <concepts>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "trifac/engine/base/as_size.hpp"
#include "trifac/engine/base/from_double.hpp"
#include "trifac/engine/base/min_max.hpp"
#include "trifac/engine/call/call.hpp"
#include "trifac/engine/call/factor_state.hpp"
#include "trifac/engine/calls/calls.hpp"
#include "trifac/engine/cpu/serial_policy.hpp"
#include "trifac/engine/views/with_status.hpp"
#include TRIFAC_DEFINITIONS(refine, calls)

namespace trifac {

/// Options of low_rank_cholesky().
struct low_rank_options {
  index_t rank = 0;  ///< largest number of columns of L; required
  double tolerance = -1;  ///< lower bound of the pivots; negative: n·ε·max a_ii, ε = 2⁻⁵² in double
};

/// A ≈ L·Lᴴ, L: n×rank().
template <class T>
class low_rank_factor : public with_status<low_rank_factor<T>> {
 public:
  using value_type = T;

  low_rank_factor() = default;
  low_rank_factor(matrix<T>&& L, std::vector<index_t>&& pivots, const real_t<T>& trace,
                  const trifac::status& s) {
    state_.L = std::move(L);
    state_.pivots = std::move(pivots);
    state_.trace = trace;
    state_.outcome = s;
  }

  const trifac::status& status() const& { return state_.outcome; }
  trifac::status status() const&& { return state_.outcome; }

  index_t rows() const { return state_.L.rows(); }
  index_t rank() const { return static_cast<index_t>(state_.pivots.size()); }
  /// n×rank(), rows in the order of A.
  matrix_view<const T> L() const& { return state_.L.view().block(0, 0, rows(), rank()); }
  void L() const&& = delete;
  /// The pivot rows of A, in order: A − L·Lᴴ is zero there.
  const std::vector<index_t>& pivots() const& { return state_.pivots; }
  std::vector<index_t> pivots() const&& { return state_.pivots; }
  /// The trace of A − L·Lᴴ, a bound of its norm if A is positive semidefinite. Nonnegative:
  /// negative diagonal elements of A − L·Lᴴ, due to rounding or an A that is not semidefinite,
  /// count as 0. Meaningless if ok() is false.
  real_t<T> trace() const { return state_.trace; }

 private:
  struct state {
    matrix<T> L;
    std::vector<index_t> pivots;
    real_t<T> trace = std::numeric_limits<real_t<T>>::quiet_NaN();
    trifac::status outcome = trifac::status::of_empty_factor();
  };

  detail::emptied_by_move<state> state_;
};

inline namespace TRIFAC_ABI {
namespace detail {

/// Appends a column of L for each pivot, the largest element of d, until none exceeds the
/// tolerance; d: n×1, the diagonal of A, then of A − L·Lᴴ.
template <Backend B, class T, class Column>
status append_columns(const B& backend, const matrix_view<T>& L, const matrix_view<real_t<T>>& d,
                      real_t<T> tolerance, const Column& column, std::vector<index_t>& pivots) {
  using R = real_t<T>;
  const index_t n = L.rows();
  matrix<T> y(L.cols(), 1);
  for (index_t i = 0; i < n; ++i) {
    if (!is_finite(d(i, 0))) return status::at(status_kind::not_finite, 0);
    if (d(i, 0) < R(0)) return status::at(status_kind::not_positive_definite, 0);
  }
  for (index_t k = 0; k < L.cols(); ++k) {
    index_t pivot = 0;
    for (index_t i = 0; i < n; ++i)
      if (d(i, 0) > d(pivot, 0)) pivot = i;
    if (!(d(pivot, 0) > tolerance)) return {};
    // l = (a − L·y) / √d, y the pivot's row of L, conjugated
    const auto l = L.block(0, k, n, 1);
    column(pivot, std::span<T>(&l(0, 0), as_size(n)));
    for (index_t c = 0; c < k; ++c) y(c, 0) = conjugate(L(pivot, c));
    if (k > 0)
      if (const status s = calls_on<B, T>::subtract_product(nest_backend<T>(backend),
                                                            operand<T>(L.block(0, 0, n, k)),
                                                            y.view().block(0, 0, k, 1), l);
          !s)
        return s;
    const R root = square_root(d(pivot, 0)), inverse = R(1) / root;
    for (index_t i = 0; i < n; ++i) {
      l(i, 0) = T(l(i, 0) * inverse);
      d(i, 0) = d(i, 0) - squared_abs(l(i, 0));
    }
    for (index_t i = 0; i < n; ++i)
      if (!is_finite(d(i, 0))) return status::at(status_kind::not_finite, k);
    l(pivot, 0) = T(root);
    for (index_t row : pivots) l(row, 0) = T(0);  // removes rounding errors
    pivots.push_back(pivot);
    for (index_t row : pivots) d(row, 0) = R(0);
  }
  return {};
}

}  // namespace detail

/// A ≈ L·Lᴴ for a Hermitian positive semidefinite A, n×n, that is not formed: diagonal(i) returns
/// a_ii, column(j, a) writes the n elements of column j to the span a; both are called by this
/// thread. The pivots are those of pivoted_cholesky, largest first, until their number is
/// options.rank or none exceeds the tolerance. T is the scalar type: low_rank_cholesky<double>(n,
/// diagonal, column, {.rank = 200}). On serial, threads and openmp.
/// @return  not_finite or not_positive_definite with index 0 if the diagonal has a NaN, an
///          infinity or a negative element; not_finite with index rank() if the next column has a
///          NaN, an infinity or a number whose square overflows: the columns before it hold L.
///          invalid_argument for n < 0, rank < 1 or a tolerance that is not finite; out_of_memory.
/// r columns of A, n·r² flops; memory for n·(min(n, options.rank) + 1) elements. The functions
/// should not throw: std::bad_alloc becomes out_of_memory, other exceptions backend_failure.
/// Source: Harbrecht, Peters, Schneider, Appl. Numer. Math. 62, 2012.
template <Scalar T, Backend B, std::invocable<index_t> Diagonal,
          std::invocable<index_t, std::span<T>> Column>
requires NestBackend<B, T>
[[nodiscard]] low_rank_factor<T> try_low_rank_cholesky(const B& backend, index_t n,
                                                       const Diagonal& diagonal,
                                                       const Column& column,
                                                       const low_rank_options& options) noexcept {
  using R = real_t<T>;
  static_assert(detail::has_limits<R>,
                "low_rank_cholesky needs std::numeric_limits of the real scalar type");
  matrix<T> L;
  std::vector<index_t> pivots;
  R trace(0);
  const status s = detail::without_exceptions([&]() -> status {
    if (n < 0) return status::argument("n", "is negative");
    if (options.rank < (n > 0 ? 1 : 0))
      return status::argument("options.rank", "must be at least 1: it is the memory for L");
    if (!detail::is_finite(options.tolerance))
      return status::argument("options.tolerance", "is not finite");
    if (const status usable = detail::check_backend(backend); !usable) return usable;
    const index_t most = detail::min(n, options.rank);
    L = matrix<T>(n, most);
    matrix<R> d(n, 1);
    pivots.reserve(detail::as_size(most));
    R largest(0);
    for (index_t i = 0; i < n; ++i)
      largest = detail::max_or_nan(largest, d(i, 0) = static_cast<R>(diagonal(i)));
    const R tolerance = options.tolerance < 0
                            ? detail::from_index<R>(n) * std::numeric_limits<R>::epsilon() * largest
                            : detail::from_double<R>(options.tolerance);
    const status done =
        detail::append_columns(backend, L.view(), d.view(), tolerance, column, pivots);
    for (index_t i = 0; i < n; ++i)
      trace = trace + (d(i, 0) < R(0) ? R(0) : d(i, 0));  // rounding errors; NaN stays
    return done;
  });
  return {std::move(L), std::move(pivots), trace, s};
}
template <Scalar T, std::invocable<index_t> Diagonal, std::invocable<index_t, std::span<T>> Column>
[[nodiscard]] low_rank_factor<T> try_low_rank_cholesky(index_t n, const Diagonal& diagonal,
                                                       const Column& column,
                                                       const low_rank_options& options) noexcept {
  return try_low_rank_cholesky<T>(backend::serial{}, n, diagonal, column, options);
}

#if TRIFAC_EXCEPTIONS
/// try_low_rank_cholesky that throws argument_error, backend_error or std::bad_alloc if the status
/// is not a property of the matrix.
template <Scalar T, Backend B, std::invocable<index_t> Diagonal,
          std::invocable<index_t, std::span<T>> Column>
requires NestBackend<B, T>
[[nodiscard]] low_rank_factor<T> low_rank_cholesky(const B& backend, index_t n,
                                                   const Diagonal& diagonal, const Column& column,
                                                   const low_rank_options& options) {
  return detail::throwing(try_low_rank_cholesky<T>(backend, n, diagonal, column, options));
}
template <Scalar T, std::invocable<index_t> Diagonal, std::invocable<index_t, std::span<T>> Column>
[[nodiscard]] low_rank_factor<T> low_rank_cholesky(index_t n, const Diagonal& diagonal,
                                                   const Column& column,
                                                   const low_rank_options& options) {
  return low_rank_cholesky<T>(backend::serial{}, n, diagonal, column, options);
}
#endif

}  // namespace TRIFAC_ABI
}  // namespace trifac
