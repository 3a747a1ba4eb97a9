#pragma once
// The Cholesky factor of A ± X·Xᴴ from that of A, in place.

#include "trifac/engine/base/min_max.hpp"
#include "trifac/engine/panel/nest_step.hpp"
#include "trifac/engine/simd/core/reflectors.hpp"
#include "trifac/matrix_view.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// The diagonal block of a step: [L11  X1] := [L11′  0], b×b and b×k, and its reflectors; D:
/// scratch. `end`: the first column where a group, g, has no reflector; later groups stop before
/// it.
template <class T>
status reflect_diagonal(const reflector_block<T>& Q, reflector<T>* reflectors,
                        const matrix_view<T>& L11, const matrix_view<T>& X1, T* D) {
  const auto [end, g] = simd::reflect_diagonal(Q, reflectors, L11, X1, D);
  if (end == L11.rows()) return {};
  real_t<T> pivot = real_part(L11(end, end));
  reflector<T> none;
  const auto x = X1.block(end, g * reflector_width, 1, Q.width(g));
  return status::at(blas::make_reflector<T>(Q.how, pivot, x, none).kind(), end);
}

}  // namespace detail

/// The lower triangle of L := L′ with L′·L′ᴴ = L·Lᴴ ± X·Xᴴ; L: n×n, X: n×k, overwritten, columns
/// contiguous with room for whole_packets(n) elements. Scratch: D for b columns of L, b a multiple
/// of 16 or n, for k = 1 at most rotation_columns; b reflectors per four columns of X. 2n²k flops.
/// After a failure at column j the leading j×j block holds its factor. LINPACK: chud, chdd.
/// Source: blas/reflectors.hpp.
template <class On, class T>
void modify_lower(On& on, modification how, matrix_view<T> L, matrix_view<T> X, index_t block, T* D,
                  reflector<T>* reflectors) {
  constexpr index_t rows_at_once = 256;
  const index_t n = L.rows();
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
