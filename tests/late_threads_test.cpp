// Threads that never come, or come when all is done: the others do the work, to the same bits.

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "support/layouts.hpp"
#include "support/matrices.hpp"
#include "trifac/backend/serial.hpp"
#include "trifac/engine/cpu/member.hpp"
#include "trifac/solve.hpp"
#include "trifac/variants.hpp"

namespace trifac::test {
namespace {

/// A team of three of which one thread works. The second one comes when the call is over; the third
/// never does.
struct lonely {
  static constexpr std::string_view name = "lonely";
  static constexpr bool packs_panels = true;
  availability available() const noexcept { return {true, ""}; }
  friend constexpr bool supports(const lonely&, variant) { return true; }
};

template <class Nest>
void run(const lonely&, status& outcome, double /*flops*/, Nest nest) {
  backend::team all(outcome);
  backend::cpu_executor first(all, 3), late(all, 3);
  nest(first);
  const status before = outcome;
  nest(late);
  EXPECT_EQ(outcome, before);
}

template <class T>
class LateThreads : public testing::Test {};
using Types = testing::Types<double, std::complex<float>>;
TYPED_TEST_SUITE(LateThreads, Types);

constexpr index_t n = 130, block = 32;

/// visit(A, B): two copies of M, both column-major, then both row-major.
template <class T, class Visit>
void in_both_orders(const matrix<T>& M, Visit visit) {
  matrix<T> A = M, B = M;
  visit(A.view(), B.view());
  matrix<T> across(M.cols(), M.rows());
  for (index_t j = 0; j < M.cols(); ++j)
    for (index_t i = 0; i < M.rows(); ++i) across(j, i) = M(i, j);
  A = across;
  B = across;
  visit(A.view().transposed(), B.view().transposed());
}

TYPED_TEST(LateThreads, HoldUpNoCholesky) {
  using T = TypeParam;
  random_source random(911);
  for (const index_t bad : {index_t{-1}, n / 2}) {
    auto A = random_spd<T>(random, n);
    if (bad >= 0) A(bad, bad) = T(-1);
    for (const variant v : cholesky_variants)
      for (const triangle part : {triangle::lower, triangle::upper})
        for (const index_t cutoff : {index_t{0}, index_t{9}})
          in_both_orders(A, [&](matrix_view<T> mine, matrix_view<T> expected) {
            SCOPED_TRACE(std::string(to_string(v)));
            const cholesky_options how{.part = part, .block = block, .cutoff = cutoff};
            const status s = try_cholesky(v, backend::serial{}, expected, how).status();
            EXPECT_EQ(try_cholesky(v, lonely{}, mine, how).status(), s);
            EXPECT_EQ(s.ok(), bad < 0);
            EXPECT_TRUE(!s || same_bits(mine, expected));
          });
  }
}

TYPED_TEST(LateThreads, HoldUpNoLu) {
  using T = TypeParam;
  random_source random(912);
  for (const bool singular : {false, true}) {
    auto A = dominant_matrix<T>(random, n, n);
    if (singular)  // tournaments fall back to partial pivoting
      for (index_t i = 0; i < n; ++i) A(i, 40) = T(0);
    for (const variant v : lu_variants)
      for (const pivoting how : {pivoting::none, pivoting::partial, pivoting::tournament})
        for (const selection rule : {selection::plain, selection::scaled})
          in_both_orders(A, [&](matrix_view<T> mine, matrix_view<T> expected) {
            SCOPED_TRACE(std::string(to_string(v)) + ", " + std::string(to_string(how)));
            const lu_options options{
                .pivoting = how, .selection = rule, .block = block, .leaves = 3};
            const auto f = try_lu(v, backend::serial{}, expected, options);
            const auto g = try_lu(v, lonely{}, mine, options);
            EXPECT_EQ(g.status(), f.status());
            EXPECT_TRUE(!f.status().completed() || same_bits(mine, expected));
          });
  }
}

TYPED_TEST(LateThreads, HoldUpNoSolve) {
  using T = TypeParam;
  random_source random(913);
  auto A = random_spd<T>(random, n), M = random_matrix<T>(random, n, n);
  const auto L = cholesky(A);
  const auto LU = lu(M);
  const auto B = random_matrix<T>(random, n, 20);
  const auto expect_the_same = [&](const auto& factor, operation op) {
    auto X = B, Y = B;
    solve(factor, X, op);
    solve(lonely{}, factor, Y, op);
    EXPECT_TRUE(same_bits(X.view(), Y.view()));
  };
  for (const operation op : {operation::none, operation::transpose, operation::adjoint}) {
    expect_the_same(L, op);
    expect_the_same(LU, op);
  }
}

}  // namespace
}  // namespace trifac::test
