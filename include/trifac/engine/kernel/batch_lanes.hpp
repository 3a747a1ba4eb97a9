#pragma once
// Device code of batches, one matrix per lane: copies of lane groups, tiles of vectors. Follows
// batch_divide.hpp.

#include "trifac/engine/kernel/prelude_opencl.hpp"

namespace trifac::kernel {

/// Additional parameters:
///   TILE   rows and columns of a tile in registers, 1 … 8
///   ORDER  the order of the matrices, if compiled in: all loops are then unrolled
///   MOST   the largest number of rows and columns
inline constexpr const char* batch_lanes = TRIFAC_KERNEL_LINE("batch_lanes.hpp") R"kernel(
#ifdef ORDER
  #define LOOP UNROLL
  #define ORDER_OF(place) ORDER
#else
  #define LOOP NO_UNROLL
  #define ORDER_OF(place) ((place).rows)
#endif

/* A group of VW matrices: elements (i, j) of all are at data + i*rs + j*cs, in REALs: VW real
   parts, then VW imaginary parts. */
typedef struct { GLOBAL REAL *data; i64 rs, cs; } LANES;
#define AT(A, i, j) ((A).data + (i) * (A).rs + (j) * (A).cs)
#define LOAD_LANES(p) load_packed(p, VW)
#define STORE_LANES(p, x) store_packed(p, VW, x)

/* A with rows and columns in reverse order: an upper triangle becomes a lower one. */
DEVICE LANES reversed(LANES A, i64 rows, i64 cols)
{
  A.data = AT(A, rows - 1, cols - 1);
  A.rs = -A.rs;
  A.cs = -A.cs;
  return A;
}
DEVICE LANES transposed(LANES A)
{
  const i64 rs = A.rs;
  A.rs = A.cs;
  A.cs = rs;
  return A;
}

#if VW > 1
/* Copies matrices b ... b+lanes-1 to the group `to`; unpack_lanes copies back. With `lower`,
   only the lower triangle. Unused lanes are copies of the first. */
DEVICE void pack_lanes(LANES to, GLOBAL const REAL *A, BATCH from, i64 b, int lanes, int lower)
{
  i64 at[VW];
  UNROLL for (int l = 0; l < VW; ++l) at[l] = PARTS * place_of(from, b + (l < lanes ? l : 0));
  NO_UNROLL for (i64 j = 0; j < from.cols; ++j)
    NO_UNROLL for (i64 i = lower ? j : 0; i < from.rows; ++i) {
      const i64 e = PARTS * (i * from.rs + j * from.cs);
      GLOBAL REAL *p = AT(to, i, j);
      UNROLL for (int part = 0; part < PARTS; ++part)
        UNROLL for (int l = 0; l < VW; ++l) p[part * VW + l] = A[at[l] + e + part];
    }
}
/* Stores lane l to matrix b + l if skipped[l] is 0. */
DEVICE void unpack_lanes(LANES from, GLOBAL REAL *A, BATCH to, i64 b, int lanes, const int *skipped,
                         int lower)
{
  i64 at[VW];
  UNROLL for (int l = 0; l < VW; ++l) at[l] = PARTS * place_of(to, b + (l < lanes ? l : 0));
  NO_UNROLL for (i64 j = 0; j < to.cols; ++j)
    NO_UNROLL for (i64 i = lower ? j : 0; i < to.rows; ++i) {
      const i64 e = PARTS * (i * to.rs + j * to.cs);
      GLOBAL const REAL *p = AT(from, i, j);
      UNROLL for (int part = 0; part < PARTS; ++part)
        UNROLL for (int l = 0; l < VW; ++l)
          if (l < lanes && skipped[l] == 0) A[at[l] + e + part] = p[part * VW + l];
    }
}
/* A packed group with columns of `ld` rows. */
DEVICE LANES packed_group(GLOBAL REAL *memory, i64 ld)
{
  LANES A;
  A.data = memory;
  A.rs = PARTS * VW;
  A.cs = ld * A.rs;
  return A;
}
#endif
/* Matrices b ... b+VW-1 in place. With VW = 1 any layout. */
DEVICE LANES group_in_place(GLOBAL REAL *A, BATCH place, i64 b)
{
  LANES here;
  here.data = A + PARTS * place_of(place, b);
  here.rs = PARTS * place.rs;
  here.cs = PARTS * place.cs;
  return here;
}

/* Tiles: rows, cols and lower are constants after inlining. */
INLINED void load_tile(SCALARV x[][TILE], LANES A, i64 i, i64 j, int rows, int cols, int lower)
{
  UNROLL for (int r = 0; r < rows; ++r)
    UNROLL for (int c = 0; c < cols; ++c)
      if (!lower || c <= r) x[r][c] = LOAD_LANES(AT(A, i + r, j + c));
}
INLINED void store_tile(SCALARV x[][TILE], LANES A, i64 i, i64 j, int rows, int cols, int lower)
{
  UNROLL for (int r = 0; r < rows; ++r)
    UNROLL for (int c = 0; c < cols; ++c)
      if (!lower || c <= r) STORE_LANES(AT(A, i + r, j + c), x[r][c]);
}
/* x = x - sum of l(r, k)*u(k, c) over `depth` k, or with conj(u). l, u: the elements of the
   first product for the first row and column; then their strides to the next row, column and
   product. */
INLINED void subtract_products(SCALARV x[][TILE], GLOBAL const REAL *l, i64 l_row, i64 l_next,
                               GLOBAL const REAL *u, i64 u_col, i64 u_next, i64 depth, int rows,
                               int cols, int conjugated)
{
  LOOP for (i64 k = 0; k < depth; ++k) {
    SCALARV right[TILE];
    UNROLL for (int c = 0; c < cols; ++c) right[c] = LOAD_LANES(u + k * u_next + c * u_col);
    UNROLL for (int r = 0; r < rows; ++r) {
      const SCALARV left = LOAD_LANES(l + k * l_next + r * l_row);
      UNROLL for (int c = 0; c < cols; ++c)
        if (conjugated) FNMA_CONJ(x[r][c], left, right[c]);
        else FNMA(x[r][c], left, right[c]);
    }
  }
}

/* Exchanges row j and row `rows[l]` >= j of each lane in columns from ... to-1. As integers,
   which bypass the vector unit. */
DEVICE void exchange_rows(LANES A, i64 j, GLOBAL const int *rows, i64 from, i64 to)
{
  NO_UNROLL for (i64 c = from; c < to; ++c)
    UNROLL for (int l = 0; l < VW; ++l) {
      GLOBAL WORD *upper = (GLOBAL WORD *)AT(A, j, c) + l;
      GLOBAL WORD *lower = (GLOBAL WORD *)AT(A, rows[l], c) + l;
      UNROLL for (int part = 0; part < PARTS; ++part) {
        const WORD moved = upper[part * VW];
        upper[part * VW] = lower[part * VW];
        lower[part * VW] = moved;
      }
    }
}

/* info per lane: 0, or k + 1 for a first bad pivot k, -(k + 1) if it is not finite. */
DEVICE void store_info(GLOBAL int *info, REALV failed, int lanes)
{
#if VW == 1
  info[0] = (int)failed;
#else
  REAL each[VW];
  STORE_REALV(each, failed);
  UNROLL for (int l = 0; l < VW; ++l)
    if (l < lanes) info[l] = (int)each[l];
#endif
}
)kernel";

}  // namespace trifac::kernel
