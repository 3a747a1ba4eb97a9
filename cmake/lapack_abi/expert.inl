// gesvx, posvx: equilibrated, factored, solved, refined, with a condition number. Each step is a
// routine of this library, so what they leave in their arguments is LAPACK's.

namespace {

/// Scales given by the caller: false where one is not positive. ratio: smallest / largest, bounded.
bool scales_ratio(const R* scales, I n, R* ratio) {
  R smallest = most, largest = R(0);
  for (I k = 0; k < n; ++k) {
    smallest = detail::min(smallest, scales[k]);
    largest = detail::max(largest, scales[k]);
  }
  *ratio = n > 0 ? detail::max(smallest, least) / detail::min(largest, most) : R(1);
  return smallest > R(0);
}

/// Whether LAPACK scales a matrix of order n: small ratios, or elements near the ends of the range.
/// A NaN does, too.
bool needs_scaling(I n, R ratio, R amax) {
  const R small = least / std::numeric_limits<R>::epsilon();
  return n > 0 && !(ratio >= R(0.1) && amax >= small && amax <= R(1) / small);
}

void scale_rows(const R* scales, I n, I columns, T* b, index_t ldb) {
  for (I j = 0; j < columns; ++j)
    for (I i = 0; i < n; ++i) b[i + j * ldb] *= scales[i];
}

/// The part of A that uplo names, 'A' for all, to B.
void copy(char uplo, I m, I n, const T* a, index_t lda, T* b, index_t ldb) {
  for (I j = 0; j < n; ++j)
    for (I i = uplo == 'L' ? j : 0; i < (uplo == 'U' ? detail::min(m, j + 1) : m); ++i)
      b[i + j * ldb] = a[i + j * lda];
}

/// max |a_ij| / max |u_ij| over the first k columns. LAPACK: rpvgrw.
R pivot_growth(I n, I k, const T* a, const I* lda, const T* af, const I* ldaf) {
  const R of_U = TRIFAC_LAPACK(lantr)("M", "U", "N", &k, &k, af, ldaf, nullptr);
  return of_U == R(0) ? R(1) : TRIFAC_LAPACK(lange)("M", &n, &k, a, lda, nullptr) / of_U;
}

/// Where gesvx leaves its pivot growth: WORK(1), of complex matrices RWORK(1).
#if TRIFAC_LAPACK_COMPLEX
R& growth_in(T*, R* rwork) {
  return *rwork;
}
#else
R& growth_in(R* work, I*) {
  return *work;
}
#endif

}  // namespace

TRIFAC_EXPORT void TRIFAC_LAPACK(gesvx)(const char* fact, const char* trans, const I* n,
                                        const I* nrhs, T* a, const I* lda, T* af, const I* ldaf,
                                        I* ipiv, char* equed, R* r, R* c, T* b, const I* ldb, T* x,
                                        const I* ldx, R* rcond, R* ferr, R* berr, T* work,
                                        TRIFAC_LAPACK_WORK* more_work, I* info) {
  const bool given = letter(fact) == 'F', none = letter(trans) == 'N';
  if (is_one_of(fact, "NE")) *equed = 'N';
  bool by_rows = given && is_one_of(equed, "RB"), by_columns = given && is_one_of(equed, "CB");
  R of_rows(1), of_columns(1);
  const bool good_rows = !by_rows || scales_ratio(r, *n, &of_rows);
  const bool good_columns = !by_columns || scales_ratio(c, *n, &of_columns);
  if (arguments(TRIFAC_LAPACK_NAME("GESVX"), info)
          .option(fact, "NEF", 1)
          .option(trans, "NTC", 2)
          .size(*n, 3)
          .size(*nrhs, 4)
          .leading(*lda, *n, 6)
          .leading(*ldaf, *n, 8)
          .option(equed, "NRCB", 10)
          .require(good_rows, 11)
          .require(good_columns, 12)
          .leading(*ldb, *n, 14)
          .leading(*ldx, *n, 16)
          .wrong())
    return;
  if (letter(fact) == 'E') {
    R amax;
    equilibrate(*n, *n, a, *lda, r, c, &of_rows, &of_columns, &amax, info, unrounded);
    if (*info == 0) {
      by_rows = needs_scaling(*n, of_rows, amax);
      by_columns = *n > 0 && !(of_columns >= R(0.1));
      *equed = by_rows ? by_columns ? 'B' : 'R' : by_columns ? 'C' : 'N';
      if (by_rows) scale_rows(r, *n, *n, a, *lda);
      for (I j = 0; by_columns && j < *n; ++j)
        for (I i = 0; i < *n; ++i) a[i + j * index_t(*lda)] *= c[j];
    }
    *info = 0;
  }
  const bool before = none ? by_rows : by_columns, after = none ? by_columns : by_rows;
  if (before) scale_rows(none ? r : c, *n, *nrhs, b, *ldb);
  R& growth = growth_in(work, more_work);
  if (!given) {
    copy('A', *n, *n, a, *lda, af, *ldaf);
    TRIFAC_LAPACK(getrf)(n, n, af, ldaf, ipiv, info);
    if (*info > 0) {
      growth = pivot_growth(*n, *info, a, lda, af, ldaf);
      *rcond = R(0);
      return;
    }
    if (*info == out_of_memory) return;
  }
  const char* const norm = none ? "1" : "I";
  const R anorm = TRIFAC_LAPACK(lange)(norm, n, n, a, lda, nullptr);
  const R found = pivot_growth(*n, *n, a, lda, af, ldaf);
  TRIFAC_LAPACK(gecon)(norm, n, af, ldaf, &anorm, rcond, work, more_work, info);
  if (*info == out_of_memory) return;
  copy('A', *n, *nrhs, b, *ldb, x, *ldx);
  TRIFAC_LAPACK(getrs)(trans, n, nrhs, af, ldaf, ipiv, x, ldx, info);
  TRIFAC_LAPACK(gerfs)
  (trans, n, nrhs, a, lda, af, ldaf, ipiv, b, ldb, x, ldx, ferr, berr, work, more_work, info);
  if (after) {
    scale_rows(none ? c : r, *n, *nrhs, x, *ldx);
    for (I j = 0; j < *nrhs; ++j) ferr[j] /= none ? of_columns : of_rows;
  }
  growth = found;
  if (*info == 0 && *rcond < detail::unit_roundoff<R>()) *info = *n + 1;
}

TRIFAC_EXPORT void TRIFAC_LAPACK(posvx)(const char* fact, const char* uplo, const I* n,
                                        const I* nrhs, T* a, const I* lda, T* af, const I* ldaf,
                                        char* equed, R* s, T* b, const I* ldb, T* x, const I* ldx,
                                        R* rcond, R* ferr, R* berr, T* work,
                                        TRIFAC_LAPACK_WORK* more_work, I* info) {
  const bool given = letter(fact) == 'F';
  if (is_one_of(fact, "NE")) *equed = 'N';
  bool scaled = given && letter(equed) == 'Y';
  R ratio(1);
  const bool good = !scaled || scales_ratio(s, *n, &ratio);
  if (arguments(TRIFAC_LAPACK_NAME("POSVX"), info)
          .option(fact, "NEF", 1)
          .option(uplo, "UL", 2)
          .size(*n, 3)
          .size(*nrhs, 4)
          .leading(*lda, *n, 6)
          .leading(*ldaf, *n, 8)
          .option(equed, "NY", 9)
          .require(good, 10)
          .leading(*ldb, *n, 12)
          .leading(*ldx, *n, 14)
          .wrong())
    return;
  if (letter(fact) == 'E') {
    R amax;
    TRIFAC_LAPACK(poequ)(n, a, lda, s, &ratio, &amax, info);
    scaled = *info == 0 && needs_scaling(*n, ratio, amax);
    *info = 0;
    if (scaled) {
      *equed = 'Y';
      const bool lower = letter(uplo) == 'L';
      for (I j = 0; j < *n; ++j)
        for (I i = lower ? j : 0; i < (lower ? *n : j + 1); ++i) {
          T& of_A = a[i + j * index_t(*lda)];
          of_A = i == j ? T(s[j] * s[j] * detail::real_part(of_A)) : s[j] * s[i] * of_A;
        }
    }
  }
  if (scaled) scale_rows(s, *n, *nrhs, b, *ldb);
  if (!given) {
    copy(letter(uplo), *n, *n, a, *lda, af, *ldaf);
    TRIFAC_LAPACK(potrf)(uplo, n, af, ldaf, info);
    if (*info > 0) *rcond = R(0);
    if (*info != 0) return;
  }
  const R anorm = hermitian_norm(norm_kind::one, uplo, *n, a, *lda);
  TRIFAC_LAPACK(pocon)(uplo, n, af, ldaf, &anorm, rcond, work, more_work, info);
  if (*info == out_of_memory) return;
  copy('A', *n, *nrhs, b, *ldb, x, *ldx);
  TRIFAC_LAPACK(potrs)(uplo, n, nrhs, af, ldaf, x, ldx, info);
  TRIFAC_LAPACK(porfs)
  (uplo, n, nrhs, a, lda, af, ldaf, b, ldb, x, ldx, ferr, berr, work, more_work, info);
  if (scaled) {
    scale_rows(s, *n, *nrhs, x, *ldx);
    for (I j = 0; j < *nrhs; ++j) ferr[j] /= ratio;
  }
  if (*info == 0 && *rcond < detail::unit_roundoff<R>()) *info = *n + 1;
}
