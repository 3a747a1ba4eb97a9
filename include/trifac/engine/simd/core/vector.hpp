#pragma once
// The vectors, packets and masks that kernels are written with, for each instruction set, and
// with_isa, which picks the set at run time.

#include <complex>
#include <cstdint>
#include <utility>

#include "trifac/engine/base/as_size.hpp"
#include "trifac/engine/base/inline.hpp"
#include "trifac/engine/base/ordinary_pivots.hpp"
#include "trifac/engine/simd/isa/isa.hpp"
#include "trifac/scalar.hpp"

#if TRIFAC_SIMD

  // An entry point is called from code of the baseline and must not become part of that, as what
  // is TRIFAC_INLINE does.
  #define TRIFAC_ENTRY __attribute__((noinline))

namespace trifac {
inline namespace TRIFAC_ABI {
namespace simd {

using detail::as_size;  // for arrays: a bound counts unsigned
using detail::has_short_chain;
using detail::least_ordinary_pivot;
using detail::ordinary_pivots;

/// A tile of C that stays in registers during a sum over k: `vectors` vectors of rows, `columns`
/// columns. A complex vector is two of them, real parts and imaginary parts.
///
///        columns = 8            b0 b1 b2 … b7      one row of B: broadcasts from memory
///   ┌──┐                       ┌──────────────┐
///   │a0│ 8 rows (AVX-512)      │              │
///   ├──┤                       │   C -= a·b   │    vectors × columns accumulators:
///   │a1│                       │              │    3 × 8 of the 32 registers,
///   ├──┤                       │              │    3 for a, 1 or 2 for b
///   │a2│ one column of A       │              │
///   └──┘                       └──────────────┘
///
/// columns is the vector's width or half of it: a diagonal tile then lies within one vector.
struct tile_shape {
  int vectors, columns;
};

/// Bytes that a prefetch brings.
inline constexpr int cache_line = 64;

/// Vectors per packet: real and imaginary parts are kept apart.
template <class T>
inline constexpr int planes = is_complex<T> ? 2 : 1;

/// Which factor of a complex product is conjugated.
enum class conjugation { none, first };

}  // namespace simd
}  // namespace TRIFAC_ABI
}  // namespace trifac

  #define TRIFAC_SIMD_TEXT "trifac/engine/simd/core/vector.inl"
  #include "trifac/engine/simd/isa/each.inl"

  #define TRIFAC_SIMD_TEXT "trifac/engine/simd/core/packet.inl"
  #include "trifac/engine/simd/isa/each.inl"

  #define TRIFAC_SIMD_TEXT "trifac/engine/simd/core/mask.inl"
  #include "trifac/engine/simd/isa/each.inl"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace simd {

/// Calls f(target), target being avx2::target for isa::avx2 and so on: an entry point f calls with
/// it is the one for that instruction set. The CPU must have the set.
template <class F>
TRIFAC_INLINE decltype(auto) with_isa(isa set, F&& f) {
  switch (set) {
  #define TRIFAC_FOR_ISA(name, is_here) \
    case isa::name:                     \
      return std::forward<F>(f)(name::target{});
  #include "trifac/engine/simd/isa/list.inl"
  }
  __builtin_unreachable();
}

/// The same for the instruction set in use.
template <class F>
TRIFAC_INLINE decltype(auto) with_isa(F&& f) {
  return with_isa(active_isa(), std::forward<F>(f));
}

}  // namespace simd
}  // namespace TRIFAC_ABI
}  // namespace trifac

#endif
