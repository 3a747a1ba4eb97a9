#pragma once
// partial_cholesky_factor: what a partial Cholesky factorization returns.

#include <utility>

#include "trifac/engine/base/min_max.hpp"
#include "trifac/engine/call/factor_state.hpp"
#include "trifac/engine/views/triangular_view.hpp"
#include "trifac/engine/views/with_status.hpp"

namespace trifac {

/// The result of partial_cholesky(), where ok():
///
///       | A11  A21ᴴ |   | L11     | | I     | | L11ᴴ  L21ᴴ |
///   A = |           | = |         |·|       |·|            |
///       | A21  A22  |   | L21   I | |     S | |         I  |
///
/// L11: k×k, L21: (n−k)×k, S = A22 − A21·A11⁻¹·A21ᴴ. It refers to the caller's matrix, or owns one,
/// as a cholesky_factor does.
template <class T>
class partial_cholesky_factor : public with_status<partial_cholesky_factor<T>> {
 public:
  using value_type = T;

  partial_cholesky_factor() = default;
  partial_cholesky_factor(const matrix_view<T>& A, triangle part, index_t columns,
                          const trifac::status& s)
      : state_(A, s), part_(part), columns_(columns) {}
  partial_cholesky_factor(trifac::matrix<T>&& A, triangle part, index_t columns,
                          const trifac::status& s)
      : state_(std::move(A), s), part_(part), columns_(columns) {}

  const trifac::status& status() const& { return state_.outcome; }
  trifac::status status() const&& { return state_.outcome; }

  index_t rows() const { return state_.view().rows(); }
  /// k, the columns that are factored.
  index_t columns() const { return detail::clamp<index_t>(columns_, 0, rows()); }
  triangle part() const { return part_; }

  /// The matrix as it lies in memory: L11, L21 and S in the triangle part().
  matrix_view<const T> matrix() const& { return state_.view(); }
  /// k×k, lower triangular.
  triangular_view<T> L11() const& {
    const matrix_view<const T> A11 = state_.view().block(0, 0, columns(), columns());
    return {part_ == triangle::lower ? operand<T>(A11) : adjoint(A11), triangle::lower,
            diagonal::non_unit, status()};
  }
  /// (n−k)×k; for an upper factor the adjoint of the U12 that is stored.
  operand<T> L21() const& {
    const index_t k = columns(), below = rows() - k;
    const matrix_view<const T> A = state_.view();
    return part_ == triangle::lower ? operand<T>(A.block(k, 0, below, k))
                                    : adjoint(A.block(0, k, k, below));
  }
  /// S, (n−k)×(n−k), of which the triangle part() is stored; to be read, or written before
  /// finish().
  matrix_view<const T> schur() const& { return state_.view().trailing(columns()); }
  matrix_view<T> schur() & { return state_.writable_view().trailing(columns()); }
  void matrix() const&& = delete;
  void L11() const&& = delete;
  void L21() const&& = delete;
  void schur() const&& = delete;

 private:
  friend struct detail::factor_access;

  detail::emptied_by_move<detail::factor_state<T>> state_;
  triangle part_ = triangle::lower;
  index_t columns_ = 0;
};

}  // namespace trifac
