#pragma once
// Reflectors that update or downdate a Cholesky factor by k vectors, in plain loops: the
// specification, and the fallback for any scalar type. And the rotations that kernels take instead
// for one vector.

#include <limits>

#include "trifac/engine/base/inline.hpp"
#include "trifac/engine/base/min_max.hpp"
#include "trifac/engine/base/modification.hpp"
#include "trifac/engine/base/ordinary_pivots.hpp"
#include "trifac/engine/blas/factor_column.hpp"
#include "trifac/matrix_view.hpp"

namespace trifac {

inline namespace TRIFAC_ABI {

/// Columns of X per reflector: with more, the kernels would run out of registers.
inline constexpr index_t reflector_width = 4;

/// Takes the row [α  x] to [β  0], β² = α² ± ‖x‖². Each other row [l  y] becomes [l′  y′]:
///
///   l′ = a·l + y·s,   y′ = y − (l + l′)·w;   a = α/β,  s = ±xᴴ/β,  w = x/(α + β)
///
/// For an update this is the Householder reflection of [α  x] to [−β  0] with the sign of l′
/// changed. For a downdate, y′ is from the reflection that takes [l′  y] to [−l  y′], and only l′
/// from the hyperbolic equation: this mixed form is stable, the hyperbolic reflector itself is not.
/// Missing columns of y are zero.
/// Source: Bojanczyk, Brent, van Dooren, de Hoog, SIAM J. Sci. Stat. Comput. 8, 1987.
///
/// The kernels take one vector of ordinary numbers by rotations of y = √t·x, t = 1 before the first
/// column of a block. In them y waits for a quotient, not for the square root before it:
///
///   p = y/α,  t′ = t ± |p|²,  ρ² = t′/t,  β = α·ρ,  s = ±pᴴ/(t·ρ)     in the row of α
///   y′ = y − l·p,   l′ = l/ρ + y·s for an update, l′ = l·ρ + y′·s for a downdate
///
/// l′ is from [l y] of an update and from [l y′] of a downdate by a rotation; each of the other two
/// forms would cancel.
/// Source: Gill, Golub, Murray, Saunders, Math. Comp. 28, 1974, method C1.
template <class T>
struct reflector {
  real_t<T> a = real_t<T>(1);                          // of a rotation 1/ρ or ρ
  T s[reflector_width] = {}, w[reflector_width] = {};  // of a rotation s and p
  /// Of the first in a block of rotations: 1/√t behind the last, for x from y. Of reflectors: 0.
  real_t<T> to_x = real_t<T>(0);
};

/// The reflectors of `columns` columns of L. Group g is those of columns 4g … 4g+3 of X and starts
/// `stride` reflectors after group g−1.
template <class T>
struct reflector_block {
  const reflector<T>* first;
  index_t columns, stride, vectors;
  modification how;

  constexpr index_t groups() const { return (vectors + reflector_width - 1) / reflector_width; }
  constexpr const reflector<T>* group(index_t g) const { return first + g * stride; }
  /// Columns of X in a group.
  constexpr index_t width(index_t g) const {
    return detail::min(reflector_width, vectors - g * reflector_width);
  }
};

namespace blas {

/// h := the reflector of [α  x] and β; x: k elements. Scaling all three changes nothing.
template <class T>
TRIFAC_INLINE void set_reflector(reflector<T>& h, modification how, const real_t<T>& alpha,
                                 const real_t<T>& beta, const T* x, index_t k) {
  using R = real_t<T>;
  const R to_s = R(how == modification::update ? 1 : -1) / beta, to_w = R(1) / (alpha + beta);
  h.a = alpha / beta;
  TRIFAC_UNROLL
  for (index_t c = 0; c < reflector_width; ++c) {
    if (c >= k) continue;  // k is not a constant, and clang unrolls only loops with constant bounds
    h.s[c] = T(detail::conjugate(x[c]) * to_s);
    h.w[c] = T(x[c] * to_w);
  }
}

/// h := the rotation of [α  y/√t], α := β, t := t′. False, with α and t unchanged, if a number is
/// outside the ordinary range: then there are reflectors. t is at most 2⁴⁰, |p| 2²⁰, so that l·p
/// does not overflow where A is finite.
template <class T>
TRIFAC_INLINE bool set_rotation(reflector<T>& h, modification how, real_t<T>& alpha, real_t<T>& t,
                                const T& y) {
  using R = real_t<T>;
  constexpr R least = detail::least_ordinary_pivot<R>;
  if (!(alpha > least && alpha < 1 / least)) return false;
  const bool is_update = how == modification::update;
  const T p = T(y / alpha);
  const R size = detail::squared_abs(p), next = is_update ? t + size : t - size;
  if (!(next > least && next < R(0x1p40))) return false;
  const R root = detail::square_root(R(next / t)), inverse = R(1) / (t * root);
  h.a = is_update ? t * inverse : root;
  h.s[0] = T(detail::conjugate(p) * (is_update ? inverse : -inverse));
  h.w[0] = p;
  alpha = alpha * root;
  t = next;
  return true;
}

/// h := the reflector of [α  x], x: 1×k, k ≤ reflector_width, and α := β, β² = α² ± ‖x‖². If β² is
/// not positive and finite: not_positive_definite or not_finite, with α unchanged. All numbers are
/// divided by the largest before they are squared.
template <Scalar T>
status make_reflector(modification how, real_t<T>& alpha, matrix_view<const T> x, reflector<T>& h) {
  using R = real_t<T>;
  h = reflector<T>();
  R scale = alpha, size(0);
  for (index_t c = 0; c < x.cols(); ++c) {  // by parts: |x| may overflow when they do not
    scale = detail::max(scale, detail::absolute(detail::real_part(x(0, c))));
    if constexpr (is_complex<T>) scale = detail::max(scale, detail::absolute(x(0, c).imag()));
  }
  T y[reflector_width] = {};
  for (index_t c = 0; c < x.cols(); ++c) {
    y[c] = T(x(0, c) / scale);
    size = size + detail::squared_abs(y[c]);
  }
  const R a = alpha / scale, least = detail::square_root(std::numeric_limits<R>::min());
  // ‖x‖ is below rounding.
  if (detail::is_finite(size) && size < least) return check_pivot(alpha, 0);
  const R square = how == modification::update ? a * a + size : a * a - size;
  if (const status s = check_pivot(square, 0); !s) return s;
  const R b = detail::square_root(square), beta = b * scale;
  if (const status s = check_pivot(beta, 0); !s) return s;
  set_reflector(h, how, a, b, y, x.cols());
  alpha = beta;
  return {};
}

/// Applies the reflectors to the rows of L: m×columns and X: m×vectors. 4·m·columns·vectors flops.
template <Scalar T>
void apply_reflectors(const reflector_block<T>& Q, matrix_view<T> L, matrix_view<T> X) {
  for (index_t g = 0; g < Q.groups(); ++g)
    for (index_t j = 0; j < Q.columns; ++j) {
      const reflector<T>& h = Q.group(g)[j];
      for (index_t i = 0; i < L.rows(); ++i) {
        T *const y = &X(i, g * reflector_width), l = L(i, j);
        T next = T(l * h.a);
        for (index_t c = 0; c < Q.width(g); ++c)
          next = next + detail::multiply(y[c * X.col_stride()], h.s[c]);
        L(i, j) = next;
        for (index_t c = 0; c < Q.width(g); ++c)
          y[c * X.col_stride()] =
              detail::subtract_product(y[c * X.col_stride()], T(l + next), h.w[c]);
      }
    }
}

}  // namespace blas
}  // namespace TRIFAC_ABI
}  // namespace trifac
