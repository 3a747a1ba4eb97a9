#pragma once
// Selects the calls that are inlined: those on matrices of a small order known at compile time.

#include <span>
#include <utility>

#include "trifac/backend.hpp"
#include "trifac/engine/call/argument_types.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// N of an N×N matrix M, 0 < N ≤ largest, that B factors on the calling thread; else 0. Also 0 for
/// a temporary that owns its elements, since it is copied into a matrix of dynamic order. `largest`
/// is that of the scalar kernels (simd/core/small_kernels.hpp).
template <class M, variant V, class B>
constexpr index_t known_order(index_t largest) {
  constexpr index_t n = rows_of<M> == cols_of<M> ? rows_of<M> : dynamic;
  if (V != variant::best || !SmallPathBackend<B> || OwningTemporary<M>) return 0;
  return n > 0 && n <= largest ? n : 0;
}

/// Rows of right-hand sides: a matrix or a vector.
template <class M>
constexpr index_t rows_of_sides() {
  if constexpr (MatrixLike<M>)
    return rows_of<M>;
  else
    return fixed_extent(decltype(std::span(std::declval<M&>()))::extent);
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
