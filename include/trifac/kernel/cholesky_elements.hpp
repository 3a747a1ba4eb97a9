#pragma once
// Device code of Cholesky element by element: the kernels of the variants by columns and by rows.
// Sources: thesis 2016 (single kernel, multiple kernels, in place), SYCL note 2021 (rounds of pivot
// and pivot row). Follows arithmetic.hpp.

#include "trifac/kernel/prelude_opencl.hpp"

namespace trifac::kernel {

inline constexpr const char* cholesky_elements =
    TRIFAC_KERNEL_LINE("cholesky_elements.hpp") R"kernel(
/* A is read, L is written; in place they are the same matrix. Each element is one chain of sums in
   the order of k, whatever kernel forms it. */
#define MATRIX(A) GLOBAL SCALAR *A, i64 A##_offset, i64 A##_rs, i64 A##_cs
#define AT(A, i, j) A[A##_offset + (i) * A##_rs + (j) * A##_cs]

/* True for a pivot; else item 0 tells. */
DEVICE int check_pivot(REAL d, i64 j, int item, GLOBAL i64* state)
{
  const int good = d > 0 && IS_FINITE_REAL(d);
  if (!good && item == 0) record(state, IS_FINITE_REAL(d) ? NOT_POSITIVE_DEFINITE : NOT_FINITE, j);
  return good;
}

/* a_jj - sum over k < j of |l_jk|^2. */
DEVICE REAL reduced_diagonal(MATRIX(A), MATRIX(L), i64 j)
{
  REAL d = RE(AT(A, j, j));
  for (i64 k = 0; k < j; ++k) {
    const SCALAR l = AT(L, j, k);
    FNMA_SQUARE(d, l);
  }
  return d;
}
/* a_ij - sum over k < j of l_ik * conj(l_jk), divided by the pivot. */
DEVICE SCALAR reduced_element(MATRIX(A), MATRIX(L), i64 i, i64 j, REAL pivot)
{
  SCALAR x = AT(A, i, j);
  for (i64 k = 0; k < j; ++k) {
    const SCALAR a = AT(L, i, k), b = AT(L, j, k);
    FNMA_CONJ(x, a, b);
  }
  DIVIDE_BY_REAL(x, pivot);
  return x;
}
#define GIVE(A) A, A##_offset, A##_rs, A##_cs

/* l_jj by one item. */
KERNEL void element_diagonal(MATRIX(A), MATRIX(L), i64 j, GLOBAL i64* state)
{
  if (is_fatal(state[FAILED])) return;
  const REAL d = reduced_diagonal(GIVE(A), GIVE(L), j);
  if (check_pivot(d, j, 0, state)) SET_REAL(AT(L, j, j), sqrt(d));
}

/* l_jj by one item from the sum that element_column_and_sums has kept. */
KERNEL void element_diagonal_of_sum(MATRIX(A), MATRIX(L), i64 j, GLOBAL const REAL* sums,
                                    GLOBAL i64* state)
{
  if (is_fatal(state[FAILED])) return;
  const REAL d = RE(AT(A, j, j)) - sums[j];
  if (check_pivot(d, j, 0, state)) SET_REAL(AT(L, j, j), sqrt(d));
}

/* l_jj by one group: partial sums, added up in a tree of fixed shape. */
#define MOST_ITEMS 256
KERNEL void element_diagonal_by_tree(MATRIX(A), MATRIX(L), i64 j, GLOBAL i64* state)
{
  LOCAL REAL part[MOST_ITEMS];
  const int item = ITEM(0), items = ITEMS(0); /* a power of two */
  REAL sum = 0;
  for (i64 k = item; k < j; k += items) {
    const SCALAR l = AT(L, j, k);
    FMA_SQUARE(sum, l);
  }
  part[item] = sum;
  BARRIER();
  for (int upper = items / 2; upper > 0; upper /= 2) {
    if (item < upper) part[item] += part[item + upper];
    BARRIER();
  }
  if (item == 0 && !is_fatal(state[FAILED])) {
    const REAL d = RE(AT(A, j, j)) - part[0];
    if (check_pivot(d, j, 0, state)) SET_REAL(AT(L, j, j), sqrt(d));
  }
}

/* l_ij for the n - j - 1 rows below the diagonal, an item for each. */
KERNEL void element_column(MATRIX(A), MATRIX(L), i64 j, i64 n, GLOBAL const i64* state)
{
  const i64 i = j + 1 + GROUP(0) * ITEMS(0) + ITEM(0);
  if (is_fatal(state[FAILED]) || i >= n) return;
  AT(L, i, j) = reduced_element(GIVE(A), GIVE(L), i, j, RE(AT(L, j, j)));
}

/* The same, and sums[i] += |l_ij|^2. */
KERNEL void element_column_and_sums(MATRIX(A), MATRIX(L), i64 j, i64 n, GLOBAL REAL* sums,
                                    GLOBAL const i64* state)
{
  const i64 i = j + 1 + GROUP(0) * ITEMS(0) + ITEM(0);
  if (is_fatal(state[FAILED]) || i >= n) return;
  const SCALAR l = reduced_element(GIVE(A), GIVE(L), i, j, RE(AT(L, j, j)));
  AT(L, i, j) = l;
  REAL sum = sums[i];
  FMA_SQUARE(sum, l);
  sums[i] = sum;
}

/* Column j with its diagonal in one launch, L not being A: each of the n - j items forms the pivot
   itself, the first one writes it. Whether an earlier column failed is handed on from launch to
   launch in two words, as no item may read what another one writes. */
#define CHAIN(j) (4 + (int)((j) & 1))
KERNEL void element_single(MATRIX(A), MATRIX(L), i64 j, i64 n, GLOBAL i64* state)
{
  const i64 i = j + GROUP(0) * ITEMS(0) + ITEM(0);
  if (i >= n) return;
  const int stop = j > 0 && is_fatal(state[CHAIN(j - 1)]);
  REAL d = 0;
  int good = 0;
  if (!stop) {
    d = reduced_diagonal(GIVE(A), GIVE(L), j);
    good = check_pivot(d, j, i == j ? 0 : 1, state);
  }
  if (i == j) {
    state[CHAIN(j)] = good ? 0 : NOT_FINITE;
    if (good) SET_REAL(AT(L, j, j), sqrt(d));
  } else if (good) {
    AT(L, i, j) = reduced_element(GIVE(A), GIVE(L), i, j, sqrt(d));
  }
}

/* Row i left of the diagonal by one group: each l_ij, once divided, is subtracted from the elements
   right of it. */
KERNEL void element_row(MATRIX(A), MATRIX(L), i64 i, GLOBAL const i64* state)
{
  const i64 count = is_fatal(state[FAILED]) ? 0 : i;
  for (i64 q = ITEM(0); q < count; q += ITEMS(0)) AT(L, i, q) = AT(A, i, q);
  BARRIER();
  for (i64 j = 0; j < count; ++j) {
    SCALAR l = AT(L, i, j);
    DIVIDE_BY_REAL(l, RE(AT(L, j, j)));
    BARRIER();
    if (ITEM(0) == 0) AT(L, i, j) = l;
    for (i64 q = j + 1 + ITEM(0); q < count; q += ITEMS(0)) {
      SCALAR x = AT(L, i, q);
      const SCALAR b = AT(L, q, j);
      FNMA_CONJ(x, l, b);
      AT(L, i, q) = x;
    }
    BARRIER();
  }
}
)kernel";

}  // namespace trifac::kernel
