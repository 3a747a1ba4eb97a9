// Batches of different sizes: the bits of a batch of one size, whatever the order, the neighbours
// and the threads; bad matrices; leading dimensions and right-hand sides of all kinds; the
// arguments.

#include "trifac/varied_batch.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <limits>
#include <string>
#include <vector>

#include "backends.hpp"
#include "support/batches.hpp"
#include "support/layouts.hpp"
#include "support/matrices.hpp"
#include "support/random.hpp"
#include "support/residual.hpp"
#include "support/scalars.hpp"

namespace trifac::test {
namespace {

template <class T>
class Varied : public testing::Test {};
TYPED_TEST_SUITE(Varied, lapack_scalars, scalar_names);

/// Matrices in memory of their own, the next one where the last one ends: columns may have padding.
/// That and what lies in front and behind is NaN, and must stay as it is.
template <class T>
struct varied_matrices {
  std::vector<index_t> rows, cols, lds;
  std::vector<T> memory, before;
  std::vector<T*> where;

  explicit varied_matrices(const std::vector<matrix<T>>& all, index_t padding = 0) {
    std::vector<std::size_t> offsets;
    constexpr std::size_t guards = 64;
    std::size_t size = guards;
    for (std::size_t b = 0; b < all.size(); ++b) {
      rows.push_back(all[b].rows());
      cols.push_back(all[b].cols());
      lds.push_back(std::max<index_t>(1, all[b].rows() + static_cast<index_t>(b % 3) * padding));
      offsets.push_back(size);
      size += static_cast<std::size_t>(lds[b] * cols[b]);
    }
    memory.assign(size + guards, T(std::numeric_limits<real_t<T>>::quiet_NaN()));
    for (std::size_t b = 0; b < all.size(); ++b) {
      where.push_back(all[b].empty() ? nullptr : memory.data() + offsets[b]);
      for (index_t j = 0; j < cols[b]; ++j)
        for (index_t i = 0; i < rows[b]; ++i) where[b][i + j * lds[b]] = all[b](i, j);
    }
    before = memory;
  }
  /// With NaN in the triangle that is not read.
  varied_matrices(const std::vector<matrix<T>>& all, index_t padding, triangle part)
      : varied_matrices(all, padding) {
    for (std::size_t b = 0; b < all.size(); ++b) spoil(alone(b), other_triangle(part));
    before = memory;
  }
  varied_matrices(const varied_matrices&) = delete;

  varied_view<T> view() const { return {where, rows, cols, lds}; }
  matrix_view<T> operator[](std::size_t b) const { return view()[static_cast<index_t>(b)]; }
  /// Matrix b as a batch of one.
  batch_view<T> alone(std::size_t b) const {
    return {where.data() + b, 1, rows[b], cols[b], 1, lds[b]};
  }

  /// Whether every bit outside the elements (i, j) with may_change(i, j) is as at the start.
  template <class MayChange>
  testing::AssertionResult untouched_except(MayChange may_change) const {
    std::vector<T> expected = before;
    for (std::size_t b = 0; b < where.size(); ++b)
      for (index_t j = 0; j < cols[b]; ++j)
        for (index_t i = 0; i < rows[b]; ++i)
          if (may_change(i, j)) {
            const T& x = where[b][i + j * lds[b]];
            expected[static_cast<std::size_t>(&x - memory.data())] = x;
          }
    for (std::size_t k = 0; k < memory.size(); ++k)
      if (!same_element(expected[k], memory[k]))
        return testing::AssertionFailure() << "element " << k << " of the memory was changed from "
                                           << expected[k] << " to " << memory[k];
    return testing::AssertionSuccess();
  }
  testing::AssertionResult untouched() const {
    return untouched_except([](index_t, index_t) { return false; });
  }
  testing::AssertionResult guards_untouched() const {
    return untouched_except([](index_t, index_t) { return true; });
  }
};

/// Every order of lanes and some beyond, in any order, most of them more than once.
std::vector<index_t> mixed_orders() {
  std::vector<index_t> orders = {0, 260, 1, 2, 0, 70, 130, 49, 50, 64, 65, 1, 2, 33};
  random_source random(3301);
  for (int b = 0; b < 60; ++b)
    orders.push_back(static_cast<index_t>(9.5 + 9 * random.uniform<double>()));
  return orders;
}

template <class T>
std::vector<matrix<T>> definite_matrices(const std::vector<index_t>& orders) {
  random_source random(3302);
  std::vector<matrix<T>> all;
  for (const index_t n : orders) all.push_back(random_spd<T>(random, n));
  return all;
}
template <class T>
std::vector<matrix<T>> any_matrices(const std::vector<index_t>& rows,
                                    const std::vector<index_t>& cols) {
  random_source random(3303);
  std::vector<matrix<T>> all;
  for (std::size_t b = 0; b < rows.size(); ++b)
    all.push_back(random_matrix<T>(random, rows[b], cols[b]));
  return all;
}

/// visit(backend) for each backend of the CPU that takes batches, with 1, 2 and 3 threads.
template <class Visit>
void for_each_team_of_batches(Visit visit) {
  visit(backend::serial{});
  for (const int threads : {1, 2, 3}) {
    visit(backend::threads{.threads = threads});
    if (backend::openmp{}.available()) visit(backend::openmp{.threads = threads});
  }
}

TYPED_TEST(Varied, CholeskyHasTheBitsOfTheBatchOfItsSize) {
  using T = TypeParam;
  const auto orders = mixed_orders();
  const auto all = definite_matrices<T>(orders);
  const auto sides = any_matrices<T>(orders, std::vector<index_t>(orders.size(), 2));
  for (const triangle part : {triangle::lower, triangle::upper})
    for (const index_t padding : {0, 3}) {
      varied_matrices<T> expected(all, padding, part), solved(sides);
      for (std::size_t b = 0; b < all.size(); ++b) {
        const auto f = try_cholesky(expected.alone(b), {.part = part});
        ASSERT_TRUE(f && try_solve(f, solved.alone(b)));
      }
      for_each_team_of_batches([&](const auto& on) {
        SCOPED_TRACE(testing::Message() << on.name << ", padding " << padding);
        varied_matrices<T> A(all, padding, part), X(sides, padding), B(all, 0, part), Y(sides);
        const auto f = cholesky(on, A.view(), {.part = part});
        ASSERT_TRUE(f);
        EXPECT_EQ(f.batch(), static_cast<index_t>(all.size()));
        solve(on, f, X.view());
        ASSERT_TRUE(cholesky_solve(on, B.view(), Y.view(), {.part = part}));
        EXPECT_TRUE(A.untouched_except(in_triangle(part)));
        EXPECT_TRUE(B.untouched_except(in_triangle(part)));
        EXPECT_TRUE(X.guards_untouched());
        EXPECT_TRUE(Y.guards_untouched());
        for (std::size_t b = 0; b < all.size(); ++b) {
          EXPECT_TRUE(same_bits(A[b], expected[b])) << b;
          EXPECT_TRUE(same_bits(B[b], expected[b])) << b;
          EXPECT_TRUE(same_bits(X[b], solved[b])) << b;
          EXPECT_TRUE(same_bits(Y[b], solved[b])) << b;
          EXPECT_EQ(f[static_cast<index_t>(b)].rows(), orders[b]);
          EXPECT_TRUE(within(cholesky_ratio<T>(all[b].view(), part, A[b]))) << b;
          EXPECT_TRUE(within(solve_ratio<T>(all[b].view(), X[b], sides[b].view()))) << b;
        }
      });
    }
}

TYPED_TEST(Varied, LuHasTheBitsOfTheBatchOfItsSize) {
  using T = TypeParam;
  const auto orders = mixed_orders();
  const auto sides = any_matrices<T>(orders, std::vector<index_t>(orders.size(), 1));
  for (const pivoting p : {pivoting::partial, pivoting::none})
    for (const operation op : {operation::none, operation::transpose, operation::adjoint}) {
      const auto all =
          p == pivoting::none ? definite_matrices<T>(orders) : any_matrices<T>(orders, orders);
      varied_matrices<T> expected(all), solved(sides);
      std::vector<pivots> rows;
      for (std::size_t b = 0; b < all.size(); ++b) {
        const auto f = try_lu(expected.alone(b), {.pivoting = p});
        ASSERT_TRUE(f && try_solve(f, solved.alone(b), op));
        rows.push_back(f[0].interchanges());
      }
      for_each_team_of_batches([&](const auto& on) {
        SCOPED_TRACE(on.name);
        varied_matrices<T> A(all), X(sides, 2), B(all), Y(sides);
        const auto f = lu(on, A.view(), {.pivoting = p});
        ASSERT_TRUE(f);
        solve(on, f, X.view(), op);
        ASSERT_TRUE(lu_solve(on, B.view(), Y.view(), {.pivoting = p}));
        for (const auto* guarded : {&A, &X, &B, &Y}) EXPECT_TRUE(guarded->guards_untouched());
        for (std::size_t b = 0; b < all.size(); ++b) {
          EXPECT_TRUE(same_bits(A[b], expected[b])) << b;
          EXPECT_TRUE(same_bits(B[b], expected[b])) << b;
          EXPECT_EQ(f[static_cast<index_t>(b)].interchanges(), rows[b]) << b;
          EXPECT_TRUE(same_bits(X[b], solved[b])) << b;
          EXPECT_TRUE(op != operation::none || same_bits(Y[b], solved[b])) << b;
          EXPECT_TRUE(within(lu_ratio<T>(all[b].view(), A[b], rows[b].span()))) << b;
          const matrix<T> turned = applied<T>(op, all[b].view());
          EXPECT_TRUE(within(solve_ratio<T>(turned.view(), X[b], sides[b].view()))) << b;
        }
      });
    }
}

TYPED_TEST(Varied, RectanglesAndRightHandSidesOfAllShapes) {
  using T = TypeParam;
  const std::vector<index_t> rows = {5, 12, 5, 1, 0, 9, 12, 60, 5},
                             cols = {12, 5, 12, 7, 3, 9, 5, 55, 0};
  const auto all = any_matrices<T>(rows, cols);
  varied_matrices<T> A(all, 2), expected(all, 2);
  const auto f = lu(backend::threads{.threads = 2}, A.view());
  ASSERT_TRUE(f);
  EXPECT_TRUE(A.guards_untouched());
  for (std::size_t b = 0; b < all.size(); ++b) {
    const auto g = try_lu(expected.alone(b));
    EXPECT_TRUE(same_bits(A[b], expected[b])) << b;
    EXPECT_EQ(f[static_cast<index_t>(b)].interchanges(), g[0].interchanges()) << b;
  }

  const std::vector<index_t> orders(30, 20), one_order = orders;
  std::vector<index_t> columns;
  for (index_t b = 0; b < 30; ++b) columns.push_back(b % 5 * (b % 3));
  const auto spd = definite_matrices<T>(orders), sides = any_matrices<T>(orders, columns);
  varied_matrices<T> L(spd), X(sides, 4), M(spd), Y(sides, 4), K(spd), Z(sides, 4);
  const auto g = cholesky(L.view());
  solve(g, X.view());
  ASSERT_TRUE(cholesky_solve(M.view(), Y.view()));
  for (const auto* guarded : {&L, &X, &M, &Y}) EXPECT_TRUE(guarded->guards_untouched());
  for (std::size_t b = 0; b < spd.size(); ++b) {
    ASSERT_TRUE(try_solve(try_cholesky(K.alone(b)), Z.alone(b)));
    EXPECT_TRUE(same_bits(X[b], Z[b])) << b;
    EXPECT_TRUE(same_bits(Y[b], Z[b])) << b;
  }
}

/// Parts of a group begin at any matrix of a group of lanes, and interchanges with them.
TYPED_TEST(Varied, RightHandSidesChangeTheirShapeWithinAGroup) {
  using T = TypeParam;
  constexpr std::size_t count = 40;
  for (const index_t n : {1, 4, 7, 33, 70})
    for (const std::size_t first : {1, 8, 9, 12, 16, 31})
      for (const operation op : {operation::none, operation::adjoint}) {
        SCOPED_TRACE(testing::Message() << "n = " << n << ", first = " << first);
        const std::vector<index_t> orders(count, n);
        std::vector<index_t> columns(count, 2);
        std::fill_n(columns.begin(), first, 1);
        const auto all = any_matrices<T>(orders, orders), sides = any_matrices<T>(orders, columns);
        varied_matrices<T> A(all), B(all), X(sides), Y(sides), Z(sides, 3);
        const auto f = try_lu(backend::threads{.threads = 2}, A.view());
        ASSERT_TRUE(f);
        ASSERT_TRUE(try_solve(f, X.view(), op));
        ASSERT_TRUE(try_solve(f, Z.view(), op));  // leading dimensions change each time
        EXPECT_TRUE(X.guards_untouched());
        EXPECT_TRUE(Z.guards_untouched());
        for (std::size_t b = 0; b < count; ++b) {
          ASSERT_TRUE(try_solve(try_lu(B.alone(b)), Y.alone(b), op));
          EXPECT_TRUE(same_bits(X[b], Y[b])) << b;
          EXPECT_TRUE(same_bits(Z[b], Y[b])) << b;
        }
      }
}

TYPED_TEST(Varied, BadMatricesAreToldAndTheOthersHaveTheirBits) {
  using T = TypeParam;
  using R = real_t<T>;
  std::vector<index_t> orders;
  for (index_t n = 1; n <= 20; ++n)
    for (index_t k = 0; k < 3; ++k) orders.push_back(n);
  auto all = definite_matrices<T>(orders);
  const std::size_t count = all.size();
  // Each third matrix at its last column; those of order 11 … 20 at column 0 … 9.
  for (std::size_t b = 0; b < count; b += 3) {
    const index_t k = b < 30 ? orders[b] - 1 : static_cast<index_t>((b - 30) / 3);
    all[b](k, k) = T(R(-1));
  }
  all[10](1, 1) = T(std::numeric_limits<R>::quiet_NaN());
  all[13](0, 0) = T(std::numeric_limits<R>::infinity());
  const auto sides = any_matrices<T>(orders, std::vector<index_t>(count, 1));
  std::vector<std::int32_t> info(count, 77);
  varied_matrices<T> A(all), X(sides), B(all), Y(sides), expected(all), solved(sides);
  const auto f = try_cholesky(backend::threads{.threads = 2}, A.view(), {.info = info});
  const auto outcome = try_cholesky_solve(B.view(), Y.view());
  EXPECT_EQ(try_solve(f, X.view()), f.status());
  EXPECT_TRUE(A.untouched_except(in_triangle(triangle::lower)));
  EXPECT_TRUE(B.untouched_except(in_triangle(triangle::lower)));
  EXPECT_TRUE(X.guards_untouched());
  EXPECT_TRUE(Y.guards_untouched());
  index_t failed = 0;
  for (std::size_t b = 0; b < count; ++b) {
    const auto i = static_cast<index_t>(b);
    const auto g = try_cholesky(expected.alone(b));
    EXPECT_EQ(f.status(i), g.status(0)) << b;
    EXPECT_EQ(outcome.status(i), g.status(0)) << b;
    EXPECT_EQ(f[i].status(), g.status(0)) << b;
    EXPECT_EQ(info[b], g.info()[0]) << b;
    failed += !g.ok();
    static_cast<void>(try_solve(g, solved.alone(b)));
    EXPECT_TRUE(same_bits(X[b], solved[b])) << b;
    EXPECT_TRUE(same_bits(Y[b], solved[b])) << b;
    EXPECT_TRUE(!g.ok() || same_bits(A[b], expected[b])) << b;
  }
  EXPECT_EQ(f.status(30), status::at(status_kind::not_positive_definite, 0));
  EXPECT_EQ(f.status(10), status::at(status_kind::not_finite, 1));
  EXPECT_FALSE(f.status(13));
  EXPECT_EQ(f.failed_count(), failed);
  EXPECT_EQ(f.first_failure(), 0);

  all[31] = matrix<T>(11, 11);  // singular
  varied_matrices<T> C(all), Z(sides), kept(sides);
  const auto h = try_lu(C.view());
  EXPECT_EQ(h.status(31), status::at(status_kind::singular, 0));
  EXPECT_EQ(h.status(10).kind(), status_kind::not_finite);
  EXPECT_FALSE(try_solve(h, Z.view()));
  for (const std::size_t b : {10u, 13u, 31u}) EXPECT_TRUE(same_bits(Z[b], kept[b]));
}

TYPED_TEST(Varied, JitterOfEachMatrix) {
  using T = TypeParam;
  auto all = definite_matrices<T>({4, 9, 4, 70, 9, 257});
  for (const std::size_t b : {1u, 2u, 3u, 5u}) all[b](2, 2) = T(real_t<T>(-1));
  const cholesky_jitter jitter = {.first = 0.01};
  varied_matrices<T> A(all, 3, triangle::lower), expected(all, 3, triangle::lower);
  const auto f = cholesky(A.view(), {.jitter = jitter});
  ASSERT_TRUE(f);
  EXPECT_TRUE(A.untouched_except(in_triangle(triangle::lower)));
  for (std::size_t b = 0; b < all.size(); ++b) {
    const auto g = try_cholesky(expected.alone(b), {.jitter = jitter});
    EXPECT_EQ(f.shift(static_cast<index_t>(b)), g.shift(0));
    EXPECT_EQ(g.shift(0) > 0, b != 0 && b != 4) << b;
    EXPECT_TRUE(same_bits(A[b], expected[b])) << b;
  }
}

TYPED_TEST(Varied, NothingIsASuccess) {
  using T = TypeParam;
  const std::vector<T*> none, nowhere(3);
  const std::vector<index_t> no_sizes, zeros(3);
  for (const auto& [A, X] :
       {std::pair(varied_view<T>(none, no_sizes, no_sizes), varied_view<T>(none, no_sizes, 2)),
        {varied_view<T>(nowhere, zeros, zeros), varied_view<T>(nowhere, zeros, 2)}}) {
    const auto f = try_cholesky(A);
    const auto g = try_lu(A);
    EXPECT_TRUE(f && g && try_solve(f, X) && try_solve(g, X));
    EXPECT_EQ(static_cast<index_t>(f.info().size()), A.batch());
    EXPECT_TRUE(try_cholesky_solve(A, X) && try_lu_solve(A, X));
    EXPECT_STREQ(try_cholesky(A, {.part = static_cast<triangle>(7)}).status().argument(),
                 "options.part");
    EXPECT_STREQ(try_lu_solve(A, X, {.pivoting = pivoting::tournament}).status().argument(),
                 "options.pivoting");
  }
  EXPECT_EQ(varied_cholesky_factor<T>().status().kind(), status_kind::empty);
}

TYPED_TEST(Varied, WrongArgumentsAreNamedAndNothingIsTouched) {
  using T = TypeParam;
  const std::vector<index_t> orders = {4, 40, 7, 4};
  const auto all = definite_matrices<T>(orders);
  const auto sides = any_matrices<T>(orders, {1, 1, 1, 1});
  varied_matrices<T> A(all, 1), X(sides), same_A(all, 1);
  const auto blamed = [](const status& s) {
    return std::string(s.kind() == status_kind::invalid_argument ? s.argument() : "");
  };
  const auto expect_bad = [&](const varied_view<T>& bad) {
    EXPECT_EQ(blamed(try_cholesky(bad).status()), "A");
    EXPECT_EQ(blamed(try_lu(bad).status()), "A");
    EXPECT_EQ(blamed(try_lu_solve(bad, X.view()).status()), "A");
    EXPECT_THROW(static_cast<void>(lu(bad)), argument_error);
  };
  auto sizes = A.rows, lds = A.lds;
  auto where = A.where;
  const auto view = [&] { return varied(where, sizes, lds); };
  sizes[2] = -1;
  expect_bad(view());
  sizes = A.rows;
  for (const index_t bad : {39, 0, -40}) {
    lds[1] = bad;
    expect_bad(view());
  }
  lds = A.lds;
  where[3] = nullptr;
  expect_bad(view());
  where = A.where;
  where[3] = where[0];  // the same matrix twice, not side by side
  expect_bad(view());
  where[3] = where[2] + 3;
  expect_bad(view());
  where = A.where;
  sizes.pop_back();
  expect_bad(view());
  sizes = A.rows;
  const std::vector<index_t> wide = {4, 41, 7, 4};
  EXPECT_EQ(blamed(try_cholesky(varied(where, sizes, wide, lds)).status()), "A");

  const auto f = try_cholesky(same_A.view());
  EXPECT_EQ(blamed(try_solve(f, varied(X.where, A.rows, 2))), "B");      // overlaps itself
  EXPECT_EQ(blamed(try_solve(f, same_A.view())), "B");                   // overlaps the factors
  EXPECT_EQ(blamed(try_solve(f, varied(X.where, wide, 1, wide))), "B");  // rows
  EXPECT_EQ(blamed(try_solve(f, X.view(), static_cast<operation>(9))), "op");
  EXPECT_EQ(blamed(try_cholesky_solve(A.view(), A.view()).status()), "B");
  EXPECT_EQ(blamed(try_solve(varied_lu_factor<T>(), X.view())), "factor");
  std::vector<std::int32_t> few(3), rows(1000);
  std::vector<std::byte> small(8);
  EXPECT_EQ(blamed(try_lu(A.view(), {.info = few}).status()), "options.info");
  EXPECT_EQ(blamed(try_lu(A.view(), {.interchanges = rows}).status()), "options.interchanges");
  EXPECT_EQ(blamed(try_lu(A.view(), {.pivoting = pivoting::tournament}).status()),
            "options.pivoting");
  EXPECT_EQ(blamed(try_cholesky(A.view(), {.part = static_cast<triangle>(7)}).status()),
            "options.part");
  EXPECT_EQ(blamed(try_cholesky(A.view(), {.tuning = {.tile = 4}}).status()),
            "options.tuning.tile");
  EXPECT_EQ(blamed(try_cholesky_solve(A.view(), X.view(), {.jitter = {1}}).status()),
            "options.jitter");
  EXPECT_EQ(blamed(try_cholesky(backend::threads{.threads = -1}, A.view()).status()),
            "backend.threads");
  if (simd::has_kernels<T> && batch_workspace_bytes<T>(40, 40) > 0) {
    EXPECT_EQ(blamed(try_lu(A.view(), {.workspace = small}).status()), "options.workspace");
    guarded_workspace enough(batch_workspace_bytes<T>(40, 40, 1));
    varied_matrices<T> B(all), Y(sides);
    EXPECT_TRUE(try_cholesky_solve(B.view(), Y.view(), {.workspace = enough.given()}));
    EXPECT_TRUE(try_lu(B.view(), {.workspace = enough.given()}).status().of_the_matrix());
    EXPECT_TRUE(enough.guards_untouched());
  }
  EXPECT_TRUE(A.untouched());
  EXPECT_TRUE(X.untouched());
}

TEST(VariedFactor, IsEmptyOnceItWasMovedFrom) {
  std::vector<double> memory = {4, 9};
  const std::vector<double*> where = {&memory[0], &memory[1]};
  const std::vector<index_t> ones = {1, 1};
  auto f = cholesky(varied(where, ones));
  const auto g = std::move(f);
  EXPECT_EQ(f.status().kind(), status_kind::empty);  // NOLINT(bugprone-use-after-move)
  ASSERT_TRUE(g);
  EXPECT_EQ(memory[1], 3);
  EXPECT_EQ(g[1].rows(), 1);
}

}  // namespace
}  // namespace trifac::test
