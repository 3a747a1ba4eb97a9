#pragma once
// Cholesky, LU and solves of a small order known at compile time, by scalars in registers: inlined
// and usable in constant expressions. Products and sums are rounded separately unless compiler
// flags fuse them, with the same bits as the instruction set `baseline`.

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "trifac/engine/base/as_size.hpp"
#include "trifac/engine/base/inline.hpp"
#include "trifac/engine/base/ordinary_pivots.hpp"
#include "trifac/engine/base/square_root.hpp"
#include "trifac/matrix_view.hpp"
#include "trifac/scalar.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace blas {

namespace scalars {

using detail::as_size;
using detail::has_short_chain;
using detail::least_ordinary_pivot;

/// Right-hand sides in vectors of 16 bytes, which every CPU has: order 8 with 8 right-hand sides
/// takes 2/3 of the time.
template <class R>
using columns_at_once [[gnu::vector_size(16)]] = R;
template <class R>
inline constexpr int lanes_at_once = sizeof(columns_at_once<R>) / sizeof(R);  // 1 without vectors

// Helpers that the included texts need, described at the head of each.

template <class R>
constexpr R scalar_fnma(R a, R b, R c) {
  return c - a * b;
}
template <class R>
constexpr R scalar_root(R x) {
  return std::is_constant_evaluated() ? detail::constant_square_root(x) : std::sqrt(x);
}
template <class R>
constexpr auto scalar_key(R x) {
  using key = std::conditional_t<sizeof(R) == 8, std::uint64_t, std::uint32_t>;
  return static_cast<key>(std::bit_cast<key>(x) << 1);
}
template <class R>
constexpr bool is_ordinary_pivot(R x) {
  using range = detail::ordinary_pivots<R>;
  const R size = x < 0 ? -x : x;
  return size >= range::least && size <= range::most;
}

#include "trifac/engine/blas/scalars_cholesky.inl"
#include "trifac/engine/blas/scalars_lu.inl"
#include "trifac/engine/blas/scalars_solve.inl"

}  // namespace scalars
}  // namespace blas
}  // namespace TRIFAC_ABI
}  // namespace trifac
