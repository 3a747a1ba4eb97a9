// lange, lansy, lanhe, lantr. WORK is not used.

namespace {

/// 'M', '1' or 'O', 'I', 'F' or 'E'.
norm_kind kind_of(const char* norm) {
  switch (letter(norm)) {
    case 'M':
      return norm_kind::max;
    case 'I':
      return norm_kind::infinity;
    case 'F':
    case 'E':
      return norm_kind::frobenius;
    default:
      return norm_kind::one;
  }
}

/// |a|, of which the imaginary part of a symmetric matrix' diagonal is a part.
struct whole_size {
  R operator()(const T& a) const { return detail::absolute(a); }
};

/// Of a Hermitian A: the imaginary part of its diagonal is not read.
R hermitian_norm(norm_kind kind, const char* uplo, I n, const T* a, I lda) {
  if (n == 0) return R(0);
  return detail::hermitian_norm_of<T>(detail::lower_view(square(a, n, lda), part_of(uplo)), kind);
}

}  // namespace

TRIFAC_EXPORT R TRIFAC_LAPACK(lange)(const char* norm, const I* m, const I* n, const T* a,
                                     const I* lda, R*) {
  const matrix_view<const T> A = column_major(a, *m, *n, *lda);
  return A.empty() ? R(0) : detail::norm_of<T>(A, kind_of(norm));
}

TRIFAC_EXPORT R TRIFAC_LAPACK(lantr)(const char* norm, const char* uplo, const char* diag,
                                     const I* m, const I* n, const T* a, const I* lda, R*) {
  const matrix_view<const T> A = column_major(a, *m, *n, *lda);
  if (A.empty()) return R(0);
  const triangular_view<T> triangle(A, part_of(uplo),
                                    letter(diag) == 'U' ? diagonal::unit : diagonal::non_unit);
  return detail::triangular_norm_of(triangle, kind_of(norm));
}

TRIFAC_EXPORT R TRIFAC_LAPACK(lansy)(const char* norm, const char* uplo, const I* n, const T* a,
                                     const I* lda, R*) {
  if (*n == 0) return R(0);
  return detail::hermitian_norm_of<T>(detail::lower_view(square(a, *n, *lda), part_of(uplo)),
                                      kind_of(norm), whole_size());
}
#if TRIFAC_LAPACK_COMPLEX
TRIFAC_EXPORT R TRIFAC_LAPACK(lanhe)(const char* norm, const char* uplo, const I* n, const T* a,
                                     const I* lda, R*) {
  return hermitian_norm(kind_of(norm), uplo, *n, a, *lda);
}
#endif
