/* Every function of one type: c_api.c includes this file four times, with LETTER, ELEMENT, REAL,
   EPSILON (half the distance from 1 to the next number), LARGEST (number), SIZE_OF(x) = |x|,
   CONJUGATE(x) and NUMBER(re, im). */

#define JOIN_(a, b, c) a##b##c
#define JOIN(a, b, c) JOIN_(a, b, c)
#define F(name) JOIN(trifac_, LETTER, name)
#define TEST(name) JOIN(name, _, LETTER)

/* A matrix as the tests see it, whatever its layout. */
static ELEMENT* TEST(at)(const F(matrix) * A, trifac_index i, trifac_index j) {
  return A->data + (i * A->row_stride + j * A->col_stride);
}
#define AT(A, i, j) (*TEST(at)(&(A), (i), (j)))

/* Memory of its own, column- or row-major, with a leading dimension that is too large by three. */
static F(matrix) TEST(matrix)(trifac_index rows, trifac_index cols, int by_rows) {
  const trifac_index ld = (by_rows ? cols : rows) + 3;
  const size_t count = (size_t)(ld * (by_rows ? rows : cols)) + 1;
  F(matrix) A;
  A.data = (ELEMENT*)calloc(count, sizeof(ELEMENT));
  if (A.data == NULL) exit(2);
  A.rows = rows;
  A.cols = cols;
  A.row_stride = by_rows ? ld : 1;
  A.col_stride = by_rows ? 1 : ld;
  return A;
}
static void TEST(fill)(F(matrix) A) {
  trifac_index i, j;
  for (j = 0; j < A.cols; ++j)
    for (i = 0; i < A.rows; ++i) {
      const double re = random_number(), im = random_number();
      AT(A, i, j) = NUMBER((REAL)re, (REAL)im);
    }
}
static void TEST(copy)(F(matrix) from, F(matrix) to) {
  trifac_index i, j;
  for (j = 0; j < to.cols; ++j)
    for (i = 0; i < to.rows; ++i) AT(to, i, j) = AT(from, i, j);
}
/* C += s*op(A)*B; op as of a solve. */
static void TEST(add_product)(F(matrix) C, REAL s, F(matrix) A, int op, F(matrix) B) {
  trifac_index i, j, k;
  for (j = 0; j < C.cols; ++j)
    for (k = 0; k < B.rows; ++k)
      for (i = 0; i < C.rows; ++i) {
        const ELEMENT a = op == TRIFAC_NO_TRANSPOSE ? AT(A, i, k) : AT(A, k, i);
        AT(C, i, j) += s * (op == TRIFAC_ADJOINT ? CONJUGATE(a) : a) * AT(B, k, j);
      }
}
static double TEST(norm)(F(matrix) A) {
  double largest = 0;
  trifac_index i, j;
  for (j = 0; j < A.cols; ++j) {
    double sum = 0;
    for (i = 0; i < A.rows; ++i) sum += (double)SIZE_OF(AT(A, i, j));
    if (!(sum <= largest)) largest = sum;
  }
  return largest;
}
/* A Hermitian positive definite. */
static void TEST(fill_definite)(F(matrix) A) {
  trifac_index i;
  F(matrix) X = TEST(matrix)(A.rows, A.rows, 0), XH = TEST(matrix)(A.rows, A.rows, 0);
  TEST(fill)(X);
  for (i = 0; i < A.rows; ++i) AT(A, i, i) = (REAL)A.rows;
  for (i = 0; i < A.rows * A.rows; ++i)
    AT(XH, i % A.rows, i / A.rows) = CONJUGATE(AT(X, i / A.rows, i % A.rows));
  TEST(add_product)(A, 1, X, TRIFAC_NO_TRANSPOSE, XH);
  free(X.data);
  free(XH.data);
}
/* ||B - op(A)*X|| / (||op(A)||*||X||*eps). LAPACK: dget02; divided by n: dget03. */
static double TEST(ratio)(F(matrix) A, int op, F(matrix) X, F(matrix) B) {
  double residual, size;
  F(matrix) R = TEST(matrix)(B.rows, B.cols, 0), T = {A.data, A.cols, A.rows, 0, 0};
  T.row_stride = A.col_stride;
  T.col_stride = A.row_stride;
  TEST(copy)(B, R);
  TEST(add_product)(R, -1, A, op, X);
  residual = TEST(norm)(R);
  size = TEST(norm)(op == TRIFAC_NO_TRANSPOSE ? A : T) * TEST(norm)(X) * EPSILON;
  free(R.data);
  return residual == 0 ? 0 : residual / size;
}

/* What is computed with a factor of A: op(A)*X = B. */
static void TEST(with_factor)(F(factor) * f, F(matrix) A, int by_rows) {
  const trifac_index n = A.rows, r = 3;
  trifac_options options = TRIFAC_OPTIONS_INIT;
  F(matrix) B = TEST(matrix)(n, r, by_rows), X = TEST(matrix)(n, r, by_rows);
  F(matrix) I = TEST(matrix)(n, n, by_rows), V = TEST(matrix)(n, n, by_rows);
  REAL backward[3] = {1, 1, 1}, forward[3] = {-1, -1, -1}, log_abs = 0, condition = -1;
  ELEMENT determinant = 0, sign = 0;
  int op;
  trifac_index i, j;
  TEST(fill)(B);
  for (op = TRIFAC_NO_TRANSPOSE; op <= TRIFAC_ADJOINT; ++op) {
    options.threads = op;
    TEST(copy)(B, X);
    CHECK_OK(F(solve)(f, X, op, &options));
    CHECK_RATIO(TEST(ratio)(A, op, X, B));
    CHECK_OK(F(refine)(A, f, B, X, op, backward, forward, NULL));
    CHECK_RATIO(TEST(ratio)(A, op, X, B));
    for (j = 0; j < r; ++j) CHECK(backward[j] <= 4 * EPSILON && forward[j] >= 0);
  }
  CHECK_OK(F(refine)(A, f, B, X, TRIFAC_ADJOINT, NULL, NULL, NULL));

  CHECK_OK(F(log_determinant)(f, &sign, &log_abs));
  if ((double)log_abs < log((double)LARGEST) - 1) {
    CHECK_OK(F(determinant)(f, &determinant));
    CHECK(SIZE_OF(determinant - sign * (REAL)exp(log_abs)) <=
          100 * (1 + fabs((double)log_abs)) * EPSILON * SIZE_OF(determinant));
  } else {
    CHECK_KIND(F(determinant)(f, &determinant), TRIFAC_NOT_FINITE);
    CHECK(determinant == 0);
  }
  CHECK(SIZE_OF(sign) <= 1 + 4 * EPSILON && SIZE_OF(sign) >= 1 - 4 * EPSILON);
  CHECK_OK(F(reciprocal_condition)(f, TRIFAC_NORM_ONE, &condition, &options));
  CHECK(condition > 0 && condition <= 1);
  CHECK_OK(F(reciprocal_condition)(f, TRIFAC_NORM_INFINITY, &condition, NULL));
  CHECK(condition > 0 && condition <= 1);

  CHECK_OK(F(inverse)(f, V, NULL));
  for (i = 0; i < n; ++i) AT(I, i, i) = 1;
  if (F(interchanges)(f) == NULL) /* Cholesky writes one triangle, here the lower one */
    for (j = 0; j < n; ++j)
      for (i = j + 1; i < n; ++i) AT(V, j, i) = CONJUGATE(AT(V, i, j));
  CHECK_RATIO(TEST(ratio)(A, TRIFAC_NO_TRANSPOSE, V, I) / (double)(n > 0 ? n : 1));
  free(B.data);
  free(X.data);
  free(I.data);
  free(V.data);
}

static void TEST(cholesky)(F(factor) * f, trifac_index n, int by_rows) {
  F(matrix) A = TEST(matrix)(n, n, by_rows), L = TEST(matrix)(n, n, by_rows);
  F(matrix) B = TEST(matrix)(n, 2, !by_rows), X = TEST(matrix)(n, 2, !by_rows), XH;
  trifac_cholesky_options options = TRIFAC_CHOLESKY_OPTIONS_INIT;
  trifac_index i;
  TEST(fill_definite)(A);
  TEST(fill)(B);
  options.norm = 1;
  options.workspace_bytes = F(cholesky_workspace_bytes)(n);
  options.workspace = malloc(options.workspace_bytes + 1);
  TEST(copy)(A, L);
  CHECK_OK(F(cholesky)(L, f, &options));
  CHECK(F(interchanges)(f) == NULL);
  TEST(with_factor)(f, A, by_rows);

  /* A + X*X^H and back, each with its own matrix. */
  TEST(fill)(X);
  XH = TEST(matrix)(2, n, 0);
  for (i = 0; i < 2 * n; ++i) AT(XH, i % 2, i / 2) = CONJUGATE(AT(X, i / 2, i % 2));
  CHECK_OK(F(update)(f, X, NULL));
  TEST(add_product)(A, 1, X, TRIFAC_NO_TRANSPOSE, XH);
  {
    F(matrix) Y = TEST(matrix)(n, 2, by_rows);
    TEST(copy)(B, Y);
    CHECK_OK(F(solve)(f, Y, TRIFAC_NO_TRANSPOSE, NULL));
    CHECK_RATIO(TEST(ratio)(A, TRIFAC_NO_TRANSPOSE, Y, B));
    CHECK_OK(F(downdate)(f, X, NULL));
    TEST(add_product)(A, -1, X, TRIFAC_NO_TRANSPOSE, XH);
    TEST(copy)(B, Y);
    CHECK_OK(F(solve)(f, Y, TRIFAC_NO_TRANSPOSE, NULL));
    CHECK_RATIO(TEST(ratio)(A, TRIFAC_NO_TRANSPOSE, Y, B));

    /* U, out of the other triangle, and the solution with it. */
    options.part = TRIFAC_UPPER;
    TEST(copy)(A, L);
    TEST(copy)(B, Y);
    CHECK_OK(F(cholesky_solve)(L, Y, &options));
    CHECK_RATIO(TEST(ratio)(A, TRIFAC_NO_TRANSPOSE, Y, B));
    free(Y.data);
  }
  if (n > 0) {
    const trifac_index bad = n / 2;
    TEST(copy)(A, L);
    AT(L, bad, bad) = -1;
    CHECK_KIND(F(cholesky)(L, f, NULL), TRIFAC_NOT_POSITIVE_DEFINITE);
    CHECK(F(solve)(f, X, TRIFAC_NO_TRANSPOSE, NULL).index == bad);
  }
  free(options.workspace);
  free(A.data);
  free(L.data);
  free(B.data);
  free(X.data);
  free(XH.data);
}

static void TEST(lu)(F(factor) * f, trifac_index n, int by_rows) {
  F(matrix) A = TEST(matrix)(n, n, by_rows), LU = TEST(matrix)(n, n, by_rows);
  F(matrix) B = TEST(matrix)(n, 2, !by_rows), X = TEST(matrix)(n, 2, !by_rows);
  trifac_lu_options options = TRIFAC_LU_OPTIONS_INIT;
  trifac_index k;
  TEST(fill)(A);
  for (k = 0; k < n; ++k) AT(A, k, (k * 7 + 3) % n) += (REAL)n; /* so that rows are exchanged */
  TEST(fill)(B);
  options.norm = 1;
  for (options.pivoting = TRIFAC_PIVOTING_PARTIAL; options.pivoting <= TRIFAC_PIVOTING_TOURNAMENT;
       ++options.pivoting) {
    options.workspace_bytes = F(lu_workspace_bytes)(n, n, &options);
    options.workspace = malloc(options.workspace_bytes + 1);
    TEST(copy)(A, LU);
    CHECK_OK(F(lu)(LU, f, &options));
    for (k = 0; k < n; ++k) CHECK(F(interchanges)(f)[k] >= k && F(interchanges)(f)[k] < n);
    TEST(with_factor)(f, A, by_rows);
    TEST(copy)(A, LU);
    TEST(copy)(B, X);
    CHECK_OK(F(lu_solve)(LU, X, &options));
    CHECK_RATIO(TEST(ratio)(A, TRIFAC_NO_TRANSPOSE, X, B));
    free(options.workspace);
  }
  if (n > 0) { /* a column of zeros, a NaN: both factorizations are complete */
    ELEMENT determinant = 1;
    REAL condition = 1;
    options.pivoting = TRIFAC_PIVOTING_PARTIAL;
    options.workspace = NULL;
    TEST(copy)(A, LU);
    for (k = 0; k < n; ++k) AT(LU, k, n - 1) = 0;
    CHECK_KIND(F(lu)(LU, f, &options), TRIFAC_SINGULAR);
    CHECK(F(solve)(f, X, TRIFAC_NO_TRANSPOSE, NULL).index == n - 1);
    CHECK_OK(F(determinant)(f, &determinant));
    CHECK_OK(F(reciprocal_condition)(f, TRIFAC_NORM_ONE, &condition, NULL));
    CHECK(determinant == 0 && condition == 0);
    TEST(copy)(A, LU);
    AT(LU, n - 1, n - 1) = (REAL)NAN;
    CHECK_KIND(F(lu)(LU, f, NULL), TRIFAC_NOT_FINITE);
    CHECK(F(interchanges)(f) != NULL);
    CHECK_KIND(F(solve)(f, X, TRIFAC_NO_TRANSPOSE, NULL), TRIFAC_NOT_FINITE);
  }
  free(A.data);
  free(LU.data);
  free(B.data);
  free(X.data);
}

/* Matrix b of a batch. */
static F(matrix) TEST(of_batch)(const F(batch) * A, trifac_index b) {
  const trifac_index chunk = A->chunk > 0 ? A->chunk : A->batch + 1;
  F(matrix) one = {NULL, A->rows, A->cols, A->row_stride, A->col_stride};
  one.data = A->pointers != NULL
                 ? A->pointers[b]
                 : A->data + (b / chunk * A->chunk_stride + b % chunk * A->matrix_stride);
  return one;
}
/* 19 matrices; layout: 0 strided, 1 interleaved, 2 in chunks of eight, 3 pointers. */
enum { TEST(count) = 19 };
static F(batch) TEST(batch)(trifac_index rows, trifac_index cols, int layout, ELEMENT** memory) {
  static ELEMENT* pointers[2][TEST(count)];
  static int next = 0;
  const trifac_index size = rows * cols;
  trifac_index b;
  F(batch) A = {NULL, NULL, TEST(count), rows, cols, size, 1, rows, 0, 0};
  *memory = (ELEMENT*)calloc((size_t)(24 * size) + 1, sizeof(ELEMENT));
  if (*memory == NULL) exit(2);
  A.data = *memory;
  if (layout == 1 || layout == 2) {
    const trifac_index together = layout == 1 ? TEST(count) : 8;
    A.matrix_stride = 1;
    A.row_stride = together;
    A.col_stride = together * rows;
    A.chunk = layout == 1 ? 0 : together;
    A.chunk_stride = layout == 1 ? 0 : together * size;
  } else if (layout == 3) {
    next = 1 - next;
    for (b = 0; b < TEST(count); ++b) pointers[next][b] = *memory + (TEST(count) - 1 - b) * size;
    A.data = NULL;
    A.pointers = pointers[next];
  }
  return A;
}

static void TEST(batches)(trifac_index n, int layout) {
  const trifac_index r = 2, bad = 5;
  ELEMENT *of_A, *of_X;
  F(batch) A = TEST(batch)(n, n, layout, &of_A), X = TEST(batch)(n, n, layout, &of_X);
  F(batch) B = X; /* the first columns of X */
  F(batch_factor)* const f = F(batch_factor_create)();
  F(matrix)* const given = (F(matrix)*)malloc(TEST(count) * sizeof(F(matrix)));
  F(matrix) sides = TEST(matrix)(n, r, 0), I = TEST(matrix)(n, n, 0);
  int32_t info[TEST(count)];
  trifac_cholesky_options cholesky = TRIFAC_CHOLESKY_OPTIONS_INIT;
  trifac_lu_options lu = TRIFAC_LU_OPTIONS_INIT;
  trifac_options options = TRIFAC_OPTIONS_INIT;
  trifac_index b, i, j;
  int of_lu, one_pass;
  B.cols = r < n ? r : n;
  sides.cols = B.cols;
  TEST(fill)(sides);
  for (i = 0; i < n; ++i) AT(I, i, i) = 1;
  for (b = 0; b < TEST(count); ++b) given[b] = TEST(matrix)(n, n, 0);
  cholesky.threads = lu.threads = 2;
  lu.workspace_bytes = cholesky.workspace_bytes = F(batch_workspace_bytes)(n, n, r, 2);
  lu.workspace = cholesky.workspace = malloc(lu.workspace_bytes + 1);
  options.workspace = lu.workspace;
  options.workspace_bytes = lu.workspace_bytes;
  for (of_lu = 0; of_lu < 2; ++of_lu)
    for (one_pass = 0; one_pass < 2; ++one_pass) {
      trifac_status s;
      for (b = 0; b < TEST(count); ++b) {
        memset(given[b].data, 0, (size_t)((n + 3) * n) * sizeof(ELEMENT));
        if (of_lu)
          TEST(fill)(given[b]);
        else
          TEST(fill_definite)(given[b]);
        for (i = 0; i < n && b == bad; ++i) AT(given[b], i, 0) = 0;
        TEST(copy)(given[b], TEST(of_batch)(&A, b));
        TEST(copy)(sides, TEST(of_batch)(&B, b));
        info[b] = 77;
      }
      if (one_pass) {
        s = of_lu ? F(batch_lu_solve)(A, B, info, &lu)
                  : F(batch_cholesky_solve)(A, B, info, &cholesky);
      } else {
        s = of_lu ? F(batch_lu)(A, f, info, &lu) : F(batch_cholesky)(A, f, info, &cholesky);
        CHECK_KIND(F(batch_solve)(f, B, TRIFAC_NO_TRANSPOSE, &options), s.kind);
      }
      CHECK_KIND(s, n == 0  ? TRIFAC_SUCCESS
                    : of_lu ? TRIFAC_SINGULAR
                            : TRIFAC_NOT_POSITIVE_DEFINITE);
      for (b = 0; b < TEST(count); ++b) {
        const F(matrix) x = TEST(of_batch)(&B, b);
        CHECK(info[b] == (n > 0 && b == bad ? 1 : 0));
        if (b == bad)
          for (i = 0; i < n; ++i) CHECK(AT(x, i, 0) == AT(sides, i, 0));
        else
          CHECK_RATIO(TEST(ratio)(given[b], TRIFAC_NO_TRANSPOSE, x, sides));
      }
      if (one_pass) continue;
      CHECK_KIND(F(batch_inverse)(f, X, info, NULL), s.kind);
      for (b = 0; b < TEST(count); ++b) {
        F(matrix) V = TEST(of_batch)(&X, b);
        CHECK(info[b] == (n > 0 && b == bad ? 1 : 0));
        for (j = 0; j < n && !of_lu; ++j)
          for (i = j + 1; i < n; ++i) AT(V, j, i) = CONJUGATE(AT(V, i, j));
        if (b != bad)
          CHECK_RATIO(TEST(ratio)(given[b], TRIFAC_NO_TRANSPOSE, V, I) / (double)(n > 0 ? n : 1));
      }
    }
  for (b = 0; b < TEST(count); ++b) free(given[b].data);
  F(batch_factor_destroy)(f);
  free(given);
  free(sides.data);
  free(I.data);
  free(of_A);
  free(of_X);
  free(lu.workspace);
}

static void TEST(all)(void) {
  static const trifac_index orders[] = {0, 1, 2, 7, 8, 9, 33, 64, 65, 130, 200};
  F(factor)* const f = F(factor_create)();
  size_t i;
  int k;
  for (i = 0; i < sizeof orders / sizeof *orders; ++i)
    for (k = 0; k < 2; ++k) {
      TEST(cholesky)(f, orders[i], k);
      TEST(lu)(f, orders[i], k);
    }
  for (i = 0; orders[i] < 70; ++i)
    for (k = 0; k < 4; ++k) TEST(batches)(orders[i], k);
  F(factor_destroy)(f);
  F(factor_destroy)(NULL);
  F(batch_factor_destroy)(NULL);
}

#undef AT
#undef TEST
#undef F
#undef JOIN
#undef JOIN_
#undef LETTER
#undef ELEMENT
#undef REAL
#undef EPSILON
#undef LARGEST
#undef SIZE_OF
#undef CONJUGATE
#undef NUMBER
