#pragma once
// Device code of LU without pivoting by blocks of four kinds, as in the last version of the design
// project ECE496 of 2012: one group per block, blocks in local memory.

#include "trifac/engine/kernel/prelude_opencl.hpp"

namespace trifac::kernel {

/// Rows and columns of a block: three blocks fit 32 KiB, as in the source, which has 50 in float.
template <class T>
inline constexpr int local_block = sizeof(T) == 4   ? 50
                                   : sizeof(T) == 8 ? 36
                                                    : 25;

/// Follows lu_four_block.hpp; SIDE: local_block. A group stages its block and the parts of others
/// that it reads: kind 1 none, kind 2 the upper triangle of the diagonal block, kind 3 the part
/// below its diagonal, kind 4 the blocks left and above. One item per column; columns are adjacent
/// in local memory.
inline constexpr const char* lu_four_block_local =
    TRIFAC_KERNEL_LINE("lu_four_block_local.hpp") R"kernel(
#define CELL(a, i, j) (a)[(i) * SIDE + (j)]
#define WHOLE 0
#define UPPER 1
#define STRICTLY_LOWER 2
DEVICE void stage(LOCAL_PTR SCALAR* to, GLOBAL const SCALAR* from, i64 rs, i64 cs, int rows,
                  int columns, int part)
{
  for (int e = ITEM(0); e < rows * columns; e += ITEMS(0)) {
    const int i = e / columns, j = e % columns;
    if (part == WHOLE || (part == UPPER) == (j >= i)) CELL(to, i, j) = from[i * rs + j * cs];
  }
}
DEVICE void write_back(LOCAL_PTR const SCALAR* from, GLOBAL SCALAR* to, i64 rs, i64 cs, int rows,
                       int columns)
{
  for (int e = ITEM(0); e < rows * columns; e += ITEMS(0)) {
    const int i = e / columns, j = e % columns;
    to[i * rs + j * cs] = CELL(from, i, j);
  }
}
/* x_i := x_i - l_i*u, rows from <= i < to of one column. */
DEVICE void subtract_column(LOCAL_PTR SCALAR* x, LOCAL_PTR const SCALAR* l, SCALAR u, int from,
                            int to)
{
  for (int i = from; i < to; ++i) {
    SCALAR e = x[i * SIDE];
    FNMA(e, l[i * SIDE], u);
    x[i * SIDE] = e;
  }
}

/* Kind 1: A := L\U, n x n, by elimination (kij); one group. `first`: its row in the matrix. */
KERNEL void diagonal_local(MATRIX(A), i64 first, STATE* state)
{
  LOCAL SCALAR a[SIDE * SIDE];
  const int steps = is_fatal(state[FAILED]) ? 0 : (int)A_view.rows;
  stage(a, A + A_view.offset, A_view.rs, A_view.cs, steps, steps, WHOLE);
  for (int k = 0; k < steps; ++k) {
    BARRIER();
    const SCALAR pivot = CELL(a, k, k);
    if (ITEM(0) == 0) check_pivot(pivot, first + k, state);
    for (int i = k + 1 + ITEM(0); i < steps; i += ITEMS(0))
      CELL(a, i, k) = over_pivot(CELL(a, i, k), pivot);
    BARRIER();
    for (int j = k + 1 + ITEM(0); j < steps; j += ITEMS(0))
      subtract_column(a + j, a + k, CELL(a, k, j), k + 1, steps);
  }
  BARRIER();
  write_back(a, A + A_view.offset, A_view.rs, A_view.cs, steps, steps);
}

/* Kinds 2 and 3 in one launch: see left_and_top_by_columns. */
KERNEL void left_and_top_local(MATRIX(D), i64 m, i64 n, i64 b, i64 lefts, const STATE* state)
{
  LOCAL SCALAR d[SIDE * SIDE], a[SIDE * SIDE];
  const i64 k = D_view.rows, rs = D_view.rs, cs = D_view.cs;
  const int runs = !is_fatal(state[FAILED]), is_left = GROUP(0) < lefts;
  const i64 from = (is_left ? GROUP(0) : GROUP(0) - lefts) * b;
  const int size = runs ? (int)k : 0;
  const int rows = is_left ? (int)smaller(b, m - from) : size;
  const int columns = is_left ? size : (int)smaller(b, n - from);
  GLOBAL SCALAR* block = D + D_view.offset + (k + from) * (is_left ? rs : cs);
  stage(d, D + D_view.offset, rs, cs, size, size, is_left ? UPPER : STRICTLY_LOWER);
  stage(a, block, rs, cs, rows, columns, WHOLE);
  BARRIER();
  /* Kind 2: A := A * U^-1, column by column. */
  for (int q = 0; q < (is_left ? size : 0); ++q) {
    for (int i = ITEM(0); i < rows; i += ITEMS(0))
      CELL(a, i, q) = over_pivot(CELL(a, i, q), CELL(d, q, q));
    BARRIER();
    for (int j = q + 1 + ITEM(0); j < size; j += ITEMS(0))
      subtract_column(a + j, a + q, CELL(d, q, j), 0, rows);
    BARRIER();
  }
  /* Kind 3: A := L^-1 * A, one column per item. */
  for (int j = ITEM(0); j < (is_left ? 0 : columns); j += ITEMS(0))
    for (int q = 0; q < size; ++q) subtract_column(a + j, d + q, CELL(a, q, j), q + 1, size);
  BARRIER();
  write_back(a, block, rs, cs, rows, columns);
}

/* Kind 4: C := C - L*U; C: m x n, L: m x depth, U: depth x n, with equal strides. */
KERNEL void inner_local(MATRIX(C), i64 b, int share, CONST_MATRIX(L), CONST_MATRIX(U),
                        const STATE* state)
{
  LOCAL SCALAR c[SIDE * SIDE], l[SIDE * SIDE], u[SIDE * SIDE];
  const i64 top = GROUP(0) * b, left = GROUP(1) * b;
  const int rows = is_fatal(state[FAILED]) ? 0 : (int)smaller(b, C_view.rows - top);
  const int columns = (int)smaller(b, C_view.cols - left), deep = (int)L_view.cols;
  const i64 rs = C_view.rs, cs = C_view.cs;
  GLOBAL SCALAR* block = &ELEMENT(C, top, left);
  stage(c, block, rs, cs, rows, columns, WHOLE);
  stage(l, &ELEMENT(L, top, 0), rs, cs, rows, deep, WHOLE);
  stage(u, &ELEMENT(U, 0, left), rs, cs, deep, columns, WHOLE);
  BARRIER();
  for (int j = ITEM(0); j < columns; j += ITEMS(0))
    for (int i = 0; i < rows; ++i) {
      SCALAR sum = CELL(c, i, j);
      for (int k = 0; k < deep; ++k) FNMA(sum, CELL(l, i, k), CELL(u, k, j));
      CELL(c, i, j) = sum;
    }
  BARRIER();
  write_back(c, block, rs, cs, rows, columns);
}
)kernel";

}  // namespace trifac::kernel
