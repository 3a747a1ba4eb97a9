#pragma once
// Cholesky of a batch on a device, one group of items per matrix: the canonical kernel of Proc.
// IEEE 2018 (docs/sources.md C). Follows arithmetic.hpp and batch_place.hpp.
//
//            k
//     | L    ·   · |    a panel of PANEL columns is in registers: an item holds rows h, h + HEIGHT,
//     | L   A11  · |    … and columns w, w + WIDTH, …. The columns left of it are staged in local
//     | L   A21  A |    memory, STAGE at a time; then the panel's columns are factored one by one.

#include "trifac/engine/kernel/prelude_opencl.hpp"

namespace trifac::kernel {

/// Additional parameters:
///   PANEL          columns of a panel
///   HEIGHT, WIDTH  items of a group along rows and columns
///   ROWS, COLS     of an item: ROWS*HEIGHT are all rows or more, COLS*WIDTH all columns of a panel
///   STAGE          columns in local memory at a time
///   MOST           the larger of ROWS*HEIGHT and COLS*WIDTH
inline constexpr const char* batch_group_cholesky =
    TRIFAC_KERNEL_LINE("batch_group_cholesky.hpp") R"kernel(
#define AT(i, j) A[(i) * place.rs + (j) * place.cs]

/* A = L*L^H of the lower triangle of matrix GROUP(0). `mirror`: also writes L^H into the upper
   triangle, where solves read it by columns. Each element is summed in the same order as in
   batch_cholesky. */
KERNEL GROUP_SHAPE(HEIGHT, WIDTH) void batch_group_cholesky(
    GLOBAL REAL *data, BATCH place, int mirror, GLOBAL int *info)
{
  LARGE_LOCAL(SCALAR, stage, STAGE * MOST);
  LOCAL SCALAR column[2 * MOST];
  GLOBAL SCALAR *A = (GLOBAL SCALAR *)data + place_of(place, GROUP(0));
  const i64 n = place.rows;
  const int h = ITEM(0), w = ITEM(1);
  REAL failed = 0;
  NO_UNROLL for (i64 k = 0; k < n; k += PANEL) {
    const int height = (int)(n - k), width = height < PANEL ? height : PANEL;
    SCALAR x[ROWS][COLS];
    UNROLL for (int r = 0; r < ROWS; ++r)
      UNROLL for (int c = 0; c < COLS; ++c) {
        const int i = h + r * HEIGHT, j = w + c * WIDTH;
        SET_ZERO(x[r][c]);
        if (i < height && j < width && j <= i) x[r][c] = AT(k + i, k + j);
      }

    NO_UNROLL for (i64 p = 0; p < k; p += STAGE) {
      const int depth = k - p < STAGE ? (int)(k - p) : STAGE;
      BARRIER(); /* the previous panel is written, the previous stage read */
      NO_UNROLL for (int q = w; q < depth; q += WIDTH)
        NO_UNROLL for (int i = h; i < height; i += HEIGHT) stage[q * MOST + i] = AT(k + i, p + q);
      BARRIER();
      NO_UNROLL for (int q = 0; q < depth; ++q) {
        SCALAR right[COLS];
        UNROLL for (int c = 0; c < COLS; ++c) right[c] = stage[q * MOST + w + c * WIDTH];
        UNROLL for (int r = 0; r < ROWS; ++r) {
          const SCALAR left = stage[q * MOST + h + r * HEIGHT];
          UNROLL for (int c = 0; c < COLS; ++c) FNMA_CONJ(x[r][c], left, right[c]);
        }
      }
    }

    /* Column e = c*WIDTH + v. Two alternating columns of local memory need only one barrier per
       column: before an item overwrites the first, all have passed the barrier of the second. */
    UNROLL for (int c = 0; c < COLS; ++c)
      NO_UNROLL for (int v = 0; v < WIDTH && c * WIDTH + v < width; ++v) {
        const int e = c * WIDTH + v;
        LOCAL_PTR SCALAR *l = column + (e & 1) * MOST;
        if (w == v) UNROLL for (int r = 0; r < ROWS; ++r) l[h + r * HEIGHT] = x[r][c];
        BARRIER();
        const REAL d = RE(l[e]), at = (REAL)(k + e + 1);
        failed = (((d > 0) & (d - d == 0)) | (failed != 0)) ? failed : d - d == 0 ? at : -at;
        const REAL root = sqrt(d), inverse = (REAL)(1) / root;
        UNROLL for (int r = 0; r < ROWS; ++r) {
          SCALAR left = l[h + r * HEIGHT];
          SCALE(left, inverse);
          if (w == v) {
            x[r][c] = left;
            if (h + r * HEIGHT == e) SET_REAL(x[r][c], root);
          }
          UNROLL for (int q = c; q < COLS; ++q)
            if (q > c || w > v) {
              SCALAR right = l[w + q * WIDTH];
              SCALE(right, inverse);
              FNMA_CONJ(x[r][q], left, right);
            }
        }
      }

    UNROLL for (int r = 0; r < ROWS; ++r)
      UNROLL for (int c = 0; c < COLS; ++c) {
        const int i = h + r * HEIGHT, j = w + c * WIDTH;
        if (i < height && j < width && j <= i) {
          AT(k + i, k + j) = x[r][c];
          if (mirror && j < i) {
            CONJUGATE(x[r][c]);
            AT(k + j, k + i) = x[r][c];
          }
        }
      }
  }
  if (h == 0 && w == 0) info[GROUP(0)] = (int)failed;
}
)kernel";

}  // namespace trifac::kernel
