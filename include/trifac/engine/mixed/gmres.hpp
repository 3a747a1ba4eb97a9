#pragma once
// GMRES with a preconditioner that may vary between steps.

#include "trifac/engine/base/min_max.hpp"
#include "trifac/matrix.hpp"
#include "trifac/norm.hpp"
#include "trifac/status.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// Flexible GMRES: x += Z·y, where y minimizes ‖r − A·Z·y‖₂ over the columns z = M⁻¹·v of Z, at
/// most `most` of them. Source: Saad, SIAM J. Sci. Comput. 14(2), 1993.
template <class T>
class flexible_gmres {
  using R = real_t<T>;

 public:
  /// At most n steps.
  flexible_gmres(index_t n, index_t most)
      : most_(min(most, n)),
        V_(n, most_ + 1),
        Z_(n, most_),
        H_(most_ + 1, most_),
        g_(most_ + 1, 1),
        s_(most_, 1),
        c_(most_, 1) {}

  /// One restart cycle, until the estimated residual is at most `target`. precondition(v, z): z :=
  /// M⁻¹·v; subtract(z, w): w := w − A·z; both return a status, and a failure is returned. `steps`
  /// counts the products. If a number is not finite, x is unchanged.
  template <class Precondition, class Subtract>
  status improve(const matrix_view<const T>& r, const matrix_view<T>& x, const R& target,
                 const Precondition& precondition, const Subtract& subtract, int& steps) {
    const R size = length(r);
    if (!is_finite(size) || !(size > R(0))) return {};
    const index_t n = r.rows();
    for (index_t i = 0; i < n; ++i) V_(i, 0) = r(i, 0) / T(size);
    g_(0, 0) = T(size);
    index_t k = 0;
    bool done = false;
    while (k < most_ && !done) {
      const matrix_view<T> z = Z_.view().col(k), w = V_.view().col(k + 1);
      if (const status s = precondition(V_.view().col(k), z); !s) return s;
      for (index_t i = 0; i < n; ++i) w(i, 0) = T(0);
      if (const status s = subtract(z, w); !s) return s;
      const R rest = orthogonalize(k);
      ++steps;
      if (!is_finite(rest)) return {};
      rotate(k, rest);
      ++k;
      done = !(absolute(g_(k, 0)) > target) || rest == R(0);
    }
    // y = H⁻¹·g, in place of g.
    for (index_t i = k - 1; i >= 0; --i) {
      T sum = g_(i, 0);
      for (index_t j = i + 1; j < k; ++j) sum = subtract_product(sum, H_(i, j), g_(j, 0));
      g_(i, 0) = sum / H_(i, i);
      if (!is_finite(g_(i, 0))) return {};
    }
    for (int j = 0; j < k; ++j)
      for (index_t i = 0; i < n; ++i) x(i, 0) = x(i, 0) + multiply(Z_(i, j), g_(j, 0));
    return {};
  }

 private:
  static R length(const matrix_view<const T>& x) { return norm_of<T>(x, norm_kind::frobenius); }

  /// Column k + 1 of V holds −A·z on entry: negates it, orthogonalizes it against the previous
  /// columns and normalizes it. Computes column k of H; returns the norm before normalization.
  R orthogonalize(index_t k) {
    const index_t n = V_.rows();
    const matrix_view<T> w = V_.view().col(k + 1);
    for (index_t i = 0; i < n; ++i) w(i, 0) = -w(i, 0);
    for (index_t j = 0; j <= k; ++j) {
      T dot(0);
      for (index_t i = 0; i < n; ++i) dot = dot + multiply(conjugate(V_(i, j)), w(i, 0));
      H_(j, k) = dot;
      for (index_t i = 0; i < n; ++i) w(i, 0) = subtract_product(w(i, 0), dot, V_(i, j));
    }
    const R rest = length(w);
    if (rest > R(0))
      for (index_t i = 0; i < n; ++i) w(i, 0) = w(i, 0) / T(rest);
    return rest;
  }

  /// Reduces column k of H to triangular form by the previous rotations and a new one, which is
  /// also applied to g.
  void rotate(index_t k, const R& rest) {
    for (index_t j = 0; j < k; ++j) {
      const T a = H_(j, k), b = H_(j + 1, k);
      H_(j, k) = multiply(T(c_(j, 0)), a) + multiply(s_(j, 0), b);
      H_(j + 1, k) = multiply(T(c_(j, 0)), b) - multiply(conjugate(s_(j, 0)), a);
    }
    const T a = H_(k, k);
    const R size = absolute(a), all = square_root(size * size + rest * rest);
    const T phase = size > R(0) ? T(a / T(size)) : T(1);
    c_(k, 0) = all > R(0) ? size / all : R(1);
    s_(k, 0) = all > R(0) ? multiply(phase, T(rest / all)) : T(0);
    H_(k, k) = multiply(phase, T(all));
    g_(k + 1, 0) = -multiply(conjugate(s_(k, 0)), g_(k, 0));
    g_(k, 0) = multiply(T(c_(k, 0)), g_(k, 0));
  }

  index_t most_;
  matrix<T> V_, Z_, H_, g_, s_;
  matrix<R> c_;
};

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
