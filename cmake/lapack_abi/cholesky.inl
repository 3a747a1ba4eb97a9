// potrf, potrf2, posv, potrs, potri, pstrf.

namespace {

/// A lower triangle := L by plain loops, +∞ being a pivot as any other.
void factor_with_infinity(const matrix_view<T>& A, I* info) {
  for (index_t k = 0; k < A.rows(); ++k) {
    const R pivot = detail::real_part(A(k, k));
    if (!(pivot > R(0))) return void(*info = static_cast<I>(k + 1));
    A(k, k) = T(std::sqrt(pivot));
    for (index_t i = k + 1; i < A.rows(); ++i) A(i, k) /= std::sqrt(pivot);
    for (index_t j = k + 1; j < A.rows(); ++j)
      for (index_t i = j; i < A.rows(); ++i) A(i, j) -= A(i, k) * detail::conjugate(A(j, k));
  }
}

/// trifac's kernels stop at a pivot that is infinite; LAPACK divides by it.
void factor_cholesky(const char* uplo, I n, T* a, I lda, I* info) {
  const auto A = square(a, n, lda);
  const R infinity = std::numeric_limits<R>::infinity();
  for (index_t k = 0; k < A.rows(); ++k)
    if (detail::real_part(A(k, k)) == infinity)
      return factor_with_infinity(letter(uplo) == 'L' ? A : A.transposed(), info);
  const team on;
  *info = info_of<I>(try_cholesky(*on, A, {.part = part_of(uplo)}).status());
}

cholesky_factor<T> cholesky_of(const char* uplo, I n, const T* a, I lda) {
  return {square(a, n, lda), part_of(uplo), status()};
}

/// B := A⁻¹·B. A zero on the diagonal divides.
void solve_cholesky(const char* uplo, I n, I nrhs, const T* a, I lda, T* b, I ldb, I* info) {
  if (n == 0 || nrhs == 0) return;
  const team on;
  *info = info_of<I>(try_solve(*on, cholesky_of(uplo, n, a, lda), column_major(b, n, nrhs, ldb)));
}

/// potrf and potrf2, which differ in their names.
void checked_cholesky(const char* name, const char* uplo, I n, T* a, I lda, I* info) {
  if (!arguments(name, info).option(uplo, "UL", 1).size(n, 2).leading(lda, n, 4).wrong())
    factor_cholesky(uplo, n, a, lda, info);
}

}  // namespace

TRIFAC_EXPORT void TRIFAC_LAPACK(potrf)(const char* uplo, const I* n, T* a, const I* lda, I* info) {
  checked_cholesky(TRIFAC_LAPACK_NAME("POTRF"), uplo, *n, a, *lda, info);
}
TRIFAC_EXPORT void TRIFAC_LAPACK(potrf2)(const char* uplo, const I* n, T* a, const I* lda,
                                         I* info) {
  checked_cholesky(TRIFAC_LAPACK_NAME("POTRF2"), uplo, *n, a, *lda, info);
}

TRIFAC_EXPORT void TRIFAC_LAPACK(potrs)(const char* uplo, const I* n, const I* nrhs, const T* a,
                                        const I* lda, T* b, const I* ldb, I* info) {
  if (arguments(TRIFAC_LAPACK_NAME("POTRS"), info)
          .option(uplo, "UL", 1)
          .size(*n, 2)
          .size(*nrhs, 3)
          .leading(*lda, *n, 5)
          .leading(*ldb, *n, 7)
          .wrong())
    return;
  solve_cholesky(uplo, *n, *nrhs, a, *lda, b, *ldb, info);
}

TRIFAC_EXPORT void TRIFAC_LAPACK(posv)(const char* uplo, const I* n, const I* nrhs, T* a,
                                       const I* lda, T* b, const I* ldb, I* info) {
  if (arguments(TRIFAC_LAPACK_NAME("POSV"), info)
          .option(uplo, "UL", 1)
          .size(*n, 2)
          .size(*nrhs, 3)
          .leading(*lda, *n, 5)
          .leading(*ldb, *n, 7)
          .wrong())
    return;
  factor_cholesky(uplo, *n, a, *lda, info);
  if (*info == 0) solve_cholesky(uplo, *n, *nrhs, a, *lda, b, *ldb, info);
}

TRIFAC_EXPORT void TRIFAC_LAPACK(potri)(const char* uplo, const I* n, T* a, const I* lda, I* info) {
  if (arguments(TRIFAC_LAPACK_NAME("POTRI"), info)
          .option(uplo, "UL", 1)
          .size(*n, 2)
          .leading(*lda, *n, 4)
          .wrong() ||
      (*info = zero_on_diagonal<I>(a, *n, *lda)) != 0)
    return;
  const team on;
  const status s = try_inverse(*on, cholesky_of(uplo, *n, a, *lda), square(a, *n, *lda));
  if (!s.of_the_matrix()) *info = info_of<I>(s);
}

/// Negative TOL: n·u·max a_ii. IPIV is a permutation here, row i of Pᵀ·A·P from row piv(i). The
/// first pivot is not compared with TOL.
TRIFAC_EXPORT void TRIFAC_LAPACK(pstrf)(const char* uplo, const I* n, T* a, const I* lda, I* piv,
                                        I* rank, const R* tol, R*, I* info) {
  if (arguments(TRIFAC_LAPACK_NAME("PSTRF"), info)
          .option(uplo, "UL", 1)
          .size(*n, 2)
          .leading(*lda, *n, 4)
          .wrong() ||
      *n == 0)
    return;
  const auto A = square(a, *n, *lda);
  R largest = detail::real_part(A(0, 0));
  for (I k = 0; k < *n; ++k) {
    piv[k] = k + 1;
    if (detail::real_part(A(k, k)) > largest) largest = detail::real_part(A(k, k));
  }
  *rank = 0;
  *info = 1;
  if (!(largest > R(0)) || !detail::is_finite(largest)) return;
  R least = *tol < 0 ? R(*n) * detail::unit_roundoff<R>() * largest : *tol;
  if (!(least >= R(0))) least = R(0);
  const bool first_only = least >= largest;  // as no later pivot exceeds the first
  const double tolerance = first_only ? std::nextafter(largest, R(0)) : least;
  try {
    const team on;
    const auto f = try_pivoted_cholesky(*on, A, {.part = part_of(uplo), .tolerance = tolerance});
    if (!f.status().of_the_matrix()) return void(*info = info_of<I>(f.status()));
    *rank = first_only ? I(1) : static_cast<I>(f.rank());
    const auto rows = f.permutation();
    for (I k = 0; k < *n; ++k) piv[k] = static_cast<I>(rows[detail::as_size(k)] + 1);
    *info = *rank < *n ? 1 : 0;
  } catch (const std::bad_alloc&) {
    *info = out_of_memory;
  }
}
