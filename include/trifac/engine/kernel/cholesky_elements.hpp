#pragma once
// Device code of Cholesky element by element: the kernels of the variants by columns and by rows.
// Sources: thesis 2016 (single kernel, multiple kernels, in place), SYCL note 2021 (rounds of pivot
// and pivot row). Follows arithmetic.hpp.

#include "trifac/engine/kernel/prelude_opencl.hpp"

namespace trifac::kernel {

inline constexpr const char* cholesky_elements =
    TRIFAC_KERNEL_LINE("cholesky_elements.hpp") R"kernel(
/* A is read, L is written; in place they are the same matrix. Each element is one chain of sums
   in the order of k, in every kernel. */
/* True if d is a valid pivot; else item 0 records it. */
DEVICE int check_pivot(REAL d, i64 j, int item, STATE* state)
{
  const int good = d > 0 && IS_FINITE_REAL(d);
  if (!good && item == 0) record(state, IS_FINITE_REAL(d) ? NOT_POSITIVE_DEFINITE : NOT_FINITE, j);
  return good;
}

/* a_jj - sum over k < j of |l_jk|^2. */
DEVICE REAL reduced_diagonal(MATRIX(A), MATRIX(L), i64 j)
{
  REAL d = RE(ELEMENT(A, j, j));
  for (i64 k = 0; k < j; ++k) {
    const SCALAR l = ELEMENT(L, j, k);
    FNMA_SQUARE(d, l);
  }
  return d;
}
/* a_ij - sum over k < j of l_ik * conj(l_jk), divided by the pivot. */
DEVICE SCALAR reduced_element(MATRIX(A), MATRIX(L), i64 i, i64 j, REAL pivot)
{
  SCALAR x = ELEMENT(A, i, j);
  for (i64 k = 0; k < j; ++k) {
    const SCALAR a = ELEMENT(L, i, k), b = ELEMENT(L, j, k);
    FNMA_CONJ(x, a, b);
  }
  DIVIDE_BY_REAL(x, pivot);
  return x;
}

/* l_jj, by one item. */
KERNEL void element_diagonal(MATRIX(A), MATRIX(L), i64 j, STATE* state)
{
  if (is_fatal(state[FAILED])) return;
  const REAL d = reduced_diagonal(A, A_view, L, L_view, j);
  if (check_pivot(d, j, 0, state)) SET_REAL(ELEMENT(L, j, j), sqrt(d));
}

/* l_jj, by one item, from the sum of element_column_and_sums. */
KERNEL void element_diagonal_of_sum(MATRIX(A), MATRIX(L), i64 j, GLOBAL const REAL* sums,
                                    STATE* state)
{
  if (is_fatal(state[FAILED])) return;
  const REAL d = RE(ELEMENT(A, j, j)) - sums[j];
  if (check_pivot(d, j, 0, state)) SET_REAL(ELEMENT(L, j, j), sqrt(d));
}

/* l_jj, by one group: partial sums, added in a tree of fixed shape. */
#define MOST_ITEMS 256
KERNEL void element_diagonal_by_tree(MATRIX(A), MATRIX(L), i64 j, STATE* state)
{
  LOCAL REAL part[MOST_ITEMS];
  const int item = ITEM(0), items = ITEMS(0); /* a power of two */
  REAL sum = 0;
  for (i64 k = item; k < j; k += items) {
    const SCALAR l = ELEMENT(L, j, k);
    FMA_SQUARE(sum, l);
  }
  part[item] = sum;
  BARRIER();
  for (int upper = items / 2; upper > 0; upper /= 2) {
    if (item < upper) part[item] += part[item + upper];
    BARRIER();
  }
  if (item == 0 && !is_fatal(state[FAILED])) {
    const REAL d = RE(ELEMENT(A, j, j)) - part[0];
    if (check_pivot(d, j, 0, state)) SET_REAL(ELEMENT(L, j, j), sqrt(d));
  }
}

/* l_ij for the n - j - 1 rows below the diagonal, one item each. */
KERNEL void element_column(MATRIX(A), MATRIX(L), i64 j, const STATE* state)
{
  const i64 i = j + 1 + GROUP(0) * ITEMS(0) + ITEM(0);
  if (is_fatal(state[FAILED]) || i >= L_view.rows) return;
  ELEMENT(L, i, j) = reduced_element(A, A_view, L, L_view, i, j, RE(ELEMENT(L, j, j)));
}

/* The same, and sums[i] += |l_ij|^2. */
KERNEL void element_column_and_sums(MATRIX(A), MATRIX(L), i64 j, GLOBAL REAL* sums,
                                    const STATE* state)
{
  const i64 i = j + 1 + GROUP(0) * ITEMS(0) + ITEM(0);
  if (is_fatal(state[FAILED]) || i >= L_view.rows) return;
  const SCALAR l = reduced_element(A, A_view, L, L_view, i, j, RE(ELEMENT(L, j, j)));
  ELEMENT(L, i, j) = l;
  REAL sum = sums[i];
  FMA_SQUARE(sum, l);
  sums[i] = sum;
}

/* Column j with its diagonal in one launch, L not being A: each of the n - j items computes the
   pivot itself, the first one writes it. Launches pass on an earlier failure in two alternating
   words, since no item may read what another one writes. */
#define CHAIN(j) (4 + (int)((j) & 1))
KERNEL void element_single(MATRIX(A), MATRIX(L), i64 j, STATE* state)
{
  const i64 i = j + GROUP(0) * ITEMS(0) + ITEM(0);
  if (i >= L_view.rows) return;
  const int stop = j > 0 && is_fatal(state[CHAIN(j - 1)]);
  REAL d = 0;
  int good = 0;
  if (!stop) {
    d = reduced_diagonal(A, A_view, L, L_view, j);
    good = check_pivot(d, j, i == j ? 0 : 1, state);
  }
  if (i == j) {
    state[CHAIN(j)] = good ? 0 : NOT_FINITE;
    if (good) SET_REAL(ELEMENT(L, j, j), sqrt(d));
  } else if (good) {
    ELEMENT(L, i, j) = reduced_element(A, A_view, L, L_view, i, j, sqrt(d));
  }
}

/* Row i left of the diagonal, by one group: each l_ij, once divided, is subtracted from the
   elements to its right. */
KERNEL void element_row(MATRIX(A), MATRIX(L), i64 i, const STATE* state)
{
  const i64 count = is_fatal(state[FAILED]) ? 0 : i;
  for (i64 q = ITEM(0); q < count; q += ITEMS(0)) ELEMENT(L, i, q) = ELEMENT(A, i, q);
  BARRIER();
  for (i64 j = 0; j < count; ++j) {
    SCALAR l = ELEMENT(L, i, j);
    DIVIDE_BY_REAL(l, RE(ELEMENT(L, j, j)));
    BARRIER();
    if (ITEM(0) == 0) ELEMENT(L, i, j) = l;
    for (i64 q = j + 1 + ITEM(0); q < count; q += ITEMS(0)) {
      SCALAR x = ELEMENT(L, i, q);
      const SCALAR b = ELEMENT(L, q, j);
      FNMA_CONJ(x, l, b);
      ELEMENT(L, i, q) = x;
    }
    BARRIER();
  }
}
)kernel";

}  // namespace trifac::kernel
