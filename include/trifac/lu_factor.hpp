#pragma once
// lu_factor: what an LU factorization returns.

#include <concepts>
#include <limits>
#include <utility>
#include <vector>

#include "trifac/detail/kept_matrix.hpp"
#include "trifac/pivots.hpp"
#include "trifac/status.hpp"
#include "trifac/triangular_view.hpp"
#include "trifac/verb/largest.hpp"

namespace trifac {

/// The result of lu(): status, and P·A = L·U where the factorization was completed. It refers to
/// the caller's matrix (and, in the form with pivots, to the caller's pivots), which must outlive
/// it and stay unchanged; what it was given to own, a moved-in matrix or its own pivots, travels
/// with it. A const factor may be used from several threads at once.
template <class T>
class [[nodiscard]] lu_factor {
 public:
  using value_type = T;

  /// growth() where it was not asked for.
  static inline const real_t<T> not_measured = std::numeric_limits<real_t<T>>::quiet_NaN();

  /// Owns the interchanges, and A where it is a moved-in matrix.
  template <std::convertible_to<detail::kept_matrix<T>> M>
  lu_factor(M&& A, pivots&& p, trifac::status s, real_t<T> growth = not_measured)
      : matrix_(std::forward<M>(A)), own_pivots_(std::move(p)), status_(s), growth_(growth) {}
  /// Refers to p.
  template <std::convertible_to<detail::kept_matrix<T>> M>
  lu_factor(M&& A, const pivots* p, trifac::status s, real_t<T> growth = not_measured)
      : matrix_(std::forward<M>(A)), pivots_(p), status_(s), growth_(growth) {}

  bool ok() const { return status_.ok(); }
  explicit operator bool() const { return ok(); }
  const trifac::status& status() const { return status_; }

  index_t rows() const { return matrix().rows(); }
  index_t cols() const { return matrix().cols(); }

  /// L\U as it lies in memory: U on and above the diagonal, L without its ones below.
  matrix_view<const T> matrix() const { return matrix_.view(); }
  /// m × min(m, n), unit lower triangular.
  triangular_view<T> L() const {
    const index_t k = rows() < cols() ? rows() : cols();
    return {operand<T>(matrix().block(0, 0, rows(), k)), triangle::lower, diagonal::unit};
  }
  /// min(m, n) × n, upper triangular.
  triangular_view<T> U() const {
    const index_t k = rows() < cols() ? rows() : cols();
    return {operand<T>(matrix().block(0, 0, k, cols())), triangle::upper, diagonal::general};
  }
  /// The row interchanges of P, min(m, n) of them.
  const pivots& interchanges() const { return pivots_ ? *pivots_ : own_pivots_; }
  /// P as a permutation: row i of P·A is row permutation()[i] of A.
  std::vector<index_t> permutation() const { return interchanges().permutation(rows()); }

  /// max |l_ij| below the diagonal: at most 1 with partial pivoting, √2 for complex types, whose
  /// pivots are compared by |Re| + |Im|. Costs O(m·n) at each call.
  real_t<T> max_l() const { return verb::largest_below_diagonal<T>(matrix()); }

  /// max |u_ij| / max |a_ij|: how much the elements grew. NaN unless asked for in the options.
  real_t<T> growth() const { return growth_; }
#if TRIFAC_EXCEPTIONS
  /// *this where ok(), else throws numerical_error.
  const lu_factor& or_throw() const& {
    if (!ok()) throw numerical_error(status_);
    return *this;
  }
  lu_factor&& or_throw() && {
    if (!ok()) throw numerical_error(status_);
    return std::move(*this);
  }
#endif

 private:
  detail::kept_matrix<T> matrix_;
  pivots own_pivots_;
  const pivots* pivots_ = nullptr;
  trifac::status status_;
  real_t<T> growth_;
};

}  // namespace trifac
