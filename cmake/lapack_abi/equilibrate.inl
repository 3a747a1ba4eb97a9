// geequ, geequb, poequ, poequb: scales of rows and columns, 1/size or the powers of two near it.

namespace {

/// max |Re a| + |Im a|, which LAPACK takes for the size of a complex number here.
R size_of(const T& x) {
  return detail::pivot_size(x);
}

/// Bounds of what may be divided by.
constexpr R least = std::numeric_limits<R>::min(), most = R(1) / least;

/// A size as geequb has it: the power of two with the exponent of log₂ rounded towards zero.
R power_of_two(R size) {
  int exponent = 0;
  const R fraction = std::frexp(size, &exponent);  // size = fraction·2^exponent, ½ ≤ fraction < 1
  if (fraction == R(0.5) || exponent > 0) --exponent;
  return std::ldexp(R(1), exponent);
}

/// sizes := 1/sizes, in bounds; INFO = first + k where size k is zero. `smallest`, `largest`: of
/// sizes.
void invert_sizes(R* sizes, I count, I first, R& smallest, R& largest, R* ratio, I* info) {
  smallest = most, largest = R(0);
  for (I k = 0; k < count; ++k) {
    smallest = detail::min(smallest, sizes[k]);
    largest = detail::max(largest, sizes[k]);
  }
  if (smallest == R(0)) {
    for (I k = 0; k < count && *info == 0; ++k)
      if (sizes[k] == R(0)) *info = first + k + 1;
    return;
  }
  for (I k = 0; k < count; ++k) sizes[k] = R(1) / detail::min(detail::max(sizes[k], least), most);
  *ratio = detail::max(smallest, least) / detail::min(largest, most);
}

void equilibrate(I m, I n, const T* a, index_t lda, R* r, R* c, R* rowcnd, R* colcnd, R* amax,
                 I* info, R (*rounded)(R)) {
  if (m == 0 || n == 0) return void((*rowcnd = *colcnd = R(1), *amax = R(0)));
  R smallest, largest;
  for (I i = 0; i < m; ++i) r[i] = R(0);
  for (I j = 0; j < n; ++j)
    for (I i = 0; i < m; ++i) r[i] = detail::max(r[i], size_of(a[i + j * lda]));
  for (I i = 0; i < m; ++i)
    if (r[i] > R(0)) r[i] = rounded(r[i]);
  invert_sizes(r, m, 0, smallest, *amax, rowcnd, info);
  if (*info != 0) return;
  for (I j = 0; j < n; ++j) {
    c[j] = R(0);
    for (I i = 0; i < m; ++i) c[j] = detail::max(c[j], size_of(a[i + j * lda]) * r[i]);
    if (c[j] > R(0)) c[j] = rounded(c[j]);
  }
  invert_sizes(c, n, m, smallest, largest, colcnd, info);
}

/// scale(a_kk) is 1/√a_kk, rounded or not.
void equilibrate_definite(I n, const T* a, index_t lda, R* s, R* scond, R* amax, I* info,
                          R (*scale)(R)) {
  *amax = R(0);
  if (n == 0) return void(*scond = R(1));
  R smallest = detail::real_part(a[0]);
  *amax = smallest;
  for (I k = 0; k < n; ++k) {
    s[k] = detail::real_part(a[k + k * lda]);
    smallest = detail::min(smallest, s[k]);
    *amax = detail::max(*amax, s[k]);
    if (s[k] <= R(0) && *info == 0) *info = k + 1;
  }
  if (*info != 0) return;
  for (I k = 0; k < n; ++k) s[k] = scale(s[k]);
  *scond = std::sqrt(smallest) / std::sqrt(*amax);
}

R unrounded(R size) {
  return size;
}

}  // namespace

TRIFAC_EXPORT void TRIFAC_LAPACK(geequ)(const I* m, const I* n, const T* a, const I* lda, R* r,
                                        R* c, R* rowcnd, R* colcnd, R* amax, I* info) {
  if (arguments(TRIFAC_LAPACK_NAME("GEEQU"), info)
          .size(*m, 1)
          .size(*n, 2)
          .leading(*lda, *m, 4)
          .wrong())
    return;
  equilibrate(*m, *n, a, *lda, r, c, rowcnd, colcnd, amax, info, unrounded);
}
TRIFAC_EXPORT void TRIFAC_LAPACK(geequb)(const I* m, const I* n, const T* a, const I* lda, R* r,
                                         R* c, R* rowcnd, R* colcnd, R* amax, I* info) {
  if (arguments(TRIFAC_LAPACK_NAME("GEEQUB"), info)
          .size(*m, 1)
          .size(*n, 2)
          .leading(*lda, *m, 4)
          .wrong())
    return;
  equilibrate(*m, *n, a, *lda, r, c, rowcnd, colcnd, amax, info, power_of_two);
}

TRIFAC_EXPORT void TRIFAC_LAPACK(poequ)(const I* n, const T* a, const I* lda, R* s, R* scond,
                                        R* amax, I* info) {
  if (arguments(TRIFAC_LAPACK_NAME("POEQU"), info).size(*n, 1).leading(*lda, *n, 3).wrong()) return;
  equilibrate_definite(*n, a, *lda, s, scond, amax, info, [](R d) { return R(1) / std::sqrt(d); });
}
TRIFAC_EXPORT void TRIFAC_LAPACK(poequb)(const I* n, const T* a, const I* lda, R* s, R* scond,
                                         R* amax, I* info) {
  if (arguments(TRIFAC_LAPACK_NAME("POEQUB"), info).size(*n, 1).leading(*lda, *n, 3).wrong())
    return;
  equilibrate_definite(*n, a, *lda, s, scond, amax, info,
                       [](R d) { return std::exp2(std::trunc(R(-0.5) * std::log2(d))); });
}
