// gecon, pocon, trcon: 1 / (‖A‖·‖A⁻¹‖), ‖A⁻¹‖ by the block estimator of Higham and Tisseur.

namespace {

/// rcond := 1 / (anorm·‖A⁻¹‖), with solve(X): X := A⁻¹·X and adjoint(X): X := A⁻ᴴ·X. It may exceed
/// 1: callers ask for 1/‖A⁻¹‖ by anorm = 1. 0 where a zero on the diagonal divides, of an infinite
/// norm, and where ‖A⁻¹‖ is 0; NaN of a NaN in anorm or in the factor, whose largest element is
/// `largest()`. False where ‖A⁻¹‖ is 0 or rcond is not finite.
template <class Solve, class Adjoint, class Largest>
bool condition(index_t n, norm_kind kind, R anorm, const Solve& solve, const Adjoint& adjoint,
               const Largest& largest, R* rcond, I* info) {
  *rcond = n == 0 ? R(1) : R(0);
  if (n == 0 || anorm == R(0)) return true;
  if (!detail::is_finite(anorm)) {
    if (!(anorm == anorm)) *rcond = anorm;
    return anorm == anorm;
  }
  try {
    detail::norm_estimate<T> estimate(n);
    const R scale = detail::root_scale(anorm);
    R inverse(0);
    const status s = kind == norm_kind::one ? estimate.of(solve, adjoint, scale, inverse)
                                            : estimate.of(adjoint, solve, scale, inverse);
    if (!s) return *info = out_of_memory, true;
    if (inverse == R(0)) return false;
    if (!detail::is_finite(inverse))
      if (const R size = largest(); size != size) inverse = size;
    *rcond = R(1) / inverse / (anorm / scale);
  } catch (const std::bad_alloc&) {
    *info = out_of_memory;
  }
  return detail::is_finite(*rcond);
}

/// ?latdf takes what gecon leaves in WORK(n+1 …) for a vector that A⁻¹ enlarges most: the row of
/// A⁻¹ of the largest 1-norm, conjugated. It calls with n ≤ 8 and the norm 'I'.
void leave_worst_direction(const call_team& on, index_t n, const T* a, index_t lda,
                           const index_t* rows, T* direction) {
  constexpr index_t most = 8;
  T memory[most * most] = {};
  const auto X = column_major(memory, n, n, n);
  for (index_t k = 0; k < n; ++k) X(k, k) = T(1);
  if (!calls<T>::solve_lu(on, square(a, n, lda), {rows, detail::as_size(n)}, X, operation::none))
    return;
  index_t worst = 0;
  R largest(-1);
  for (index_t i = 0; i < n; ++i) {
    R sum(0);
    for (index_t j = 0; j < n; ++j) sum += detail::absolute(X(i, j));
    if (sum > largest) largest = sum, worst = i;
  }
  for (index_t j = 0; j < n; ++j) direction[j] = detail::conjugate(X(worst, j));
}

}  // namespace

/// No IPIV: the norms of A⁻¹ = U⁻¹·L⁻¹·P do not depend on P.
TRIFAC_EXPORT void TRIFAC_LAPACK(gecon)(const char* norm, const I* n, const T* a, const I* lda,
                                        const R* anorm, R* rcond, T* work, TRIFAC_LAPACK_WORK*,
                                        I* info) {
  const norm_kind kind = kind_of(norm);
  if (arguments(TRIFAC_LAPACK_NAME("GECON"), info)
          .option(norm, "O1I", 1)
          .size(*n, 2)
          .leading(*lda, *n, 4)
          .require(!(*anorm < 0), 5)
          .wrong())
    return;
  if (*n > 0 && !detail::is_finite(*anorm)) {  // without a word to XERBLA, as LAPACK from 3.12 on
    *rcond = *anorm == *anorm ? R(0) : *anorm;
    return void(*info = -5);
  }
  interchanges rows(*n <= solve_at_once ? *n : 0);
  const index_t order = *n, exchanged = *n <= solve_at_once ? order : 0;
  for (index_t k = 0; k < exchanged; ++k) rows.data()[k] = k;
  const team on;
  const auto solves = [&](operation op) {
    return [&, op](const matrix_view<T>& X) {
      return calls<T>::solve_lu(*on, square(a, order, *lda),
                                {rows.data(), detail::as_size(exchanged)}, X, op);
    };
  };
  const auto largest = [&] { return TRIFAC_LAPACK(lange)("M", n, n, a, lda, nullptr); };
  if (!condition(order, kind, *anorm, solves(operation::none), solves(operation::adjoint), largest,
                 rcond, info))
    *info = 1;
  if (kind == norm_kind::infinity && order > 0 && order <= 8)
    leave_worst_direction(*on, order, a, *lda, rows.data(), work + order);
}

TRIFAC_EXPORT void TRIFAC_LAPACK(pocon)(const char* uplo, const I* n, const T* a, const I* lda,
                                        const R* anorm, R* rcond, T*, TRIFAC_LAPACK_WORK*,
                                        I* info) {
  if (arguments(TRIFAC_LAPACK_NAME("POCON"), info)
          .option(uplo, "UL", 1)
          .size(*n, 2)
          .leading(*lda, *n, 4)
          .require(!(*anorm < 0), 5)
          .wrong())
    return;
  const team on;
  const auto f = cholesky_of(uplo, *n, a, *lda);
  const auto solve = [&](const matrix_view<T>& X) { return try_solve(*on, f, X); };
  const auto largest = [&] { return TRIFAC_LAPACK(lantr)("M", uplo, "N", n, n, a, lda, nullptr); };
  condition(*n, norm_kind::one, *anorm, solve, solve, largest, rcond, info);
}

TRIFAC_EXPORT void TRIFAC_LAPACK(trcon)(const char* norm, const char* uplo, const char* diag,
                                        const I* n, const T* a, const I* lda, R* rcond, T*,
                                        TRIFAC_LAPACK_WORK*, I* info) {
  const norm_kind kind = kind_of(norm);
  if (arguments(TRIFAC_LAPACK_NAME("TRCON"), info)
          .option(norm, "O1I", 1)
          .option(uplo, "UL", 2)
          .option(diag, "NU", 3)
          .size(*n, 4)
          .leading(*lda, *n, 6)
          .wrong())
    return;
  R anorm = TRIFAC_LAPACK(lantr)(norm, uplo, diag, n, n, a, lda, nullptr);
  if (!(anorm > R(0))) anorm = R(0);  // NaN, too: LAPACK
  const team on;
  const auto solves = [&](operation op) {
    return [&, op](const matrix_view<T>& X) {
      return substitute(*on, uplo, op, diag, *n, a, *lda, X);
    };
  };
  const auto largest = [&] { return anorm; };  // no NaN: then it is 0
  condition(*n, kind, anorm, solves(operation::none), solves(operation::adjoint), largest, rcond,
            info);
}
