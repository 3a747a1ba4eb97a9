#ifndef TRIFAC_H
#define TRIFAC_H
/*
 * trifac for C: dense Cholesky and LU factorizations of one matrix and of batches, and what is
 * computed from the factors. Link the library trifac-kernels; docs/c.md has programs. Each function
 * is the call of that name of trifac's C++ API (docs/api.md), in float, double and complex of both:
 * s, d, c, z.
 *
 * Memory     Matrices are the caller's, in any layout, and are overwritten in place. A factor
 *            refers to the matrix that was factored, which must outlive it and stay unchanged. A
 *            const factor may be used by many threads at once.
 * Failures   A trifac_status tells them all: no function throws, prints or exits. Of a wrong
 *            argument, and where memory runs out, matrices are unchanged (of a batch some may be
 *            done by then). A factor keeps the status of its factorization, and calls on it return
 *            that.
 * Options    A null pointer is the defaults. Initialize a struct with its macro
 *            (trifac_lu_options options = TRIFAC_LU_OPTIONS_INIT) and assign what differs.
 * Threads    options.threads: 1, the default, is the calling thread; 0 as many as the machine has
 *            processors. Results have the same bits for any number.
 * Numbers    All indices count from 0. r: the number of right-hand sides, the columns of B.
 */
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
  #include <complex>
#endif

#if defined(__GNUC__) && !defined(_WIN32)
  #pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
typedef std::complex<float> trifac_complex_float;
typedef std::complex<double> trifac_complex_double;
extern "C" {
#else
typedef float _Complex trifac_complex_float;
typedef double _Complex trifac_complex_double;
#endif

/* Sizes, strides and row numbers. */
typedef int64_t trifac_index;

/* Constants are int: the width of an enum is the compiler's choice. */
enum { TRIFAC_LOWER = 0, TRIFAC_UPPER = 1 };                                /* LAPACK: uplo */
enum { TRIFAC_NO_TRANSPOSE = 0, TRIFAC_TRANSPOSE = 1, TRIFAC_ADJOINT = 2 }; /* LAPACK: trans */
enum { TRIFAC_NORM_ONE = 0, TRIFAC_NORM_INFINITY = 1 };                     /* LAPACK: norm */
enum { TRIFAC_PIVOTING_NONE = 0, TRIFAC_PIVOTING_PARTIAL = 1, TRIFAC_PIVOTING_TOURNAMENT = 2 };

/* ---- Status ---------------------------------------------------------------------------------- */

/* The kinds of a status. */
enum {
  TRIFAC_SUCCESS = 0,
  TRIFAC_NOT_POSITIVE_DEFINITE = 1, /* Cholesky: the leading minor of order index + 1 */
  TRIFAC_SINGULAR = 2,              /* LU: U(index, index) = 0; the factorization is complete */
  TRIFAC_ZERO_PIVOT = 3,            /* LU without pivoting: the same, where it stopped */
  TRIFAC_NOT_FINITE = 4,            /* NaN or infinity at the pivot, column or row index */
  TRIFAC_INVALID_ARGUMENT = 5,      /* `argument` names it */
  TRIFAC_OUT_OF_MEMORY = 6,
  TRIFAC_BACKEND_FAILURE = 7
};

typedef struct trifac_status {
  int kind;
  trifac_index index;   /* of the pivot, column or row; -1 where there is none. LAPACK: info - 1 */
  const char* argument; /* the wrong argument's name, else "" */
  const char* what;     /* what is wrong with it, else ""; both live as long as the library */
} trifac_status;

/* Writes the status as one line to text, which has room for `size` bytes; the rest is cut off.
   Returns its length as snprintf does. Of size 0 text may be null. */
size_t trifac_message(trifac_status status, char* text, size_t size);

/* The version of the library, such as "0.3.0". */
const char* trifac_version(void);

/* Frees the workspace that the calling thread keeps between calls, at most 24 MiB. */
void trifac_free_workspace_cache(void);

/* ---- Options --------------------------------------------------------------------------------- */

/* Each begins with its size, so that members can be added at the end. A workspace is memory of the
   caller for what the call keeps beside the matrices; null: the thread's cache, or an allocation. */

typedef struct trifac_cholesky_options {
  size_t size;
  int threads;
  int part; /* the triangle that is read and overwritten */
  int norm; /* not 0: the factor also keeps ||A||, for reciprocal_condition */
  void* workspace;
  size_t workspace_bytes; /* at least trifac_?cholesky_workspace_bytes, or those of the batch */
} trifac_cholesky_options;
#define TRIFAC_CHOLESKY_OPTIONS_INIT \
  { sizeof(trifac_cholesky_options), 1, TRIFAC_LOWER, 0, NULL, 0 }

typedef struct trifac_lu_options {
  size_t size;
  int threads;
  int pivoting;
  int norm; /* as above */
  void* workspace;
  size_t workspace_bytes; /* at least trifac_?lu_workspace_bytes, or those of the batch */
} trifac_lu_options;
#define TRIFAC_LU_OPTIONS_INIT \
  { sizeof(trifac_lu_options), 1, TRIFAC_PIVOTING_PARTIAL, 0, NULL, 0 }

/* Of all other calls. */
typedef struct trifac_options {
  size_t size;
  int threads;
  void* workspace; /* of trifac_?batch_solve alone */
  size_t workspace_bytes;
} trifac_options;
#define TRIFAC_OPTIONS_INIT \
  { sizeof(trifac_options), 1, NULL, 0 }

/* ---- Matrices and factors -------------------------------------------------------------------- */

/* rows x cols elements in the caller's memory: element (i, j) is data[i*row_stride + j*col_stride].
   {a, m, n, 1, ld} is column-major with leading dimension ld >= m, {a, m, n, ld, 1} row-major with
   ld >= n, {b, n, 1, 1, n} a vector. */
typedef struct trifac_dmatrix {
  double* data;
  trifac_index rows, cols, row_stride, col_stride;
} trifac_dmatrix;

/* L, or L\U with its row interchanges, and the norms of A. One may be used for many factorizations,
   one after another, of either kind. create returns null where there is no memory, which the calls
   find; destroy(NULL) does nothing. */
typedef struct trifac_dfactor trifac_dfactor;
trifac_dfactor* trifac_dfactor_create(void);
void trifac_dfactor_destroy(trifac_dfactor* factor);

/* ---- One matrix ------------------------------------------------------------------------------ */

/* A := L with A = L*L^H (options.part = TRIFAC_LOWER) or U with A = U^H*U; A: n x n Hermitian
   (symmetric), of which the other triangle is neither read nor written.
   Errors: NOT_POSITIVE_DEFINITE, NOT_FINITE with the first bad pivot k: the leading k x k block
   holds its factor. n^3/3 flops. LAPACK: potrf. */
trifac_status trifac_dcholesky(trifac_dmatrix A, trifac_dfactor* factor,
                               const trifac_cholesky_options* options);
size_t trifac_dcholesky_workspace_bytes(trifac_index n);

/* A := L\U with P*A = L*U; A: m x n. U is on and above the diagonal, L below it, without its ones.
   Errors: SINGULAR with the first zero pivot, NOT_FINITE with the first NaN or infinite one: in
   both cases the factorization is complete, as LAPACK's. Without pivoting ZERO_PIVOT and NOT_FINITE
   stop it. mn^2 - n^3/3 flops for m >= n. LAPACK: getrf. */
trifac_status trifac_dlu(trifac_dmatrix A, trifac_dfactor* factor,
                         const trifac_lu_options* options);
size_t trifac_dlu_workspace_bytes(trifac_index m, trifac_index n, const trifac_lu_options* options);

/* The min(m, n) row interchanges p of P: step k exchanged rows k and p[k] >= k. They live until the
   factor is used for another factorization. Null of Cholesky. LAPACK: ipiv - 1. */
const trifac_index* trifac_dinterchanges(const trifac_dfactor* factor);

/* B := A^-1*B, and A := its factor as above: both calls in one, without an allocation for small A.
   A: n x n; B: n x r. B is unchanged where A has no factor. LAPACK: posv, gesv. */
trifac_status trifac_dcholesky_solve(trifac_dmatrix A, trifac_dmatrix B,
                                     const trifac_cholesky_options* options);
trifac_status trifac_dlu_solve(trifac_dmatrix A, trifac_dmatrix B,
                               const trifac_lu_options* options);

/* B := op(A)^-1*B with the factor of A; B: n x r. op: TRIFAC_NO_TRANSPOSE, TRIFAC_TRANSPOSE or
   TRIFAC_ADJOINT. 2n^2*r flops. LAPACK: potrs, getrs. */
trifac_status trifac_dsolve(const trifac_dfactor* factor, trifac_dmatrix B, int op,
                            const trifac_options* options);

/* X := A^-1; X: n x n, or the factored matrix itself, after which the factor is not to be used any
   more. Of a Cholesky factor only its triangle of X is written. Errors: NOT_FINITE with the first
   column that overflowed. 2n^3/3 flops for Cholesky, 4n^3/3 for LU. LAPACK: potri, getri. */
trifac_status trifac_dinverse(const trifac_dfactor* factor, trifac_dmatrix X,
                              const trifac_options* options);

/* *value := det A. 0 of a singular A. Errors: NOT_FINITE where it overflows. */
trifac_status trifac_ddeterminant(const trifac_dfactor* factor, double* value);

/* det A = sign*exp(log_abs) with |sign| = 1; of a singular A sign = 0 and log_abs = -infinity. */
trifac_status trifac_dlog_determinant(const trifac_dfactor* factor, double* sign, double* log_abs);

/* *value := 1 / (||A||*||A^-1||), ||A^-1|| estimated from below, in the norm TRIFAC_NORM_ONE or
   TRIFAC_NORM_INFINITY; the factor must be made with options.norm and not be updated, and the
   norm that it keeps be finite. 0 of a singular A. LAPACK: pocon, gecon. */
trifac_status trifac_dreciprocal_condition(const trifac_dfactor* factor, int kind, double* value,
                                           const trifac_options* options);

/* Improves X, a solution of op(A)*X = B, by corrections in the same precision; A: a copy of the
   matrix from before it was factored, of Cholesky the factor's triangle; B, X: n x r. A and B are
   only read. backward_errors and forward_bounds receive r numbers each, or are null. Errors:
   NOT_FINITE with the right-hand side; from it on the numbers are NaN. LAPACK: porfs, gerfs with
   berr and ferr. */
trifac_status trifac_drefine(trifac_dmatrix A, const trifac_dfactor* factor, trifac_dmatrix B,
                             trifac_dmatrix X, int op, double* backward_errors,
                             double* forward_bounds, const trifac_options* options);

/* The Cholesky factor of A becomes that of A + X*X^H (update) or A - X*X^H (downdate); X: n x k,
   only read. The factor has no norm afterwards. Errors: NOT_POSITIVE_DEFINITE of a downdate,
   NOT_FINITE. 2n^2*k flops. LINPACK: dchud, dchdd. */
trifac_status trifac_dupdate(trifac_dfactor* factor, trifac_dmatrix X,
                             const trifac_options* options);
trifac_status trifac_ddowndate(trifac_dfactor* factor, trifac_dmatrix X,
                               const trifac_options* options);

/* ---- Batches --------------------------------------------------------------------------------- */

/* `batch` matrices of rows x cols elements: element (i, j) of matrix b is data[b*matrix_stride +
   i*row_stride + j*col_stride]. With chunk > 0 that is so within each chunk of so many matrices,
   and chunks are chunk_stride apart, the last one as large as the others. Where pointers is not
   null, matrix b begins at pointers[b] instead.

     {a, NULL, batch, m, n, ld*n, 1, ld, 0, 0}        one column-major matrix after another
     {a, NULL, batch, m, n, 1, batch, batch*m, 0, 0}  interleaved: all elements (i, j) side by side
     {a, NULL, batch, m, n, 1, 8, 8*m, 8, 8*m*n}      interleaved by eights: not copied (real)
     {NULL, p, batch, m, n, 0, 1, ld, 0, 0}           column-major matrices anywhere */
typedef struct trifac_dbatch {
  double* data;
  double* const* pointers;
  trifac_index batch, rows, cols, matrix_stride, row_stride, col_stride, chunk, chunk_stride;
} trifac_dbatch;
typedef struct trifac_dbatch_factor trifac_dbatch_factor;
trifac_dbatch_factor* trifac_dbatch_factor_create(void);
void trifac_dbatch_factor_destroy(trifac_dbatch_factor* factor);

/* Each matrix of A := its L or U, or its L\U. info receives a number for each matrix, or is null:
   0, k + 1 for a bad pivot k, -(k + 1) where that is not finite. The status is that of the first
   bad matrix; all others are factored. options.norm is not looked at; batches have no tournament
   pivoting. */
trifac_status trifac_dbatch_cholesky(trifac_dbatch A, trifac_dbatch_factor* factor, int32_t* info,
                                     const trifac_cholesky_options* options);
trifac_status trifac_dbatch_lu(trifac_dbatch A, trifac_dbatch_factor* factor, int32_t* info,
                               const trifac_lu_options* options);

/* The same and B := A^-1*B for each matrix in one pass. B of a bad matrix is unchanged. A of one
   matrix serves all of B. */
trifac_status trifac_dbatch_cholesky_solve(trifac_dbatch A, trifac_dbatch B, int32_t* info,
                                           const trifac_cholesky_options* options);
trifac_status trifac_dbatch_lu_solve(trifac_dbatch A, trifac_dbatch B, int32_t* info,
                                     const trifac_lu_options* options);

/* B := op(A)^-1*B for each matrix. A factor of one matrix serves all of B. B of matrices without a
   factor is unchanged; the status is that of the first. */
trifac_status trifac_dbatch_solve(const trifac_dbatch_factor* factor, trifac_dbatch B, int op,
                                  const trifac_options* options);

/* X := A^-1 for each matrix; X: batch x n x n, or the factored batch itself. Of Cholesky factors
   only their triangles are written. info as above, with the first column that overflowed as k. */
trifac_status trifac_dbatch_inverse(const trifac_dbatch_factor* factor, trifac_dbatch X,
                                    int32_t* info, const trifac_options* options);

/* Bytes of workspace for a batch of rows x cols matrices and r right-hand sides (0: no solve): with
   less than those for `threads` threads fewer are used, with less than those for one it is an
   error. */
size_t trifac_dbatch_workspace_bytes(trifac_index rows, trifac_index cols, trifac_index r,
                                     int threads);

/* ---- The same in float ----------------------------------------------------------------------- */

typedef struct trifac_smatrix {
  float* data;
  trifac_index rows, cols, row_stride, col_stride;
} trifac_smatrix;
typedef struct trifac_sfactor trifac_sfactor;
trifac_sfactor* trifac_sfactor_create(void);
void trifac_sfactor_destroy(trifac_sfactor* factor);
trifac_status trifac_scholesky(trifac_smatrix A, trifac_sfactor* factor,
                               const trifac_cholesky_options* options);
size_t trifac_scholesky_workspace_bytes(trifac_index n);
trifac_status trifac_slu(trifac_smatrix A, trifac_sfactor* factor,
                         const trifac_lu_options* options);
size_t trifac_slu_workspace_bytes(trifac_index m, trifac_index n, const trifac_lu_options* options);
const trifac_index* trifac_sinterchanges(const trifac_sfactor* factor);
trifac_status trifac_scholesky_solve(trifac_smatrix A, trifac_smatrix B,
                                     const trifac_cholesky_options* options);
trifac_status trifac_slu_solve(trifac_smatrix A, trifac_smatrix B,
                               const trifac_lu_options* options);
trifac_status trifac_ssolve(const trifac_sfactor* factor, trifac_smatrix B, int op,
                            const trifac_options* options);
trifac_status trifac_sinverse(const trifac_sfactor* factor, trifac_smatrix X,
                              const trifac_options* options);
trifac_status trifac_sdeterminant(const trifac_sfactor* factor, float* value);
trifac_status trifac_slog_determinant(const trifac_sfactor* factor, float* sign, float* log_abs);
trifac_status trifac_sreciprocal_condition(const trifac_sfactor* factor, int kind, float* value,
                                           const trifac_options* options);
trifac_status trifac_srefine(trifac_smatrix A, const trifac_sfactor* factor, trifac_smatrix B,
                             trifac_smatrix X, int op, float* backward_errors,
                             float* forward_bounds, const trifac_options* options);
trifac_status trifac_supdate(trifac_sfactor* factor, trifac_smatrix X,
                             const trifac_options* options);
trifac_status trifac_sdowndate(trifac_sfactor* factor, trifac_smatrix X,
                               const trifac_options* options);
typedef struct trifac_sbatch {
  float* data;
  float* const* pointers;
  trifac_index batch, rows, cols, matrix_stride, row_stride, col_stride, chunk, chunk_stride;
} trifac_sbatch;
typedef struct trifac_sbatch_factor trifac_sbatch_factor;
trifac_sbatch_factor* trifac_sbatch_factor_create(void);
void trifac_sbatch_factor_destroy(trifac_sbatch_factor* factor);
trifac_status trifac_sbatch_cholesky(trifac_sbatch A, trifac_sbatch_factor* factor, int32_t* info,
                                     const trifac_cholesky_options* options);
trifac_status trifac_sbatch_lu(trifac_sbatch A, trifac_sbatch_factor* factor, int32_t* info,
                               const trifac_lu_options* options);
trifac_status trifac_sbatch_cholesky_solve(trifac_sbatch A, trifac_sbatch B, int32_t* info,
                                           const trifac_cholesky_options* options);
trifac_status trifac_sbatch_lu_solve(trifac_sbatch A, trifac_sbatch B, int32_t* info,
                                     const trifac_lu_options* options);
trifac_status trifac_sbatch_solve(const trifac_sbatch_factor* factor, trifac_sbatch B, int op,
                                  const trifac_options* options);
trifac_status trifac_sbatch_inverse(const trifac_sbatch_factor* factor, trifac_sbatch X,
                                    int32_t* info, const trifac_options* options);
size_t trifac_sbatch_workspace_bytes(trifac_index rows, trifac_index cols, trifac_index r,
                                     int threads);

/* ---- The same in complex of float ------------------------------------------------------------ */

typedef struct trifac_cmatrix {
  trifac_complex_float* data;
  trifac_index rows, cols, row_stride, col_stride;
} trifac_cmatrix;
typedef struct trifac_cfactor trifac_cfactor;
trifac_cfactor* trifac_cfactor_create(void);
void trifac_cfactor_destroy(trifac_cfactor* factor);
trifac_status trifac_ccholesky(trifac_cmatrix A, trifac_cfactor* factor,
                               const trifac_cholesky_options* options);
size_t trifac_ccholesky_workspace_bytes(trifac_index n);
trifac_status trifac_clu(trifac_cmatrix A, trifac_cfactor* factor,
                         const trifac_lu_options* options);
size_t trifac_clu_workspace_bytes(trifac_index m, trifac_index n, const trifac_lu_options* options);
const trifac_index* trifac_cinterchanges(const trifac_cfactor* factor);
trifac_status trifac_ccholesky_solve(trifac_cmatrix A, trifac_cmatrix B,
                                     const trifac_cholesky_options* options);
trifac_status trifac_clu_solve(trifac_cmatrix A, trifac_cmatrix B,
                               const trifac_lu_options* options);
trifac_status trifac_csolve(const trifac_cfactor* factor, trifac_cmatrix B, int op,
                            const trifac_options* options);
trifac_status trifac_cinverse(const trifac_cfactor* factor, trifac_cmatrix X,
                              const trifac_options* options);
trifac_status trifac_cdeterminant(const trifac_cfactor* factor, trifac_complex_float* value);
trifac_status trifac_clog_determinant(const trifac_cfactor* factor, trifac_complex_float* sign,
                                      float* log_abs);
trifac_status trifac_creciprocal_condition(const trifac_cfactor* factor, int kind, float* value,
                                           const trifac_options* options);
trifac_status trifac_crefine(trifac_cmatrix A, const trifac_cfactor* factor, trifac_cmatrix B,
                             trifac_cmatrix X, int op, float* backward_errors,
                             float* forward_bounds, const trifac_options* options);
trifac_status trifac_cupdate(trifac_cfactor* factor, trifac_cmatrix X,
                             const trifac_options* options);
trifac_status trifac_cdowndate(trifac_cfactor* factor, trifac_cmatrix X,
                               const trifac_options* options);
typedef struct trifac_cbatch {
  trifac_complex_float* data;
  trifac_complex_float* const* pointers;
  trifac_index batch, rows, cols, matrix_stride, row_stride, col_stride, chunk, chunk_stride;
} trifac_cbatch;
typedef struct trifac_cbatch_factor trifac_cbatch_factor;
trifac_cbatch_factor* trifac_cbatch_factor_create(void);
void trifac_cbatch_factor_destroy(trifac_cbatch_factor* factor);
trifac_status trifac_cbatch_cholesky(trifac_cbatch A, trifac_cbatch_factor* factor, int32_t* info,
                                     const trifac_cholesky_options* options);
trifac_status trifac_cbatch_lu(trifac_cbatch A, trifac_cbatch_factor* factor, int32_t* info,
                               const trifac_lu_options* options);
trifac_status trifac_cbatch_cholesky_solve(trifac_cbatch A, trifac_cbatch B, int32_t* info,
                                           const trifac_cholesky_options* options);
trifac_status trifac_cbatch_lu_solve(trifac_cbatch A, trifac_cbatch B, int32_t* info,
                                     const trifac_lu_options* options);
trifac_status trifac_cbatch_solve(const trifac_cbatch_factor* factor, trifac_cbatch B, int op,
                                  const trifac_options* options);
trifac_status trifac_cbatch_inverse(const trifac_cbatch_factor* factor, trifac_cbatch X,
                                    int32_t* info, const trifac_options* options);
size_t trifac_cbatch_workspace_bytes(trifac_index rows, trifac_index cols, trifac_index r,
                                     int threads);

/* ---- The same in complex of double ----------------------------------------------------------- */

typedef struct trifac_zmatrix {
  trifac_complex_double* data;
  trifac_index rows, cols, row_stride, col_stride;
} trifac_zmatrix;
typedef struct trifac_zfactor trifac_zfactor;
trifac_zfactor* trifac_zfactor_create(void);
void trifac_zfactor_destroy(trifac_zfactor* factor);
trifac_status trifac_zcholesky(trifac_zmatrix A, trifac_zfactor* factor,
                               const trifac_cholesky_options* options);
size_t trifac_zcholesky_workspace_bytes(trifac_index n);
trifac_status trifac_zlu(trifac_zmatrix A, trifac_zfactor* factor,
                         const trifac_lu_options* options);
size_t trifac_zlu_workspace_bytes(trifac_index m, trifac_index n, const trifac_lu_options* options);
const trifac_index* trifac_zinterchanges(const trifac_zfactor* factor);
trifac_status trifac_zcholesky_solve(trifac_zmatrix A, trifac_zmatrix B,
                                     const trifac_cholesky_options* options);
trifac_status trifac_zlu_solve(trifac_zmatrix A, trifac_zmatrix B,
                               const trifac_lu_options* options);
trifac_status trifac_zsolve(const trifac_zfactor* factor, trifac_zmatrix B, int op,
                            const trifac_options* options);
trifac_status trifac_zinverse(const trifac_zfactor* factor, trifac_zmatrix X,
                              const trifac_options* options);
trifac_status trifac_zdeterminant(const trifac_zfactor* factor, trifac_complex_double* value);
trifac_status trifac_zlog_determinant(const trifac_zfactor* factor, trifac_complex_double* sign,
                                      double* log_abs);
trifac_status trifac_zreciprocal_condition(const trifac_zfactor* factor, int kind, double* value,
                                           const trifac_options* options);
trifac_status trifac_zrefine(trifac_zmatrix A, const trifac_zfactor* factor, trifac_zmatrix B,
                             trifac_zmatrix X, int op, double* backward_errors,
                             double* forward_bounds, const trifac_options* options);
trifac_status trifac_zupdate(trifac_zfactor* factor, trifac_zmatrix X,
                             const trifac_options* options);
trifac_status trifac_zdowndate(trifac_zfactor* factor, trifac_zmatrix X,
                               const trifac_options* options);
typedef struct trifac_zbatch {
  trifac_complex_double* data;
  trifac_complex_double* const* pointers;
  trifac_index batch, rows, cols, matrix_stride, row_stride, col_stride, chunk, chunk_stride;
} trifac_zbatch;
typedef struct trifac_zbatch_factor trifac_zbatch_factor;
trifac_zbatch_factor* trifac_zbatch_factor_create(void);
void trifac_zbatch_factor_destroy(trifac_zbatch_factor* factor);
trifac_status trifac_zbatch_cholesky(trifac_zbatch A, trifac_zbatch_factor* factor, int32_t* info,
                                     const trifac_cholesky_options* options);
trifac_status trifac_zbatch_lu(trifac_zbatch A, trifac_zbatch_factor* factor, int32_t* info,
                               const trifac_lu_options* options);
trifac_status trifac_zbatch_cholesky_solve(trifac_zbatch A, trifac_zbatch B, int32_t* info,
                                           const trifac_cholesky_options* options);
trifac_status trifac_zbatch_lu_solve(trifac_zbatch A, trifac_zbatch B, int32_t* info,
                                     const trifac_lu_options* options);
trifac_status trifac_zbatch_solve(const trifac_zbatch_factor* factor, trifac_zbatch B, int op,
                                  const trifac_options* options);
trifac_status trifac_zbatch_inverse(const trifac_zbatch_factor* factor, trifac_zbatch X,
                                    int32_t* info, const trifac_options* options);
size_t trifac_zbatch_workspace_bytes(trifac_index rows, trifac_index cols, trifac_index r,
                                     int threads);

#ifdef __cplusplus
}
#endif
#if defined(__GNUC__) && !defined(_WIN32)
  #pragma GCC visibility pop
#endif

#endif
