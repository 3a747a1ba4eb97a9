// What changes no bit of a factor: the number of threads, the storage order and, for Cholesky with
// packed panels, the block size. Over every variant, layout, triangle and type, at
// orders past two blocks. What changes no bit of inverses and of solves with a triangle: the
// storage order. (bits_test holds the bits against recorded ones.)

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "backends.hpp"
#include "support/layouts.hpp"
#include "support/matrices.hpp"
#include "support/scalars.hpp"
#include "trifac/inverse.hpp"
#include "trifac/triangular_solve.hpp"
#include "trifac/variants.hpp"

namespace trifac::test {
namespace {

constexpr bool is_by_elements(variant v) {
  return v == variant::banachiewicz || v == variant::crout || v == variant::crout_distributed_sum;
}

constexpr std::array layouts{layout::padded, layout::row_major_padded, layout::strided,
                             layout::reversed};

/// body(backend, name) for one thread and for teams, one of them larger than the work at the end of
/// a factorization.
template <class Body>
void for_one_thread_and_teams(Body body) {
  body(backend::serial{}, std::string("serial"));
  if (!backend::openmp{}.available()) return;
  for (const int threads : {2, 3, 8})
    body(backend::openmp{.threads = threads},
         "openmp with " + std::to_string(threads) + " threads");
}

template <class T>
class SameBits : public testing::Test {};
TYPED_TEST_SUITE(SameBits, lapack_scalars, scalar_names);

TYPED_TEST(SameBits, CholeskyOnAnyThreadsInAnyLayout) {
  using T = TypeParam;
  random_source random(901);
  for (const index_t n : {33, 150}) {
    const matrix<T> A = random_spd<T>(random, n);
    for (const variant v : cholesky_variants)
      for (const triangle part : {triangle::lower, triangle::upper})
        for (const index_t block : {0, 40}) {
          if (block > 0 && (is_by_elements(v) || n <= block)) continue;
          const cholesky_options options{.part = part, .block = block};
          matrix<T> expected = A;
          ASSERT_TRUE(try_cholesky(v, backend::serial{}, expected.view(), options).ok());
          for_one_thread_and_teams([&](const auto& backend, const std::string& name) {
            for (const layout where : layouts) {
              placed_matrix<T> L(A, where);
              EXPECT_TRUE(try_cholesky(v, backend, L.view(), options).ok());
              EXPECT_TRUE(same_bits(expected.view(), L.view()))
                  << to_string(v) << ", " << name << ", " << to_string(where) << ", "
                  << (part == triangle::lower ? "lower" : "upper") << ", n = " << n
                  << ", block = " << block;
            }
          });
        }
  }
}

TYPED_TEST(SameBits, CholeskyWithAnyBlock) {
  using T = TypeParam;
  random_source random(902);
  for (const index_t n : {40, 150, 301}) {
    const matrix<T> A = random_spd<T>(random, n);
    for (const variant v : {variant::best, variant::packed})
      for (const triangle part : {triangle::lower, triangle::upper})
        for (const layout where : padded_layouts) {
          matrix<T> expected = A;
          ASSERT_TRUE(try_cholesky(v, backend::serial{}, expected.view(), {.part = part}).ok());
          for (const index_t block : {1, 7, 16, 31, 64, 100, 1000}) {
            placed_matrix<T> L(A, where);
            EXPECT_TRUE(
                try_cholesky(v, backend::serial{}, L.view(), {.part = part, .block = block}));
            EXPECT_TRUE(same_bits(expected.view(), L.view()))
                << to_string(v) << ", " << to_string(where) << ", "
                << (part == triangle::lower ? "lower" : "upper") << ", n = " << n
                << ", block = " << block;
          }
        }
  }
}

TYPED_TEST(SameBits, LuOnAnyThreadsInAnyLayout) {
  using T = TypeParam;
  random_source random(903);
  const std::array rules = {
      lu_options{.pivoting = pivoting::partial},
      lu_options{.pivoting = pivoting::tournament, .leaves = 3, .arity = 2},
      lu_options{.pivoting = pivoting::tournament, .selection = selection::scaled, .leaves = 3},
      lu_options{.pivoting = pivoting::none}};
  for (const auto& shape : {std::array<index_t, 2>{150, 150}, {150, 60}, {60, 150}}) {
    const index_t m = shape[0], n = shape[1];
    const matrix<T> full = random_matrix<T>(random, m, n),
                    dominant = dominant_matrix<T>(random, m, n);
    for (const variant v : lu_variants)
      for (const lu_options& rule : rules)
        for (const index_t block : {0, 32}) {
          lu_options options = rule;
          options.block = block;
          const matrix<T>& A = rule.pivoting == pivoting::none ? dominant : full;
          matrix<T> expected = A;
          const auto f = try_lu(v, backend::serial{}, expected.view(), options);
          if (f.status().kind() == status_kind::invalid_argument) continue;  // not for this variant
          ASSERT_TRUE(f.ok());
          for_one_thread_and_teams([&](const auto& backend, const std::string& name) {
            for (const layout where : layouts) {
              placed_matrix<T> LU(A, where);
              const auto g = try_lu(v, backend, LU.view(), options);
              EXPECT_EQ(f.interchanges(), g.interchanges());
              EXPECT_TRUE(same_bits(expected.view(), LU.view()))
                  << to_string(v) << ", " << to_string(rule.pivoting) << ", "
                  << to_string(rule.selection) << ", " << name << ", " << to_string(where) << ", "
                  << m << "×" << n << ", block = " << block;
            }
          });
        }
  }
}

/// call(factored, X) leaves the same bits in X whatever the storage of the two.
template <class T, class Call>
void expect_same_in_layouts(const char* what, matrix_view<const T> factored,
                            const matrix<T>& before, Call call) {
  matrix<T> plain(factored), expected = before;
  call(plain.view(), expected.view());
  for (const layout of_A : layouts)
    for (const layout of_X : layouts) {
      placed_matrix<T> factor(factored, of_A), X(before, of_X);
      call(factor.view(), X.view());
      EXPECT_TRUE(same_bits(expected.view(), X.view()))
          << what << ", " << to_string(of_A) << ", " << to_string(of_X)
          << ", n = " << before.rows();
    }
}

// Solves with up to six right-hand sides beyond order 64, and so refine and solve_mixed, sum along
// the lines of the factor: docs/numerics.md.
TYPED_TEST(SameBits, TrianglesAndInversesInAnyLayout) {
  using T = TypeParam;
  using view = matrix_view<T>;
  random_source random(902);
  for (const index_t n : {20, 97, 150, 260}) {
    const matrix<T> S = random_spd<T>(random, n), B = random_matrix<T>(random, n, 9), X(n, n);
    const auto check = [&](matrix_view<const T> factored, auto factor_of) {
      expect_same_in_layouts<T>("triangle", factored, B, [&](view F, view Y) {
        const auto f = factor_of(F);
        solve(f.L(), Y);
        solve(f.U(), Y, operation::adjoint);
      });
      expect_same_in_layouts<T>("inverse", factored, X,
                                [&](view F, view Y) { inverse(factor_of(F), Y); });
    };
    const auto g = lu(random_matrix<T>(random, n, n));
    check(g.matrix(), [&](view F) { return lu_factor<T>(F, &g.interchanges(), status()); });
    for (const triangle part : {triangle::lower, triangle::upper}) {
      const auto f = cholesky(matrix<T>(S), {.part = part});
      check(f.matrix(), [&](view F) { return cholesky_factor<T>(F, part, status()); });
    }
  }
}

}  // namespace
}  // namespace trifac::test
