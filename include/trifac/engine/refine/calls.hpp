#pragma once
// The definitions of calls<T, B>::subtract_product and subtract_hermitian.

#include "trifac/backend.hpp"
#include "trifac/engine/base/min_max.hpp"
#include "trifac/engine/call/call.hpp"
#include "trifac/engine/calls/calls.hpp"
#include "trifac/engine/calls/defined.hpp"
#include "trifac/engine/cpu/run.hpp"
#include "trifac/engine/simd/core/few_right_hand_sides.hpp"
#include "trifac/engine/simd/core/product.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// C −= A·B on the calling thread. With few columns A is read once, in place.
template <class T>
void subtract_here(const matrix_view<T>& C, const operand<T>& A, const matrix_view<const T>& B) {
  if (C.empty() || A.cols() == 0) return;
  if constexpr (simd::has_kernels<T>)
    if (simd::are_few_right_hand_sides(A, C)) return simd::subtract_few(C, A, operand<T>(B));
  simd::update(C, A, operand<T>(B));
}

}  // namespace detail
}  // namespace TRIFAC_ABI

inline namespace TRIFAC_CALLS {

template <class T, class B>
status calls<T, B>::subtract_product(const B& backend, const operand<T>& A, const const_view& X,
                                     const view& R) noexcept {
  TRIFAC_TRY {
    constexpr index_t rows_at_once = 512;
    const double flops = 2 * static_cast<double>(A.rows()) * static_cast<double>(A.cols()) *
                         static_cast<double>(X.cols());
    status outcome;
    run(backend, outcome, flops, [&](auto& on) {
      on.ranges(nest_step::update, R.rows(), rows_at_once, [&](index_t from, index_t to) {
        detail::subtract_here(R.block(from, 0, to - from, R.cols()),
                              A.block(from, 0, to - from, A.cols()), X);
      });
    });
    return outcome;
  }
  TRIFAC_CATCH
}

template <class T, class B>
status calls<T, B>::subtract_hermitian(const operand<T>& A, const const_view& X,
                                       const view& R) noexcept {
  TRIFAC_TRY {
    constexpr index_t block = 32;
    const index_t n = A.rows(), r = X.cols();
    T copy[block * block];
    for (index_t k = 0; k < n; k += block) {
      //     | …             |    A11 is copied with both triangles, A21 used as it is and as A21ᴴ
      // A = | …  A11        |
      //     | …  A21   …    |
      const index_t b = detail::min(block, n - k), below = n - k - b;
      const operand<T> A11 = A.block(k, k, b, b), A21 = A.block(k + b, k, below, b);
      const matrix_view<T> D = column_major(copy, b, b);
      for (index_t j = 0; j < b; ++j) {
        D(j, j) = T(detail::real_part(A11(j, j)));
        for (index_t i = j + 1; i < b; ++i) D(j, i) = detail::conjugate(D(i, j) = A11(i, j));
      }
      const auto X1 = X.block(k, 0, b, r), X2 = X.block(k + b, 0, below, r);
      const auto R1 = R.block(k, 0, b, r), R2 = R.block(k + b, 0, below, r);
      const operand<T> A12(A21.view.transposed(), is_complex<T> && !A21.conjugated);
      detail::subtract_here(R1, operand<T>(D), X1);
      detail::subtract_here(R1, A12, X2);
      detail::subtract_here(R2, A21, X1);
    }
    return {};
  }
  TRIFAC_CATCH
}

}  // namespace TRIFAC_CALLS
}  // namespace trifac
