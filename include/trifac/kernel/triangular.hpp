#pragma once
// Device code of the small pieces around the products: substitution with one triangular block, and
// copies. Follows arithmetic.hpp.

#include "trifac/kernel/prelude_opencl.hpp"

namespace trifac::kernel {

inline constexpr const char* triangular = TRIFAC_KERNEL_LINE("triangular.hpp") R"kernel(
/* X := T^-1 * X by substitution, an item for each column of X. T: n x n, lower, or upper where
   `backward`, element (i, j) at i*trs + j*tcs, conjugated where asked, with a diagonal of ones where
   `unit`. A zero on the diagonal leaves its row undivided. */
KERNEL void solve_block(GLOBAL const SCALAR* T, i64 t_offset, i64 trs, i64 tcs, int conjugated,
                        int backward, int unit, GLOBAL SCALAR* X, i64 x_offset, i64 n, i64 columns,
                        i64 rs, i64 cs, GLOBAL const i64* state)
{
  const i64 c = GROUP(0) * ITEMS(0) + ITEM(0);
  if (is_fatal(state[FAILED]) || c >= columns) return;
  GLOBAL const SCALAR* t = T + t_offset;
  GLOBAL SCALAR* x = X + x_offset + c * cs;
  const i64 step = backward ? -1 : 1, first = backward ? n - 1 : 0;
  for (i64 done = 0; done < n; ++done) {
    const i64 k = first + step * done;
    SCALAR sum = x[k * rs];
    for (i64 q = 0; q < done; ++q) {
      const i64 p = first + step * q;
      SCALAR a = t[k * trs + p * tcs];
      const SCALAR b = x[p * rs];
      if (conjugated) CONJUGATE(a);
      FNMA(sum, a, b);
    }
    if (!unit) {
      SCALAR d = t[k * (trs + tcs)];
      if (conjugated) CONJUGATE(d);
      if (!IS_ZERO(d)) sum = divide(sum, d);
    }
    x[k * rs] = sum;
  }
}

/* B := A, or its lower triangle; an item for each row. */
KERNEL void copy(GLOBAL const SCALAR* A, i64 a_offset, i64 ars, i64 acs, GLOBAL SCALAR* B,
                 i64 b_offset, i64 brs, i64 bcs, i64 rows, i64 cols, int lower,
                 GLOBAL const i64* state)
{
  const i64 i = GROUP(0) * ITEMS(0) + ITEM(0);
  if (is_fatal(state[FAILED]) || i >= rows) return;
  const i64 last = lower && i + 1 < cols ? i + 1 : cols;
  for (i64 j = 0; j < last; ++j)
    B[b_offset + i * brs + j * bcs] = A[a_offset + i * ars + j * acs];
}
)kernel";

}  // namespace trifac::kernel
