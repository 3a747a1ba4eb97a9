/* trifac.h from C99: every function in four types, with residuals; the texts of statuses; every
   argument that is a null pointer. */
#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "trifac.h"

#undef I /* the identity, below */

/* In [-1, 1), the same numbers in each run. */
static double random_number(void) {
  static uint64_t state = 1;
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(int64_t)(state >> 11) / (double)(INT64_C(1) << 52) - 1;
}

static float complex make_complex_float(float re, float im) {
  float parts[2];
  float complex z;
  parts[0] = re;
  parts[1] = im;
  memcpy(&z, parts, sizeof z);
  return z;
}
static double complex make_complex_double(double re, double im) {
  double parts[2];
  double complex z;
  parts[0] = re;
  parts[1] = im;
  memcpy(&z, parts, sizeof z);
  return z;
}

#define LETTER s
#define ELEMENT float
#define REAL float
#define EPSILON (FLT_EPSILON / 2)
#define LARGEST FLT_MAX
#define SIZE_OF(x) fabsf(x)
#define CONJUGATE(x) (x)
#define NUMBER(re, im) ((void)(im), (re))
#include "one_type.h"

#define LETTER d
#define ELEMENT double
#define REAL double
#define EPSILON (DBL_EPSILON / 2)
#define LARGEST DBL_MAX
#define SIZE_OF(x) fabs(x)
#define CONJUGATE(x) (x)
#define NUMBER(re, im) ((void)(im), (re))
#include "one_type.h"

#define LETTER c
#define ELEMENT trifac_complex_float
#define REAL float
#define EPSILON (FLT_EPSILON / 2)
#define LARGEST FLT_MAX
#define SIZE_OF(x) cabsf(x)
#define CONJUGATE(x) conjf(x)
#define NUMBER(re, im) make_complex_float(re, im)
#include "one_type.h"

#define LETTER z
#define ELEMENT trifac_complex_double
#define REAL double
#define EPSILON (DBL_EPSILON / 2)
#define LARGEST DBL_MAX
#define SIZE_OF(x) cabs(x)
#define CONJUGATE(x) conj(x)
#define NUMBER(re, im) make_complex_double(re, im)
#include "one_type.h"

/* The status is a wrong argument of this name. */
#define CHECK_ARGUMENT(call, name)                                         \
  do {                                                                     \
    const trifac_status s_ = (call);                                       \
    CHECK_KIND(s_, TRIFAC_INVALID_ARGUMENT);                               \
    CHECK(strcmp(s_.argument, (name)) == 0 && s_.index == -1 && *s_.what); \
  } while (0)

static void wrong_arguments(void) {
  double a[9] = {4, 1, 0, 1, 3, 1, 0, 1, 2}, b[3] = {1, 2, 3}, value = 7, other = 7;
  const trifac_dmatrix A = {a, 3, 3, 1, 3}, B = {b, 3, 1, 1, 3};
  const trifac_dmatrix nothing = {NULL, 3, 3, 1, 3}, negative = {a, -1, 3, 1, 3},
                       narrow = {a, 3, 3, 1, 2};
  const trifac_dmatrix wide = {a, 2, 3, 1, 2};
  const trifac_dbatch As = {a, NULL, 1, 3, 3, 9, 1, 3, 0, 0},
                      Bs = {b, NULL, 1, 3, 1, 3, 1, 3, 0, 0};
  const trifac_dbatch no_batch = {NULL, NULL, 2, 3, 3, 9, 1, 3, 0, 0};
  double* none[2] = {NULL, NULL};
  const trifac_dbatch no_matrices = {NULL, none, 2, 3, 3, 0, 1, 3, 0, 0};
  trifac_dfactor* const f = trifac_dfactor_create();
  trifac_dbatch_factor* const fs = trifac_dbatch_factor_create();
  trifac_cholesky_options cholesky = TRIFAC_CHOLESKY_OPTIONS_INIT;
  trifac_lu_options lu = TRIFAC_LU_OPTIONS_INIT;
  trifac_options options = TRIFAC_OPTIONS_INIT;
  int32_t info = 7;

  /* No factor, and one that was never used. */
  CHECK_ARGUMENT(trifac_dcholesky(A, NULL, NULL), "factor");
  CHECK_ARGUMENT(trifac_dlu(A, NULL, NULL), "factor");
  CHECK_ARGUMENT(trifac_dbatch_cholesky(As, NULL, NULL, NULL), "factor");
  CHECK_ARGUMENT(trifac_dbatch_lu(As, NULL, NULL, NULL), "factor");
  CHECK(trifac_dinterchanges(NULL) == NULL && trifac_dinterchanges(f) == NULL);
  {
    trifac_dfactor* const factors[2] = {NULL, f};
    trifac_dbatch_factor* const batches[2] = {NULL, fs};
    int k;
    for (k = 0; k < 2; ++k) {
      CHECK_ARGUMENT(trifac_dsolve(factors[k], B, TRIFAC_NO_TRANSPOSE, NULL), "factor");
      CHECK_ARGUMENT(trifac_dinverse(factors[k], A, NULL), "factor");
      CHECK_ARGUMENT(trifac_ddeterminant(factors[k], &value), "factor");
      CHECK_ARGUMENT(trifac_dlog_determinant(factors[k], &value, &other), "factor");
      CHECK_ARGUMENT(trifac_dreciprocal_condition(factors[k], TRIFAC_NORM_ONE, &value, NULL),
                     "factor");
      CHECK_ARGUMENT(trifac_drefine(A, factors[k], B, B, TRIFAC_NO_TRANSPOSE, NULL, NULL, NULL),
                     "factor");
      CHECK_ARGUMENT(trifac_dupdate(factors[k], B, NULL), "factor");
      CHECK_ARGUMENT(trifac_ddowndate(factors[k], B, NULL), "factor");
      CHECK_ARGUMENT(trifac_dbatch_solve(batches[k], Bs, TRIFAC_NO_TRANSPOSE, NULL), "factor");
      CHECK_ARGUMENT(trifac_dbatch_inverse(batches[k], As, &info, NULL), "factor");
    }
  }

  /* Matrices that are none; the factor has the status then. */
  CHECK_ARGUMENT(trifac_dcholesky(nothing, f, NULL), "A");
  CHECK_ARGUMENT(trifac_dsolve(f, B, TRIFAC_NO_TRANSPOSE, NULL), "A");
  CHECK_ARGUMENT(trifac_dcholesky(negative, f, NULL), "A");
  CHECK_ARGUMENT(trifac_dcholesky(narrow, f, NULL), "A");
  CHECK_ARGUMENT(trifac_dcholesky(wide, f, NULL), "A");
  CHECK_ARGUMENT(trifac_dlu(nothing, f, NULL), "A");
  CHECK_ARGUMENT(trifac_dsolve(f, B, TRIFAC_NO_TRANSPOSE, NULL), "A");
  CHECK(trifac_dinterchanges(f) == NULL);
  CHECK_ARGUMENT(trifac_dlu(narrow, f, NULL), "A");
  CHECK_ARGUMENT(trifac_dcholesky_solve(nothing, B, NULL), "A");
  CHECK_ARGUMENT(trifac_dcholesky_solve(A, nothing, NULL), "B");
  CHECK_ARGUMENT(trifac_dlu_solve(wide, B, NULL), "A");
  CHECK_ARGUMENT(trifac_dlu_solve(A, A, NULL), "B");
  CHECK_ARGUMENT(trifac_dbatch_cholesky(no_batch, fs, &info, NULL), "A");
  CHECK_ARGUMENT(trifac_dbatch_solve(fs, Bs, TRIFAC_NO_TRANSPOSE, NULL), "A");
  CHECK_ARGUMENT(trifac_dbatch_lu(no_matrices, fs, &info, NULL), "A");
  CHECK_ARGUMENT(trifac_dbatch_cholesky_solve(As, no_batch, &info, NULL), "B");
  CHECK_ARGUMENT(trifac_dbatch_lu_solve(no_matrices, Bs, &info, NULL), "A");

  /* Options. */
  cholesky.size = 0;
  CHECK_ARGUMENT(trifac_dcholesky(A, f, &cholesky), "options.size");
  CHECK_ARGUMENT(trifac_dsolve(f, B, TRIFAC_NO_TRANSPOSE, NULL), "options.size");
  CHECK_ARGUMENT(trifac_dcholesky_solve(A, B, &cholesky), "options.size");
  CHECK_ARGUMENT(trifac_dbatch_cholesky(As, fs, &info, &cholesky), "options.size");
  CHECK_ARGUMENT(trifac_dbatch_solve(fs, Bs, TRIFAC_NO_TRANSPOSE, NULL), "options.size");
  cholesky.size = sizeof cholesky;
  cholesky.threads = -1;
  CHECK_ARGUMENT(trifac_dcholesky(A, f, &cholesky), "options.threads");
  cholesky.threads = 1;
  cholesky.part = 2;
  CHECK_ARGUMENT(trifac_dcholesky(A, f, &cholesky), "options.part");
  CHECK_ARGUMENT(trifac_dcholesky_solve(A, B, &cholesky), "options.part");
  CHECK_ARGUMENT(trifac_dbatch_cholesky(As, fs, &info, &cholesky), "options.part");
  lu.size = sizeof lu + 1;
  CHECK_ARGUMENT(trifac_dlu(A, f, &lu), "options.size");
  CHECK_ARGUMENT(trifac_dlu_solve(A, B, &lu), "options.size");
  CHECK_ARGUMENT(trifac_dbatch_lu(As, fs, &info, &lu), "options.size");
  lu.size = sizeof lu;
  lu.pivoting = -3;
  CHECK_ARGUMENT(trifac_dlu(A, f, &lu), "options.pivoting");
  CHECK_ARGUMENT(trifac_dlu_solve(A, B, &lu), "options.pivoting");
  lu.pivoting = TRIFAC_PIVOTING_TOURNAMENT;
  CHECK_ARGUMENT(trifac_dbatch_lu(As, fs, &info, &lu), "options.pivoting");
  CHECK_ARGUMENT(trifac_dbatch_lu_solve(As, Bs, &info, &lu), "options.pivoting");

  /* Sizes that no matrix has need no workspace. */
  CHECK(trifac_dcholesky_workspace_bytes(-1) == 0 && trifac_dlu_workspace_bytes(3, -1, NULL) == 0);
  CHECK(trifac_dbatch_workspace_bytes(-2, 5, -1, 0) == 0);

  /* Calls on a factor: no norm was asked for. */
  CHECK_OK(trifac_dlu(A, f, NULL));
  CHECK_ARGUMENT(trifac_dupdate(f, B, NULL), "factor");
  CHECK_ARGUMENT(trifac_dreciprocal_condition(f, TRIFAC_NORM_ONE, &value, NULL), "factor");
  CHECK_ARGUMENT(trifac_dreciprocal_condition(f, TRIFAC_NORM_ONE, NULL, NULL), "value");
  CHECK_ARGUMENT(trifac_ddeterminant(f, NULL), "value");
  CHECK_ARGUMENT(trifac_dlog_determinant(f, NULL, &other), "sign");
  CHECK_ARGUMENT(trifac_dlog_determinant(f, &value, NULL), "log_abs");
  CHECK_ARGUMENT(trifac_dsolve(f, B, 3, NULL), "op");
  CHECK_ARGUMENT(trifac_dsolve(f, nothing, TRIFAC_NO_TRANSPOSE, NULL), "B");
  CHECK_ARGUMENT(trifac_dinverse(f, B, NULL), "X");
  CHECK_ARGUMENT(trifac_drefine(A, f, B, B, TRIFAC_NO_TRANSPOSE, NULL, NULL, NULL), "A");
  options.threads = -1;
  CHECK_ARGUMENT(trifac_dsolve(f, B, TRIFAC_NO_TRANSPOSE, &options), "options.threads");
  options.threads = 1;
  options.size = 8;
  CHECK_ARGUMENT(trifac_dinverse(f, A, &options), "options.size");
  CHECK(value == 7 && other == 7 && info == 7 && b[0] == 1 && b[1] == 2 && b[2] == 3);
  trifac_dfactor_destroy(f);
  trifac_dbatch_factor_destroy(fs);
}

static void texts(void) {
  double a = -1;
  char text[80], cut[9];
  const trifac_dmatrix A = {&a, 1, 1, 1, 1}, nothing = {NULL, 1, 1, 1, 1};
  trifac_status s = trifac_dcholesky_solve(A, A, NULL), zeroed;
  trifac_dfactor* const f = trifac_dfactor_create();
  CHECK(trifac_message(s, text, sizeof text) == strlen(text));
  CHECK(strcmp(text, "invalid argument B: overlaps A") == 0);
  CHECK(trifac_message(s, cut, sizeof cut) == strlen(text) && strcmp(cut, "invalid ") == 0);
  CHECK(trifac_message(s, NULL, 0) == strlen(text) && trifac_message(s, NULL, 9) == strlen(text));
  s = trifac_dcholesky(A, f, NULL);
  trifac_message(s, text, sizeof text);
  CHECK(strcmp(text, "not positive definite at index 0") == 0);
  s = trifac_dlu(nothing, f, NULL);
  trifac_message(s, text, sizeof text);
  CHECK(strcmp(text, "invalid argument A: has elements but no memory (null pointer)") == 0);
  memset(&zeroed, 0, sizeof zeroed);
  zeroed.index = -1;
  trifac_message(zeroed, text, sizeof text);
  CHECK(strcmp(text, "success") == 0);
  zeroed.kind = 1000;
  trifac_message(zeroed, text, sizeof text);
  CHECK(strcmp(text, "unknown") == 0);
  CHECK(strchr(trifac_version(), '.') != NULL);
  trifac_dfactor_destroy(f);
}

int main(void) {
  all_s();
  all_d();
  all_c();
  all_z();
  wrong_arguments();
  texts();
  trifac_free_workspace_cache();
  if (failures == 0) printf("trifac %s from C: all well\n", trifac_version());
  return failures == 0 ? 0 : 1;
}
