// lange, lansy, lanhe, lantr: the largest element, the largest sum of a column or row, Frobenius.

namespace {

/// The norm of what each(visit) visits: visit(i, j, |a_ij|) for every element that is not zero by its
/// place. NaN where an element is NaN. `sums`: a number for each row or column; null where the
/// columns come one after the other.
template <class Each>
R norm_of(char kind, index_t lines, R* sums, const Each& each) {
  R value(0);
  if (kind == 'M') {
    each([&](index_t, index_t, const R& size) { value = detail::max_or_nan(value, size); });
    return value;
  }
  if (kind == 'F' || kind == 'E') {  // value² = scale²·sum, free of overflow. LAPACK: lassq
    R scale(0), sum(1);
    each([&](index_t, index_t, const R& size) {
      if (size == scale) {
        sum += size == R(0) ? R(0) : R(1);
      } else if (size < scale) {
        sum += (size / scale) * (size / scale);
      } else {
        sum = R(1) + sum * (scale / size) * (scale / size);
        scale = size;
      }
    });
    return scale * std::sqrt(sum);
  }
  if (sums == nullptr) {
    R sum(0);
    index_t column = 0;
    each([&](index_t, index_t j, const R& size) {
      if (j != column) value = detail::max_or_nan(value, sum), sum = R(0), column = j;
      sum += size;
    });
    return detail::max_or_nan(value, sum);
  }
  for (index_t k = 0; k < lines; ++k) sums[k] = R(0);
  each([&](index_t i, index_t j, const R& size) { sums[kind == 'I' ? i : j] += size; });
  for (index_t k = 0; k < lines; ++k) value = detail::max_or_nan(value, sums[k]);
  return value;
}

/// visit of A(first … end − 1, j), m rows.
template <class Visit>
void visit_column(const T* a, index_t lda, index_t j, index_t first, index_t end,
                  const Visit& visit) {
  for (index_t i = first; i < end; ++i) visit(i, j, detail::absolute(a[i + j * lda]));
}

/// A symmetric or Hermitian A; `diagonal`: |a_jj|.
template <class Diagonal>
R symmetric_norm(const char* norm, const char* uplo, index_t n, const T* a, index_t lda, R* sums,
                 const Diagonal& diagonal) {
  const bool lower = letter(uplo) == 'L';
  return norm_of(letter(norm), n, sums, [&](auto visit) {
    for (index_t j = 0; j < n; ++j) {
      visit(j, j, diagonal(a[j + j * lda]));
      visit_column(a, lda, j, lower ? j + 1 : 0, lower ? n : j,
                   [&](index_t i, index_t, const R& size) {
                     visit(i, j, size);
                     visit(j, i, size);
                   });
    }
  });
}

}  // namespace

// WORK is there for the norm 'I' only.

TRIFAC_EXPORT R TRIFAC_LAPACK(lange)(const char* norm, const I* m, const I* n, const T* a,
                                     const I* lda, R* work) {
  const char kind = letter(norm);
  return norm_of(kind, *m, kind == 'I' ? work : nullptr, [&](auto visit) {
    for (index_t j = 0; j < *n; ++j) visit_column(a, *lda, j, 0, *m, visit);
  });
}

TRIFAC_EXPORT R TRIFAC_LAPACK(lantr)(const char* norm, const char* uplo, const char* diag,
                                     const I* m, const I* n, const T* a, const I* lda, R* work) {
  const char kind = letter(norm);
  const bool lower = letter(uplo) == 'L', unit = letter(diag) == 'U';
  const index_t rows = *m, skipped = unit ? 1 : 0;
  return norm_of(kind, rows, kind == 'I' ? work : nullptr, [&](auto visit) {
    for (index_t j = 0; j < *n; ++j) {
      if (unit && j < rows) visit(j, j, R(1));
      visit_column(a, *lda, j, lower ? j + skipped : 0,
                   lower ? rows : detail::min(rows, j + 1 - skipped), visit);
    }
  });
}

TRIFAC_EXPORT R TRIFAC_LAPACK(lansy)(const char* norm, const char* uplo, const I* n, const T* a,
                                     const I* lda, R* work) {
  return symmetric_norm(norm, uplo, *n, a, *lda, work,
                        [](const T& x) { return detail::absolute(x); });
}
#if TRIFAC_LAPACK_COMPLEX
TRIFAC_EXPORT R TRIFAC_LAPACK(lanhe)(const char* norm, const char* uplo, const I* n, const T* a,
                                     const I* lda, R* work) {
  return symmetric_norm(norm, uplo, *n, a, *lda, work,
                        [](const T& x) { return detail::absolute(detail::real_part(x)); });
}
#endif
