// Batches on a device: every layout, residuals, a status for each matrix, parameters of the
// kernels. A program for OpenCL and one for CUDA.

#include "trifac/device_batch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include "support/batch_pivots.hpp"
#include "support/batches.hpp"
#include "support/denormals.hpp"
#include "support/device.hpp"
#include "support/layouts.hpp"
#include "support/residual.hpp"
#include "support/scalars.hpp"

namespace trifac::test {
namespace {

/// The device with an item for each matrix, and with vectors of them where it has these.
std::vector<device_backend> devices() {
  return {device().with({.tiles = device::tile_choice::groups}), device()};
}

template <class T>
class DeviceBatch : public OnDevice<T> {};
TYPED_TEST_SUITE(DeviceBatch, lapack_scalars, scalar_names);

constexpr index_t many = 37;  // no whole number of vectors or chunks
constexpr int layouts = 8;
// A program for groups of items takes PoCL ten seconds; the texts are OpenCL's.
#if TRIFAC_TEST_CUDA_ALONE
constexpr index_t orders[] = {9};
#else
constexpr index_t orders[] = {1, 5, 9, 35};
#endif

/// L or U of each, and that the other triangles, NaN before, were neither read nor written, nor
/// anything around the matrices.
template <class T>
void expect_cholesky(const device_backend& on, const matrices<T>& all, int layout, triangle part,
                     const batch_tuning& tuning = {}) {
  SCOPED_TRACE(testing::Message() << "n " << all[0].rows() << ", layout " << layout);
  auto A = place(all, layout);
  spoil(A.view, other_triangle(part));
  A.remember();
  const auto f = try_cholesky(on, A.view, {.part = part, .tuning = tuning});
  ASSERT_TRUE(f) << f.status().message();
  EXPECT_TRUE(A.untouched_outside(part));
  for (index_t b = 0; b < f.batch(); ++b) {
    const matrix<T> L(A.view[b]);
    EXPECT_TRUE(within(cholesky_ratio<T>(all[static_cast<std::size_t>(b)].view(), part, L.view())))
        << "matrix " << b;
  }
}
template <class T>
void expect_lu(const device_backend& on, const matrices<T>& all, int layout, pivoting how,
               const batch_tuning& tuning = {}) {
  const index_t m = all[0].rows(), n = all[0].cols(), steps = std::min(m, n);
  SCOPED_TRACE(testing::Message() << m << " x " << n << ", layout " << layout);
  auto A = place(all, layout);
  const auto f = try_lu(on, A.view, {.pivoting = how, .tuning = tuning});
  ASSERT_TRUE(f) << f.status().message();
  EXPECT_TRUE(A.guards_untouched());
  for (index_t b = 0; b < f.batch(); ++b) {
    pivots rows(steps);
    if (how == pivoting::partial) rows = pivots(f.interchanges(b));
    EXPECT_TRUE(rows.fit(steps, m));
    const matrix<T> LU(A.view[b]);
    EXPECT_TRUE(
        within(lu_ratio<T>(all[static_cast<std::size_t>(b)].view(), LU.view(), rows.span())))
        << "matrix " << b;
    if (how == pivoting::none) continue;
    for (index_t j = 0; j < steps; ++j)
      for (index_t i = j + 1; i < m; ++i) EXPECT_LE(std::abs(LU(i, j)), 1.4143);
  }
}
template <class T>
matrices<T> dominant_batch(index_t count, index_t m, index_t n) {
  random_source random(static_cast<std::uint64_t>(m * 300 + n));
  matrices<T> all;
  for (index_t b = 0; b < count; ++b) all.push_back(dominant_matrix<T>(random, m, n));
  return all;
}
template <class T>
void expect_solves(const device_backend& on, const matrices<T>& all, index_t r, operation op,
                   int layout) {
  const index_t n = all[0].rows(), count = static_cast<index_t>(all.size());
  SCOPED_TRACE(testing::Message() << "n " << n << ", r " << r << ", layout " << layout);
  const auto sides = random_batch<T>(count, n, r);
  const auto expect_solved = [&](const auto& factor, const char* what) {
    auto X = place(sides, layouts - 1 - layout);
    const status s = try_solve(on, factor, X.view, op);
    ASSERT_TRUE(s) << s.message();
    EXPECT_TRUE(X.guards_untouched());
    for (index_t b = 0; b < count; ++b) {
      const auto i = static_cast<std::size_t>(b);
      const auto A = applied<T>(op, all[i].view());
      EXPECT_TRUE(within(solve_ratio<T>(A.view(), X.view[b], sides[i].view())))
          << what << " matrix " << b;
    }
  };
  for (const triangle part : {triangle::lower, triangle::upper}) {
    auto A = place(all, layout);
    const auto f = try_cholesky(on, A.view, {.part = part});
    A.remember();
    expect_solved(f, "cholesky");
    EXPECT_TRUE(A.untouched());
  }
  for (const pivoting how : {pivoting::partial, pivoting::none}) {
    auto A = place(all, layout);
    const auto f = try_lu(on, A.view, {.pivoting = how});
    A.remember();
    expect_solved(f, "lu");
    EXPECT_TRUE(A.untouched());
  }
}

TYPED_TEST(DeviceBatch, CholeskyInEveryLayoutAndTriangle) {
  using T = TypeParam;
  for (const index_t n : orders) {
    const auto all = random_batch<T>(many, n, n, true);
    expect_cholesky(device(), all, static_cast<int>(n) % layouts, triangle::lower);
    if (n < 9) continue;
    for (int layout = 0; layout < layouts; ++layout)
      expect_cholesky(device(), all, layout, triangle::upper);
  }
}

TYPED_TEST(DeviceBatch, LuOfEveryShape) {
  using T = TypeParam;
  for (const index_t n : orders)
    for (const pivoting how : {pivoting::partial, pivoting::none}) {
      const auto all =
          how == pivoting::none ? dominant_batch<T>(many, n, n) : random_batch<T>(many, n, n);
      expect_lu(device(), all, static_cast<int>(n + 1) % layouts, how);
    }
  int layout = 0;
  for (const auto& [m, n] : {std::pair<index_t, index_t>(5, 12),
                             {12, 5},
                             {1, 7},
                             {7, 1},
                             {9, 8},
                             {18, 30},
                             {30, 18},
                             {2, 3}}) {
    expect_lu(device(), random_batch<T>(many, m, n), layout, pivoting::partial);
    expect_lu(device(), dominant_batch<T>(many, m, n), layout++, pivoting::none);
  }
}

TYPED_TEST(DeviceBatch, SolvesWithEveryFactorAndOperation) {
  using T = TypeParam;
  int layout = 0;
  for (const index_t n : orders) {
    const auto all = random_batch<T>(many, n, n, true);
    for (const operation op : {operation::none, operation::transpose, operation::adjoint})
      for (const index_t r : {1, 6}) expect_solves(device(), all, r, op, layout++ % layouts);
  }
}

TYPED_TEST(DeviceBatch, OneFactorOrOneRightHandSideForAll) {
  using T = TypeParam;
  const matrix<T> A = random_batch<T>(1, 9, 9, true)[0];
  const auto sides = random_batch<T>(many, 9, 2);
  const auto expect_solved = [&](const auto& factor, int layout) {
    auto X = place(sides, layout);
    batch<T> Y(many, 9, 2);
    ASSERT_TRUE(try_solve(device(), factor, X.view));
    ASSERT_TRUE(try_solve(device(), factor, sides[3], Y));
    EXPECT_TRUE(X.guards_untouched());
    for (index_t b = 0; b < many; ++b) {
      const auto B = sides[static_cast<std::size_t>(b)].view();
      EXPECT_TRUE(within(solve_ratio<T>(A.view(), X.view[b], B))) << b;
      EXPECT_TRUE(within(solve_ratio<T>(A.view(), Y[b], sides[3].view()))) << b;
    }
  };
  matrix<T> L = A, LU = A;
  expect_solved(try_cholesky(L, {.part = triangle::upper}), 2);
  expect_solved(try_lu(LU), 5);
  auto one = batch_of<T>({A});
  expect_solved(try_lu(device(), one), 0);
}

/// L of a batch's factor, with NaN in the other triangle and one bad matrix.
TYPED_TEST(DeviceBatch, TrianglesAreSolvedWith) {
  using T = TypeParam;
  const index_t n = 9;
  const auto all = random_batch<T>(many, n, n, true), sides = random_batch<T>(many, n, 2);
  const auto expect_solved = [&](const batch_triangular_view<T>& L, operation op, int layout) {
    auto X = place(sides, layout);
    const status s = try_solve(device(), L, X.view, op);
    EXPECT_EQ(s, L.outcome().status());
    EXPECT_TRUE(
        X.untouched_except([&](index_t b, index_t, index_t) { return L[b].status().ok(); }));
    for (index_t b = 0; b < many; ++b) {
      const auto B = sides[static_cast<std::size_t>(b)].view();
      if (!L[b].status()) continue;
      const matrix<T> A = applied<T>(op, L[b].dense());
      EXPECT_TRUE(within(solve_ratio<T>(A.view(), X.view[b], B))) << b;
    }
  };
  auto spoiled = all;
  spoil(spoiled[5], damage::nan, 2);
  auto A = batch_of(spoiled), B = batch_of(all, batch_layout::canonical());
  spoil(A, triangle::upper);
  const auto f = try_cholesky(A);
  expect_solved(f.L(), operation::none, 2);
  expect_solved(f.L(), operation::adjoint, 0);
  const auto g = try_lu(B);
  expect_solved(g.L(), operation::none, 5);
  auto X = batch_of(sides);
  const status s =
      try_solve(device(), f.L(), X, operation::none, {.tuning = {.kernel = batch_kernel::groups}});
  EXPECT_EQ(s.argument(), std::string_view("options.tuning.kernel"));
}

/// For the simulator, too, which takes one access after another.
TYPED_TEST(DeviceBatch, SmallOnesInEveryKindOfKernel) {
  using T = TypeParam;
  for (const auto& on : devices()) {
    const auto all = random_batch<T>(5, 9, 9, true);
    expect_cholesky(on, all, 2, triangle::lower);
    expect_lu(on, all, 2, pivoting::partial);
    expect_lu(on, all, 0, pivoting::none);
    expect_solves(on, all, 2, operation::transpose, 7);
  }
  const auto all = random_batch<T>(17, 4, 4, true);
  expect_cholesky(device(), all, 2, triangle::upper);
  expect_lu(device(), all, 2, pivoting::partial);
#if !TRIFAC_TEST_CUDA_ALONE
  for (const looking_order looking : {looking_order::left, looking_order::right})
    expect_cholesky(device(), random_batch<T>(5, 9, 9, true), 2, triangle::lower,
                    {.looking = looking});
#endif
}

TYPED_TEST(DeviceBatch, ABadMatrixIsItsOwnAffairInEveryLane) {
  using T = TypeParam;
  for (const index_t n : {4, 10}) {
    const auto good = random_batch<T>(many, n, n, true), sides = random_batch<T>(many, n, 2);
    const auto run = [&](const matrices<T>& all, int layout, auto check) {
      auto A = place(all, layout), B = place(all, layout), X = place(sides, layout),
           Y = place(sides, layout);
      const auto f = try_cholesky(device(), A.view);
      const auto g = try_lu(device(), B.view);
      check(A.view, B.view, X.view, Y.view, f, g);
      EXPECT_TRUE(A.untouched_outside(triangle::lower));
      for (const placed<T>* p : {&B, &X, &Y}) EXPECT_TRUE(p->guards_untouched());
    };
    for (const int layout : {0, 2}) {
      matrices<T> L, LU, X, Y;
      run(good, layout, [&](auto& A, auto& B, auto& S, auto& R, auto& f, auto& g) {
        ASSERT_TRUE(try_solve(device(), f, S));
        ASSERT_TRUE(try_solve(device(), g, R));
        for (index_t b = 0; b < many; ++b) {
          L.emplace_back(A[b]);
          LU.emplace_back(B[b]);
          X.emplace_back(S[b]);
          Y.emplace_back(R[b]);
        }
      });
      for (index_t bad = 0; bad < many; ++bad) {
        const auto what = static_cast<damage>((bad + layout) % 4);
        auto all = good;
        auto& victim = all[static_cast<std::size_t>(bad)];
        spoil(victim, what, bad % n);
        matrix<T> one(victim), other(victim);
        const status f1 = try_cholesky(one).status(), g1 = try_lu(other).status();
        run(all, layout, [&](auto& A, auto& B, auto& S, auto& R, auto& f, auto& g) {
          SCOPED_TRACE(testing::Message() << n << " matrix " << bad << " layout " << layout);
          EXPECT_EQ(f.status(bad), f1) << f.status(bad).message() << ", not " << f1.message();
          EXPECT_EQ(g.status(bad), g1) << g.status(bad).message() << ", not " << g1.message();
          EXPECT_EQ(f.failed_count(), 1);
          EXPECT_EQ(f.first_failure(), bad);
          EXPECT_EQ(try_solve(device(), f, S), f1);
          EXPECT_EQ(try_solve(device(), g, R), g1);
          const auto& untouched = sides[static_cast<std::size_t>(bad)];
          EXPECT_TRUE(same_bits(S[bad], untouched.view()));
          if (!g1) {
            EXPECT_TRUE(same_bits(R[bad], untouched.view()));
          }
          for (index_t b = 0; b < many; ++b) {
            if (b == bad) continue;
            const auto i = static_cast<std::size_t>(b);
            EXPECT_EQ(f.info()[i], 0);
            EXPECT_TRUE(same_bits(A[b], L[i].view()));
            EXPECT_TRUE(same_bits(B[b], LU[i].view()));
            EXPECT_TRUE(same_bits(S[b], X[i].view()));
            EXPECT_TRUE(same_bits(R[b], Y[i].view()));
          }
        });
      }
    }
  }
}

TYPED_TEST(DeviceBatch, ExtremePivotsAreDividedBy) {
  using T = TypeParam;
  using limits = std::numeric_limits<real_t<T>>;
  for (const index_t n : {4, 10}) {
    batch<T> A(20, n, n), X(20, n, 1);
    for (index_t b = 0; b < 20; ++b)
      for (index_t i = 0; i < n; ++i) {
        A(b, i, i) = b == 3 ? T(limits::min() / 8) : b == 11 ? T(limits::max()) : T(2);
        X(b, i, 0) = b == 3 ? T(limits::min()) : b == 11 ? T(limits::max()) : T(4);
      }
    const auto f = try_lu(device(), A);
    ASSERT_TRUE(f) << f.status().message();
    ASSERT_TRUE(try_solve(device(), f, X));
    for (index_t b = 0; b < 20; ++b)
      for (index_t i = 0; i < n; ++i) EXPECT_EQ(X(b, i, 0), T(b == 3 ? 8 : b == 11 ? 1 : 2)) << b;
  }
}

TYPED_TEST(DeviceBatch, AZeroInAFactorDivides) {
  using T = TypeParam;
  constexpr auto exact = pivoting::none;  // and no row of X moves
  for (const auto& on : devices())
    for (const index_t n : {4, 10}) {
      batch<T> A(20, n, n), right(20, n, 3);
      for (index_t b = 0; b < 20; ++b)
        for (index_t i = 0; i < n; ++i) {
          A(b, i, i) = T(4);
          for (index_t j = 0; j < 3; ++j) right(b, i, j) = T(8);
        }
      const auto expect = [&](const auto& f, real_t<T> solution, operation op) {
        batch<T> X = right;
        ASSERT_TRUE(try_solve(on, f, X, op));
        for (index_t b = 0; b < 20; ++b)
          for (index_t j = 0; j < 3; ++j)
            if (b == 11)
              EXPECT_FALSE(detail::is_finite(X(b, 2, j)));
            else
              EXPECT_EQ(X(b, 2, j), T(solution)) << b;
      };
      batch<T> L = A;
      const auto f = try_lu(on, A, {.pivoting = exact});
      const auto g = try_cholesky(on, L);
      A(11, 2, 2) = L(11, 2, 2) = T(0);
      for (const operation op : {operation::none, operation::transpose}) {
        expect(f, 2, op);
        expect(f.U(), 2, op);
        expect(g, 2, op);
        expect(g.L(), 4, op);
      }
    }
}

/// |Re| + |Im| of a finite pivot may overflow: in system 11 as a divisor, in 17 in the search.
TYPED_TEST(DeviceBatch, TheSizeOfAFinitePivotDoesNotOverflow) {
  using T = TypeParam;
  using limits = std::numeric_limits<real_t<T>>;
  T largest(limits::max());
  if constexpr (is_complex<T>) largest = T(limits::max(), limits::max());
  for (const index_t n : {4, 10}) {
    SCOPED_TRACE(testing::Message() << "n " << n);
    batch<T> A(20, n, n), X(20, n, 1);
    for (index_t b = 0; b < 20; ++b)
      for (index_t i = 0; i < n; ++i) {
        A(b, i, i) = b == 11 ? largest : T(2);
        X(b, i, 0) = b == 11 ? largest : T(4);
      }
    A(17, 0, 0) = T(limits::max() / 2);
    A(17, 0, 1) = T(2);
    A(17, 1, 0) = largest;
    A(17, 1, 1) = T(0);
    const auto f = try_lu(device(), A);
    ASSERT_TRUE(f) << f.status().message();
    EXPECT_EQ(f.interchanges(17)[0], 1);
    ASSERT_TRUE(try_solve(device(), f, X));
    for (index_t i = 0; i < n; ++i) {
      EXPECT_LE(std::abs(X(11, i, 0) - T(1)), 8 * limits::epsilon());
      EXPECT_EQ(X(12, i, 0), T(2));
    }
  }
}

/// In registers, by panels and by groups of items.
template <class T, class Make>
void expect_pivots_of_all_kernels(Make make) {
  const auto cases = [&](index_t m, index_t n) {
    random_source random(static_cast<std::uint64_t>(1000 * m + n));
    pivot_cases<T> all;
    for (index_t b = 0; b < many; ++b) all.push_back(make(random, b, m, n));
    return all;
  };
  const batch_tuning groups = {
      .kernel = batch_kernel::groups, .panel = 4, .block_height = 16, .block_width = 2};
  for (const auto& [m, n] : {std::pair<index_t, index_t>(4, 4), {9, 9}, {5, 12}, {12, 5}}) {
    const auto all = cases(m, n);
    for (int layout = 0; layout < layouts; ++layout) expect_batch_pivots(device(), all, layout);
    if (m == 4) continue;
    for (const int layout : {0, 6}) expect_batch_pivots(device(), all, layout, groups);
  }
  expect_batch_pivots(devices()[0], cases(9, 9), 2);
  for (const index_t n : orders) expect_batch_pivots(device(), cases(n, n), 0);
}

TYPED_TEST(DeviceBatch, PivotsOfEqualSizesAreTheFirstInThePresentOrderOfRows) {
  using T = TypeParam;
  expect_pivots_of_all_kernels<T>([](random_source& random, index_t b, index_t m, index_t n) {
    return tied_case<T>(random, m, n, b % 2 * 5);
  });
}
TYPED_TEST(DeviceBatch, PivotsOfDenormalMatricesAreThoseOfLargerOnes) {
  using T = TypeParam;
  if (!keeps_denormals<T>(device())) GTEST_SKIP() << "the device flushes denormal numbers";
  expect_pivots_of_all_kernels<T>([](random_source& random, index_t b, index_t m, index_t n) {
    return tied_case<T>(random, m, n, b % 2 * 5, denormal_scale<T>());
  });
}
TYPED_TEST(DeviceBatch, PivotsAreTheLargestWhateverTheSizes) {
  using T = TypeParam;
  for (const sizes which : all_sizes) {
    if (which != sizes::around_largest && !keeps_denormals<T>(device())) continue;
    SCOPED_TRACE(testing::Message() << "sizes " << static_cast<int>(which));
    expect_pivots_of_all_kernels<T>([&](random_source& random, index_t, index_t, index_t n) {
      return size_case<T>(random, n, which);
    });
  }
}

/// Bits of a matrix depend on tiles, chunks and the order of looking as little as on its place.
TYPED_TEST(DeviceBatch, ParametersOfTheKernelsChangeNoBits) {
  using T = TypeParam;
  const index_t n = 11;
  const auto all = random_batch<T>(many, n, n, true);
  auto expected = batch_of(all);
  ASSERT_TRUE(try_cholesky(device(), expected));
  for (const batch_tuning& tuning : {
         batch_tuning{.tile = 3, .looking = looking_order::right},
#if !TRIFAC_TEST_CUDA_ALONE
             batch_tuning{
                 .tile = 5, .looking = looking_order::left, .outer = outer_loops::unrolled},
#endif
             batch_tuning{.chunk = 16}, batch_tuning{.chunk = 64}, batch_tuning {
           .chunks = batch_chunks::unchunked
         }
       }) {
    SCOPED_TRACE(testing::Message() << "tile " << tuning.tile << ", chunk " << tuning.chunk);
    auto A = batch_of(all, batch_layout::canonical());
    const auto f = try_cholesky(device(), A, {.tuning = tuning});
    ASSERT_TRUE(f) << f.status().message();
    for (index_t b = 0; b < many; ++b) EXPECT_TRUE(same_bits(A[b], expected[b])) << b;
  }
}

/// All of `all` by groups, with the bits of lanes, those of a batch with bad matrices in it, too.
template <class T>
void expect_groups(const matrices<T>& good, index_t r, const batch_tuning& tuning) {
  const index_t n = good[0].rows(), count = static_cast<index_t>(good.size());
  SCOPED_TRACE(testing::Message() << "n " << n << ", panel " << tuning.panel);
  auto all = good;
  for (index_t bad = 0; bad < 4; ++bad)
    spoil(all[static_cast<std::size_t>(bad * bad)], static_cast<damage>(bad), n / 2);
  const auto sides = random_batch<T>(count, n, r);
  const batch_tuning of_solves = {.kernel = batch_kernel::groups};
  for (const triangle part : {triangle::lower, triangle::upper}) {
    auto A = batch_of(all, batch_layout::canonical()), B = batch_of(all), C = A;
    auto X = batch_of(sides), Y = X, Z = X;
    const auto f = try_cholesky(device(), A, {.part = part, .tuning = tuning});
    const auto g = try_cholesky(device(), B, {.part = part});
    ASSERT_EQ(f.failed_count(), 4) << f.status().message();
    ASSERT_TRUE(std::equal(f.info().begin(), f.info().end(), g.info().begin()));
    EXPECT_EQ(try_solve(device(), f, X, operation::none, {.tuning = of_solves}), g.status());
    EXPECT_EQ(try_solve(device(), g, Y), g.status());
    auto of_both = tuning;
    of_both.systems = device().facts().most_items < 128 ? 1 : 4;  // the choice, named
    const auto both = try_cholesky_solve(device(), C, Z, {.part = part, .tuning = of_both});
    EXPECT_EQ(both.status(), g.status());
    for (index_t b = 0; b < count; ++b) {
      EXPECT_TRUE(same_bits(X[b], Y[b])) << b;
      EXPECT_TRUE(same_bits(X[b], Z[b])) << b;
      if (f.info()[static_cast<std::size_t>(b)] != 0) continue;
      EXPECT_TRUE(same_bits(A[b], B[b])) << b;
      EXPECT_TRUE(same_bits(A[b], C[b])) << b;
    }
  }
}

/// LU by groups: the bits, interchanges and info of lanes, those of bad matrices, too.
template <class T>
void expect_lu_groups(const matrices<T>& good, const batch_tuning& tuning,
                      pivoting how = pivoting::partial) {
  const index_t m = good[0].rows(), n = good[0].cols(), count = static_cast<index_t>(good.size());
  SCOPED_TRACE(testing::Message() << m << " x " << n << ", panel " << tuning.panel);
  const index_t steps = std::min(m, n);
  auto all = good;
  for (index_t bad = 0; bad < 4; ++bad) {
    auto& A = all[static_cast<std::size_t>(bad * bad)];
    for (index_t j = 0; j < n; ++j) A(steps / 2, j) = T(0);
    for (index_t i = 0; i < m; ++i) A(i, steps / 2) = T(0);
    if (bad > 0) A(m - 1, n - 1) = T(std::numeric_limits<real_t<T>>::infinity());
    if (bad > 1) A(steps / 2, 0) = T(std::numeric_limits<real_t<T>>::quiet_NaN());
  }
  auto A = batch_of(all, batch_layout::canonical()), B = batch_of(all);
  const auto f = try_lu(device(), A, {.pivoting = how, .tuning = tuning});
  const auto g = try_lu(device(), B, {.pivoting = how, .tuning = {.kernel = batch_kernel::lanes}});
  ASSERT_TRUE(f.status().of_the_matrix()) << f.status().message();
  ASSERT_EQ(g.failed_count(), 4);
  ASSERT_TRUE(std::equal(f.info().begin(), f.info().end(), g.info().begin(), g.info().end()));
  for (index_t b = 0; b < count; ++b) {
    const auto info = f.info()[static_cast<std::size_t>(b)];
    if (info < 0 || (info > 0 && how == pivoting::none)) continue;
    EXPECT_TRUE(same_bits(A[b], B[b])) << b;
    for (index_t k = 0; k < steps && how == pivoting::partial; ++k)
      EXPECT_EQ(f.interchanges(b)[k], g.interchanges(b)[k]) << b;
  }
}

/// The canonical kernels and their solves, in the simulator, too.
TYPED_TEST(DeviceBatch, SmallOnesByGroups) {
  using T = TypeParam;
  const batch_tuning panels = {
      .kernel = batch_kernel::groups, .panel = 4, .block_height = 16, .block_width = 2};
  expect_groups(random_batch<T>(11, 9, 9, true), 3, panels);
  for (const auto& [m, n] : {std::pair<index_t, index_t>(9, 9), {5, 12}, {12, 5}, {1, 6}, {6, 4}})
    expect_lu_groups(random_batch<T>(11, m, n), panels);
  for (const index_t m : {1, 2, 6, 9})
    expect_lu_groups(random_batch<T>(11, m, 1), {.kernel = batch_kernel::groups});
  expect_lu_groups(random_batch<T>(11, 6, 5), {.kernel = batch_kernel::groups, .panel = 1});
  const auto all = random_batch<T>(7, 10, 6);
  expect_lu(device(), all, 0, pivoting::partial, panels);
  expect_lu(device(), all, 6, pivoting::partial, panels);
}
TYPED_TEST(DeviceBatch, SmallOnesByGroupsWithoutPivoting) {
  using T = TypeParam;
  const batch_tuning panels = {
      .kernel = batch_kernel::groups, .panel = 3, .block_height = 32, .block_width = 2};
  for (const auto& [m, n] : {std::pair<index_t, index_t>(9, 9), {5, 12}, {12, 5}}) {
    const auto all = dominant_batch<T>(11, m, n);
    expect_lu_groups(all, panels, pivoting::none);
    expect_lu(device(), all, 0, pivoting::none, panels);
  }
}
TYPED_TEST(DeviceBatch, FullGroupsFactorAndSolveByLu) {
  using T = TypeParam;
  const batch_tuning groups = {.kernel = batch_kernel::groups};
  const auto all = random_batch<T>(19, 35, 35), sides = random_batch<T>(19, 35, 1);
  expect_lu_groups(all, groups);
  auto A = batch_of(all), B = A, X = batch_of(sides), Y = X;
  auto systems = groups;
  systems.systems = device().facts().most_items < 128 ? 1 : 4;  // the choice, named
  ASSERT_TRUE(try_lu_solve(device(), A, X, {.tuning = systems}).ok());
  ASSERT_TRUE(try_lu_solve(device(), B, Y).ok());
  for (index_t b = 0; b < 19; ++b) {
    EXPECT_TRUE(same_bits(A[b], B[b])) << b;
    EXPECT_TRUE(same_bits(X[b], Y[b])) << b;
  }
}
TYPED_TEST(DeviceBatch, FullGroupsGiveTheBitsOfLanes) {
  using T = TypeParam;
  const auto all = random_batch<T>(19, 35, 35, true);
  expect_groups(all, 1, {.kernel = batch_kernel::groups});
  // With the transposed factor of LU: a program takes seconds to compile, so one for each type.
  constexpr operation op = is_complex<T> ? operation::adjoint : operation::none;
  auto A = batch_of(all), X = batch_of(random_batch<T>(19, 35, 1)), Y = X;
  const auto f = try_lu(device(), A);
  ASSERT_TRUE(try_solve(device(), f, X, op, {.tuning = {.kernel = batch_kernel::groups}}));
  ASSERT_TRUE(try_solve(device(), f, Y, op));
  for (index_t b = 0; b < 19; ++b) EXPECT_TRUE(same_bits(X[b], Y[b])) << b;
}

#if TRIFAC_TEST_CUDA_ALONE
/// More than a kernel can declare.
TEST(DeviceBatchGroups, HaveTheLocalMemoryOfTheDevice) {
  ASSERT_TRUE(device().available()) << device().available().reason;
  const index_t n = 230;
  const batch_tuning wide = {
      .kernel = batch_kernel::groups, .panel = 48, .block_height = 32, .block_width = 16};
  const auto bytes =
      device::choose_group_shape<float>(device().facts(), batch_operation::cholesky, n, n, wide)
          .local_bytes;
  EXPECT_EQ(bytes > device::most_declared_bytes,
            device().facts().local_bytes > device::most_declared_bytes);
  const auto all = random_batch<float>(3, n, n, true);
  auto A = batch_of(all, batch_layout::canonical());
  const auto f = try_cholesky(device(), A, {.tuning = wide});
  ASSERT_TRUE(f) << f.status().message();
  auto L = batch_of(all, batch_layout::interleaved());  // canonical ones go one by one on the CPU
  ASSERT_TRUE(try_cholesky(L));
  for (index_t b = 0; b < 3; ++b) EXPECT_TRUE(same_bits(A[b], L[b])) << b;
}
#endif

/// Factor and solve in one call: the bits of two, a matrix or right-hand side for all, and bad
/// matrices.
TYPED_TEST(DeviceBatch, FactorAndSolveInOneCall) {
  using T = TypeParam;
  for (const index_t n : {4, 9}) {
    auto all = random_batch<T>(many, n, n, true);
    spoil(all[5], damage::zero_row, n - 1);
    const auto sides = random_batch<T>(many, n, 2);
    const auto expect_same = [&](auto factor, auto both) {
      auto A = place(all, 0), B = place(all, 0), X = place(sides, 7), Y = place(sides, 7),
           Z = place(sides, 7);
      const auto f = factor(A.view);
      const status s = try_solve(device(), f, X.view),
                   one = try_solve(device(), f, sides[1], Y.view);
      const batch_outcome o = both(B.view, Z.view);
      EXPECT_EQ(o.status(), s);
      EXPECT_EQ(one, s);
      EXPECT_EQ(o.failed_count(), 1);
      for (index_t b = 0; b < many; ++b) {
        EXPECT_TRUE(same_bits(X.view[b], Z.view[b])) << b;
        if (b == 5) continue;
        EXPECT_TRUE(same_bits(A.view[b], B.view[b])) << b;
      }
      auto C = place(all, 0);
      batch<T> W(many, n, 2);
      const batch_outcome last = both(C.view, sides[1], W);
      EXPECT_EQ(last.failed_count(), 1);
      for (index_t b = 0; b < many; ++b) EXPECT_TRUE(same_bits(Y.view[b], W[b])) << b;
      // One matrix for all.
      matrix<T> M = all[0], N = all[0];
      batch<T> V = batch_of(sides), U = V;
      EXPECT_EQ(both(M, V).failed_count(), 0);
      auto copies = batch_of(matrices<T>(many, N));
      ASSERT_TRUE(both(copies, U).ok());
      for (index_t b = 0; b < many; ++b) EXPECT_TRUE(same_bits(U[b], V[b])) << b;
      matrix<T> bad = all[5];
      EXPECT_EQ(both(bad, V).first_failure(), 0);
      for (index_t b = 0; b < many; ++b) EXPECT_TRUE(same_bits(U[b], V[b])) << b;
    };
    expect_same([&](auto& A) { return try_cholesky(device(), A); },
                [&](auto&... a) { return try_cholesky_solve(device(), a...); });
    expect_same([&](auto& A) { return try_lu(device(), A); },
                [&](auto&... a) { return try_lu_solve(device(), a...); });
  }
}

/// Solves in lanes read the interchanges of lanes that have no matrix, too.
TYPED_TEST(DeviceBatch, InterchangesOfAbsentLanesAreWritten) {
  using T = TypeParam;
  for (const index_t count : {1, 5}) {
    const auto all = random_batch<T>(count, 2, 2), sides = random_batch<T>(count, 2, 1);
    const auto size = static_cast<std::size_t>(batch_interchanges_size(count, 2, 2));
    std::vector<std::int32_t> one(size, 77), both(size, 78);
    auto A = batch_of(all), B = A, X = batch_of(sides);
    ASSERT_TRUE(try_lu(device(), A, {.interchanges = one}).ok());
    ASSERT_TRUE(try_lu_solve(device(), B, X, {.interchanges = both}).ok());
    EXPECT_EQ(one, both);
    EXPECT_TRUE(std::all_of(one.begin(), one.end(), [](int i) { return 0 <= i && i < 2; }));
  }
}

/// Batches that stay on the device, in every layout: what calls on those of the host give.
TYPED_TEST(DeviceBatch, StaysOnTheDevice) {
  using T = TypeParam;
  using resident = device_batch<T, device_backend>;
  const index_t n = 9;
  auto all = random_batch<T>(many, n, n, true);
  spoil(all[3], damage::negative, 4);
  spoil(all[20], damage::nan, 7);
  auto A = batch_of(all), B = A, X = batch_of(random_batch<T>(many, n, 2)), Y = X, start = X;
  const auto f = try_cholesky(device(), A, {.part = triangle::upper});
  const auto g = try_lu(device(), B);
  EXPECT_FALSE(try_solve(device(), f, X));
  EXPECT_FALSE(try_solve(device(), g, Y, operation::adjoint));
  for (const batch_layout layout :
       {batch_layout(), batch_layout::canonical(), batch_layout::interleaved()}) {
    SCOPED_TRACE(layout.chunk);
    const auto host = batch_of(all);
    resident C(device(), host.view(), layout), D(device(), host.view(), layout),
        S(device(), start.view(), layout), R(device(), many, n, 2, layout);
    const auto c = try_cholesky(C, {.part = triangle::upper});
    const auto d = try_lu(D);
    EXPECT_TRUE(try_solve(c, S));
    R.assign(start.view());
    solve(d, R, operation::adjoint);
    EXPECT_EQ(c.failed_count(), 2);
    EXPECT_EQ(c.first_failure(), 3);
    EXPECT_EQ(c.status(), f.status());
    EXPECT_EQ(c.status(20), f.status(20));
    EXPECT_TRUE(std::equal(c.info().begin(), c.info().end(), f.info().begin()));
    EXPECT_TRUE(std::equal(d.info().begin(), d.info().end(), g.info().begin()));
    const auto x = S.to_host(), r = R.to_host(), l = C.to_host(), factors = D.to_host();
    const auto rows = d.interchanges();
    for (index_t b = 0; b < many; ++b) {
      EXPECT_TRUE(same_bits(x[b], std::as_const(X)[b])) << b;
      EXPECT_TRUE(same_bits(r[b], std::as_const(Y)[b])) << b;
      if (f.info()[static_cast<std::size_t>(b)] != 0) continue;
      for (index_t j = 0; j < n; ++j)
        for (index_t i = 0; i <= j; ++i) EXPECT_EQ(l(b, i, j), A(b, i, j));
      EXPECT_TRUE(same_bits(factors[b], std::as_const(B)[b])) << b;
      for (index_t k = 0; k < n; ++k)
        EXPECT_EQ(rows[static_cast<std::size_t>(b / 16 * 16 * n + 16 * k + b % 16)],
                  g.interchanges(b)[k]);
    }
    // One right-hand side for all, and one factor.
    resident one(device(), start.view().matrices(1, 1), layout), first(device(), 1, n, n, layout);
    solve(c, one, S);
    first.assign(host.view().matrices(0, 1));
    solve(lu(first), resident(device(), start.view()), R);
    const auto of_one = S.to_host(), of_all = R.to_host();
    batch<T> expected(many, n, 2), other = start;
    EXPECT_FALSE(try_solve(device(), f, start[1], expected));
    auto single = batch_of<T>({all[0]});
    EXPECT_TRUE(try_solve(device(), try_lu(device(), single), other));
    for (index_t b = 0; b < many; ++b) {
      EXPECT_TRUE(same_bits(of_one[b], std::as_const(expected)[b])) << b;
      EXPECT_TRUE(same_bits(of_all[b], std::as_const(other)[b])) << b;
    }
  }
}

/// LU of rectangles that stay: what calls on the host's memory give, not finite elements behind the
/// last pivot with them. No solve takes such a factor.
TYPED_TEST(DeviceBatch, RectanglesStayOnTheDevice) {
  using T = TypeParam;
  using resident = device_batch<T, device_backend>;
  const T inf(std::numeric_limits<real_t<T>>::infinity());
  for (const auto& [m, n] : {std::pair<index_t, index_t>(5, 12), {12, 5}}) {
    SCOPED_TRACE(testing::Message() << m << " x " << n);
    const index_t steps = std::min(m, n);
    auto all = random_batch<T>(many, m, n);
    all[4](m - 1, n - 1) = inf;
    all[9](0, n - 1) = inf;
    const auto start = batch_of(all);
    auto A = start;
    const auto f = try_lu(device(), A);
    EXPECT_EQ(f.failed_count(), 2);
    EXPECT_EQ(f.status(4), status::at(status_kind::not_finite, steps - 1));
    for (const batch_layout layout : {batch_layout(), batch_layout::canonical()}) {
      resident D(device(), start.view(), layout), X(device(), many, m, 1);
      const auto d = lu(D);
      ASSERT_TRUE(std::equal(d.info().begin(), d.info().end(), f.info().begin()));
      const auto factors = D.to_host();
      const auto rows = d.interchanges();
      for (index_t b = 0; b < many; ++b) {
        if (f.info()[static_cast<std::size_t>(b)] != 0) continue;
        EXPECT_TRUE(same_bits(factors[b], std::as_const(A)[b])) << b;
        for (index_t k = 0; k < steps; ++k)
          EXPECT_EQ(rows[static_cast<std::size_t>(b / 16 * 16 * steps + 16 * k + b % 16)],
                    f.interchanges(b)[k]);
      }
      EXPECT_THROW(solve(d, X), argument_error);
    }
  }
}

TYPED_TEST(DeviceBatch, NothingIsASuccess) {
  using T = TypeParam;
  for (const auto& [count, n] : {std::pair<index_t, index_t>(0, 4), {4, 0}, {0, 0}}) {
    batch<T> A(count, n, n), X(count, n, 2);
    const auto f = try_cholesky(device(), A);
    EXPECT_TRUE(f);
    EXPECT_EQ(static_cast<index_t>(f.info().size()), count);
    EXPECT_TRUE(try_solve(device(), f, X));
    EXPECT_TRUE(try_lu(device(), A));
    EXPECT_TRUE(try_cholesky_solve(device(), A, X));
    device_batch<T, device_backend> D(device(), A.view()), Y(device(), X.view());
    const auto g = cholesky(D);
    solve(g, Y);
    EXPECT_TRUE(g.ok());
    EXPECT_EQ(static_cast<index_t>(g.info().size()), count);
  }
}

/// The name of the argument that a status blames.
std::string blamed(const status& s) {
  return s.kind() == status_kind::invalid_argument ? s.argument() : "";
}

TYPED_TEST(DeviceBatch, JitterIsForCpus) {
  using T = TypeParam;
  const auto all = random_batch<T>(20, 5, 5, true);
  auto A = batch_of(all);
  EXPECT_EQ(blamed(try_cholesky(device(), A, {.jitter = {1}}).status()), "options.jitter");
  for (index_t b = 0; b < 20; ++b)
    EXPECT_TRUE(same_bits(A[b], all[static_cast<std::size_t>(b)].view()));
  device_batch<T, device_backend> D(device(), A.view());
  EXPECT_EQ(blamed(try_cholesky(D, {.jitter = {1}}).status()), "options.jitter");
}

/// LU with an item for each matrix, solves with vectors of them, in one session: the solves also
/// read the interchanges of lanes behind the last matrix.
TEST(DeviceBatchSizes, OneLuByItemsServesSystemsInVectors) {
  if (!device().available()) GTEST_SKIP() << device().available().reason;
  const index_t n = 9;
  for (const index_t count : {1, 3})
    for (const index_t systems : {count, index_t{8}}) {
      if (count > 1 && systems != count) continue;
      const auto all = random_batch<float>(count, n, n), sides = random_batch<float>(systems, n, 1);
      auto A = batch_of(all), X = batch_of(sides);
      device_batch<float, device_backend> D(devices().front(), A.view()), Y(device(), X.view());
      solve(lu(D), Y);
      const auto y = Y.to_host();
      for (index_t b = 0; b < systems; ++b) {
        const auto i = static_cast<std::size_t>(b), of = count > 1 ? i : 0;
        EXPECT_TRUE(within(solve_ratio<float>(all[of].view(), y[b], sides[i].view())))
            << count << " matrices, system " << b;
      }
    }
}

/// Solves in lanes also read the interchanges of lanes behind the last matrix, which LU by groups
/// leaves: of one factor for many systems, there and on the CPU.
TEST(DeviceBatchSizes, OneLuByGroupsServesSystemsInLanes) {
  if (!device().available()) GTEST_SKIP() << device().available().reason;
  const index_t n = 9, count = 19;
  const auto one = random_batch<float>(1, n, n), sides = random_batch<float>(count, n, 1);
  const batch_tuning groups = {
      .kernel = batch_kernel::groups, .panel = 4, .block_height = 16, .block_width = 2};
  auto A = batch_of(one), X = batch_of(sides);
  device_batch<float, device_backend> D(device(), A.view()), Y(device(), X.view());
  const auto f = lu(D, {.tuning = groups});
  solve(f, Y, operation::none, {.tuning = {.kernel = batch_kernel::lanes}});
  const auto g = try_lu(device(), A, {.tuning = groups});
  EXPECT_TRUE(try_solve(backend::serial{}, g, X));
  const auto y = Y.to_host();
  for (index_t b = 0; b < count; ++b) {
    const auto i = static_cast<std::size_t>(b);
    EXPECT_TRUE(within(solve_ratio<float>(one[0].view(), y[b], sides[i].view()))) << b;
    EXPECT_TRUE(within(solve_ratio<float>(one[0].view(), std::as_const(X)[b], sides[i].view())))
        << b;
  }
}

TEST(DeviceBatchSizes, LargeMatricesGoOneByOne) {
  if (!device().available()) GTEST_SKIP() << device().available().reason;
  const auto all = random_batch<float>(2, 257, 257, true), sides = random_batch<float>(2, 257, 1);
  auto A = batch_of(all), B = A, X = batch_of(sides), Y = X;
  A(1, 200, 200) = -1;
  const auto f = try_cholesky(device(), A);
  EXPECT_EQ(f.status(1), status::at(status_kind::not_positive_definite, 200));
  EXPECT_FALSE(try_solve(device(), f, X));
  EXPECT_TRUE(same_bits(X[1], sides[1].view()));
  EXPECT_TRUE(within(solve_ratio<float>(all[0].view(), X[0], sides[0].view())));
  ASSERT_TRUE(try_solve(device(), try_lu(device(), B), Y));
  EXPECT_TRUE(within(solve_ratio<float>(all[1].view(), Y[1], sides[1].view())));
}

#if !TRIFAC_TEST_CUDA_ALONE  // kernels of their own, whose texts are OpenCL's
TEST(DeviceBatchSizes, MoreMatricesThanSixteenBitsCount) {
  if (!device().available()) GTEST_SKIP() << device().available().reason;
  expect_large_batch<float>(device(), {});
}

TEST(DeviceBatchFloats, FastOnesAreAccurate) {
  if (!device().available()) GTEST_SKIP() << device().available().reason;
  const index_t n = 9, bad = 20;
  auto all = random_batch<float>(many, n, n, true);
  spoil(all[bad], damage::negative, 4);
  const auto sides = random_batch<float>(many, n, 1);
  auto A = batch_of(all), X = batch_of(sides);
  const auto f = try_cholesky(device(), A, {.floats = float_model::fast});
  EXPECT_EQ(f.failed_count(), 1);
  EXPECT_EQ(f.status(bad), status::at(status_kind::not_positive_definite, 4));
  EXPECT_EQ(try_solve(device(), f, X, operation::none, {.floats = float_model::fast}), f.status());
  for (index_t b = 0; b < many; ++b) {
    const auto i = static_cast<std::size_t>(b);
    if (b == bad) {
      EXPECT_TRUE(same_bits(std::as_const(X)[b], sides[i].view()));
      continue;
    }
    EXPECT_TRUE(within(cholesky_ratio<float>(all[i].view(), triangle::lower, std::as_const(A)[b])));
    EXPECT_TRUE(within(solve_ratio<float>(all[i].view(), std::as_const(X)[b], sides[i].view())));
  }
}

#endif

TEST(DeviceBatchArguments, TheCallersInfoIsWrittenForEachMatrix) {
  if (!device().available()) GTEST_SKIP() << device().available().reason;
  for (const auto& on : devices())
    for (const index_t n : {0, 5, 260})
      for (const auto& how : {batch_layout(), batch_layout::canonical()})
        expect_info_written<float>(on, n, how);
}

TEST(DeviceBatchArguments, AreNamedAndNothingIsTouched) {
  if (!device().available()) GTEST_SKIP() << device().available().reason;
  const auto all = random_batch<float>(20, 5, 5, true);
  auto A = batch_of(all), B = A;
  std::vector<std::int32_t> few(19);
  EXPECT_EQ(blamed(try_cholesky(device(), A, {.info = few}).status()), "options.info");
  EXPECT_EQ(blamed(try_lu(device(), A, {.pivoting = pivoting::tournament}).status()),
            "options.pivoting");
  const auto with = [&](const batch_tuning& t) {
    return blamed(try_cholesky(device(), A, {.tuning = t}).status());
  };
  EXPECT_EQ(with({.tile = 9}), "options.tuning.tile");
  EXPECT_EQ(with({.tile = -1}), "options.tuning.tile");
  EXPECT_EQ(with({.chunk = 24}), "options.tuning.chunk");
  EXPECT_EQ(with({.chunks = batch_chunks::unchunked, .chunk = 32}), "options.tuning.chunk");
  EXPECT_EQ(blamed(try_lu(device(), A, {.tuning = {.looking = looking_order::top}}).status()),
            "options.tuning.looking");
  batch<float> large(2, 40, 40);
  EXPECT_EQ(
      blamed(try_cholesky(device(), large, {.tuning = {.outer = outer_loops::unrolled}}).status()),
      "options.tuning.outer");
  const auto groups = [&](batch_tuning t) {
    t.kernel = batch_kernel::groups;
    return with(t);
  };
  EXPECT_EQ(with({.panel = 2}), "options.tuning.panel");
  EXPECT_EQ(groups({.tile = 2}), "options.tuning.tile");
  EXPECT_EQ(groups({.looking = looking_order::top}), "options.tuning.looking");
  EXPECT_EQ(groups({.chunk = 32}), "options.tuning.chunk");
  EXPECT_EQ(groups({.panel = 6}), "options.tuning.panel");
  EXPECT_EQ(groups({.block_height = 24}), "options.tuning.block_height");
  EXPECT_EQ(groups({.block_height = 4, .block_width = 4}), "options.tuning.block_height");
  EXPECT_EQ(groups({.block_width = 3}), "options.tuning.block_width");
  EXPECT_EQ(groups({.systems = 4}), "options.tuning.systems");
  EXPECT_EQ(groups({.block_height = 1024, .block_width = 1024}), "options.tuning.block_height");
  const auto lu_groups = [&](batch_tuning t, index_t m, index_t n) {
    t.kernel = batch_kernel::groups;
    batch<float> C(2, m, n);
    return blamed(try_lu(device(), C, {.tuning = t}).status());
  };
  EXPECT_EQ(lu_groups({.panel = 6}, 9, 5), "options.tuning.panel");
  EXPECT_EQ(lu_groups({.panel = 5, .block_height = 5}, 9, 5), "options.tuning.block_height");
  EXPECT_EQ(lu_groups({.block_height = 4, .block_width = 4}, 5, 5), "options.tuning.block_height");
  EXPECT_EQ(lu_groups({.panel = 200, .block_height = 1, .block_width = 32}, 256, 256),
            "options.tuning.panel");
  EXPECT_EQ(lu_groups({.looking = looking_order::top}, 5, 5), "options.tuning.looking");
  EXPECT_EQ(lu_groups({.systems = 4}, 5, 5), "options.tuning.systems");
  EXPECT_EQ(blamed(try_cholesky(A, {.tuning = {.systems = 2}}).status()), "options.tuning.systems");
  auto X = batch_of(random_batch<float>(19, 5, 1));
  EXPECT_EQ(blamed(try_cholesky_solve(device(), A, X).status()), "B");
  EXPECT_EQ(blamed(try_cholesky_solve(device(), A, B, X).status()), "X");
  EXPECT_EQ(blamed(try_cholesky_solve(device(), A, B, {.tuning = {.systems = 2}}).status()),
            "options.tuning.systems");
  EXPECT_EQ(blamed(try_lu_solve(device(), A, A).status()), "B");
  for (index_t b = 0; b < 20; ++b) EXPECT_TRUE(same_bits(A[b], B[b]));

  using resident = device_batch<float, device_backend>;
  const auto thrown = [](auto call) -> std::string {
    try {
      call();
    } catch (const argument_error& e) {
      return e.argument();
    }
    return "";
  };
  resident D(device(), A.view()), Y(device(), X.view()), wide(device(), 2, 300, 300);
  const auto f = cholesky(D);
  EXPECT_EQ(thrown([&] { solve(f, Y); }), "B");
  EXPECT_EQ(thrown([&] { solve(f, D); }), "B");
  EXPECT_EQ(thrown([&] { static_cast<void>(cholesky(wide)); }), "A");
  EXPECT_EQ(thrown([&] { static_cast<void>(lu(wide)); }), "A");
  EXPECT_EQ(thrown([&] { static_cast<void>(cholesky(Y)); }), "A");
  EXPECT_EQ(thrown([&] { static_cast<void>(cholesky(D, {.tuning = {.chunk = 32}})); }),
            "options.tuning.chunk");
  EXPECT_EQ(thrown([&] { resident(device(), -1, 2, 2); }), "count, rows, cols");
  EXPECT_EQ(thrown([&] { resident(device(), 4, 2, 2, {.chunk = -2}); }), "layout.chunk");
  EXPECT_EQ(thrown([&] { D.assign(X.view()); }), "A");
  EXPECT_EQ(blamed(try_solve(f, Y)), "B");
  EXPECT_EQ(blamed(try_solve(f, D, Y)), "X");
  const auto g = try_cholesky(wide);
  const auto h = try_lu(D, {.pivoting = pivoting::tournament});
  EXPECT_EQ(blamed(g.status()), "A");
  EXPECT_EQ(blamed(g.status(1)), "A");
  EXPECT_TRUE(g.info().empty());
  EXPECT_EQ(blamed(h.status()), "options.pivoting");
  EXPECT_TRUE(h.interchanges().empty());
  EXPECT_EQ(blamed(try_solve(h, D)), "options.pivoting");
  EXPECT_EQ(try_cholesky(device_backend(), A).status().kind(), status_kind::backend_failure);
}

// Above order 256 each matrix has a call of its own: what the device refuses is said in its words.
TEST(DeviceBatchErrors, AreThoseOfOneMatrixAboveOrder256) {
  if (!device().available()) GTEST_SKIP() << device().available().reason;
  if (!device::works_on_host_memory(device().session())) GTEST_SKIP() << "the device has a copy";
  // 2 TiB from the first element to the last; refused before any is touched.
  double first = 0;
  const auto wide = strided(&first, 2, 300, 300, index_t{1} << 30, 300);
  const status expected = try_cholesky(device(), wide[0]).status();
  EXPECT_FALSE(expected.of_the_matrix());
  EXPECT_NE(std::string(expected.message()).find("CL_DEVICE_MAX_MEM_ALLOC_SIZE"),
            std::string::npos);
  matrix<double> X(300, 1);
  const auto B = strided(X.data(), 1, 300, 1, 300, 300);
  const auto is_expected = [&](const status& s) {
    EXPECT_EQ(s.kind(), expected.kind());
    EXPECT_STREQ(s.message().c_str(), expected.message().c_str());
  };
  is_expected(try_cholesky(device(), wide).status());
  is_expected(try_lu(device(), wide).status());
  is_expected(try_cholesky_solve(device(), wide.matrices(0, 1), B).status());
  is_expected(try_lu_solve(device(), wide.matrices(0, 1), B).status());
}

TEST(DeviceBatchProfile, GivesWhatTheCallerDoesNotName) {
  if (!device().available()) GTEST_SKIP() << device().available().reason;
  // What no other test compiles.
  const batch_tuning tile = {.tile = 7}, groups = {.kernel = batch_kernel::groups, .panel = 11},
                     systems = {.kernel = batch_kernel::groups, .systems = 3};
  profile measured;
  measured.batches.push_back(
      {profile_device(device()),
       {{batch_operation::cholesky, 's', batch_place::strided, 20, tile},
        {batch_operation::lu, 's', batch_place::chunked, 8, groups},
        {batch_operation::solve, 's', batch_place::chunked, 8, systems},
        {batch_operation::cholesky, 'd', batch_place::strided, 8, {.chunk = 32}}}});
  const auto C = batch_of(random_batch<float>(20, 20, 20, true));
  const batch<float> A(C.view(), batch_layout::canonical());
  const auto tuned = [&](const batch_view<const float>& M, batch_operation op,
                         const batch_tuning& asked = {}) {
    return detail::tuned_batch(device(), asked, &measured, op, M);
  };
  EXPECT_EQ(tuned(A, batch_operation::cholesky), tile);
  EXPECT_EQ(tuned(A, batch_operation::cholesky, groups), groups);
  EXPECT_EQ(tuned(C, batch_operation::lu), groups);
  EXPECT_EQ(tuned(C, batch_operation::solve), systems);
  EXPECT_EQ(tuned(C, batch_operation::cholesky), batch_tuning());
  const batch<float> tall(20, 24, 20);  // only square matrices are measured
  EXPECT_EQ(tuned(tall, batch_operation::lu), batch_tuning());
  // The calls take it: they make the program of a call that names the same.
  const auto programs_of = [&](const auto& call) {
    const std::size_t before = device().session().runtime.programs();
    EXPECT_TRUE(call().ok());
    return device().session().runtime.programs() - before;
  };
  const auto cholesky_with = [&](const batch_cholesky_options& options) {
    return programs_of([&] {
      batch<float> L = A;
      return try_cholesky(device(), L, options).status();
    });
  };
  const auto lu_with = [&](const batch_lu_options& options) {
    return programs_of([&] {
      auto LU = C;
      return try_lu(device(), LU, options).status();
    });
  };
  auto L = C;
  const auto f = cholesky(backend::serial{}, L);
  const auto solve_with = [&](const batch_solve_options& options) {
    return programs_of([&] {
      auto X = C;
      return try_solve(device(), f, X, operation::none, options);
    });
  };
  EXPECT_GT(cholesky_with({.profile = &measured}), 0u);
  EXPECT_EQ(cholesky_with({.tuning = tile}), 0u);
  EXPECT_GT(lu_with({.profile = &measured}), 0u);
  EXPECT_EQ(lu_with({.tuning = groups}), 0u);
  EXPECT_GT(solve_with({.profile = &measured}), 0u);
  EXPECT_EQ(solve_with({.tuning = systems}), 0u);
  // What it says of chunks is for batches of the host: a batch that stays has its own.
  device_batch<double, device_backend> D(device(), batch_of(random_batch<double>(3, 8, 8, true)),
                                         batch_layout::canonical());
  EXPECT_TRUE(cholesky(D, {.profile = &measured}).ok());
  measured.batches[0].device += "0";  // another driver
  EXPECT_EQ(tuned(A, batch_operation::cholesky), batch_tuning());
}

// A finding holds for larger orders up to the next one, where it suits them.
TEST(DeviceBatchProfile, PassesOverWhatDoesNotSuitALargerOrder) {
  if (!device().available()) GTEST_SKIP() << device().available().reason;
  const batch_tuning unrolled = {.outer = outer_loops::unrolled},
                     rows = {.kernel = batch_kernel::groups,
                             .panel = 12,
                             .block_height = 12,
                             .block_width = 8};
  profile measured;
  measured.batches.push_back({profile_device(device()),
                              {{batch_operation::cholesky, 'd', batch_place::strided, 8, unrolled},
                               {batch_operation::lu, 'd', batch_place::strided, 12, rows}}});
  const auto tuned = [&](batch_operation op, index_t n) {
    const batch<double> A(3, n, n, batch_layout::canonical());
    return detail::tuned_batch(device(), {}, &measured, op, A.view());
  };
  const auto own = [&](batch_operation op, index_t n) {
    const batch<double> A(3, n, n, batch_layout::canonical());
    return detail::tuned_batch(device(), {}, nullptr, op, A.view());
  };
  EXPECT_EQ(tuned(batch_operation::cholesky, 32), unrolled);
  EXPECT_EQ(tuned(batch_operation::cholesky, 33), own(batch_operation::cholesky, 33));
  EXPECT_EQ(tuned(batch_operation::lu, 12), rows);
  EXPECT_EQ(tuned(batch_operation::lu, 13), own(batch_operation::lu, 13));
  const auto M = batch_of(random_batch<double>(3, 40, 40, true));
  batch<double> A(M.view(), batch_layout::canonical());
  EXPECT_TRUE(cholesky(device(), A, {.profile = &measured}).ok());
}

}  // namespace
}  // namespace trifac::test
