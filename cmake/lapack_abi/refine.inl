// gerfs, porfs: X refined, with backward errors and bounds of the error.

namespace {

/// BERR, FERR and X of a factor; NaN for a right-hand side with a number that is not finite.
template <class Factor>
void refine_columns(I n, I nrhs, const T* a, I lda, const Factor& f, const T* b, I ldb, T* x, I ldx,
                    operation op, R* ferr, R* berr, I* info) {
  const team on;
  const auto B = column_major(b, n, nrhs, ldb);
  const auto X = column_major(x, n, nrhs, ldx);
  for (index_t first = 0; first < nrhs;) {
    const index_t rest = nrhs - first;
    const auto found = try_refine(*on, square(a, n, lda), f, B.block(0, first, n, rest),
                                  X.block(0, first, n, rest), op);
    if (!found && !found.status().of_the_matrix()) return void(*info = info_of<I>(found.status()));
    const index_t good = found ? rest : found.status().index();
    for (index_t j = 0; j < good; ++j) {
      ferr[first + j] = found.forward_bounds[detail::as_size(j)];
      berr[first + j] = found.backward_errors[detail::as_size(j)];
    }
    if (good < rest) ferr[first + good] = berr[first + good] = std::numeric_limits<R>::quiet_NaN();
    first += good + 1;
  }
}

void no_errors(I nrhs, R* ferr, R* berr) {
  for (I j = 0; j < nrhs; ++j) ferr[j] = berr[j] = R(0);
}

}  // namespace

TRIFAC_EXPORT void TRIFAC_LAPACK(gerfs)(const char* trans, const I* n, const I* nrhs, const T* a,
                                        const I* lda, const T* af, const I* ldaf, const I* ipiv,
                                        const T* b, const I* ldb, T* x, const I* ldx, R* ferr,
                                        R* berr, T*, TRIFAC_LAPACK_WORK*, I* info) {
  if (arguments(TRIFAC_LAPACK_NAME("GERFS"), info)
          .option(trans, "NTC", 1)
          .size(*n, 2)
          .size(*nrhs, 3)
          .leading(*lda, *n, 5)
          .leading(*ldaf, *n, 7)
          .leading(*ldb, *n, 10)
          .leading(*ldx, *n, 12)
          .wrong())
    return;
  if (*n == 0 || *nrhs == 0) return no_errors(*nrhs, ferr, berr);
  try {
    std::vector<index_t> order(detail::as_size(*n));  // row k of P·A, whatever IPIV says
    for (I k = 0; k < *n; ++k) order[detail::as_size(k)] = k;
    for (I k = 0; k < *n; ++k)
      std::swap(order[detail::as_size(k)], order[detail::as_size(ipiv[k] - 1)]);
    const lu_factor<T> f(square(af, *n, *ldaf), pivots::from_candidates(order, *n), status());
    refine_columns(*n, *nrhs, a, *lda, f, b, *ldb, x, *ldx, op_of(trans), ferr, berr, info);
  } catch (const std::bad_alloc&) {
    *info = out_of_memory;
  }
}

TRIFAC_EXPORT void TRIFAC_LAPACK(porfs)(const char* uplo, const I* n, const I* nrhs, const T* a,
                                        const I* lda, const T* af, const I* ldaf, const T* b,
                                        const I* ldb, T* x, const I* ldx, R* ferr, R* berr, T*,
                                        TRIFAC_LAPACK_WORK*, I* info) {
  if (arguments(TRIFAC_LAPACK_NAME("PORFS"), info)
          .option(uplo, "UL", 1)
          .size(*n, 2)
          .size(*nrhs, 3)
          .leading(*lda, *n, 5)
          .leading(*ldaf, *n, 7)
          .leading(*ldb, *n, 9)
          .leading(*ldx, *n, 11)
          .wrong())
    return;
  if (*n == 0 || *nrhs == 0) return no_errors(*nrhs, ferr, berr);
  refine_columns(*n, *nrhs, a, *lda, cholesky_of(uplo, *n, af, *ldaf), b, *ldb, x, *ldx,
                 operation::none, ferr, berr, info);
}
