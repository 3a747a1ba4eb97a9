#pragma once
// What the factorizations of a batch return.

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "trifac/engine/batch/calls/options.hpp"
#include "trifac/engine/batch/checks/outcome.hpp"
#include "trifac/engine/batch/layout/interchanges.hpp"
#include "trifac/engine/cholesky/factor.hpp"
#include "trifac/engine/lu/factor.hpp"
#include "trifac/engine/simd/isa/isa.hpp"

namespace trifac {

/// L or U of each matrix of a factored batch, read only: solve(f.L(), B) solves with all of them.
/// It refers to the factor, which must outlive it.
template <class T>
class batch_triangular_view {
 public:
  using value_type = T;

  /// The `part` of each matrix, with `conjugated` read as its complex conjugate.
  batch_triangular_view(const batch_view<const T>& A, bool conjugated, triangle part, diagonal diag,
                        const batch_outcome& outcome)
      : A_(A), conjugated_(conjugated), part_(part), diagonal_(diag), outcome_(&outcome) {}

  index_t batch() const { return A_.batch(); }
  index_t rows() const { return A_.rows(); }
  index_t cols() const { return A_.cols(); }
  triangle part() const { return part_; }
  diagonal diag() const { return diagonal_; }
  bool conjugated() const { return conjugated_; }
  /// Where they lie, with the elements outside the triangle.
  const batch_view<const T>& matrices() const { return A_; }
  /// That of the factorization.
  const batch_outcome& outcome() const { return *outcome_; }

  /// That of matrix b; of a singular LU, too.
  triangular_view<T> operator[](index_t b) const {
    const trifac::status s = outcome_->status(b);
    return {operand<T>(A_[b], conjugated_), part_, diagonal_, s.completed() ? trifac::status() : s};
  }

 private:
  batch_view<const T> A_;
  bool conjugated_;
  triangle part_;
  diagonal diagonal_;
  const batch_outcome* outcome_;
};

/// The result of cholesky() on a batch: A = L·Lᴴ or Uᴴ·U of each matrix whose status is ok. It
/// refers to the caller's matrices (and info, where the options gave memory for it), which must
/// outlive it and stay unchanged.
template <class T>
class batch_cholesky_factor : public batch_outcome, public with_status<batch_cholesky_factor<T>> {
  using result = with_status<batch_cholesky_factor>;

 public:
  using result::ok, result::or_throw, result::operator bool;
  using value_type = T;

  batch_cholesky_factor() = default;
  batch_cholesky_factor(const batch_view<const T>& A, triangle part, batch_outcome&& outcome,
                        std::vector<real_t<T>>&& shifts = {})
      : batch_outcome(std::move(outcome)),
        A_(batch_view<const T>(A)),
        part_(part),
        shifts_(std::move(shifts)) {}

  index_t batch() const { return A_.batch(); }
  index_t rows() const { return A_.rows(); }
  index_t cols() const { return A_.cols(); }
  triangle part() const { return part_; }
  /// The factored matrices as they lie in memory.
  batch_view<const T> matrices() const { return A_; }
  /// What was added to the diagonal of matrix b: 0 unless options.jitter was needed; where that
  /// failed the last shift that was tried. f[b].shift() is 0.
  real_t<T> shift(index_t b) const {
    return shifts_.empty() ? real_t<T>(0) : shifts_[detail::as_size(b)];
  }

  /// That of matrix b, which may be read by every call on one: it refers to the caller's matrix.
  cholesky_factor<T> operator[](index_t b) const {
    const trifac::status s = status(b);
    return {s.of_the_matrix() ? matrices()[b] : matrix_view<const T>(), part_, s};
  }
  /// n×n lower triangular with A = L·Lᴴ, of each matrix.
  batch_triangular_view<T> L() const& { return triangle_of(triangle::lower); }
  /// n×n upper triangular with A = Uᴴ·U, of each matrix.
  batch_triangular_view<T> U() const& { return triangle_of(triangle::upper); }
  // Views into a factor that ends with the statement: name the factor first.
  void L() const&& = delete;
  void U() const&& = delete;

 private:
  batch_triangular_view<T> triangle_of(triangle which) const {
    const bool turned = part_ != which;
    return {turned ? A_.transposed() : matrices(), turned && is_complex<T>, which,
            diagonal::non_unit, *this};
  }

  detail::emptied_by_move<batch_view<const T>> A_;
  triangle part_ = triangle::lower;
  std::vector<real_t<T>> shifts_;  // none without jitter
};

/// The result of lu() on a batch: P·A = L·U of each matrix whose status is ok, or singular. It
/// refers to the caller's matrices (and info and interchanges, where the options gave memory for
/// them).
template <class T>
class batch_lu_factor : public batch_outcome, public with_status<batch_lu_factor<T>> {
  using result = with_status<batch_lu_factor>;

 public:
  using result::ok, result::or_throw, result::operator bool;
  using value_type = T;

  batch_lu_factor() = default;
  batch_lu_factor(const batch_view<const T>& A, trifac::pivoting pivoting,
                  detail::int32_buffer&& interchanges, batch_outcome&& outcome)
      : batch_outcome(std::move(outcome)),
        A_(batch_view<const T>(A)),
        pivoting_(pivoting),
        interchanges_(std::move(interchanges)) {}

  index_t batch() const { return A_.batch(); }
  index_t rows() const { return A_.rows(); }
  index_t cols() const { return A_.cols(); }
  trifac::pivoting pivoting() const { return pivoting_; }
  /// L\U of each matrix as it lies in memory.
  batch_view<const T> matrices() const { return A_; }
  /// The row interchanges of matrix b; none without pivoting.
  batch_interchanges interchanges(index_t b) const& {
    const auto all = interchanges_.span();
    if (all.empty()) return {nullptr, 0};
    return {all.data() + simd::lane_pivots{nullptr, steps()}.offset(b), steps()};
  }
  /// Of all matrices: step k of matrix b is number b/w·w·steps + w·k + b%w, w = 16.
  std::span<const std::int32_t> interchanges() const& { return interchanges_.span(); }

  /// That of matrix b, which may be read by every call on one: it refers to the caller's matrix,
  /// and has a copy of the interchanges. May throw std::bad_alloc.
  lu_factor<T> operator[](index_t b) const {
    const trifac::status s = status(b);
    if (!s.of_the_matrix()) return {matrix_view<const T>(), pivots(), s};
    return {matrices()[b], interchanges_.span().empty() ? pivots(steps()) : pivots(interchanges(b)),
            s};
  }
  /// m × min(m, n), unit lower triangular, of each matrix.
  batch_triangular_view<T> L() const& {
    return {A_.block(0, 0, rows(), steps()), false, triangle::lower, diagonal::unit, *this};
  }
  /// min(m, n) × n, upper triangular, of each matrix.
  batch_triangular_view<T> U() const& {
    return {A_.block(0, 0, steps(), cols()), false, triangle::upper, diagonal::non_unit, *this};
  }
  // Views into a factor that ends with the statement: name the factor first.
  void L() const&& = delete;
  void U() const&& = delete;
  void interchanges(index_t) const&& = delete;
  void interchanges() const&& = delete;

 private:
  index_t steps() const { return rows() < cols() ? rows() : cols(); }

  detail::emptied_by_move<batch_view<const T>> A_;
  trifac::pivoting pivoting_ = trifac::pivoting::partial;
  detail::emptied_by_move<detail::int32_buffer> interchanges_;
};

}  // namespace trifac
