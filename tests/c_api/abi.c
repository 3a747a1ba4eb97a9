/* Prints what a compiled program knows of trifac.h, sizes, offsets and constants, for abi.sh. */
#include <stddef.h>
#include <stdio.h>

#include "trifac.h"

#define CONSTANT(name) printf("%s = %d\n", #name, (int)name)
#define STRUCT(type) printf("%s: %u bytes", #type, (unsigned)sizeof(type))
#define MEMBER(type, member) printf(", %s %u", #member, (unsigned)offsetof(type, member))

#define MATRIX(letter)                           \
  STRUCT(trifac_##letter##matrix);               \
  MEMBER(trifac_##letter##matrix, data);         \
  MEMBER(trifac_##letter##matrix, rows);         \
  MEMBER(trifac_##letter##matrix, cols);         \
  MEMBER(trifac_##letter##matrix, row_stride);   \
  MEMBER(trifac_##letter##matrix, col_stride);   \
  printf("\n");                                  \
  STRUCT(trifac_##letter##batch);                \
  MEMBER(trifac_##letter##batch, data);          \
  MEMBER(trifac_##letter##batch, pointers);      \
  MEMBER(trifac_##letter##batch, batch);         \
  MEMBER(trifac_##letter##batch, rows);          \
  MEMBER(trifac_##letter##batch, cols);          \
  MEMBER(trifac_##letter##batch, matrix_stride); \
  MEMBER(trifac_##letter##batch, row_stride);    \
  MEMBER(trifac_##letter##batch, col_stride);    \
  MEMBER(trifac_##letter##batch, chunk);         \
  MEMBER(trifac_##letter##batch, chunk_stride);  \
  printf("\n")

int main(void) {
  CONSTANT(TRIFAC_LOWER);
  CONSTANT(TRIFAC_UPPER);
  CONSTANT(TRIFAC_NO_TRANSPOSE);
  CONSTANT(TRIFAC_TRANSPOSE);
  CONSTANT(TRIFAC_ADJOINT);
  CONSTANT(TRIFAC_NORM_ONE);
  CONSTANT(TRIFAC_NORM_INFINITY);
  CONSTANT(TRIFAC_PIVOTING_NONE);
  CONSTANT(TRIFAC_PIVOTING_PARTIAL);
  CONSTANT(TRIFAC_PIVOTING_TOURNAMENT);
  CONSTANT(TRIFAC_SUCCESS);
  CONSTANT(TRIFAC_NOT_POSITIVE_DEFINITE);
  CONSTANT(TRIFAC_SINGULAR);
  CONSTANT(TRIFAC_ZERO_PIVOT);
  CONSTANT(TRIFAC_NOT_FINITE);
  CONSTANT(TRIFAC_INVALID_ARGUMENT);
  CONSTANT(TRIFAC_OUT_OF_MEMORY);
  CONSTANT(TRIFAC_BACKEND_FAILURE);

  printf("trifac_index: %u bytes\n", (unsigned)sizeof(trifac_index));
  STRUCT(trifac_status);
  MEMBER(trifac_status, kind);
  MEMBER(trifac_status, index);
  MEMBER(trifac_status, argument);
  MEMBER(trifac_status, what);
  printf("\n");
  STRUCT(trifac_cholesky_options);
  MEMBER(trifac_cholesky_options, size);
  MEMBER(trifac_cholesky_options, threads);
  MEMBER(trifac_cholesky_options, part);
  MEMBER(trifac_cholesky_options, norm);
  MEMBER(trifac_cholesky_options, workspace);
  MEMBER(trifac_cholesky_options, workspace_bytes);
  printf("\n");
  STRUCT(trifac_lu_options);
  MEMBER(trifac_lu_options, size);
  MEMBER(trifac_lu_options, threads);
  MEMBER(trifac_lu_options, pivoting);
  MEMBER(trifac_lu_options, norm);
  MEMBER(trifac_lu_options, workspace);
  MEMBER(trifac_lu_options, workspace_bytes);
  printf("\n");
  STRUCT(trifac_options);
  MEMBER(trifac_options, size);
  MEMBER(trifac_options, threads);
  MEMBER(trifac_options, workspace);
  MEMBER(trifac_options, workspace_bytes);
  printf("\n");
  MATRIX(s);
  MATRIX(d);
  MATRIX(c);
  MATRIX(z);
  return 0;
}
