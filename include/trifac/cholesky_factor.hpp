#pragma once
// cholesky_factor: what a Cholesky factorization returns.

#include <concepts>
#include <utility>

#include "trifac/detail/kept_matrix.hpp"
#include "trifac/status.hpp"
#include "trifac/triangular_view.hpp"

namespace trifac {

/// The result of cholesky(): status, and A = L·Lᴴ (lower) or A = Uᴴ·U (upper) where ok(). It refers
/// to the caller's matrix, which must outlive it and stay unchanged; made from a moved-in matrix it
/// owns that and may be copied and returned freely. A const factor may be used from several threads
/// at once.
template <class T>
class [[nodiscard]] cholesky_factor {
 public:
  using value_type = T;

  /// Refers to A, or owns it where it is a moved-in matrix.
  template <std::convertible_to<detail::kept_matrix<T>> M>
  cholesky_factor(M&& A, triangle part, trifac::status s)
      : matrix_(std::forward<M>(A)), part_(part), status_(s) {}

  bool ok() const { return status_.ok(); }
  explicit operator bool() const { return ok(); }
  const trifac::status& status() const { return status_; }

  index_t rows() const { return matrix().rows(); }
  triangle part() const { return part_; }

  /// The factored matrix as it lies in memory; the triangle other than part() is the caller's.
  matrix_view<const T> matrix() const { return matrix_.view(); }
  /// n×n lower triangular with A = L·Lᴴ.
  triangular_view<T> L() const {
    return {part_ == triangle::lower ? operand<T>(matrix()) : adjoint(matrix()), triangle::lower,
            diagonal::general};
  }
  /// n×n upper triangular with A = Uᴴ·U.
  triangular_view<T> U() const {
    return {part_ == triangle::upper ? operand<T>(matrix()) : adjoint(matrix()), triangle::upper,
            diagonal::general};
  }

#if TRIFAC_EXCEPTIONS
  /// *this where ok(), else throws numerical_error.
  const cholesky_factor& or_throw() const& {
    if (!ok()) throw numerical_error(status_);
    return *this;
  }
  cholesky_factor&& or_throw() && {
    if (!ok()) throw numerical_error(status_);
    return std::move(*this);
  }
#endif

 private:
  detail::kept_matrix<T> matrix_;
  triangle part_;
  trifac::status status_;
};

}  // namespace trifac
