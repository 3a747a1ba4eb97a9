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
                              letter(diag) == 'U' ? diagonal::unit : diagonal::general, B);
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

/// A := A⁻¹ by blocks of columns of the identity, of which only the triangle's rows are solved for:
///
///   X(J:, J) = A(J:, J:)⁻¹·I(J:, J) of a lower triangle, which no block before it has written.
///
/// n³/3 flops; an upper triangle is the transposed view.
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
  const bool unit = letter(diag) == 'U';
  if (!unit && (*info = zero_on_diagonal<I>(a, *n, *lda)) != 0) return;
  constexpr index_t block = 64;
  const index_t order = *n, width = detail::min(order, block);
  few<T, 16 * 16> memory(order * width);
  if (!memory.ok()) return void(*info = out_of_memory);
  const auto A = square(a, *n, *lda);
  const auto L = letter(uplo) == 'L' ? A : A.transposed();
  const team on;
  for (index_t j = 0; j < order && *info == 0; j += width) {
    const index_t below = order - j, columns = detail::min(width, below);
    const auto X = column_major(memory.data(), below, columns, below);
    for (index_t c = 0; c < columns; ++c)
      for (index_t i = 0; i < below; ++i) X(i, c) = T(i == c ? 1 : 0);
    *info = info_of<I>(calls<T>::substitute(*on, operand<T>(L.trailing(j)), triangle::lower,
                                            unit ? diagonal::unit : diagonal::general, X));
    for (index_t c = 0; c < columns; ++c)
      for (index_t i = unit ? c + 1 : c; i < below; ++i) L(j + i, j + c) = X(i, c);
  }
}
