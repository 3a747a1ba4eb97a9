// Batches of real matrices; sizes, workspace and arguments of all.

#include <complex>

#define TRIFAC_TEST_SCALAR double
#include "support/batch_after_suite.hpp"
#include "support/sanitizers.hpp"
#include "trifac/backend/timed.hpp"

namespace trifac::test {
namespace {

TEST(BatchSizes, NothingIsASuccess) {
  for (const auto& [count, n] : {std::pair<index_t, index_t>(0, 4), {4, 0}, {0, 0}}) {
    batch<double> A(count, n, n), X(count, n, 2);
    const auto f = try_cholesky(A);
    EXPECT_TRUE(f);
    EXPECT_EQ(static_cast<index_t>(f.info().size()), count);
    EXPECT_TRUE(try_solve(f, X));
    EXPECT_TRUE(try_lu(A));
  }
  EXPECT_EQ((batch_cholesky_factor<double>()).status().kind(), status_kind::empty);
}

TEST(BatchSizes, OneCallForLargeMatricesAndWrongArguments) {
  const auto all = random_batch<double>(2, 257, 257, true), sides = random_batch<double>(2, 257, 1);
  auto A = batch_of(all), B = A, X = batch_of(sides), Y = X;
  B(1, 200, 200) = -1;
  EXPECT_TRUE(try_lu_solve(A, X));
  EXPECT_EQ(try_cholesky_solve(B, Y).status(1),
            status::at(status_kind::not_positive_definite, 200));
  for (const std::size_t b : {0u, 1u})
    EXPECT_TRUE(within(solve_ratio<double>(
        all[b].view(), matrix_view<const double>(X[static_cast<index_t>(b)]), sides[b].view())));
  EXPECT_TRUE(same_bits(matrix_view<const double>(Y[1]), sides[1].view()));

  batch<double> few(1, 257, 1), low(2, 256, 1), wide(2, 3, 4);
  EXPECT_EQ(try_lu_solve(A, few).status().argument(), std::string_view("B"));
  EXPECT_EQ(try_cholesky_solve(A, low).status().argument(), std::string_view("B"));
  EXPECT_EQ(try_cholesky_solve(A, A).status().argument(), std::string_view("B"));
  EXPECT_EQ(try_lu_solve(wide, few).status().argument(), std::string_view("A"));
  EXPECT_THROW((void)lu_solve(A, few), argument_error);
  batch<double> none(0, 4, 4), empty(3, 0, 0), no_sides(3, 0, 2), nothing(0, 4, 1);
  EXPECT_TRUE(try_lu_solve(none, nothing) && try_cholesky_solve(empty, no_sides));
}

// It goes by the call of one, on a team; several are pieces of a batch, one thread's each. A timed
// backend sees which.
TEST(BatchSizes, OneLargeMatrixIsForTheTeam) {
  using backend::timed_operation;
  const index_t n = 600;
  backend::operation_times times;
  const backend::timed team(backend::threads{.threads = 3}, times);
  for (const index_t count : {1, 2}) {
    const auto all = random_batch<double>(count, n, n, true);
    auto A = batch_of(all), B = A, C = A, X = batch_of(random_batch<double>(count, n, 80)), Y = X;
    const auto expect_steps = [&](const char* call) {
      std::int64_t steps = 0;
      for (std::size_t v = 0; v < backend::timed_operation_names.size(); ++v)
        steps += times[static_cast<timed_operation>(v)].calls;
      const std::int64_t pieces = times[timed_operation::batch_piece].calls;
      EXPECT_EQ(pieces > 0, count > 1) << call;
      EXPECT_EQ(steps - pieces > 0, count == 1) << call;
      times.clear();
    };
    const auto f = try_cholesky(team, A);
    expect_steps("cholesky");
    EXPECT_TRUE(f && try_solve(team, f, X));
    expect_steps("solve");
    EXPECT_TRUE(try_lu(team, B));
    expect_steps("lu");
    EXPECT_TRUE(try_cholesky_solve(team, C, Y));
    expect_steps("cholesky_solve");
  }
}

// Also beside a matrix that is bad.
TEST(BatchSizes, LargeMatricesHaveTheSameBitsOnATeam) {
  const index_t n = 600;
  const backend::threads team{.threads = 3};
  for (const auto& how : {batch_layout::canonical(), batch_layout{}})
    for (const index_t count : {1, 2})
      for (const index_t columns : {1, 80}) {
        SCOPED_TRACE(testing::Message() << count << " matrices, " << columns << " columns");
        const auto all = random_batch<double>(count, n, n, true),
                   sides = random_batch<double>(count, n, columns);
        auto A = batch_of(all, how), B = A, C = A, D = A, E = A, F = A;
        for (auto* bad : {&A, &B, &E, &F})
          if (count > 1) (*bad)(1, 500, 500) = -1;
        auto X = batch_of(sides, how), Y = X, Z = X, W = X;
        const auto f = try_cholesky(A), g = try_cholesky(team, B);
        EXPECT_TRUE(try_lu(C) && try_lu(team, D));
        EXPECT_EQ(f.status(), g.status());
        EXPECT_EQ(f.ok(), count == 1);
        EXPECT_EQ(try_solve(f, X), try_solve(team, g, Y));
        EXPECT_EQ(try_cholesky_solve(E, Z).status(), try_cholesky_solve(team, F, W).status());
        for (index_t b = 0; b < count; ++b) {
          EXPECT_TRUE(same_bits(C[b], D[b]) && same_bits(X[b], Y[b]) && same_bits(Z[b], W[b]));
          if (f.status(b).ok()) {
            EXPECT_TRUE(same_bits(A[b], B[b]) && same_bits(E[b], F[b]));
            EXPECT_TRUE(within(solve_ratio<double>(all[static_cast<std::size_t>(b)].view(),
                                                   std::as_const(Y)[b],
                                                   sides[static_cast<std::size_t>(b)].view())));
          }
        }
      }
}

TEST(BatchSizes, MoreMatricesThanSixteenBitsCount) {
  expect_large_batch<double>(backend::serial{}, {});
  expect_large_batch<double>(backend::serial{}, batch_layout::canonical());
}

/// A batch larger than cached_batch, of a few matrices again and again, one of them bad: all have
/// the bits that these few have as a batch, which is not fetched ahead.
template <class T>
void expect_bits_of_cached(index_t n, batch_layout how) {
  constexpr index_t few = 48, bad = 21;
  const index_t count = (index_t{17} << 20) / (n * n * index_t{sizeof(T)}) / few * few + few;
  const auto all = random_batch<T>(few, n, n, true), sides = random_batch<T>(few, n, 2);
  const batch<T> near_A = batch_of(all), near_B = batch_of(sides);
  batch<T> far_A(count, n, n, how), far_B(count, n, 2, how);
  for (index_t b = 0; b < count; b += few) {
    copy<T>(near_A.view(), far_A.view().matrices(b, few));
    copy<T>(near_B.view(), far_B.view().matrices(b, few));
  }
  const auto compare = [&](index_t columns, const auto& factor) {
    batch<T> A = near_A, B = near_B, F = far_A, X = far_B;
    A(bad, n - 1, n - 1) = T(-1e6);
    for (index_t b = bad; b < count; b += few) F(b, n - 1, n - 1) = T(-1e6);
    const auto f = factor(A), g = factor(F);
    EXPECT_EQ(f.first_failure(), g.first_failure());
    EXPECT_EQ(try_solve(f, B.view().block(0, 0, n, columns)).ok(),
              try_solve(g, X.view().block(0, 0, n, columns)).ok());
    index_t different = 0;
    for (index_t b = 0; b < count; ++b) {
      different +=
          f.info()[static_cast<std::size_t>(b % few)] != g.info()[static_cast<std::size_t>(b)];
      for (index_t j = 0; j < n; ++j)
        for (index_t i = 0; i < n && b % few != bad; ++i)
          different += A(b % few, i, j) != F(b, i, j);
      for (index_t j = 0; j < 2; ++j)
        for (index_t i = 0; i < n; ++i) different += B(b % few, i, j) != X(b, i, j);
    }
    EXPECT_EQ(different, 0);
  };
  for (const index_t columns : {1, 2}) {
    SCOPED_TRACE(columns);
    compare(columns, [](batch<T>& A) { return try_cholesky(A); });
    compare(columns, [](batch<T>& A) { return try_cholesky(A, {.part = triangle::upper}); });
    compare(columns, [](batch<T>& A) { return try_cholesky(A, {.floats = float_model::fast}); });
    compare(columns, [](batch<T>& A) { return try_lu(A); });
    compare(columns, [](batch<T>& A) { return try_lu(A, {.pivoting = pivoting::none}); });
  }
}

TEST(BatchSizes, FetchedAheadHaveTheBitsOfCachedOnes) {
  for (const index_t n : {7, 13, 40}) {
    SCOPED_TRACE(n);
    expect_bits_of_cached<double>(n, {});
    expect_bits_of_cached<float>(n, {32});
  }
}

TEST(BatchSizes, LargeMatricesGoOneByOne) {
  const auto all = random_batch<double>(3, 257, 257, true), sides = random_batch<double>(3, 257, 1);
  auto A = batch_of(all), B = A, X = batch_of(sides), Y = X;
  A(1, 200, 200) = -1;
  const auto f = try_cholesky(A);
  EXPECT_EQ(f.status(1), status::at(status_kind::not_positive_definite, 200));
  EXPECT_EQ(f.failed_count(), 1);
  EXPECT_FALSE(try_solve(f, X));
  const auto g = try_lu(B);
  EXPECT_TRUE(try_solve(g, Y));
  for (index_t b = 0; b < 3; ++b) {
    const auto i = static_cast<std::size_t>(b);
    EXPECT_TRUE(within(
        solve_ratio<double>(all[i].view(), matrix_view<const double>(Y[b]), sides[i].view())));
    if (b == 1)
      EXPECT_TRUE(same_bits(X[b], sides[i].view()));
    else
      EXPECT_TRUE(within(
          solve_ratio<double>(all[i].view(), matrix_view<const double>(X[b]), sides[i].view())));
  }
}

TEST(BatchWorkspace, OfTheCallerServesAsManyThreadsAsItSuffices) {
  const index_t n = 60;
  const auto all = random_batch<double>(200, n, n, true);
  auto expected = batch_of(all);
  ASSERT_TRUE(try_cholesky(expected));
  EXPECT_EQ(batch_workspace_bytes<double>(8, 8), 0u);
  const std::size_t one = batch_workspace_bytes<double>(n, n),
                    three = batch_workspace_bytes<double>(n, n, 0, 3);
  EXPECT_GT(three, one);
  for (const std::size_t bytes : {one, three}) {
    std::vector<std::byte> memory(bytes);
    std::vector<std::int32_t> info(200, 7);
    auto A = batch_of(all, batch_layout::canonical());
    ASSERT_TRUE(
        try_cholesky(backend::threads{.threads = 3}, A, {.info = info, .workspace = memory}));
    EXPECT_EQ(info, std::vector<std::int32_t>(200, 0));
    for (index_t b = 0; b < 200; ++b)
      EXPECT_TRUE(same_bits(A[b].block(0, 0, n, 1), expected[b].block(0, 0, n, 1)));
  }
}

/// The name of the argument that a status blames.
std::string blamed(const status& s) {
  return s.kind() == status_kind::invalid_argument ? s.argument() : "";
}

TEST(BatchArguments, AreNamedAndNothingIsTouched) {
  const auto all = random_batch<double>(20, 5, 5, true);
  auto A = batch_of(all), B = A, wide = batch_of(random_batch<double>(20, 5, 6));
  std::vector<std::int32_t> few(19);
  std::vector<std::byte> small(8);
  EXPECT_EQ(blamed(try_cholesky(wide).status()), "A");
  EXPECT_EQ(blamed(try_cholesky(A, {.part = static_cast<triangle>(7)}).status()), "options.part");
  EXPECT_EQ(blamed(try_cholesky(A, {.floats = static_cast<float_model>(2)}).status()),
            "options.floats");
  EXPECT_EQ(blamed(try_lu(A, {.floats = static_cast<float_model>(2)}).status()), "options.floats");
  EXPECT_EQ(blamed(try_cholesky(A, {.info = few}).status()), "options.info");
  EXPECT_EQ(blamed(try_lu(A, {.pivoting = pivoting::tournament}).status()), "options.pivoting");
  EXPECT_EQ(blamed(try_lu(A, {.info = few}).status()), "options.info");
  EXPECT_EQ(blamed(try_lu(A, {.interchanges = few}).status()), "options.interchanges");
  EXPECT_EQ(blamed(try_cholesky(backend::threads{.threads = -1}, A).status()), "backend.threads");
  EXPECT_EQ(blamed(try_lu(interleaved(A.data(), 20, 5, 5, 10)).status()), "A");
  EXPECT_THROW(static_cast<void>(cholesky(wide)), argument_error);
  auto big = batch_of(random_batch<double>(2, 100, 100, true), batch_layout::canonical());
  EXPECT_EQ(blamed(try_cholesky(big, {.workspace = small}).status()), "options.workspace");
  for (index_t b = 0; b < 20; ++b) EXPECT_TRUE(same_bits(A[b], B[b]));
  const auto refused = try_cholesky(wide);
  EXPECT_TRUE(refused.info().empty());

  const auto f = try_cholesky(A);
  batch<double> short_batch(19, 5, 1), low(20, 4, 1), X(20, 5, 1);
  EXPECT_EQ(blamed(try_solve(f, short_batch)), "B");
  EXPECT_EQ(blamed(try_solve(f, low)), "B");
  EXPECT_EQ(blamed(try_solve(f, A)), "B");
  EXPECT_EQ(blamed(try_solve(f, X, static_cast<operation>(9))), "op");
  EXPECT_EQ(blamed(try_solve(f, X, operation::none, {.floats = static_cast<float_model>(2)})),
            "options.floats");
  EXPECT_EQ(blamed(try_solve(batch_cholesky_factor<double>(), X)), "factor");
  EXPECT_EQ(blamed(try_solve(try_lu(wide), X)), "factor");
  EXPECT_EQ(blamed(try_solve(try_cholesky(low), X)), "A");
}

/// Solves in lanes also read the interchanges of lanes behind the last matrix.
template <class T>
void expect_solutions_with_given_interchanges() {
  for (const index_t n : {5, 20, 64}) {
    SCOPED_TRACE(n);
    const index_t count = 3;
    const auto all = random_batch<T>(count, n, n), sides = random_batch<T>(count, n, 1);
    std::vector<std::int32_t> rows(static_cast<std::size_t>(batch_interchanges_size(count, n, n)),
                                   std::int32_t{1} << 28);
    const auto expect_solution = [&](const batch<T>& X) {
      for (index_t b = 0; b < count; ++b) {
        const auto i = static_cast<std::size_t>(b);
        EXPECT_TRUE(within(solve_ratio<T>(all[i].view(), X[b], sides[i].view())));
      }
    };
    for (const batch_layout how : {batch_layout::canonical(), batch_layout()}) {
      batch<T> A = batch_of(all, how), X = batch_of(sides, how);
      const auto f = try_lu(A, {.interchanges = rows});
      EXPECT_TRUE(f && try_solve(f, X));
      expect_solution(X);
      std::fill(rows.begin(), rows.end(), std::int32_t{1} << 28);
      batch<T> C = batch_of(all, how), Y = batch_of(sides, how);
      EXPECT_TRUE(try_lu_solve(C, Y, {.interchanges = rows}));
      expect_solution(Y);
      std::fill(rows.begin(), rows.end(), std::int32_t{1} << 28);
    }
  }
}

TEST(BatchOutcome, ThrowsWhatBelongsToTheFirstFailure) {
  auto all = random_batch<double>(3, 4, 4, true);
  auto A = batch_of(all);
  auto C = A;
  all[1](2, 2) = -1;
  auto B = batch_of(all);
  auto good = cholesky(A);
  const auto bad = cholesky(B);
  EXPECT_EQ(&good.or_throw(), &good);
  EXPECT_TRUE(lu(C).or_throw().ok());
  try {
    static_cast<void>(bad.or_throw());
    ADD_FAILURE() << "nothing was thrown";
  } catch (const numerical_error& e) {
    EXPECT_EQ(e.reason(), bad.status(1));
  }
  batch<double> X(3, 4, 1), low(3, 5, 1);
  EXPECT_TRUE(try_update(good, X).or_throw().ok());
  EXPECT_THROW(static_cast<void>(try_cholesky_solve(A, low).or_throw()), argument_error);
  EXPECT_THROW(static_cast<void>(batch_lu_factor<double>().or_throw()), argument_error);
}

TEST(BatchInterchanges, OfTheCallerServeSolvesInLanes) {
  expect_solutions_with_given_interchanges<float>();
  expect_solutions_with_given_interchanges<double>();
  expect_solutions_with_given_interchanges<std::complex<double>>();
}

TEST(BatchInterchanges, AreNotThereOnceTheFactorWasMovedFrom) {
  batch<double> A = batch_of(random_batch<double>(2, 3, 3));
  std::vector<std::int32_t> rows(static_cast<std::size_t>(batch_interchanges_size(2, 3, 3)));
  auto f = try_lu(A, {.interchanges = rows});
  const auto g = std::move(f);
  EXPECT_TRUE(f.interchanges().empty());  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(g.interchanges().data(), rows.data());
}

TEST(BatchArguments, SizesThatNoAddressSpaceHasAreRefused) {
  constexpr index_t most = std::numeric_limits<index_t>::max();
  if (new_throws) {
    EXPECT_THROW((batch<double>(most - 3, 1, 1, batch_layout::interleaved())), std::bad_alloc);
    EXPECT_THROW((batch<double>(most - 3, 1, 0)), std::bad_alloc);
  }
  double x = 1;
  EXPECT_EQ(try_lu(batch_view<double>(strided(&x, most, 0, 4))).status().argument(),
            std::string_view("A"));
  batch<double> A(2, 3, 3);
  const auto f = try_cholesky(strided(&x, -1, 3, 3));
  EXPECT_THROW(static_cast<void>(determinant(f)), argument_error);
  EXPECT_THROW(static_cast<void>(log_determinant(f)), argument_error);
  EXPECT_THROW(static_cast<void>(inverse(f)), argument_error);
  const double norms[1] = {1};
  EXPECT_THROW(static_cast<void>(reciprocal_condition(f, norms)), argument_error);
  const auto expect_blamed = [&](const batch_tuning& tuning, const char* name) {
    const auto expected = std::string_view(name);
    EXPECT_EQ(try_cholesky(A, {.tuning = tuning}).status().argument(), expected);
    EXPECT_EQ(try_lu(A, {.tuning = tuning}).status().argument(), expected);
    batch<double> C(2, 3, 3), X(2, 3, 1);
    for (index_t b = 0; b < 2; ++b)
      for (index_t i = 0; i < 3; ++i) C(b, i, i) = 1;
    const auto g = try_lu(C);
    EXPECT_EQ(try_solve(g, X, operation::none, {.tuning = tuning}).argument(), expected);
  };
  expect_blamed({.looking = static_cast<looking_order>(9)}, "options.tuning.looking");
  expect_blamed({.chunks = static_cast<batch_chunks>(-1)}, "options.tuning.chunks");
  expect_blamed({.outer = static_cast<outer_loops>(9)}, "options.tuning.outer");
  expect_blamed({.kernel = static_cast<batch_kernel>(9)}, "options.tuning.kernel");
  double y[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_EQ(try_lu(chunked(y + 4, 1, 3, 1, -1)).status().argument(), std::string_view("A"));
  EXPECT_EQ(try_lu(interleaved(y + 4, 1, 3, 1, -1)).status().argument(), std::string_view("A"));
}

TEST(BatchWorkspace, TooLittleIsRefusedBeforeAnythingIsWritten) {
  std::vector<std::byte> memory(64);
  const std::span<std::byte> small = memory;
  const index_t n = 200;
  matrix<double> M(n, n);
  batch<double> X(3, n, 1), B(3, n, 1);
  for (index_t i = 0; i < n; ++i) M(i, i) = 4, B(0, i, 0) = 1;
  std::vector<std::int32_t> info = {7, 7, 7};
  const auto factor = try_cholesky(matrix<double>(M));
  EXPECT_EQ(blamed(try_cholesky_solve(M, B, X, {.info = info, .workspace = small}).status()),
            "options.workspace");
  EXPECT_EQ(blamed(try_lu_solve(M, B, X, {.info = info, .workspace = small}).status()),
            "options.workspace");
  EXPECT_EQ(blamed(try_solve(factor, B, X, operation::none, {.workspace = small})),
            "options.workspace");
  EXPECT_EQ(M(0, 0), 4);
  EXPECT_EQ(X(0, 0, 0), 0);
  EXPECT_EQ(info, std::vector<std::int32_t>({7, 7, 7}));
}

TEST(BatchArguments, ExtentsOfOneForAllMustFit) {
  auto A = batch_of(random_batch<double>(20, 5, 5, true)), one = A, C = A;
  const auto f = try_cholesky(A);
  const auto alone = try_cholesky(one.view().matrices(0, 1));
  batch<double> X(20, 5, 2), single(1, 5, 2), many(19, 5, 2), Y(20, 5, 2);
  matrix<double> B(5, 2), low(4, 2), narrow(5, 1), M(5, 5);
  EXPECT_EQ(blamed(try_solve(f, single)), "B");  // in place there is no room for 20 solutions
  EXPECT_EQ(blamed(try_solve(f, B, single)), "X");
  EXPECT_EQ(blamed(try_solve(f, low, X)), "B");
  EXPECT_EQ(blamed(try_solve(f, narrow, X)), "B");
  EXPECT_EQ(blamed(try_solve(f, many, X)), "B");
  EXPECT_EQ(blamed(try_solve(f, X, X)), "B");
  EXPECT_EQ(blamed(try_solve(f, matrix_view<const double>(X[7]), X)), "B");
  EXPECT_EQ(blamed(try_solve(alone, one.view().matrices(0, 1))), "B");
  EXPECT_EQ(blamed(try_solve(cholesky_factor<double>(), X)), "factor");
  EXPECT_EQ(blamed(try_solve(lu_factor<double>(), B, X)), "factor");
  EXPECT_EQ(blamed(try_solve(f, B, X, static_cast<operation>(9))), "op");
  EXPECT_TRUE(try_solve(alone, X) && try_solve(alone, B, X) && try_solve(f, Y, X));
  const auto failed = try_cholesky(M);  // zeros
  X(3, 1, 0) = 7;
  EXPECT_EQ(try_solve(failed, X), failed.status());
  EXPECT_EQ(X(3, 1, 0), 7);
  batch<double> zeros(1, 5, 5);
  EXPECT_EQ(try_solve(try_cholesky(zeros), X).kind(), status_kind::not_positive_definite);
  EXPECT_EQ(X(3, 1, 0), 7);
  EXPECT_THROW(solve(f, low, X), argument_error);

  const index_t n = 257;  // one after another
  const auto large = random_batch<double>(1, n, n, true), sides = random_batch<double>(3, n, 1);
  auto F = batch_of(large), S = batch_of(sides);
  ASSERT_TRUE(try_solve(try_lu(F), S));
  for (const std::size_t b : {0u, 2u})
    EXPECT_TRUE(within(solve_ratio<double>(
        large[0].view(), matrix_view<const double>(S[static_cast<index_t>(b)]), sides[b].view())));
  auto G = batch_of(large), V = batch_of(sides);
  const auto g = try_cholesky(G);
  ASSERT_TRUE(try_solve(g.L(), V) && try_solve(g.L(), V, operation::transpose));
  for (index_t b = 0; b < 3; ++b)
    EXPECT_TRUE(within(solve_ratio<double>(large[0].view(), std::as_const(V)[b],
                                           sides[static_cast<std::size_t>(b)].view())));
}

TEST(BatchOneForAll, TrianglesOfABatchOfOne) {
  using T = double;
  const index_t count = 37;
  const auto expect_bits_of_copies = [&](const auto& L, const auto& copies, int how) {
    const auto sides = random_batch<T>(count, L.rows(), 3);
    const batch<T> right = batch_of(sides);
    for (const operation op : {operation::none, operation::transpose, operation::adjoint}) {
      auto X = place(sides, how);
      batch<T> Y = right, Z(count, L.rows(), 3);
      EXPECT_TRUE(try_solve(L, X.view, op));
      EXPECT_TRUE(try_solve(three_threads, copies, Y, op));
      EXPECT_TRUE(try_solve(three_threads, L, right, Z, op));
      for (index_t b = 0; b < count; ++b) {
        EXPECT_TRUE(same_bits(X.view[b], Y[b])) << L.rows() << " layout " << how << " " << b;
        EXPECT_TRUE(same_bits(Z[b], Y[b])) << L.rows() << " " << b;
      }
    }
  };
  for (const index_t n : {1, 5, 17})
    for (const int how : {0, 2})
      with_factors<T>(1, n, how, -1, [&](const auto& f, const auto& all, const auto&) {
        auto A = batch_of(matrices<T>(count, all[0]));
        const auto g = [&] {
          if constexpr (requires { f.part(); })
            return try_cholesky(A, {.part = f.part()});
          else
            return try_lu(A, {.pivoting = f.pivoting()});
        }();
        expect_bits_of_copies(f.L(), g.L(), 7 - how);
        expect_bits_of_copies(f.U(), g.U(), how);
      });
  batch<T> zeros(1, 4, 4), X = batch_of(random_batch<T>(count, 4, 1));
  const batch<T> before = X;
  const auto singular = try_lu(zeros);
  EXPECT_EQ(try_solve(singular.U(), X), singular.status());
  const lu_factor<T> one = singular[0];
  EXPECT_TRUE(singular.L()[0].status().ok() && one.L().status().ok());
  EXPECT_TRUE(same_bits(std::as_const(X)[20], before[20]));
}

}  // namespace
}  // namespace trifac::test
