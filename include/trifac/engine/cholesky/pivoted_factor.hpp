#pragma once
// pivoted_cholesky_factor: what a pivoted Cholesky factorization returns.

#include <utility>
#include <vector>

#include "trifac/engine/call/factor_state.hpp"
#include "trifac/engine/views/triangular_view.hpp"
#include "trifac/engine/views/with_status.hpp"
#include "trifac/pivots.hpp"

namespace trifac {

/// The result of pivoted_cholesky(): Pᵀ·A·P = L·Lᴴ, L: n×rank(), to the tolerance. It refers to the
/// caller's matrix, or owns one, as a cholesky_factor does.
template <class T>
class pivoted_cholesky_factor : public with_status<pivoted_cholesky_factor<T>> {
 public:
  using value_type = T;

  pivoted_cholesky_factor() = default;
  pivoted_cholesky_factor(const matrix_view<T>& A, triangle part, pivots&& p, index_t rank,
                          const trifac::status& s)
      : state_(A, s), part_(part) {
    state_.found(std::move(p), rank);
  }
  pivoted_cholesky_factor(trifac::matrix<T>&& A, triangle part, pivots&& p, index_t rank,
                          const trifac::status& s)
      : state_(std::move(A), s), part_(part) {
    state_.found(std::move(p), rank);
  }

  const trifac::status& status() const& { return state_.outcome; }
  trifac::status status() const&& { return state_.outcome; }

  index_t rows() const { return state_.view().rows(); }
  triangle part() const { return part_; }
  /// Columns of L: pivots above the tolerance.
  index_t rank() const { return state_.rank; }

  /// The factored matrix as it lies in memory. Of part() what is right of the leading rank()
  /// columns of L, or below the leading rank() rows of U, is unspecified.
  matrix_view<const T> matrix() const& { return state_.view(); }
  /// n×rank(), lower trapezoidal.
  triangular_view<T> L() const& {
    const matrix_view<const T> A = state_.view();
    const operand<T> elements = part_ == triangle::lower ? operand<T>(A.block(0, 0, rows(), rank()))
                                                         : adjoint(A.block(0, 0, rank(), rows()));
    return {elements, triangle::lower, diagonal::non_unit, status()};
  }
  void matrix() const&& = delete;
  void L() const&& = delete;

  /// Row and column k were exchanged with interchanges()[k]. Of a temporary a copy.
  const pivots& interchanges() const& { return state_.interchanges; }
  pivots interchanges() const&& { return state_.interchanges; }
  /// Row i of Pᵀ·A·P is row permutation()[i] of A. LAPACK: piv − 1.
  std::vector<index_t> permutation() const { return state_.interchanges.permutation(rows()); }

 private:
  struct state : detail::factor_state<T> {
    using detail::factor_state<T>::factor_state;
    void found(pivots&& p, index_t r) {
      interchanges = std::move(p);
      rank = r;
    }
    pivots interchanges;
    index_t rank = 0;
  };

  detail::emptied_by_move<state> state_;
  triangle part_ = triangle::lower;
};

}  // namespace trifac
