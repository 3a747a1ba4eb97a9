#pragma once
// Columns of a matrix in packed memory and their reduction with fused multiply-adds: the host's
// part of a factorization that a device has begun, in the device's own bits. A std::fma in plain
// code is a call of the C library unless the compiler's flags say that the CPU has the instruction.

#include <cmath>

#include "trifac/engine/simd/core/vector.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace simd {

/// Rows that are reduced at a time; packed columns have room for so many behind the last.
inline constexpr int fused_rows = 64;

/// Columns of `height` ≥ rows + fused_rows elements each, real parts before imaginary parts.
template <class T>
struct packed_columns {
  real_t<T>* data;
  index_t rows, height;

  real_t<T>* column(index_t k) const { return data + k * (is_complex<T> ? 2 : 1) * height; }
};

/// x_i := x_i − Σ_{k<count} l_ik·conj(l_row,k) for the packed column x = `count` of L and the rows
/// from `row` on. Each element is one chain in the order of k; with complex numbers
///   Re x −= Re l·Re b, then Im l·Im b;   Im x += Re l·Im b, then −= Im l·Re b.
template <class T>
void reduce_column_plainly(const packed_columns<T>& L, index_t row, index_t count) {
  using R = real_t<T>;
  for (index_t i = row; i < L.rows; ++i) {
    R* const x = L.column(count) + i;
    for (index_t k = 0; k < count; ++k) {
      const R *const l = L.column(k) + i, *const b = L.column(k) + row;
      x[0] = std::fma(-l[0], b[0], x[0]);
      if constexpr (is_complex<T>) {
        x[0] = std::fma(-l[L.height], b[L.height], x[0]);
        x[L.height] = std::fma(l[0], b[L.height], x[L.height]);
        x[L.height] = std::fma(-l[L.height], b[0], x[L.height]);
      }
    }
  }
}

}  // namespace simd
}  // namespace TRIFAC_ABI
}  // namespace trifac

#if TRIFAC_SIMD
  #define TRIFAC_SIMD_TEXT "trifac/engine/simd/cholesky/column.inl"
  #include "trifac/engine/simd/isa/each.inl"
#endif

namespace trifac {
inline namespace TRIFAC_ABI {
namespace simd {

/// reduce_column_plainly by the instruction set in use, where that has a fused multiply-add.
template <class T>
void reduce_column(const packed_columns<T>& L, index_t row, index_t count) {
#if TRIFAC_SIMD
  with_isa([&](auto target) {
    if constexpr (decltype(target)::has_fma)
      reduce_fused_column(target, L, row, count);
    else
      reduce_column_plainly(L, row, count);
  });
#else
  reduce_column_plainly(L, row, count);
#endif
}

}  // namespace simd
}  // namespace TRIFAC_ABI
}  // namespace trifac
