// The floating-point environment of a process that other libraries have changed: subnormal numbers
// flushed to zero (FTZ, DAZ), and other rounding modes. Statuses hold, and so do residuals.

#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <utility>
#include <vector>
#if defined(__SSE2__)
  #include <immintrin.h>
#endif

#include "support/batches.hpp"
#include "support/gallery.hpp"
#include "support/residual.hpp"
#include "support/scalars.hpp"
#include "trifac/backend/threads.hpp"
#include "trifac/equilibration.hpp"
#include "trifac/solve_mixed.hpp"
#include "trifac/trifac.hpp"

namespace trifac::test {
namespace {

enum class mode { to_nearest, flushed, upward, downward, toward_zero };

/// In its scope this thread has the mode, and the threads that it starts.
class float_environment {
 public:
  explicit float_environment(mode how) {
    std::fegetenv(&before_);
    if (how == mode::upward) std::fesetround(FE_UPWARD);
    if (how == mode::downward) std::fesetround(FE_DOWNWARD);
    if (how == mode::toward_zero) std::fesetround(FE_TOWARDZERO);
#if defined(__SSE2__)
    constexpr unsigned flush_to_zero = 0x8000, denormals_are_zero = 0x40;
    if (how == mode::flushed) _mm_setcsr(_mm_getcsr() | flush_to_zero | denormals_are_zero);
#endif
  }
  ~float_environment() {
    std::fesetenv(&before_);
  }
  float_environment(const float_environment&) = delete;
  float_environment& operator=(const float_environment&) = delete;

 private:
  std::fenv_t before_;
};

/// What `call` returns in that mode.
template <class Call>
auto in(mode how, Call call) {
  const float_environment environment(how);
  return call();
}

std::vector<mode> all_modes() {
#if defined(__SSE2__)
  return {mode::flushed, mode::upward, mode::downward, mode::toward_zero};
#else
  return {mode::upward, mode::downward, mode::toward_zero};
#endif
}
std::string name_of(mode how) {
  const char* names[] = {"to nearest", "flushed", "upward", "downward", "toward zero"};
  return names[static_cast<int>(how)];
}

template <class T>
class FloatEnvironment : public testing::Test {};
TYPED_TEST_SUITE(FloatEnvironment, lapack_scalars, scalar_names);

/// A matrix whose pivot k is what `what` says, in exact arithmetic and in any rounding: the factor
/// of minij has ones, so that a_kk less 1 leaves 0.
enum class pivot { zero, negative, nan, infinite };
template <class T>
matrix<T> with_pivot(index_t n, index_t k, pivot what, bool diagonal) {
  using limits = std::numeric_limits<real_t<T>>;
  matrix<T> A = diagonal ? matrix<T>(n, n) : minij<T>(n);
  for (index_t i = 0; i < n && diagonal; ++i) A(i, i) = T(1);
  if (what == pivot::zero) A(k, k) -= T(1);
  if (what == pivot::negative) A(k, k) -= T(2);
  if (what == pivot::nan) A(k, k) = T(limits::quiet_NaN());
  if (what == pivot::infinite) A(k, k) = T(limits::infinity());
  return A;
}
status expected_of(pivot what, index_t k) {
  return status::at(what == pivot::nan || what == pivot::infinite
                        ? status_kind::not_finite
                        : status_kind::not_positive_definite,
                    k);
}
constexpr pivot all_pivots[] = {pivot::zero, pivot::negative, pivot::nan, pivot::infinite};

TYPED_TEST(FloatEnvironment, BadPivotsOfBatchesAreFoundInEveryLane) {
  using T = TypeParam;
  constexpr index_t count = 37;
  const backend::threads two{.threads = 2};
  for (const mode how : all_modes())
    for (const index_t n : {1, 2, 3, 4, 5, 6, 8, 9, 11, 16, 17, 33, 70})
      for (const bool diagonal : {true, false})
        for (const pivot what : all_pivots) {
          const index_t k = (5 * n + static_cast<index_t>(what)) % n;
          matrices<T> all(count, minij<T>(n));
          for (index_t b = 0; b < count; b += 2)
            all[static_cast<std::size_t>(b)] = with_pivot<T>(n, k, what, diagonal);
          const matrices<T> sides(count, matrix<T>(n, 1));
          const auto expect = [&](const batch_outcome& f, const std::string& call) {
            SCOPED_TRACE(testing::Message() << call << ", " << name_of(how) << ", n = " << n);
            EXPECT_EQ(f.failed_count(), (count + 1) / 2);
            for (index_t b = 0; b < count; ++b)
              EXPECT_EQ(f.status(b), b % 2 == 0 ? expected_of(what, k) : status()) << b;
          };
          // Larger orders differ in their copies, not in what finds a pivot: three of the layouts.
          const int step = n <= 17 ? 1 : 3;
          for (int layout = 0; layout < 8; layout += step)
            for (const float_model floats : {float_model::ieee, float_model::fast}) {
              const triangle part = layout % 2 == 0 ? triangle::lower : triangle::upper;
              auto A = place(all, layout), C = place(all, layout), X = place(sides, layout);
              expect(in(how,
                        [&]() -> batch_outcome {
                          return try_cholesky(A.view, {.part = part, .floats = floats});
                        }),
                     "cholesky");
              expect(in(how,
                        [&] {
                          return try_cholesky_solve(two, C.view, X.view,
                                                    {.part = part, .floats = floats});
                        }),
                     "cholesky_solve");
            }
        }
}

TYPED_TEST(FloatEnvironment, ZeroColumnsOfBatchesAreSingular) {
  using T = TypeParam;
  constexpr index_t count = 21, bad = 10;
  for (const mode how : all_modes())
    for (const index_t n : {1, 2, 3, 5, 8, 13, 33, 70})
      for (const pivoting by : {pivoting::partial, pivoting::none})
        for (int layout = 0; layout < 8; ++layout) {
          const index_t k = (n - 1) / 2;
          matrices<T> all(count, minij<T>(n));
          for (index_t i = 0; i < n; ++i) all[bad](i, k) = T(0);
          auto A = place(all, layout);
          const auto f = in(how, [&] { return try_lu(A.view, {.pivoting = by}); });
          SCOPED_TRACE(testing::Message() << name_of(how) << ", n = " << n << ", " << layout);
          EXPECT_EQ(f.failed_count(), 1);
          EXPECT_EQ(f.status(bad),
                    status::at(
                        by == pivoting::none ? status_kind::zero_pivot : status_kind::singular, k));
        }
}

TYPED_TEST(FloatEnvironment, BadPivotsOfOneMatrix) {
  using T = TypeParam;
  for (const mode how : all_modes())
    for (const index_t n : {1, 2, 3, 4, 6, 8, 9, 16, 33, 80, 150, 300})
      for (const pivot what : all_pivots)
        for (const triangle part : {triangle::lower, triangle::upper}) {
          const index_t k = (5 * n + static_cast<index_t>(what)) % n;
          auto A = with_pivot<T>(n, k, what, false), C = A;
          SCOPED_TRACE(testing::Message() << name_of(how) << ", n = " << n);
          EXPECT_EQ(in(how, [&] { return try_cholesky(A, {.part = part}).status(); }),
                    expected_of(what, k));
          if (what == pivot::nan || what == pivot::infinite) {
            EXPECT_EQ(in(how, [&] { return try_lu(C).status().kind(); }), status_kind::not_finite);
            continue;
          }
          auto Z = minij<T>(n);
          for (index_t i = 0; i < n; ++i) Z(i, k) = T(0);
          EXPECT_EQ(in(how, [&] { return try_lu(Z).status(); }),
                    status::at(status_kind::singular, k));
        }
}

#if defined(__SSE2__)
/// A subnormal number is 0, for all kernels alike.
TYPED_TEST(FloatEnvironment, SubnormalPivotsAreZeroWhereTheyAreFlushed) {
  using T = TypeParam;
  const real_t<T> subnormal = std::numeric_limits<real_t<T>>::min() / 4;
  for (const index_t n : {1, 2, 5, 8, 20, 70}) {
    matrix<T> A(n, n);
    for (index_t i = 0; i < n; ++i) A(i, i) = T(1);
    A(n - 1, n - 1) = T(subnormal);
    auto all = batch_of(matrices<T>(19, A));
    auto L = A, LU = A;
    const auto bad = status::at(status_kind::not_positive_definite, n - 1);
    const auto f = in(mode::flushed, [&] { return try_cholesky(all); });
    EXPECT_EQ(f.failed_count(), 19) << n;
    EXPECT_EQ(f.status(7), bad) << n;
    EXPECT_EQ(in(mode::flushed, [&] { return try_cholesky(L).status(); }), bad) << n;
    EXPECT_EQ(in(mode::flushed, [&] { return try_lu(LU).status(); }),
              status::at(status_kind::singular, n - 1))
        << n;
  }
}
#endif

/// Pivots whose reciprocals are subnormal: quotients by them are not products with 0.
TYPED_TEST(FloatEnvironment, LargePivotsAreDividedBy) {
  using T = TypeParam;
  using R = real_t<T>;
  const R large = std::numeric_limits<R>::max() / 2;
  for (const mode how : all_modes())
    for (const index_t n : {1, 2, 5, 9, 40, 100})
      for (const index_t columns : {1, 3, 9}) {
        matrix<T> A(n, n), X(n, columns);
        for (index_t i = 0; i < n; ++i) A(i, i) = T(large);
        for (index_t j = 0; j < columns; ++j)
          for (index_t i = 0; i < n; ++i) X(i, j) = T(large);
        EXPECT_TRUE(in(how, [&] {
          const auto f = try_lu(A);
          return f && try_solve(f, X);
        }));
        for (index_t j = 0; j < columns; ++j)
          for (index_t i = 0; i < n; ++i)
            EXPECT_TRUE(std::abs(X(i, j) - T(1)) <= 4 * std::numeric_limits<R>::epsilon())
                << name_of(how) << ", n = " << n << ", " << columns << ": " << X(i, j);
      }
}

/// Rounded to one side errors do not cancel: a residual grows with n, not with its root.
double bound_of(mode how) {
  return how == mode::flushed ? lapack_threshold : 10 * lapack_threshold;
}

TYPED_TEST(FloatEnvironment, ResidualsHold) {
  using T = TypeParam;
  using R = real_t<T>;
  for (const mode how : all_modes()) {
    SCOPED_TRACE(name_of(how));
    const double bound = bound_of(how);
    random_source random(99);
    for (const index_t n : {1, 2, 5, 8, 20, 70, 260}) {
      const auto S = random_spd<T>(random, n), A = random_matrix<T>(random, n, n);
      const auto B = random_matrix<T>(random, n, 3);
      matrix<T> L = S, LU = A, X = B, Y = B, inverse(n, n);
      refinement<T> refined;
      R rcond(-1);
      const float_environment environment(how);
      const auto f = try_cholesky(L);
      const auto g = try_lu(LU);
      ASSERT_TRUE(f.ok() && g.ok()) << n;
      ASSERT_TRUE(try_solve(f, X).ok() && try_solve(g, Y).ok());
      ASSERT_TRUE(try_inverse(g, inverse).ok());
      refined = try_refine(S, f, B, X);
      ASSERT_TRUE(try_reciprocal_condition(g, norm(A), norm_kind::one, rcond).ok());
      std::fesetenv(FE_DFL_ENV);
      EXPECT_TRUE(within(cholesky_ratio<T>(S.view(), triangle::lower, L.view()), bound)) << n;
      EXPECT_TRUE(within(lu_ratio<T>(A.view(), LU.view(), g.interchanges().span()), bound)) << n;
      EXPECT_TRUE(within(solve_ratio<T>(S.view(), X.view(), B.view()), bound)) << n;
      EXPECT_TRUE(within(solve_ratio<T>(A.view(), Y.view(), B.view()), bound)) << n;
      EXPECT_TRUE(within(inverse_ratio<T>(A.view(), inverse.view()), bound)) << n;
      for (const R& error : refined.backward_errors)
        EXPECT_TRUE(error <= 4 * static_cast<R>(n + 1) * std::numeric_limits<R>::epsilon()) << n;
      EXPECT_TRUE(rcond > R(0) && rcond <= R(1)) << rcond;
    }
    for (const index_t n : {1, 3, 8, 20}) {
      const auto all = random_batch<T>(19, n, n, true), sides = random_batch<T>(19, n, 2);
      for (const float_model floats : {float_model::ieee, float_model::fast}) {
        auto A = batch_of(all), X = batch_of(sides), C = A, Y = X;
        ASSERT_TRUE(in(how, [&] { return try_cholesky_solve(A, X, {.floats = floats}); })) << n;
        ASSERT_TRUE(in(how, [&] { return try_lu_solve(C, Y); })) << n;
        for (index_t b = 0; b < 19; ++b) {
          const auto i = static_cast<std::size_t>(b);
          EXPECT_TRUE(
              within(solve_ratio<T>(all[i].view(), std::as_const(X)[b], sides[i].view()), bound));
          EXPECT_TRUE(
              within(solve_ratio<T>(all[i].view(), std::as_const(Y)[b], sides[i].view()), bound));
        }
      }
    }
  }
}

/// Calls that iterate end.
TYPED_TEST(FloatEnvironment, IterationsEnd) {
  using T = TypeParam;
  for (const mode how : all_modes()) {
    SCOPED_TRACE(name_of(how));
    random_source random(7);
    const index_t n = 40;
    const auto S = random_spd<T>(random, n), B = random_matrix<T>(random, n, 2);
    auto indefinite = S, singular = S, semidefinite = minij<T>(n);
    for (index_t i = 0; i < n; ++i) indefinite(i, i) -= S(0, 0);
    semidefinite(n - 1, n - 1) -= T(1);
    EXPECT_TRUE(in(how, [&] {
      auto A = indefinite;
      return try_cholesky(A, {.jitter = {.first = 1e-3, .tries = 60}}).ok();
    }));
    EXPECT_TRUE(in(how, [&] {
      auto A = indefinite;
      return try_modified_cholesky(A).ok();
    }));
    EXPECT_EQ(in(how, [&] { return try_pivoted_cholesky(semidefinite).rank(); }), n - 1);
    EXPECT_TRUE(in(how, [&] { return equilibration(S).ok(); }));
    if constexpr (std::is_same_v<real_t<T>, double>) {
      auto X = B;
      const auto report = in(how, [&] { return try_solve_mixed(S, B, X); });
      EXPECT_TRUE(report.ok());
      EXPECT_TRUE(report.backward_error < 1e-14) << report.backward_error;
    }
  }
}

}  // namespace
}  // namespace trifac::test
