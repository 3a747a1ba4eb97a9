#pragma once
// lu_factor: what an LU factorization returns.

#include <concepts>
#include <limits>
#include <utility>
#include <vector>

#include "trifac/engine/blas/largest.hpp"
#include "trifac/engine/call/factor_state.hpp"
#include "trifac/engine/views/triangular_view.hpp"
#include "trifac/engine/views/with_status.hpp"
#include "trifac/pivots.hpp"

namespace trifac {

/// What lu() has measured of A where its options asked for it, else NaN.
template <class T>
struct lu_measures {
  real_t<T> growth = std::numeric_limits<real_t<T>>::quiet_NaN();
  real_t<T> norm_1 = growth, norm_infinity = growth;
};

inline namespace TRIFAC_ABI {
namespace detail {

/// A factor's state with the interchanges, its own or the caller's.
template <class T>
struct lu_state : factor_state<T> {
  constexpr lu_state() = default;
  template <class M>
  constexpr lu_state(M&& A, const status& s, pivots&& p, const lu_measures<T>& m)
      : factor_state<T>(std::forward<M>(A), s), own_pivots(std::move(p)), measured(m) {}
  template <class M>
  constexpr lu_state(M&& A, const status& s, const pivots* p, const lu_measures<T>& m)
      : factor_state<T>(std::forward<M>(A), s), callers_pivots(p), measured(m) {}

  constexpr const pivots& interchanges() const {
    return callers_pivots ? *callers_pivots : own_pivots;
  }

  pivots own_pivots;
  const pivots* callers_pivots = nullptr;
  lu_measures<T> measured;
};

}  // namespace detail
}  // namespace TRIFAC_ABI

/// The result of lu(): status, and P·A = L·U where the factorization was completed. It refers to
/// the caller's matrix (and, in the form with pivots, to the caller's pivots), which must outlive
/// it and stay unchanged; made from a temporary or a moved-in matrix it owns one. A copy of an
/// owner owns a copy. Without arguments, and once it was moved from, it is empty: 0×0, no
/// interchanges, status_kind::empty. A const factor may be used from several threads at once.
template <class T>
class lu_factor : public with_status<lu_factor<T>> {
 public:
  using value_type = T;

  /// Empty: something to assign to.
  constexpr lu_factor() = default;
  /// Refers to A; owns the interchanges p, or refers to them.
  constexpr lu_factor(const matrix_view<T>& A, pivots&& p, const trifac::status& s,
                      const lu_measures<T>& measured = {})
      : state_(A, s, std::move(p), measured) {}
  constexpr lu_factor(const matrix_view<T>& A, const pivots* p, const trifac::status& s,
                      const lu_measures<T>& measured = {})
      : state_(A, s, p, measured) {}
  /// Refers to an A that is only read; see factored_lu (factored.hpp).
  template <std::same_as<const T> U>
  lu_factor(const matrix_view<U>& A, pivots&& p, const trifac::status& s)
      : state_(A, s, std::move(p), lu_measures<T>()) {}
  /// Owns A.
  constexpr lu_factor(trifac::matrix<T>&& A, pivots&& p, const trifac::status& s,
                      const lu_measures<T>& measured = {})
      : state_(std::move(A), s, std::move(p), measured) {}
  constexpr lu_factor(trifac::matrix<T>&& A, const pivots* p, const trifac::status& s,
                      const lu_measures<T>& measured = {})
      : state_(std::move(A), s, p, measured) {}

  constexpr const trifac::status& status() const& { return state_.outcome; }
  constexpr trifac::status status() const&& { return state_.outcome; }

  constexpr index_t rows() const { return state_.view().rows(); }
  constexpr index_t cols() const { return state_.view().cols(); }

  /// L\U as it lies in memory: U on and above the diagonal, L without its ones below.
  constexpr matrix_view<const T> matrix() const& { return state_.view(); }
  /// m × min(m, n), unit lower triangular.
  triangular_view<T> L() const& {
    return {operand<T>(matrix().block(0, 0, rows(), steps())), triangle::lower, diagonal::unit,
            status_of_triangles()};
  }
  /// min(m, n) × n, upper triangular.
  triangular_view<T> U() const& {
    return {operand<T>(matrix().block(0, 0, steps(), cols())), triangle::upper, diagonal::non_unit,
            status_of_triangles()};
  }
  // Views into a factor that ends with the statement: name the factor first.
  void matrix() const&& = delete;
  void L() const&& = delete;
  void U() const&& = delete;

  /// The row interchanges of P, min(m, n) of them. Of a temporary a copy.
  constexpr const pivots& interchanges() const& { return state_.interchanges(); }
  constexpr pivots interchanges() const&& { return state_.interchanges(); }
  /// False where the interchanges are not those of such a matrix: the caller's pivots have been
  /// used for another one meanwhile.
  constexpr bool interchanges_fit() const { return state_.interchanges().fit(steps(), rows()); }
  /// P as a permutation: row i of P·A is row permutation()[i] of A. Nothing where the interchanges
  /// do not fit.
  std::vector<index_t> permutation() const {
    if (!interchanges_fit()) return {};
    return state_.interchanges().permutation(rows());
  }

  /// max |l_ij| below the diagonal: at most 1 with partial pivoting, √2 for complex types, whose
  /// pivots are compared by |Re| + |Im|. Costs O(m·n) at each call.
  real_t<T> max_l() const { return blas::largest_below_diagonal<T>(state_.view()); }

  /// max |u_ij| / max |a_ij|: how much the elements grew; 1 where all of A is zero. NaN unless
  /// asked for in the options, and where the factorization was not completed. LAPACK: 1 / rpvgrw.
  real_t<T> growth() const { return state_.measured.growth; }

  /// ‖A‖₁ or ‖A‖∞ of the matrix that was factored; NaN unless asked for in the options.
  real_t<T> norm(norm_kind kind = norm_kind::one) const {
    if (kind > norm_kind::infinity) return std::numeric_limits<real_t<T>>::quiet_NaN();
    return kind == norm_kind::one ? state_.measured.norm_1 : state_.measured.norm_infinity;
  }

 private:
  constexpr index_t steps() const { return rows() < cols() ? rows() : cols(); }
  trifac::status status_of_triangles() const {
    return status().completed() ? trifac::status() : status();
  }

  detail::emptied_by_move<detail::lu_state<T>> state_;
};

}  // namespace trifac
