#pragma once
// cholesky_factor: what a Cholesky factorization returns.

#include <concepts>
#include <limits>
#include <utility>

#include "trifac/engine/call/factor_state.hpp"
#include "trifac/engine/views/triangular_view.hpp"
#include "trifac/engine/views/with_status.hpp"

namespace trifac {

/// The result of cholesky(): status, and A = L·Lᴴ (lower) or A = Uᴴ·U (upper) where ok(). It refers
/// to the caller's matrix, which must outlive it and stay unchanged; made from a temporary or a
/// moved-in matrix it owns one. A copy of an owner owns a copy, a copy of a factor that refers
/// refers to the same matrix. Without arguments, and once it was moved from, it is empty: 0×0,
/// status_kind::empty. A const factor may be used from several threads at once.
template <class T>
class cholesky_factor : public with_status<cholesky_factor<T>> {
 public:
  using value_type = T;

  /// Empty: something to assign to.
  constexpr cholesky_factor() = default;
  /// Refers to A.
  constexpr cholesky_factor(const matrix_view<T>& A, triangle part, const trifac::status& s,
                            const real_t<T>& norm = std::numeric_limits<real_t<T>>::quiet_NaN(),
                            const real_t<T>& shift = real_t<T>(0))
      : state_(A, s), part_(part), norm_(norm), shift_(shift) {}
  /// Refers to an A that is only read; see factored_cholesky (factored.hpp).
  template <std::same_as<const T> U>
  cholesky_factor(const matrix_view<U>& A, triangle part, const trifac::status& s)
      : state_(A, s), part_(part) {}
  /// Owns A.
  constexpr cholesky_factor(trifac::matrix<T>&& A, triangle part, const trifac::status& s,
                            const real_t<T>& norm = std::numeric_limits<real_t<T>>::quiet_NaN(),
                            const real_t<T>& shift = real_t<T>(0))
      : state_(std::move(A), s), part_(part), norm_(norm), shift_(shift) {}

  constexpr const trifac::status& status() const& { return state_.outcome; }
  constexpr trifac::status status() const&& { return state_.outcome; }

  constexpr index_t rows() const { return state_.view().rows(); }
  constexpr triangle part() const { return part_; }
  /// ‖A‖₁ = ‖A‖∞; NaN unless options.norm. With shift() > 0 it is ‖A‖₁ + shift(), which is
  /// ‖A + shift()·I‖₁ where no a_ii is negative.
  real_t<T> norm(norm_kind kind = norm_kind::one) const {
    return kind <= norm_kind::infinity ? norm_ : std::numeric_limits<real_t<T>>::quiet_NaN();
  }
  /// What was added to the diagonal of A: 0 unless options.jitter was needed; where that failed the
  /// last shift that was tried.
  constexpr real_t<T> shift() const { return shift_; }

  /// The factored matrix as it lies in memory; the triangle other than part() is the caller's.
  constexpr matrix_view<const T> matrix() const& { return state_.view(); }
  /// n×n lower triangular with A = L·Lᴴ.
  triangular_view<T> L() const& { return triangle_of(triangle::lower); }
  /// n×n upper triangular with A = Uᴴ·U.
  triangular_view<T> U() const& { return triangle_of(triangle::upper); }
  // Views into a factor that ends with the statement: name the factor first.
  void matrix() const&& = delete;
  void L() const&& = delete;
  void U() const&& = delete;

 private:
  friend struct detail::factor_access;

  triangular_view<T> triangle_of(triangle which) const {
    const matrix_view<const T> A = state_.view();
    return {part_ == which ? operand<T>(A) : adjoint(A), which, diagonal::non_unit, status()};
  }

  detail::emptied_by_move<detail::factor_state<T>> state_;
  triangle part_ = triangle::lower;
  real_t<T> norm_ = std::numeric_limits<real_t<T>>::quiet_NaN();
  real_t<T> shift_ = real_t<T>(0);
};

}  // namespace trifac
