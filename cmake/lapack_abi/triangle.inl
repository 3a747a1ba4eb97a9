// trtrs, trtri.

namespace {

/// B := op(A)⁻¹·B with a triangle A. A zero on the diagonal divides.
status substitute(const call_team& on, const char* uplo, operation op, const char* diag, I n,
                  const T* a, I lda, const matrix_view<T>& B) {
  const bool turned = op != operation::none;
  const auto A = square(a, n, lda);
  const operand<T> op_A(turned ? A.transposed() : A, is_complex<T> && op == operation::adjoint);
  const bool lower = (letter(uplo) == 'L') != turned;
  return calls<T>::substitute(on, op_A, lower ? triangle::lower : triangle::upper,
                              letter(diag) == 'U' ? diagonal::unit : diagonal::non_unit, B);
}

}  // namespace

TRIFAC_EXPORT void TRIFAC_LAPACK(trtrs)(const char* uplo, const char* trans, const char* diag,
                                        const I* n, const I* nrhs, const T* a, const I* lda, T* b,
                                        const I* ldb, I* info) {
  if (arguments(TRIFAC_LAPACK_NAME("TRTRS"), info)
          .option(uplo, "UL", 1)
          .option(trans, "NTC", 2)
          .option(diag, "NU", 3)
          .size(*n, 4)
          .size(*nrhs, 5)
          .leading(*lda, *n, 7)
          .leading(*ldb, *n, 9)
          .wrong() ||
      *n == 0)
    return;
  if (letter(diag) == 'N' && (*info = zero_on_diagonal<I>(a, *n, *lda)) != 0) return;
  if (*nrhs == 0) return;
  const team on;
  *info = info_of<I>(
      substitute(*on, uplo, op_of(trans), diag, *n, a, *lda, column_major(b, *n, *nrhs, *ldb)));
}

TRIFAC_EXPORT void TRIFAC_LAPACK(trtri)(const char* uplo, const char* diag, const I* n, T* a,
                                        const I* lda, I* info) {
  if (arguments(TRIFAC_LAPACK_NAME("TRTRI"), info)
          .option(uplo, "UL", 1)
          .option(diag, "NU", 2)
          .size(*n, 3)
          .leading(*lda, *n, 5)
          .wrong() ||
      *n == 0)
    return;
  if (letter(diag) == 'N' && (*info = zero_on_diagonal<I>(a, *n, *lda)) != 0) return;
  const auto A = detail::lower_view(square(a, *n, *lda), part_of(uplo));
  const team on;
  *info = info_of<I>(detail::invert_by_substitutions(
      *on, matrix_view<const T>(A), letter(diag) == 'U' ? diagonal::unit : diagonal::non_unit, A));
}
