// dsgesv, zcgesv, dsposv, zcposv: factored in single precision, refined, and where that fails
// factored in double precision in place of A. Sources: LAPACK's routines; Langou et al., Exploiting
// the performance of 32 bit floating point arithmetic, SC 2006.

extern "C" {
void TRIFAC_LAPACK_LOW(getrf)(const I*, const I*, low*, const I*, I*, I*);
void TRIFAC_LAPACK_LOW(getrs)(const char*, const I*, const I*, const low*, const I*, const I*, low*,
                              const I*, I*);
void TRIFAC_LAPACK_LOW(potrf)(const char*, const I*, low*, const I*, I*);
void TRIFAC_LAPACK_LOW(potrs)(const char*, const I*, const I*, const low*, const I*, low*, const I*,
                              I*);
}

namespace {

/// The part of A that uplo names, 'A' for all, to B in single precision; false where an element is
/// too large.
bool converted(char uplo, I n, I columns, const T* a, index_t lda, low* b) {
  constexpr R largest = std::numeric_limits<real_t<low>>::max();
  for (I j = 0; j < columns; ++j)
    for (I i = uplo == 'L' ? j : 0; i < (uplo == 'U' ? j + 1 : n); ++i) {
      const T x = a[i + j * lda];
      if (std::abs(std::real(x)) > largest || std::abs(std::imag(x)) > largest) return false;
      b[i + j * index_t(n)] = static_cast<low>(x);
    }
  return true;
}

/// ITER of the refinement, negative where it failed: −2 a number too large for single precision, −3
/// the factorization, −31 no convergence in 30 steps. factor(): of swork's matrix, false if it
/// failed; solve(X).
///
/// It ends with ‖r‖∞ ≤ ‖A‖·‖x‖∞·u·√n, r = b − A·x with the product rounded first, as LAPACK's
/// routines do and their tests measure. subtract(X, R): R := R − A·X.
template <class Factor, class Solve, class Subtract>
I refined(char uplo, I n, I nrhs, const T* a, I lda, const T* b, I ldb, T* x, I ldx, T* work,
          low* swork, R norm_of_A, const Factor& factor, const Solve& solve,
          const Subtract& subtract) {
  constexpr int most_steps = 30;
  low* const X = swork + index_t(n) * n;
  if (!converted('A', n, nrhs, b, ldb, X) || !converted(uplo, n, n, a, lda, swork)) return -2;
  if (!factor()) return -3;
  const R allowed = norm_of_A * detail::unit_roundoff<R>() * std::sqrt(R(n));
  for (I step = 0;; ++step) {
    solve(X);
    for (I j = 0; j < nrhs; ++j)
      for (I i = 0; i < n; ++i) {
        const T d = static_cast<T>(X[i + j * index_t(n)]);
        x[i + j * index_t(ldx)] = step == 0 ? d : x[i + j * index_t(ldx)] + d;
        work[i + j * index_t(n)] = T(0);
      }
    subtract(column_major(x, n, nrhs, ldx), column_major(work, n, nrhs, n));
    bool done = true;
    for (I j = 0; j < nrhs; ++j) {
      R of_x(0), of_r(0);
      for (I i = 0; i < n; ++i) {
        T& r = work[i + j * index_t(n)];
        r += b[i + j * index_t(ldb)];
        of_x = detail::max(of_x, R(detail::pivot_size(x[i + j * index_t(ldx)])));
        of_r = detail::max_or_nan(of_r, R(detail::pivot_size(r)));
      }
      done = done && !(of_r > of_x * allowed);  // NaN ends it, as in LAPACK
    }
    if (done) return step;
    if (step == most_steps) return -most_steps - 1;
    if (!converted('A', n, nrhs, work, n, X)) return -2;
  }
}

void solve_mixed_lu(I n, I nrhs, T* a, I lda, I* ipiv, const T* b, I ldb, T* x, I ldx, T* work,
                    low* swork, I* iter, I* info) {
  const team on;
  const auto A = square(a, n, lda);
  *iter = refined(
      'A', n, nrhs, a, lda, b, ldb, x, ldx, work, swork,
      TRIFAC_LAPACK(lange)("I", &n, &n, a, &lda, nullptr),
      [&] { return TRIFAC_LAPACK_LOW(getrf)(&n, &n, swork, &n, ipiv, info), *info == 0; },
      [&](low* X) {
        TRIFAC_LAPACK_LOW(getrs)
        ("N", &n, &nrhs, swork, &n, ipiv, X, &n, info);
      },
      [&](const matrix_view<T>& X, const matrix_view<T>& r) {
        (void)calls<T>::subtract_product(*on, operand<T>(A), X, r);
      });
  if (*iter >= 0) return;
  factor_lu(n, n, a, lda, ipiv, info);
  if (*info != 0) return;
  copy('A', n, nrhs, b, ldb, x, ldx);
  solve_lu(operation::none, n, nrhs, a, lda, ipiv, x, ldx, info);
}

void solve_mixed_cholesky(const char* uplo, I n, I nrhs, T* a, I lda, const T* b, I ldb, T* x,
                          I ldx, T* work, low* swork, I* iter, I* info) {
  const auto A = square(a, n, lda);
  const operand<T> lower = detail::lower_operand<T>(A, part_of(uplo), operation::none);
  *iter = refined(
      letter(uplo), n, nrhs, a, lda, b, ldb, x, ldx, work, swork,
      hermitian_norm(norm_kind::one, uplo, n, a, lda),
      [&] { return TRIFAC_LAPACK_LOW(potrf)(uplo, &n, swork, &n, info), *info == 0; },
      [&](low* X) {
        TRIFAC_LAPACK_LOW(potrs)
        (uplo, &n, &nrhs, swork, &n, X, &n, info);
      },
      [&](const matrix_view<T>& X, const matrix_view<T>& r) {
        (void)calls<T>::subtract_hermitian(lower, X, r);
      });
  if (*iter >= 0) return;
  factor_cholesky(uplo, n, a, lda, info);
  if (*info != 0) return;
  copy('A', n, nrhs, b, ldb, x, ldx);
  solve_cholesky(uplo, n, nrhs, a, lda, x, ldx, info);
}

}  // namespace

#if TRIFAC_LAPACK_COMPLEX
  #define TRIFAC_LAPACK_RWORK , R*
#else
  #define TRIFAC_LAPACK_RWORK
#endif

TRIFAC_EXPORT void TRIFAC_LAPACK_MIXED(gesv)(const I* n, const I* nrhs, T* a, const I* lda, I* ipiv,
                                             const T* b, const I* ldb, T* x, const I* ldx, T* work,
                                             low* swork TRIFAC_LAPACK_RWORK, I* iter, I* info) {
  *iter = 0;
  if (arguments(TRIFAC_LAPACK_MIXED_NAME("GESV"), info)
          .size(*n, 1)
          .size(*nrhs, 2)
          .leading(*lda, *n, 4)
          .leading(*ldb, *n, 7)
          .leading(*ldx, *n, 9)
          .wrong() ||
      *n == 0)
    return;
  solve_mixed_lu(*n, *nrhs, a, *lda, ipiv, b, *ldb, x, *ldx, work, swork, iter, info);
}

TRIFAC_EXPORT void TRIFAC_LAPACK_MIXED(posv)(const char* uplo, const I* n, const I* nrhs, T* a,
                                             const I* lda, const T* b, const I* ldb, T* x,
                                             const I* ldx, T* work, low* swork TRIFAC_LAPACK_RWORK,
                                             I* iter, I* info) {
  *iter = 0;
  if (arguments(TRIFAC_LAPACK_MIXED_NAME("POSV"), info)
          .option(uplo, "UL", 1)
          .size(*n, 2)
          .size(*nrhs, 3)
          .leading(*lda, *n, 5)
          .leading(*ldb, *n, 7)
          .leading(*ldx, *n, 9)
          .wrong() ||
      *n == 0)
    return;
  solve_mixed_cholesky(uplo, *n, *nrhs, a, *lda, b, *ldb, x, *ldx, work, swork, iter, info);
}

#undef TRIFAC_LAPACK_RWORK
