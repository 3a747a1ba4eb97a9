// getrf, getrf2, gesv, getrs, getri, laswp.

namespace {

/// L\U and IPIV; INFO: the first zero on the diagonal of U. NaN and infinities are LAPACK's.
void factor_lu(I m, I n, T* a, I lda, I* ipiv, I* info) {
  const I steps = m < n ? m : n;
  if (steps == 0) return;
  interchanges rows(steps);
  const team on;
  const status s = rows.ok() ? calls<T>::lu(variant::best, *on, column_major(a, m, n, lda),
                                            rows.data(), lu_options{})
                             : status::failure(status_kind::out_of_memory, "");
  if (!s.of_the_matrix()) return void(*info = info_of<I>(s));
  for (I k = 0; k < steps; ++k) ipiv[k] = static_cast<I>(rows.data()[k] + 1);
  *info = s ? 0 : zero_on_diagonal<I>(a, steps, lda);
}

/// B := op(A)⁻¹·B. A zero on the diagonal divides.
void solve_lu(operation op, I n, I nrhs, const T* a, I lda, const I* ipiv, T* b, I ldb, I* info) {
  if (n == 0 || nrhs == 0) return;
  const team on;
  const auto B = column_major(b, n, nrhs, ldb);
  const auto solve = [&](std::span<const index_t> rows) {
    *info = info_of<I>(calls<T>::solve_lu(*on, square(a, n, lda), rows, B, op));
  };
  if (n <= solve_at_once) {
    interchanges rows(n);
    return solve(from_ipiv(rows, ipiv, n));
  }
  const auto other = [&](index_t k) { return index_t(ipiv[k]) - 1; };
  if (op == operation::none) interchange_rows(b, nrhs, ldb, 0, n, 1, other);
  solve({});
  if (op != operation::none) interchange_rows(b, nrhs, ldb, n - 1, -1, -1, other);
}

/// getrf and getrf2, which differ in their names.
void checked_lu(const char* name, I m, I n, T* a, I lda, I* ipiv, I* info) {
  if (!arguments(name, info).size(m, 1).size(n, 2).leading(lda, m, 4).wrong())
    factor_lu(m, n, a, lda, ipiv, info);
}

}  // namespace

TRIFAC_EXPORT void TRIFAC_LAPACK(getrf)(const I* m, const I* n, T* a, const I* lda, I* ipiv,
                                        I* info) {
  checked_lu(TRIFAC_LAPACK_NAME("GETRF"), *m, *n, a, *lda, ipiv, info);
}
TRIFAC_EXPORT void TRIFAC_LAPACK(getrf2)(const I* m, const I* n, T* a, const I* lda, I* ipiv,
                                         I* info) {
  checked_lu(TRIFAC_LAPACK_NAME("GETRF2"), *m, *n, a, *lda, ipiv, info);
}

TRIFAC_EXPORT void TRIFAC_LAPACK(getrs)(const char* trans, const I* n, const I* nrhs, const T* a,
                                        const I* lda, const I* ipiv, T* b, const I* ldb, I* info) {
  if (arguments(TRIFAC_LAPACK_NAME("GETRS"), info)
          .option(trans, "NTC", 1)
          .size(*n, 2)
          .size(*nrhs, 3)
          .leading(*lda, *n, 5)
          .leading(*ldb, *n, 8)
          .wrong())
    return;
  solve_lu(op_of(trans), *n, *nrhs, a, *lda, ipiv, b, *ldb, info);
}

TRIFAC_EXPORT void TRIFAC_LAPACK(gesv)(const I* n, const I* nrhs, T* a, const I* lda, I* ipiv, T* b,
                                       const I* ldb, I* info) {
  if (arguments(TRIFAC_LAPACK_NAME("GESV"), info)
          .size(*n, 1)
          .size(*nrhs, 2)
          .leading(*lda, *n, 4)
          .leading(*ldb, *n, 7)
          .wrong())
    return;
  factor_lu(*n, *n, a, *lda, ipiv, info);
  if (*info == 0) solve_lu(operation::none, *n, *nrhs, a, *lda, ipiv, b, *ldb, info);
}

TRIFAC_EXPORT void TRIFAC_LAPACK(getri)(const I* n, T* a, const I* lda, const I* ipiv, T* work,
                                        const I* lwork, I* info) {
  const bool asks = *lwork == -1;
  R needed = static_cast<R>(*n > 1 ? *n : 1);
  if (static_cast<double>(needed) < static_cast<double>(*n))
    needed = std::nextafter(needed, 2 * needed);  // as SROUNDUP_LWORK
  work[0] = T(needed);
  if (arguments(TRIFAC_LAPACK_NAME("GETRI"), info)
          .size(*n, 1)
          .leading(*lda, *n, 3)
          .require(asks || *lwork >= (*n > 1 ? *n : 1), 6)
          .wrong())
    return;
  if (asks || *n == 0) return;
  if ((*info = zero_on_diagonal<I>(a, *n, *lda)) != 0) return;
  interchanges rows(*n);
  if (!rows.ok()) return void(*info = out_of_memory);
  const team on;
  const auto A = square(a, *n, *lda);
  *info = info_of<I>(calls<T>::lu_inverse(*on, A, from_ipiv(rows, ipiv, *n), A));
}

TRIFAC_EXPORT void TRIFAC_LAPACK(laswp)(const I* n, T* a, const I* lda, const I* k1, const I* k2,
                                        const I* ipiv, const I* incx) {
  if (*incx == 0 || *k2 < *k1) return;
  // Row k goes with row ipiv(k1 + (k − k1)·|incx|); from the last one on where incx < 0.
  const index_t first = *k1 - 1, end = *k2, stride = *incx > 0 ? *incx : -*incx;
  const auto other = [&](index_t k) { return index_t(ipiv[first + (k - first) * stride]) - 1; };
  if (*incx > 0)
    interchange_rows(a, *n, *lda, first, end, 1, other);
  else
    interchange_rows(a, *n, *lda, end - 1, first - 1, -1, other);
}
