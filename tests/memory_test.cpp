// Memory: workspace handed in is enough and not overrun, too little is refused, and nothing is
// allocated but what the documentation says. On all backends: memory_of_backends_test.cpp.

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <new>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "backends.hpp"
#include "support/counted_memory.inl"
#include "support/layouts.hpp"
#include "support/matrices.hpp"
#include "support/residual.hpp"
#include "trifac/batch.hpp"
#include "trifac/condition.hpp"
#include "trifac/inverse.hpp"
#include "trifac/pivoted_cholesky.hpp"
#include "trifac/refine.hpp"
#include "trifac/solve.hpp"
#include "trifac/solve_mixed.hpp"
#include "trifac/trace.hpp"
#include "trifac/triangular_solve.hpp"
#include "trifac/update.hpp"
#include "trifac/variants.hpp"
#include "trifac/varied_batch.hpp"

namespace trifac::test {
namespace {

/// Cholesky of order n: the workspace it asks for is enough, wherever it starts, and less is
/// refused.
template <variant V>
void expect_cholesky_keeps_to_its_workspace(index_t n) {
  SCOPED_TRACE(std::string(to_string(V)) + ", n = " + std::to_string(n));
  const auto A = spd(n);
  const std::size_t bytes = cholesky_workspace_bytes<double, V>(n);
  ASSERT_GT(bytes, 0u);
  guarded_bytes memory(bytes);
  for (std::size_t offset : {0, 1}) {
    matrix<double> L = A;
    const int before = allocations;
    const auto f = cholesky<V>(L, {.workspace = memory.from(offset)});
    EXPECT_EQ(allocations, before);
    EXPECT_TRUE(f);
    EXPECT_TRUE(within(cholesky_ratio<double>(A, triangle::lower, f.matrix())));
  }
  EXPECT_TRUE(memory.tail_untouched());
  placed_matrix<double> L(A, layout::padded);
  const auto refused = try_cholesky<V>(L.view(), {.workspace = memory.from(0).first(8)});
  EXPECT_STREQ(refused.status().argument(), "options.workspace");
  EXPECT_TRUE(L.untouched());
}

TEST(Memory, CholeskyTakesTheWorkspaceItAskedFor) {
  expect_cholesky_keeps_to_its_workspace<variant::crout_distributed_sum>(37);
  expect_cholesky_keeps_to_its_workspace<variant::best>(300);
  expect_cholesky_keeps_to_its_workspace<variant::best>(520);
  EXPECT_EQ((cholesky_workspace_bytes<double, variant::crout_distributed_sum>(0)), 0u);
  EXPECT_EQ((cholesky_workspace_bytes<double, variant::crout>(300)), 0u);
}

TEST(Memory, LuTakesTheWorkspaceItAskedFor) {
  int with_workspace = 0;
  for (auto [m, n] : {std::pair<index_t, index_t>{50, 33},
                      {400, 300},
                      {200, 400},
                      {3000, 40},
                      {290, 290},
                      {580, 290}})
    for (pivoting how : {pivoting::partial, pivoting::tournament, pivoting::none})
      for (selection rule : {selection::plain, selection::scaled})
        for (index_t block : n == 290 ? std::initializer_list<index_t>{290, 291}
                                      : std::initializer_list<index_t>{0, 1, 33}) {
          if (how == pivoting::none && rule == selection::scaled) continue;
          lu_options options{.pivoting = how, .selection = rule, .block = block, .leaves = 3};
          SCOPED_TRACE(testing::Message() << m << "×" << n << ", " << to_string(how) << ", "
                                          << to_string(rule) << ", block = " << block);
          const std::size_t bytes = lu_workspace_bytes<double>(m, n, options);
          if (bytes == 0) continue;  // that it allocates nothing then has its own test
          ++with_workspace;
          auto A = general(m, n);
          for (index_t k = 0; k < std::min(m, n); ++k) A(k, k) += 9;  // pivoting::none, too
          guarded_bytes memory(bytes);
          matrix<double> expected = A;
          ASSERT_TRUE(lu(expected, options));
          for (std::size_t offset : {0, 1}) {
            matrix<double> LU = A;
            options.workspace = memory.from(offset);
            const int before = allocations;
            const auto f = lu(LU, options);
            if (rule == selection::plain) {
              EXPECT_LE(allocations - before, 1) << "the interchanges";
            }
            EXPECT_TRUE(same_bits(LU.view(), expected.view()));
          }
          EXPECT_TRUE(memory.tail_untouched());
          placed_matrix<double> LU(A, layout::padded);
          options.workspace = memory.from(0).first(8);
          EXPECT_STREQ(try_lu(LU.view(), options).status().argument(), "options.workspace");
          EXPECT_TRUE(LU.untouched());
        }
  EXPECT_GT(with_workspace, 10);
  EXPECT_EQ(lu_workspace_bytes<double>(0, 33, {.pivoting = pivoting::tournament}), 0u);
  // Sizes of which no memory has room.
  constexpr index_t most = std::numeric_limits<index_t>::max();
  constexpr std::size_t no_memory = std::numeric_limits<std::size_t>::max();
  EXPECT_EQ(lu_workspace_bytes<double>(most, 1), no_memory);
  EXPECT_EQ(lu_workspace_bytes<double>(500'000'000'000'000'000, 1000), no_memory);
  EXPECT_EQ(cholesky_workspace_bytes<double>(most), no_memory);
  EXPECT_EQ(batch_workspace_bytes<double>(4, 4, most), no_memory);
  EXPECT_EQ(batch_interchanges_size(most, 4, 4), most);
  EXPECT_EQ(batch_interchanges_size(17, 4, 3), 96);
  EXPECT_EQ(lu_workspace_bytes<double>(300, 300, {.pivoting = pivoting::none}),
            lu_workspace_bytes<double>(300, 300));
  EXPECT_EQ(
      (lu_workspace_bytes<double, variant::four_block>(300, 300, {.pivoting = pivoting::none})),
      0u);
}

TEST(Memory, CholeskyInPlaceAllocatesNothing) {
  auto A = spd(70);
  matrix<double> B = general(70, 2), L = A, U = A;
  const int before = allocations;
  const auto f = cholesky(L);
  const auto g = cholesky(U, {.part = triangle::upper});
  solve(f, B);
  solve(g, B);
  EXPECT_EQ(allocations, before);
  EXPECT_TRUE(f && g);
}

TEST(Memory, LuAllocatesItsInterchangesAndNothingElse) {
  const auto A = general(70, 70);
  matrix<double> LU = A, by_tournament = A, B = general(70, 2);
  lu_options options{.pivoting = pivoting::tournament, .block = 16, .leaves = 3};
  std::vector<std::byte> memory(lu_workspace_bytes<double>(70, 70, options));
  options.workspace = memory;
  const int before = allocations;
  const auto f = lu(LU);
  EXPECT_LE(allocations - before, 1);
  const auto g = lu(by_tournament, options);
  EXPECT_LE(allocations - before, 2);
  const int factored = allocations;
  solve(f, B);
  solve(g, B, operation::transpose);
  EXPECT_EQ(allocations, factored);
}

TEST(Memory, SolvesUpToOrder256AllocateNothing) {
  for (const index_t n : {65, 81, 256}) {
    matrix<double> S = spd(n), A = general(n, n);
    const auto f = cholesky(S);
    const auto g = lu(A);
    for (const index_t r : {1, 3, 7, 64, 100}) {
      matrix<double> B = general(n, r);
      free_workspace_cache();
      const int before = allocations;
      solve(f, B);
      solve(g, B, operation::transpose);
      if (r <= 64) solve(backend::threads{.threads = 2}, g, B);  // the calling thread's work
      EXPECT_EQ(allocations, before) << n << ", " << r << " right-hand sides";
    }
  }
}

TEST(Memory, SmallLuAllocatesNothing) {
  for (const index_t n : {1, 4, 17, 64}) {
    const auto A = general(n, n);
    matrix<double> LU = A, B = general(n, 1);
    const int before = allocations;
    const auto f = try_lu(LU);
    EXPECT_TRUE(try_solve(f, B));
    const pivots copy = f.interchanges();
    EXPECT_EQ(allocations, before) << "n = " << n;
    EXPECT_EQ(copy, f.interchanges());
  }
}

/// What factoring a copy of A allocates.
template <class Factor>
int allocations_of(const matrix<double>& A, Factor factor) {
  matrix<double> copy = A;
  const int before = allocations;
  EXPECT_TRUE(factor(copy));
  return allocations - before;
}

TEST(Memory, TheNextCallTakesTheWorkspaceOfTheLast) {
  const auto A = spd(300), B = spd(200), C = spd(400), G = general(300, 300);
  const auto by_cholesky = [](matrix<double>& L) { return cholesky(L).ok(); };
  const auto by_lu = [](matrix<double>& LU) { return lu(LU).ok(); };
  constexpr int interchanges = 1;
  free_workspace_cache();
  EXPECT_EQ(allocations_of(A, by_cholesky), 1);
  EXPECT_EQ(allocations_of(A, by_cholesky), 0);
  EXPECT_EQ(allocations_of(B, by_cholesky), 0);
  EXPECT_EQ(allocations_of(A, by_cholesky), 0);
  EXPECT_EQ(allocations_of(C, by_cholesky), 1);
  ASSERT_LE(lu_workspace_bytes<double>(300, 300), cholesky_workspace_bytes<double>(400));
  EXPECT_EQ(allocations_of(G, by_lu), interchanges);
  const int kept = not_freed;
  free_workspace_cache();
  EXPECT_EQ(not_freed, kept - 1);
  EXPECT_EQ(allocations_of(B, by_cholesky), 1);
}

TEST(Memory, WorkspaceThatIsHandedInLeavesWhatIsKeptAlone) {
  const auto A = spd(300);
  std::vector<std::byte> memory(cholesky_workspace_bytes<double>(300));
  free_workspace_cache();
  const auto given = [&](matrix<double>& L) { return cholesky(L, {.workspace = memory}).ok(); };
  EXPECT_EQ(allocations_of(A, given), 0);
  EXPECT_EQ(allocations_of(A, [](matrix<double>& L) { return cholesky(L).ok(); }), 1);
}

TEST(Memory, NoThreadKeepsMoreThanTheContractSays) {
  const auto A = spd(1300);
  const cholesky_options wide{.block = 1280};  // two panels of nearly all columns
  ASSERT_GT((cholesky_workspace_bytes<double, variant::packed>(1300, wide)), most_cached_workspace);
  const auto factor = [&](matrix<double>& L) { return cholesky<variant::packed>(L, wide).ok(); };
  const auto small = [](matrix<double>& L) { return cholesky(L).ok(); };
  free_workspace_cache();
  EXPECT_EQ(allocations_of(spd(300), small), 1);
  const int before = not_freed;
  EXPECT_EQ(allocations_of(A, factor), 1);
  EXPECT_EQ(not_freed, before);
  EXPECT_EQ(allocations_of(A, factor), 1);
  EXPECT_EQ(allocations_of(spd(300), small), 0) << "what was kept is still there";
}

TEST(Memory, CallsWithinCallsHaveMemoryOfTheirOwn) {
  free_workspace_cache();
  const int before = not_freed;
  const std::byte* larger = nullptr;
  {
    const detail::call_memory outer(3000);
    const detail::call_memory inner(2000), innermost(1000);
    ASSERT_TRUE(outer.data() && inner.data() && innermost.data());
    std::fill_n(outer.data(), 3000, std::byte{1});
    std::fill_n(inner.data(), 2000, std::byte{2});
    std::fill_n(innermost.data(), 1000, std::byte{3});
    EXPECT_EQ(outer.data()[2999], std::byte{1});
    EXPECT_EQ(inner.data()[1999], std::byte{2});
    larger = outer.data();
  }
  EXPECT_EQ(not_freed, before + 1) << "one of them is kept";
  EXPECT_EQ(detail::call_memory(3000).data(), larger) << "the largest";
  free_workspace_cache();
  EXPECT_EQ(not_freed, before);
}

/// Its destructor comes after that of what the thread keeps if it is constructed before.
struct factors_at_the_end {
  ~factors_at_the_end() {
    matrix<double> L = spd(300);
    good = cholesky(L).ok();
  }
  static inline bool good = false;
};

TEST(Memory, AThreadThatEndsFreesWhatItKept) {
  const int before = not_freed;
  for (int repeat = 0; repeat < 2; ++repeat)
    std::thread([] {
      thread_local factors_at_the_end last;
      static_cast<void>(last);
      matrix<double> L = spd(300);
      EXPECT_TRUE(cholesky(L));
    }).join();
  EXPECT_TRUE(factors_at_the_end::good);
  EXPECT_EQ(not_freed, before);
}

TEST(Memory, WithoutMemoryNothingHappens) {
  placed_matrix<double> A(spd(20), layout::padded), C(general(70, 70), layout::padded);
  const lu_options by_tournament{.pivoting = pivoting::tournament, .leaves = 2};
  free_workspace_cache();
  memory_is_full = true;
  const status of_cholesky = try_cholesky<variant::crout_distributed_sum>(A.view()).status();
  const status of_lu = try_lu(C.view(), by_tournament).status();
  bool threw = false;
  try {
    (void)lu(C.view(), by_tournament);
  } catch (const std::bad_alloc&) {
    threw = true;
  }
  memory_is_full = false;
  EXPECT_EQ(of_cholesky.kind(), status_kind::out_of_memory);
  EXPECT_EQ(of_lu.kind(), status_kind::out_of_memory);
  EXPECT_TRUE(threw);
  EXPECT_TRUE(A.untouched());
  EXPECT_TRUE(C.untouched());
}

TEST(Memory, AnyAllocationAfterTheFactorMayFail) {
  for (index_t n : {20, 150}) {
    const matrix<double> A = spd(n), B = general(n, 2);
    const auto f = cholesky(matrix<double>(A));
    const auto g = lu(matrix<double>(A));
    placed_matrix<double> X(B, layout::padded), inverse(A, layout::padded);
    double value = 7;
    int mattered = 0;
    const auto prepare = [&] {
      X.restore();
      inverse.restore();
      value = 7;
    };
    const auto expect = [&](auto call) {
      prepare();
      EXPECT_TRUE(call());
      const matrix<double> same_X(X.view()), same_inverse(inverse.view());
      const double same_value = value;
      mattered += expect_nothing_touched(
          prepare, call, [&] { return X.untouched() && inverse.untouched() && value == 7; },
          [&] {
            return same_bits(X.view(), same_X.view()) &&
                   same_bits(inverse.view(), same_inverse.view()) && value == same_value;
          });
    };
    // Without its workspace an inverse takes the way of larger ones, with other bits.
    const auto is_inverse = [&](auto may_change) {
      matrix<double> whole(inverse.view());
      for (index_t j = 0; j < n; ++j)
        for (index_t i = 0; i < n; ++i)
          if (!may_change(i, j)) whole(i, j) = whole(j, i);
      return inverse.untouched_except(may_change) && X.untouched() && value == 7 &&
             within(inverse_ratio<double>(A, whole));
    };
    const auto in_both = [](index_t, index_t) { return true; };
    const auto expect_inverse = [&](const auto& factor, auto may_change) {
      mattered += expect_nothing_touched(
          prepare, [&] { return try_inverse(factor, inverse.view()); },
          [&] { return X.untouched() && inverse.untouched() && value == 7; },
          [&] { return is_inverse(may_change); });
    };
    expect_inverse(f, in_triangle(triangle::lower));
    expect_inverse(g, in_both);
    expect([&] { return try_refine(A, f, B, X.view()).status(); });
    expect([&] { return try_refine(A, g, B, X.view()).status(); });
    expect([&] { return try_solve_mixed(A, B, X.view()).status(); });
    expect([&] { return try_reciprocal_condition(g, 1.0, norm_kind::one, value); });
    expect([&] { return try_trace_of_inverse(f, value); });
    expect([&] { return try_trace_of_inverse(g, value); });
    expect([&] { return try_trace_of_inverse(f, A, value); });
    expect([&] { return try_trace_of_inverse(g, A, value); });
    EXPECT_GT(mattered, 8);
  }
}

TEST(Memory, AnyAllocationMayFailWhereAFactorIsModified) {
  for (index_t n : {20, 150})
    for (triangle part : {triangle::lower, triangle::upper})
      for (layout where : {layout::padded, layout::row_major_padded}) {
        SCOPED_TRACE(std::string(to_string(where)) + ", n = " + std::to_string(n));
        const auto f = cholesky(spd(n), {.part = part});
        matrix<double> X = general(n, 5), C = spd(5);
        for (index_t c = 0; c < 5; ++c)
          for (index_t i = 0; i < n; ++i) X(i, c) /= 1000;
        placed_matrix<double> L(f.matrix(), where), B(X, where);
        cholesky_factor<double> g(L.view(), part, status()), owner;
        int mattered = 0;
        const auto prepare = [&] {
          L.restore();
          B.restore();
          owner = f;
        };
        const auto expect = [&](auto call) {
          prepare();
          EXPECT_TRUE(call());
          const matrix<double> same_L(L.view()), same_B(B.view()), same_owner(owner.matrix());
          mattered += expect_nothing_touched(
              prepare, call,
              [&] {
                return g.ok() && L.untouched() && B.untouched() && owner.ok() &&
                       same_bits(owner.matrix(), f.matrix());
              },
              [&] {
                return g.ok() && same_bits(L.view(), same_L.view()) &&
                       same_bits(B.view(), same_B.view()) && owner.ok() &&
                       same_bits(owner.matrix(), same_owner.view());
              });
        };
        expect([&] { return try_update(g, X); });
        expect([&] { return try_downdate(g, X); });
        expect([&] { return try_solve(g.L(), B.view()); });
        expect([&] { return try_solve(g.U(), B.view()); });
        expect([&] { return try_append(owner, X, C); });
        expect([&] { return try_remove(owner, n / 2); });
        EXPECT_GT(mattered, 4);
        // Memory that the thread has kept serves the next call.
        L.restore();
        ASSERT_TRUE(try_update(g, X));
        const int before = allocations;
        ASSERT_TRUE(try_downdate(g, X));
        EXPECT_EQ(allocations, before);

        matrix<double> one_triangle = spd(n);  // in the other one are different numbers
        for (index_t j = 0; j < n; ++j)
          for (index_t i = 0; i < n; ++i)
            if (!in_triangle(part)(i, j)) one_triangle(i, j) += 1;
        placed_matrix<double> A(one_triangle, where);
        const auto expect_kept = [&](auto call) {
          A.restore();
          EXPECT_TRUE(call());
          const matrix<double> same_A(A.view());
          mattered +=
              expect_nothing_touched([&] { A.restore(); }, call, [&] { return A.untouched(); },
                                     [&] { return same_bits(A.view(), same_A.view()); });
        };
        expect_kept(
            [&] { return try_cholesky(A.view(), {.part = part, .jitter = {1e-10}}).status(); });
        expect_kept([&] { return try_pivoted_cholesky(A.view(), {.part = part}).status(); });
        EXPECT_GT(mattered, 6);
      }
}

/// A factor that owns its matrix takes another one or, without memory, stays as it is.
template <class Factor, class SameParts>
void expect_assigned_or_unchanged(const Factor& mine, const Factor& other, SameParts same_parts) {
  const auto is = [&](const Factor& f, const Factor& expected) {
    return f.status() == expected.status() && same_bits(f.matrix(), expected.matrix()) &&
           same_parts(f, expected);
  };
  Factor f = mine;
  const int mattered =
      expect_nothing_touched([&] { f = mine; },
                             [&] {
                               try {
                                 f = other;
                               } catch (const std::bad_alloc&) {
                                 return status::failure(status_kind::out_of_memory, "assignment");
                               }
                               return status();
                             },
                             [&] { return is(f, mine); }, [&] { return is(f, other); });
  EXPECT_GT(mattered, 0);
}

TEST(Memory, AnyAllocationOfAFactorsCopyAssignmentMayFail) {
  for (const index_t n : {20, 30}) {  // of the same size, and of another
    expect_assigned_or_unchanged(
        cholesky(spd(20)), cholesky(spd(n), {.part = triangle::upper}),
        [](const auto& f, const auto& expected) { return f.part() == expected.part(); });
    matrix<double> turned = general(n, n);
    for (index_t i = 0; i < n / 2; ++i)
      for (index_t j = 0; j < n; ++j) std::swap(turned(i, j), turned(n - 1 - i, j));
    expect_assigned_or_unchanged(lu(general(20, 20)), lu(std::move(turned)),
                                 [](const auto& f, const auto& expected) {
                                   return f.interchanges() == expected.interchanges();
                                 });
  }
}

/// Of matrices that go one by one, where there are kernels.
template <class T>
constexpr bool slots_are_workspaces() {
  constexpr index_t most = simd::largest_in_lanes;
  bool enough = true;
  for (index_t n = detail::largest_packed_cholesky<T> + 1; n <= most && simd::has_kernels<T>; ++n)
    enough = enough && detail::slot_bytes<T>(n, n, 0) >= cholesky_workspace_bytes<T>(n);
  for (index_t n = detail::largest_packed_lu<T> + 1; n <= most && simd::has_kernels<T>; ++n)
    enough = enough && detail::slot_bytes<T>(n, most, 0) >= lu_workspace_bytes<T>(n, most) &&
             detail::slot_bytes<T>(most, n, 0) >= lu_workspace_bytes<T>(most, n);
  return enough;
}

// Matrices that go one by one have the slots of groups as their workspace.
TEST(Memory, ABatchWithWorkspaceAllocatesNothing) {
  EXPECT_TRUE(slots_are_workspaces<float>() && slots_are_workspaces<double>());
  EXPECT_TRUE(slots_are_workspaces<std::complex<float>>());
  EXPECT_TRUE(slots_are_workspaces<std::complex<double>>());
  if (!simd::has_kernels<double>) return;  // one by one, as larger matrices
  for (const index_t n : {9, 60, 100, 256})
    for (const index_t r : {1, 20})
      for (const auto& how : {batch_layout(), batch_layout::canonical()}) {
        const index_t count = 10;
        batch<double> A(count, n, n, how), B(count, n, r, how);
        for (index_t k = 0; k < count; ++k)
          for (index_t i = 0; i < n; ++i) A(k, i, i) = B(k, i, 0) = 1;
        guarded_bytes guarded(batch_workspace_bytes<double>(n, n, r));
        const std::span<std::byte> memory = guarded.from(0);
        std::vector<std::int32_t> info(count),
            rows(static_cast<std::size_t>(batch_interchanges_size(count, n, n)));
        free_workspace_cache();
        const int before = allocations;
        const auto f = cholesky(A, {.info = info, .workspace = memory});
        solve(f, B, operation::none, {.workspace = memory});
        const auto g = lu(A, {.info = info, .interchanges = rows, .workspace = memory});
        solve(g, B, operation::none, {.workspace = memory});
        EXPECT_EQ(allocations, before) << n << ", " << r << ", chunk " << how.chunk;
        EXPECT_TRUE(guarded.tail_untouched());
      }
}

// Above order 256 a batch is solved by the calls of one matrix, which allocate on the team's
// threads.
TEST(Memory, ASolveOfABatchMayFail) {
  const index_t n = 260, sides = 80;
  batch<double> A(2, n, n, batch_layout::canonical()), B(2, n, sides, batch_layout::canonical());
  for (index_t k = 0; k < 2; ++k)
    for (index_t i = 0; i < n; ++i) A(k, i, i) = B(k, i, 0) = 2;
  const auto f = lu(A);
  ASSERT_TRUE(f);
  int failures = 0;
  for (int k = 0; k < 100; ++k) {
    free_workspace_cache();
    const int before = allocations;
    fails_at = before + k;
    const status s = try_solve(backend::threads{.threads = 2}, f, B);
    fails_at = -1;
    failures += !s;
    EXPECT_TRUE(s || s.kind() == status_kind::out_of_memory) << s.message();
    if (allocations <= before + k) break;  // it has not so many
  }
  EXPECT_GT(failures, 0);
}

// In lanes nothing is asked for once B is copied to X.
TEST(Memory, AnyAllocationOfABatchOutOfPlaceMayFail) {
  const index_t n = 40, count = 20;
  const auto set = [](batch<double>& of, index_t columns, double value) {
    for (index_t k = 0; k < count; ++k)
      for (index_t i = 0; i < n; ++i) of(k, i, columns > 1 ? i : 0) = value;
  };
  const auto is = [](const batch<double>& of, index_t columns, double value) {
    for (index_t k = 0; k < count; ++k)
      for (index_t i = 0; i < n; ++i)
        if (of(k, i, columns > 1 ? i : 0) != value) return false;
    return true;
  };
  batch<double> A(count, n, n), B(count, n, 1), X(count, n, 1);
  matrix<double> M(n, n);
  set(A, n, 4);
  set(B, 1, 2);
  for (index_t i = 0; i < n; ++i) M(i, i) = 4;
  batch<double> LU = A;
  const auto f = lu(LU);
  const auto of_all = lu(matrix<double>(M));
  matrix<double> one = M;
  const auto check = [&](const auto& on) {
    SCOPED_TRACE(on.name);
    int mattered = 0;
    const auto expect = [&](auto call) {
      mattered += expect_nothing_touched(
          [&] {
            set(A, n, 4);
            set(X, 1, 7);
            one = M;
          },
          call, [&] { return is(X, 1, 7) && is(A, n, 4); }, [&] { return is(X, 1, 0.5); });
    };
    expect([&] { return try_solve(on, f, B, X); });
    expect([&] { return try_solve(on, of_all, B, X); });
    expect([&] { return try_lu_solve(on, A, B, X).status(); });
    expect([&] { return try_lu_solve(on, one, B, X).status(); });
    EXPECT_GT(mattered, 3);
  };
  check(backend::serial{});
  check(backend::threads{.threads = 2});
}

// The copies of a batch with jitter are asked for before the first matrix changes.
TEST(Memory, AnyAllocationOfABatchWithJitterMayFail) {
  const index_t n = 40, count = 20;
  batch<double> A(count, n, n);
  const auto is = [&](double value) {
    for (index_t k = 0; k < count; ++k)
      for (index_t i = 0; i < n; ++i)
        if (A(k, i, i) != value) return false;
    return true;
  };
  const auto set = [&] {
    for (index_t k = 0; k < count; ++k)
      for (index_t i = 0; i < n; ++i) A(k, i, i) = k == 3 && i == 2 ? -4 : 4;
  };
  const auto check = [&](const auto& on) {
    const int mattered = expect_nothing_touched(
        set, [&] { return try_cholesky(on, A, {.jitter = {0.5}}).status(); },
        [&] { return A(3, 2, 2) == -4 && (A(3, 2, 2) = 4, is(4)); },
        [&] { return std::abs(A(3, 2, 2) - 4) < 1e-12 && A(19, 5, 5) == 2; });
    EXPECT_GT(mattered, 1);
  };
  check(backend::serial{});
  check(backend::threads{.threads = 2});
}

// One by one, above order 256, some may be factored by then; no exception leaves a thread.
TEST(Memory, AnyAllocationOfLargeMatricesWithJitterMayFail) {
  const index_t n = 260, count = 3;
  batch<double> A(count, n, n);
  const auto set = [&] {
    for (index_t k = 0; k < count; ++k)
      for (index_t i = 0; i < n; ++i) A(k, i, i) = 4;
  };
  for (int threads : {1, 2}) {
    const int mattered = expect_nothing_touched(
        set, [&] { return try_cholesky(backend::threads{threads}, A, {.jitter = {0.5}}).status(); },
        [] { return true; }, [&] { return A(2, 5, 5) == 2; });
    EXPECT_GT(mattered, 1);
  }
}

// Of different sizes: groups, numbers and workspace are there before the first matrix changes.
TEST(Memory, AnyAllocationOfAVariedBatchMayFail) {
  const std::vector<index_t> orders = {3, 40, 0, 40, 12, 1, 60, 12};
  std::vector<double> A(8 * 3600), X(8 * 60);
  std::vector<double*> in_A, in_X;
  for (std::size_t b = 0; b < 8; ++b) {
    in_A.push_back(A.data() + 3600 * b);
    in_X.push_back(X.data() + 60 * b);
  }
  const auto set = [&] {
    for (std::size_t b = 0; b < 8; ++b)
      for (index_t i = 0; i < orders[b]; ++i) {
        in_A[b][i * (orders[b] + 1)] = 4;
        in_X[b][i] = 2;
      }
  };
  const auto is = [&](double a, double x) {
    for (std::size_t b = 0; b < 8; ++b)
      for (index_t i = 0; i < orders[b]; ++i)
        if (in_A[b][i * (orders[b] + 1)] != a || in_X[b][i] != x) return false;
    return true;
  };
  const auto view = varied(in_A, orders), sides = varied(in_X, orders, 1);
  const auto check = [&](const auto& on) {
    SCOPED_TRACE(on.name);
    const auto mattered = [&](auto call, double a, double x) {
      return expect_nothing_touched(
          set, call, [&] { return is(4, 2); }, [&] { return is(a, x); });
    };
    EXPECT_GT(mattered([&] { return try_cholesky(on, view).status(); }, 2, 2), 5);
    EXPECT_GT(mattered([&] { return try_lu(on, view).status(); }, 4, 2), 5);
    EXPECT_GT(mattered([&] { return try_cholesky_solve(on, view, sides).status(); }, 2, 0.5), 5);
    EXPECT_GT(mattered([&] { return try_lu_solve(on, view, sides).status(); }, 4, 0.5), 5);
    set();
    const auto f = try_lu(on, view);
    EXPECT_GT(mattered([&] { return try_solve(on, f, sides); }, 4, 0.5), 3);
  };
  check(backend::serial{});
  check(backend::threads{.threads = 2});
}

#if TRIFAC_EXPECT_OPENCL
TEST(Memory, ADeviceForWhichThereIsNoMemorySaysSo) {
  fails_at = allocations.load();
  const auto device = backend::opencl::first();
  fails_at = -1;
  EXPECT_FALSE(device.available());
  EXPECT_NE(std::string_view(device.available().reason).find("memory"), std::string_view::npos);
  EXPECT_EQ(backend::opencl().available().reason, backend::opencl::without_device);
}
#endif

// A program that reads only its info finds no zeros for matrices that were not factored.
TEST(Memory, WithoutMemoryTheCallersInfoStaysAsItWas) {
  const index_t n = 40, count = 20;  // beyond what a piece has on the stack
  batch<double> A(count, n, n);
  std::vector<std::int32_t> info(count);
  const auto info_is = [&](std::int32_t value) {
    return std::ranges::all_of(info, [&](std::int32_t i) { return i == value; });
  };
  const auto reset = [&] {
    for (index_t k = 0; k < count; ++k)
      for (index_t i = 0; i < n; ++i) A(k, i, i) = 4;
    std::ranges::fill(info, 9);
  };
  int mattered = 0;
  const auto expect = [&](auto call) {
    mattered += expect_nothing_touched(
        reset, call, [&] { return info_is(9) && A(0, 0, 0) == 4; }, [&] { return info_is(0); });
  };
  expect([&] { return try_cholesky(A, {.info = info}).status(); });
  expect([&] { return try_lu(A, {.info = info}).status(); });
  EXPECT_GT(mattered, 2);
}

TEST(Memory, ASmallWorkspaceTouchesNothingOutOfPlace) {
  const matrix<double> A = spd(300);
  std::byte few[8];
  placed_matrix<double> L(300, 300, layout::padded);
  const status s =
      try_cholesky<variant::best>(backend::serial{}, A, L.view(), {.workspace = few}).status();
  EXPECT_STREQ(s.argument(), "options.workspace");
  EXPECT_TRUE(L.untouched());
}

}  // namespace
}  // namespace trifac::test
