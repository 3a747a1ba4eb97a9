#pragma once
// The Cholesky factor of A ± X·Xᴴ from that of A, in place.

#include <algorithm>

#include "trifac/detail/min_max.hpp"
#include "trifac/matrix_view.hpp"
#include "trifac/panel/nest_step.hpp"
#include "trifac/simd/core/reflectors.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// The lower triangle of `to` := that of `from`, along the lines that are contiguous in L: a quarter of
/// an update of rank 1 at n = 50 were loops over any strides.
template <class T>
void copy_lower(const matrix_view<T>& from, const matrix_view<T>& to) {
  const index_t n = to.rows();
  if (from.row_stride() == 1 && to.row_stride() == 1) {
    for (index_t j = 0; j < n; ++j) {
      const T* const source = &from(0, j);
      T* const target = &to(0, j);
      for (index_t i = j; i < n; ++i) target[i] = source[i];
    }
  } else {
    for (index_t i = 0; i < n; ++i)
      for (index_t j = 0; j <= i; ++j) to(i, j) = from(i, j);
  }
}

/// The diagonal block of a step, [L11  X1] := [L11′  0], b×b and b×k, and its reflectors; D: scratch.
/// The first column where one group of reflectors fails is the last that others take. The columns of X1
/// and D are contiguous.
template <class T>
status reflect_diagonal(const reflector_block<T>& Q, reflector<T>* reflectors,
                        const matrix_view<T>& L11, const matrix_view<T>& X1,
                        const matrix_view<T>& D) {
  const index_t b = L11.rows();
  index_t end = b;
  status outcome;
  const auto L = D.block(0, 0, D.rows(), b), Y = D.block(0, b, D.rows(), reflector_width);
  for (index_t j = 0; j < b; ++j) {
    T* const column = &L(0, j);
    std::fill(column + j / 16 * 16, column + j, T(0));
    std::fill(column + b, column + D.rows(), T(0));
  }
  copy_lower(L11, L.block(0, 0, b, b));
  for (index_t g = 0; g < Q.groups(); ++g) {
    for (index_t c = 0; c < reflector_width; ++c) {
      const index_t known = c < Q.width(g) ? b : 0;
      T* const column = &Y(0, c);
      if (known > 0) std::copy_n(&X1(0, g * reflector_width + c), b, column);
      std::fill(column + known, column + D.rows(), T(0));
    }
    reflector<T>* const own = reflectors + g * Q.stride;
    const index_t done = simd::reflect_diagonal(Q, g, own, end, L, Y.data());
    if (done == end) continue;
    real_t<T> pivot = real_part(L(done, done));
    const status s =
        blas::make_reflector<T>(Q.how, pivot, Y.block(done, 0, 1, Q.width(g)), own[done]);
    outcome = status::at(s.kind(), end = done);
  }
  copy_lower(L.block(0, 0, b, b), L11);
  return outcome;
}

}  // namespace detail

/// The lower triangle of L := L′ with L′·L′ᴴ = L·Lᴴ ± X·Xᴴ; L: n×n, X: n×k, destroyed. Scratch: D:
/// column-major, whole_packets(b) rows, b + 4 columns; b reflectors for every four columns of X.
/// 2n²k flops. After a failure at column j the leading j×j block holds its factor. LINPACK: chud,
/// chdd.
template <class On, class T>
void modify_lower(On& on, modification how, matrix_view<T> L, matrix_view<T> X, matrix_view<T> D,
                  reflector<T>* reflectors) {
  constexpr index_t rows_at_once = 256;
  const index_t n = L.rows();
  const index_t block = D.cols() - reflector_width;
  for (index_t k = 0; k < n && !on.stopped(); k += block) {
    //         | done            |    [L11  X1]     [L11′  0 ]
    // L, X =  |  …   L11        |    [L21  X2]·Q = [L21′  X2′],  L11: b×b
    //         |  …   L21   L22  |
    const index_t b = detail::min(block, n - k), below = n - k - b;
    const auto L11 = L.block(k, k, b, b), L21 = L.block(k + b, k, below, b);
    const auto X1 = X.block(k, 0, b, X.cols()), X2 = X.block(k + b, 0, below, X.cols());
    const reflector_block<T> Q = {reflectors, b, block, X.cols(), how};
    on.once(nest_step::factor_block,
            [&] { on.record(detail::reflect_diagonal(Q, reflectors, L11, X1, D), k); });
    if (on.stopped()) return;
    on.ranges(nest_step::update_lower, below, rows_at_once, [&](index_t from, index_t to) {
      simd::apply_reflectors(Q, L21.block(from, 0, to - from, b),
                             X2.block(from, 0, to - from, X.cols()));
    });
  }
}

}  // namespace TRIFAC_ABI
}  // namespace trifac
