#pragma once
// Device code of tournament pivoting: row interchanges from pivot candidates, and the check of max
// |l_ij|.

#include "trifac/engine/kernel/prelude_opencl.hpp"

namespace trifac::kernel {

/// Follows lu_pivot.
inline constexpr const char* tournament = TRIFAC_KERNEL_LINE("tournament.hpp") R"kernel(
/* The interchanges that move rows first + chosen[k] of the matrix to rows first + k. Each moves
   two rows: the chosen one and one of the first b; only these b need their places stored.
   places: scratch for 2*b numbers. One group. */
KERNEL void interchanges_from_candidates(GLOBAL const i64* chosen, i64 chosen_at, int b, i64 first,
                                         GLOBAL i64* interchanges, GLOBAL i64* places,
                                         const STATE* state)
{
  GLOBAL i64* row_at = places;
  GLOBAL i64* place_of = places + b;
  const int stop = is_fatal(state[FAILED]);
  for (i64 i = ITEM(0); i < b && !stop; i += ITEMS(0)) row_at[i] = place_of[i] = i;
  BARRIER();
  if (ITEM(0) == 0 && !stop)
    for (int k = 0; k < b; ++k) {
      const i64 row = chosen[chosen_at + k], from = row < b ? place_of[row] : row;
      const i64 displaced = row_at[k];
      interchanges[first + k] = from - k;
      if (from < b) row_at[from] = displaced;
      place_of[displaced] = from;
    }
}

/* Requests a fallback if a pivot of A11 = L11\U11 (b x b) is zero or not finite, or an |l_ij| of
   L11 or of A21 = L21 (m x b) is NaN or above the limit. One item per row of [A11; A21]. */
KERNEL void check_growth(CONST_MATRIX(A11), CONST_MATRIX(A21), REAL limit, STATE* state)
{
  if (is_fatal(state[FAILED])) return;
  const i64 i = GROUP(0) * ITEMS(0) + ITEM(0), b = A11_view.rows, m = A21_view.rows;
  int bad = 0;
  if (i < b) {
    const SCALAR pivot = ELEMENT(A11, i, i);
    bad = !IS_FINITE(pivot) || IS_ZERO(pivot);
    for (i64 j = 0; j < i; ++j) {
      const SCALAR l = ELEMENT(A11, i, j);
      bad |= !(PIVOT_SIZE(l) <= limit);
    }
  } else if (i < b + m) {
    for (i64 j = 0; j < b; ++j) {
      const SCALAR l = ELEMENT(A21, i - b, j);
      bad |= !(PIVOT_SIZE(l) <= limit);
    }
  }
  if (bad) state[FALLBACK] = 1; /* all writers write the same value */
}

/* Resets the fallback flag. */
KERNEL void end_fallback(STATE* state)
{
  state[FALLBACK] = 0;
}
)kernel";

}  // namespace trifac::kernel
