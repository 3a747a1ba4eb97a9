#pragma once
// Device code of LU without pivoting by blocks of four kinds, as in the design project ECE496 of
// 2012: one item per row of a block, or one per column.

#include "trifac/engine/kernel/prelude_opencl.hpp"

namespace trifac::kernel {

/// Follows arithmetic.hpp and lu_pivot.hpp. Kinds: 1 the diagonal block, 2 blocks below it, 3
/// blocks right of it, 4 the others. By rows, neighbouring items take neighbouring rows and read
/// along them VW elements at a time; by columns, neighbouring items read neighbouring elements
/// (coalesced) of row-major storage, as in the source.
///
/// Groups: a matrix of kind 2 or 3 is divided into blocks of b rows or columns, one of kind 4 into
/// b×b; `share` groups work on each block if its rows or columns are independent.
inline constexpr const char* lu_four_block = TRIFAC_KERNEL_LINE("lu_four_block.hpp") R"kernel(
/* x := x - l*u, n elements along a row. */
DEVICE void subtract_row(i64 n, GLOBAL SCALAR* x, i64 xs, SCALAR l, GLOBAL const SCALAR* u, i64 us)
{
  i64 j = 0;
#if VW > 1
  if (xs == 1 && us == 1) {
    SCALARV lv;
    SPLAT(lv, l);
    for (; j + VW <= n; j += VW) {
      SCALARV xv = load_elements(x + j);
      const SCALARV uv = load_elements(u + j);
      FNMA(xv, lv, uv);
      store_elements(x + j, xv);
    }
  }
#endif
  for (; j < n; ++j) {
    SCALAR e = x[j * xs];
    FNMA(e, l, u[j * us]);
    x[j * xs] = e;
  }
}
DEVICE SCALAR over_pivot(SCALAR x, SCALAR pivot)
{
  return IS_ZERO(pivot) ? x : divide(x, pivot);
}
DEVICE void check_pivot(SCALAR pivot, i64 index, STATE* state)
{
  if (!IS_FINITE(pivot)) record(state, NOT_FINITE, index);
  if (IS_ZERO(pivot)) record(state, ZERO_PIVOT, index);
}
DEVICE i64 smaller(i64 a, i64 b)
{
  return a < b ? a : b;
}

/* Kind 1: A := L\U, n x n, by elimination (kij); one group. `first`: its row in the matrix. */
KERNEL void diagonal_by_rows(MATRIX(A), i64 first, STATE* state)
{
  const i64 n = A_view.rows, rs = A_view.rs, cs = A_view.cs;
  const i64 steps = is_fatal(state[FAILED]) ? 0 : n;
  GLOBAL SCALAR* a = A + A_view.offset;
  for (i64 k = 0; k < steps; ++k) {
    BARRIER();
    const SCALAR pivot = a[k * (rs + cs)];
    if (ITEM(0) == 0) check_pivot(pivot, first + k, state);
    for (i64 i = k + 1 + ITEM(0); i < n; i += ITEMS(0)) {
      const SCALAR l = over_pivot(a[i * rs + k * cs], pivot);
      a[i * rs + k * cs] = l;
      subtract_row(n - k - 1, a + i * rs + (k + 1) * cs, cs, l, a + k * rs + (k + 1) * cs, cs);
    }
  }
}
KERNEL void diagonal_by_columns(MATRIX(A), i64 first, STATE* state)
{
  const i64 n = A_view.rows, rs = A_view.rs, cs = A_view.cs;
  const i64 steps = is_fatal(state[FAILED]) ? 0 : n;
  GLOBAL SCALAR* a = A + A_view.offset;
  for (i64 k = 0; k < steps; ++k) {
    BARRIER();
    const SCALAR pivot = a[k * (rs + cs)];
    if (ITEM(0) == 0) check_pivot(pivot, first + k, state);
    for (i64 i = k + 1 + ITEM(0); i < n; i += ITEMS(0))
      a[i * rs + k * cs] = over_pivot(a[i * rs + k * cs], pivot);
    BARRIER();
    for (i64 j = k + 1 + ITEM(0); j < n; j += ITEMS(0))
      subtract_row(n - k - 1, a + (k + 1) * rs + j * cs, rs, a[k * rs + j * cs],
                   a + (k + 1) * rs + k * cs, rs);
  }
}

/* Kind 2: A := A * U^-1; A: m x n, U: n x n. */
KERNEL void left_by_rows(MATRIX(A), i64 b, int share, CONST_MATRIX(U), const STATE* state)
{
  if (is_fatal(state[FAILED])) return;
  const i64 n = A_view.cols, rs = A_view.rs, cs = A_view.cs;
  const i64 top = GROUP(0) / share * b, bottom = smaller(top + b, A_view.rows);
  GLOBAL const SCALAR* u = U + U_view.offset;
  for (i64 i = top + GROUP(0) % share * ITEMS(0) + ITEM(0); i < bottom; i += share * ITEMS(0)) {
    GLOBAL SCALAR* a = &ELEMENT(A, i, 0);
    for (i64 k = 0; k < n; ++k) {
      const SCALAR l = over_pivot(a[k * cs], u[k * (rs + cs)]);
      a[k * cs] = l;
      subtract_row(n - k - 1, a + (k + 1) * cs, cs, l, u + k * rs + (k + 1) * cs, cs);
    }
  }
}
/* One block by one group; steps: n, or 0 to do nothing. */
DEVICE void left_block_by_columns(GLOBAL SCALAR* a, i64 rs, i64 cs, i64 rows, i64 steps,
                                  GLOBAL const SCALAR* u)
{
  for (i64 k = 0; k < steps; ++k) {
    for (i64 i = ITEM(0); i < rows; i += ITEMS(0))
      a[i * rs + k * cs] = over_pivot(a[i * rs + k * cs], u[k * (rs + cs)]);
    BARRIER();
    for (i64 j = k + 1 + ITEM(0); j < steps; j += ITEMS(0))
      subtract_row(rows, a + j * cs, rs, u[k * rs + j * cs], a + k * cs, rs);
    BARRIER();
  }
}
KERNEL void left_by_columns(MATRIX(A), i64 b, int share, CONST_MATRIX(U), const STATE* state)
{
  const i64 top = GROUP(0) * b;
  left_block_by_columns(&ELEMENT(A, top, 0), A_view.rs, A_view.cs, smaller(b, A_view.rows - top),
                        is_fatal(state[FAILED]) ? 0 : A_view.cols, U + U_view.offset);
}

/* Kind 3: A := L^-1 * A; A: m x n, L: m x m with a diagonal of ones. */
KERNEL void top_by_rows(MATRIX(A), i64 b, int share, CONST_MATRIX(L), const STATE* state)
{
  const i64 m = A_view.rows, rs = A_view.rs, cs = A_view.cs;
  const i64 steps = is_fatal(state[FAILED]) ? 0 : m;
  const i64 left = GROUP(0) * b, columns = smaller(b, A_view.cols - left);
  GLOBAL SCALAR* a = &ELEMENT(A, 0, left);
  GLOBAL const SCALAR* l = L + L_view.offset;
  for (i64 k = 0; k < steps; ++k) {
    for (i64 i = k + 1 + ITEM(0); i < m; i += ITEMS(0))
      subtract_row(columns, a + i * rs, cs, l[i * rs + k * cs], a + k * rs, cs);
    BARRIER();
  }
}
/* One column, by one item. */
DEVICE void top_column(GLOBAL SCALAR* a, i64 rs, i64 cs, i64 m, GLOBAL const SCALAR* l)
{
  for (i64 k = 0; k < m; ++k)
    subtract_row(m - k - 1, a + (k + 1) * rs, rs, a[k * rs], l + (k + 1) * rs + k * cs, rs);
}
KERNEL void top_by_columns(MATRIX(A), i64 b, int share, CONST_MATRIX(L), const STATE* state)
{
  if (is_fatal(state[FAILED])) return;
  const i64 left = GROUP(0) / share * b, right = smaller(left + b, A_view.cols);
  for (i64 j = left + GROUP(0) % share * ITEMS(0) + ITEM(0); j < right; j += share * ITEMS(0))
    top_column(&ELEMENT(A, 0, j), A_view.rs, A_view.cs, A_view.rows, L + L_view.offset);
}

/* Kinds 2 and 3 in one launch, one group per block: the first `lefts` groups process the m rows
   below the k x k diagonal block D, the others the n columns right of it. */
KERNEL void left_and_top_by_columns(MATRIX(D), i64 m, i64 n, i64 b, i64 lefts,
                                    const STATE* state)
{
  const i64 k = D_view.rows, rs = D_view.rs, cs = D_view.cs;
  const int runs = !is_fatal(state[FAILED]), is_left = GROUP(0) < lefts;
  GLOBAL SCALAR* d = D + D_view.offset;
  const i64 top = GROUP(0) * b, left = (GROUP(0) - lefts) * b;
  left_block_by_columns(d + (k + top) * rs, rs, cs, smaller(b, m - top), runs && is_left ? k : 0,
                        d);
  if (runs && !is_left)
    for (i64 j = left + ITEM(0); j < smaller(left + b, n); j += ITEMS(0))
      top_column(d + (k + j) * cs, rs, cs, k, d);
}

/* Kind 4: C := C - L*U; C: m x n, L: m x depth, U: depth x n, with equal strides. */
KERNEL void inner_by_rows(MATRIX(C), i64 b, int share, CONST_MATRIX(L), CONST_MATRIX(U),
                          const STATE* state)
{
  if (is_fatal(state[FAILED])) return;
  const i64 top = GROUP(0) / share * b, bottom = smaller(top + b, C_view.rows);
  const i64 left = GROUP(1) * b, columns = smaller(b, C_view.cols - left);
  for (i64 i = top + GROUP(0) % share * ITEMS(0) + ITEM(0); i < bottom; i += share * ITEMS(0))
    for (i64 k = 0; k < L_view.cols; ++k)
      subtract_row(columns, &ELEMENT(C, i, left), C_view.cs, ELEMENT(L, i, k),
                   &ELEMENT(U, k, left), U_view.cs);
}
KERNEL void inner_by_columns(MATRIX(C), i64 b, int share, CONST_MATRIX(L), CONST_MATRIX(U),
                             const STATE* state)
{
  if (is_fatal(state[FAILED])) return;
  const i64 top = GROUP(0) / share * b, bottom = smaller(top + b, C_view.rows);
  const i64 left = GROUP(1) * b, right = smaller(left + b, C_view.cols);
  for (i64 j = left + GROUP(0) % share * ITEMS(0) + ITEM(0); j < right; j += share * ITEMS(0))
    for (i64 i = top; i < bottom; ++i) {
      SCALAR sum = ELEMENT(C, i, j);
      for (i64 k = 0; k < L_view.cols; ++k) FNMA(sum, ELEMENT(L, i, k), ELEMENT(U, k, j));
      ELEMENT(C, i, j) = sum;
    }
}
)kernel";

}  // namespace trifac::kernel
