#pragma once
// modified_cholesky_factor: what a modified Cholesky factorization returns.

#include <utility>
#include <vector>

#include "trifac/engine/cholesky/pivoted_factor.hpp"
#include "trifac/engine/views/with_status.hpp"

namespace trifac {

/// The result of modified_cholesky(): Pᵀ·(A + E)·P = L·Lᴴ, as a pivoted_cholesky_factor of full
/// rank holds it, and E. solve(f, b) solves with A + E.
template <class T>
class modified_cholesky_factor : public pivoted_cholesky_factor<T>,
                                 public with_status<modified_cholesky_factor<T>> {
  using base = pivoted_cholesky_factor<T>;
  using R = real_t<T>;
  using result = with_status<modified_cholesky_factor>;

 public:
  using result::ok, result::or_throw, result::operator bool;

  modified_cholesky_factor() = default;
  /// E: n numbers in the order of A; phase_two: see phase_two().
  modified_cholesky_factor(base&& factor, std::vector<R>&& E, index_t phase_two)
      : base(std::move(factor)) {
    modification_.E = std::move(E);
    modification_.phase_two = phase_two;
    for (const R& e : modification_.E)
      if (e > modification_.norm) modification_.norm = e;
  }

  /// The diagonal of E ≥ 0, in the order of A; empty where the factorization failed.
  const std::vector<R>& E() const& { return modification_.E; }
  std::vector<R> E() const&& { return modification_.E; }
  /// ‖E‖∞: 0 where A is safely positive definite.
  R norm_of_E() const { return modification_.norm; }
  /// The column with which phase two began: those before it are columns of a factor of A. rows()
  /// where there was none.
  index_t phase_two() const { return modification_.phase_two; }

 private:
  struct modification {
    std::vector<R> E;
    R norm = R(0);
    index_t phase_two = 0;
  };

  detail::emptied_by_move<modification> modification_;
};

}  // namespace trifac
