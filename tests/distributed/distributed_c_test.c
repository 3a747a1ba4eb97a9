/* The calls of trifac/scalapack.h beside ScaLAPACK's: each solves with the factor of the other,
 * and wrong arguments have ScaLAPACK's info. */
#include <complex.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "trifac/scalapack.h"

void Cblacs_get(int, int, int*);
void Cblacs_gridinit(int*, const char*, int, int);
void Cblacs_gridinfo(int, int*, int*, int*, int*);
void Cblacs_gridexit(int);
MPI_Comm Cblacs2sys_handle(int);
int numroc_(const int*, const int*, const int*, const int*, const int*);
void descinit_(int*, const int*, const int*, const int*, const int*, const int*, const int*,
               const int*, const int*, int*);
void pdpotrf_(const char*, const int*, double*, const int*, const int*, const int*, int*);
void pdpotrs_(const char*, const int*, const int*, const double*, const int*, const int*,
              const int*, double*, const int*, const int*, const int*, int*);
void pdgetrf_(const int*, const int*, double*, const int*, const int*, const int*, int*, int*);
void pdgetrs_(const char*, const int*, const int*, const double*, const int*, const int*,
              const int*, const int*, double*, const int*, const int*, const int*, int*);

enum { n = 53, nb = 8, most = n * n + n };
static const int zero = 0, one = 1, order = n, block = nb;
static int failures = 0, rows, cols, my_row, my_col, desca[9], descb[9], local_rows, local_cols;

static void expect(int condition, const char* what) {
  if (condition) return;
  fprintf(stderr, "process (%d, %d): %s\n", my_row, my_col, what);
  ++failures;
}

/* Element (i, j) of a matrix in whose columns several candidates for the pivot are the largest,
 * without rounding errors: rows of M·U, of size 1 or 1/2, where a row of M has its ones in one
 * piece and U has ones on its diagonal and -1 on another. */
static double element_with_ties(int i, int j) {
  const int end = (17 * i + 5) % n, begin = 31 * i % (end + 1);
  const double sum = (begin <= j && j <= end) - (begin <= j - 5 && j - 5 <= end);
  return i % 3 == 0 ? sum / 2 : i % 2 == 0 ? -sum : sum;
}
enum { general, definite, with_ties };
/* Element (i, j) of a matrix that is positive definite or not symmetric. */
static double element(int kind, int i, int j) {
  if (kind == with_ties) return element_with_ties(i, j);
  if (kind == definite && i < j) return element(kind, j, i);
  const double x = 43758.5453 * sin(12.9898 * (i + 1) + 78.233 * (j + 1));
  return (kind == definite && i == j ? n : 0) + x - floor(x) - 0.5;
}
static int global(int local, int me, int processes) {
  return (local / nb * processes + me) * nb + local % nb;
}
static void make_matrix(int kind, double* a) {
  for (int j = 0; j < local_cols; ++j)
    for (int i = 0; i < local_rows; ++i)
      a[i + j * desca[8]] = element(kind, global(i, my_row, rows), global(j, my_col, cols));
}
/* b := A·x or Aᵀ·x with x_j = 1 + j / n. */
static void make_right_hand_side(int kind, int transposed, double* b) {
  if (my_col != 0) return;
  for (int l = 0; l < local_rows; ++l) {
    const int i = global(l, my_row, rows);
    b[l] = 0;
    for (int j = 0; j < n; ++j)
      b[l] += (transposed ? element(kind, j, i) : element(kind, i, j)) * (1 + (double)j / n);
  }
}
static void expect_solution(const double* x, int info, const char* what) {
  expect(info == 0, what);
  if (my_col == 0)
    for (int l = 0; l < local_rows; ++l)
      expect(fabs(x[l] - 1 - (double)global(l, my_row, rows) / n) < 1e-9, what);
}

static double a[most], b[most];
static int ipiv[n + nb];

static void cholesky(const char* uplo) {
  for (int ours = 0; ours < 4; ++ours) {
    int info = 1;
    make_matrix(definite, a);
    make_right_hand_side(definite, 0, b);
    (ours & 1 ? trifac_pdpotrf : pdpotrf_)(uplo, &order, a, &one, &one, desca, &info);
    expect(info == 0, "potrf");
    if (ours & 2)
      trifac_pdpotrs(uplo, &order, &one, a, &one, &one, desca, b, &one, &one, descb, &info);
    else
      pdpotrs_(uplo, &order, &one, a, &one, &one, desca, b, &one, &one, descb, &info);
    expect_solution(b, info, "potrs");
  }
}
static void lu(const char* trans) {
  for (int ours = 0; ours < 4; ++ours) {
    int info = 1;
    make_matrix(general, a);
    make_right_hand_side(general, *trans != 'N', b);
    (ours & 1 ? trifac_pdgetrf : pdgetrf_)(&order, &order, a, &one, &one, desca, ipiv, &info);
    expect(info == 0, "getrf");
    if (ours & 2)
      trifac_pdgetrs(trans, &order, &one, a, &one, &one, desca, ipiv, b, &one, &one, descb, &info);
    else
      pdgetrs_(trans, &order, &one, a, &one, &one, desca, ipiv, b, &one, &one, descb, &info);
    expect_solution(b, info, "getrs");
  }
}

static void wrong_arguments(void) {
  const int two = 2, last = my_row == rows - 1 && my_col == cols - 1;
  int info = 0, wrong[9];
  make_matrix(definite, a);
  trifac_pdpotrf("X", &order, a, &one, &one, desca, &info);
  expect(info == -1, "uplo");
  trifac_pdpotrf("L", last ? &two : &order, a, &one, &one, desca, &info);
  expect(info == -2, "n on one process");
  trifac_pdpotrf("L", &order, a, last ? &two : &one, &one, desca, &info);
  expect(info == -4, "ia on one process");
  memcpy(wrong, desca, sizeof wrong);
  if (last) wrong[8] = 0;
  trifac_pdpotrf("L", &order, a, &one, &one, wrong, &info);
  expect(info == -609, "LLD on one process");
  /* Each other entry, on all processes, as ScaLAPACK says it. */
  static const struct {
    int entry, value, info;
  } entries[] = {{5, 0, -605}, {6, 0, -606}, {6, nb + 1, -606}, {7, 9, -607}, {8, 9, -608}};
  for (size_t i = 0; i < sizeof entries / sizeof *entries; ++i) {
    int theirs = 1;
    memcpy(wrong, desca, sizeof wrong);
    wrong[entries[i].entry - 1] = entries[i].value;
    trifac_pdpotrf("L", &order, a, &one, &one, wrong, &info);
    expect(info == entries[i].info, "an entry of the descriptor");
    pdpotrf_("L", &order, a, &one, &one, wrong, &theirs);
    expect(info == theirs, "ScaLAPACK's info of it");
  }
  memcpy(wrong, desca, sizeof wrong);
  wrong[2] = wrong[3] = -1;
  trifac_pdpotrf("L", &wrong[2], a, &one, &one, wrong, &info);
  expect(info == -2, "a negative order");
  if (rows * cols > 1) {
    if (last)
      trifac_pdpotrs("L", &order, &one, a, &one, &one, desca, b, &one, &one, descb, &info);
    else
      trifac_pdpotrf("L", &order, a, &one, &one, desca, &info);
    expect(info == -1, "another call on one process");
  }
  memcpy(wrong, desca, sizeof wrong);
  wrong[1] = -1;
  trifac_pdpotrf("L", &order, a, &one, &one, wrong, &info);
  expect(info == -602, "no context");
  memcpy(wrong, descb, sizeof wrong);
  if (last) wrong[1] = -1;
  trifac_pdpotrs("L", &order, &one, a, &one, &one, desca, b, &one, &one, wrong, &info);
  expect(info == -1102, "another context of b on one process: potrs");
  trifac_pdgetrs("N", &order, &one, a, &one, &one, desca, ipiv, b, &one, &one, wrong, &info);
  expect(info == -1202, "another context of b on one process: getrs");
  if (rows * cols > 1) {
    trifac_pdgetrs(last ? "T" : "N", &order, &one, a, &one, &one, desca, ipiv, b, &one, &one, descb,
                   &info);
    expect(info == -1, "another trans on one process: getrs");
  }

  memcpy(wrong, desca, sizeof wrong);
  if (last) wrong[0] = 501;
  trifac_pdpotrf("L", &order, a, &one, &one, wrong, &info);
  expect(info == -601, "the descriptor of a band matrix on one process");
  memcpy(wrong, descb, sizeof wrong);
  if (last) wrong[0] = 501;
  trifac_pdgetrs("N", &order, &one, a, &one, &one, desca, ipiv, b, &one, &one, wrong, &info);
  expect(info == -1201, "the same of b: getrs");

  make_matrix(definite, a); /* not definite from row 20 on */
  for (int j = 0; j < local_cols; ++j)
    for (int i = 0; i < local_rows; ++i)
      if (global(i, my_row, rows) == 20 && global(j, my_col, cols) == 20) a[i + j * desca[8]] = -n;
  trifac_pdpotrf("L", &order, a, &one, &one, desca, &info);
  expect(info == 21, "index of a matrix that is not definite");
}

/* Larger blocks on the first process, which thinks that it has more rows: its ipiv, which ends
 * where memory does, is not read before the processes have agreed. */
static void blocks_differ_before_ipiv_is_read(void) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  char* pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  expect(pages != MAP_FAILED && mprotect(pages + page, page, PROT_NONE) == 0, "mmap");
  const int* last_rows = (const int*)(pages + page) - (local_rows + nb);
  int info = 0, larger[9];
  memcpy(larger, desca, sizeof larger);
  if (my_row == 0 && my_col == 0) larger[4] = larger[5] = n;
  trifac_pdgetrs("N", &order, &one, a, &one, &one, larger, last_rows, b, &one, &one, descb, &info);
  expect(info == -705, "other blocks on one process: getrs");
  munmap(pages, 2 * page);
}

/* After info > 0: a solve with a zero on the diagonal divides by it, as ScaLAPACK's does, and says
 * which row of X is not finite. */
static void zero_on_the_diagonal(void) {
  const char* both = "LU";
  const char* all = "NTC";
  for (int i = 0; i < 2; ++i) {
    int info = 0;
    memset(a, 0, sizeof a);
    make_right_hand_side(definite, 0, b);
    trifac_pdpotrf(both + i, &order, a, &one, &one, desca, &info);
    expect(info == 1, "potrf of zeros");
    trifac_pdpotrs(both + i, &order, &one, a, &one, &one, desca, b, &one, &one, descb, &info);
    expect(info == 1, "potrs divides by zero");
  }
  for (int i = 0; i < 3; ++i) {
    int info = 0;
    make_matrix(general, a);
    for (int j = 0; j < local_cols; ++j)
      for (int l = 0; l < local_rows; ++l)
        if (global(j, my_col, cols) == 20) a[l + j * desca[8]] = 0;
    make_right_hand_side(general, i > 0, b);
    trifac_pdgetrf(&order, &order, a, &one, &one, desca, ipiv, &info);
    expect(info == 21, "getrf of a singular matrix");
    trifac_pdgetrs(all + i, &order, &one, a, &one, &one, desca, ipiv, b, &one, &one, descb, &info);
    expect(info > 0 && info <= 21, "getrs divides by zero");
    for (int l = 0; l < local_rows; ++l)
      if (my_col == 0 && global(l, my_row, rows) == info - 1)
        expect(!isfinite(b[l]), "the row of X that getrs names");
  }
}

/* Partial pivoting has ScaLAPACK's interchanges: of equal candidates the first, where no two
 * processes have one. Among processes ScaLAPACK's choice depends on the grid. */
static void partial_pivoting(int kind) {
  static int expected[n + nb];
  int info = 1;
  make_matrix(kind, a);
  pdgetrf_(&order, &order, a, &one, &one, desca, expected, &info);
  expect(info == 0, "pdgetrf_");
  make_matrix(kind, a);
  make_right_hand_side(kind, 0, b);
  info = 1;
  trifac_pdgetrf_partial(&order, &order, a, &one, &one, desca, ipiv, &info);
  expect(info == 0, "getrf_partial");
  if (kind != with_ties || rows == 1)
    expect(memcmp(ipiv, expected, sizeof(int) * (size_t)local_rows) == 0, "ipiv of getrf_partial");
  trifac_pdgetrs("N", &order, &one, a, &one, &one, desca, ipiv, b, &one, &one, descb, &info);
  expect_solution(b, info, "getrs after getrf_partial");
}

/* 2·i on the diagonal. */
static void complex_types(void) {
  static double complex z[most];
  static float complex c[most];
  static float s[most];
  int info = 1;
  for (int j = 0; j < local_cols; ++j)
    for (int i = 0; i < local_rows; ++i) {
      const int diagonal = global(i, my_row, rows) == global(j, my_col, cols);
      z[i + j * desca[8]] = diagonal ? 2 * I : 0;
      c[i + j * desca[8]] = s[i + j * desca[8]] = diagonal ? 4 : 0;
    }
  trifac_pzgetrf(&order, &order, z, &one, &one, desca, ipiv, &info);
  expect(info == 0, "pzgetrf");
  trifac_pcpotrf("U", &order, c, &one, &one, desca, &info);
  expect(info == 0, "pcpotrf");
  trifac_pspotrf("L", &order, s, &one, &one, desca, &info);
  expect(info == 0, "pspotrf");
  for (int j = 0; j < local_cols; ++j)
    for (int i = 0; i < local_rows; ++i)
      if (global(i, my_row, rows) == global(j, my_col, cols)) {
        expect(cabs(z[i + j * desca[8]] - 2 * I) == 0, "pzgetrf");
        expect(cabsf(c[i + j * desca[8]] - 2) == 0 && s[i + j * desca[8]] == 2, "p?potrf");
      }
}

int main(int argc, char** argv) {
  int size, context, handle, members, info, all = 0, ld;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int r = 1; r <= size; ++r) {
    if (size % r != 0) continue;
    Cblacs_get(-1, 0, &context);
    Cblacs_gridinit(&context, "Row", r, size / r);
    Cblacs_gridinfo(context, &rows, &cols, &my_row, &my_col);
    Cblacs_get(context, 10, &handle);
    local_rows = numroc_(&order, &block, &my_row, &zero, &rows);
    local_cols = numroc_(&order, &block, &my_col, &zero, &cols);
    ld = local_rows > 0 ? local_rows : 1;
    descinit_(desca, &order, &order, &block, &block, &zero, &zero, &context, &ld, &info);
    descinit_(descb, &order, &one, &block, &block, &zero, &zero, &context, &ld, &info);
    cholesky("L");
    cholesky("U");
    lu("N");
    lu("T");
    partial_pivoting(general);
    partial_pivoting(with_ties);
    zero_on_the_diagonal();
    wrong_arguments();
    if (size > 1) blocks_differ_before_ipiv_is_read();
    complex_types();
    MPI_Comm_size(Cblacs2sys_handle(handle), &members);
    expect(members == size, "the handle of the context is still the caller's");
    Cblacs_gridexit(context);
  }
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return all != 0;
}
