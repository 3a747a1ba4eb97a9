// Memory: workspace handed in is enough and not overrun, too little is refused, and nothing is
// allocated but what the documentation says.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "support/layouts.hpp"
#include "support/matrices.hpp"
#include "support/residual.hpp"
#include "trifac/cholesky.hpp"
#include "trifac/lu.hpp"
#include "trifac/solve.hpp"

namespace {

// Counts the allocations of this program and those that are not freed yet, and lets the next ones
// fail.
int allocations = 0;
int not_freed = 0;
bool memory_is_full = false;

void* allocate(std::size_t bytes, std::size_t alignment) {
  ++allocations;
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void* const memory =
      memory_is_full ? nullptr : std::aligned_alloc(alignment, rounded > 0 ? rounded : alignment);
  if (!memory) throw std::bad_alloc();
  ++not_freed;
  return memory;
}

void release(void* memory) {
  if (memory) --not_freed;
  std::free(memory);
}

}  // namespace

// The array forms of the standard library call these; so do its nothrow forms, but not those of the
// address sanitizer. Not inlined, or the compiler sees free() end the life of memory from operator
// new, and warns.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  return allocate(bytes, alignof(std::max_align_t));
}
[[gnu::noinline]] void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  try {
    return operator new(bytes);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
[[gnu::noinline]] void* operator new(std::size_t bytes, std::align_val_t alignment,
                                     const std::nothrow_t&) noexcept {
  try {
    return operator new(bytes, alignment);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  release(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  release(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept {
  release(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  release(memory);
}

namespace trifac::test {
namespace {

matrix<double> spd(index_t n) {
  random_source random(551);
  return random_spd<double>(random, n);
}
matrix<double> general(index_t m, index_t n) {
  random_source random(552);
  return random_matrix<double>(random, m, n);
}

/// Bytes to hand in as workspace, from an aligned address or not, and as many behind them that must
/// stay as they are.
class guarded_bytes {
 public:
  explicit guarded_bytes(std::size_t bytes) : size_(bytes), memory_(bytes + 1 + tail, mark) {}
  std::span<std::byte> from(std::size_t offset) {
    return std::span(memory_).subspan(offset, size_);
  }
  bool tail_untouched() const {
    return std::all_of(memory_.end() - tail, memory_.end(), [](std::byte b) { return b == mark; });
  }

 private:
  static constexpr std::byte mark{0xcd};
  static constexpr std::ptrdiff_t tail = 128;
  std::size_t size_;
  std::vector<std::byte> memory_;
};

// What a backend has that knows nothing of packed panels: the verbs.
struct verbs_only {
  static constexpr std::string_view name = "verbs only";
  availability available() const noexcept { return {true, ""}; }
  friend constexpr bool supports(const verbs_only&, variant) { return true; }
};
template <class Nest>
void run(const verbs_only&, status& outcome, double flops, Nest nest) {
  run(backend::serial{}, outcome, flops, nest);
}

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
  for (auto [m, n] : {std::pair<index_t, index_t>{50, 33}, {400, 300}, {200, 400}, {3000, 40}})
    for (pivoting how : {pivoting::partial, pivoting::tournament})
      for (selection rule : {selection::plain, selection::scaled})
        for (index_t block : {0, 1, 33}) {
          lu_options options{.pivoting = how, .selection = rule, .block = block, .leaves = 3};
          SCOPED_TRACE(testing::Message() << m << "×" << n << ", " << to_string(how) << ", "
                                          << to_string(rule) << ", block = " << block);
          const std::size_t bytes = lu_workspace_bytes<double>(m, n, options);
          if (bytes == 0) continue;  // that it allocates nothing then has its own test
          ++with_workspace;
          const auto A = general(m, n);
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
  EXPECT_EQ(lu_workspace_bytes<double>(300, 300, {.pivoting = pivoting::none}), 0u);
}

/// There `best` is right_looking, whose panels may be wider than packed ones.
TEST(Memory, BackendsOfVerbsTakeTheWorkspaceOfTheirNest) {
  const matrix<double> S = spd(300);
  matrix<double> L = S;
  EXPECT_TRUE(cholesky(verbs_only{}, L));
  EXPECT_TRUE(within(cholesky_ratio<double>(S, triangle::lower, L)));
  for (index_t n : {96, 700})
    for (index_t block : {0, 600}) {
      SCOPED_TRACE(testing::Message() << "n = " << n << ", block = " << block);
      const matrix<double> A = general(n, n);
      lu_options options{.pivoting = pivoting::tournament, .block = block};
      guarded_bytes memory(lu_workspace_bytes<double, variant::right_looking>(n, n, options));
      options.workspace = memory.from(0);
      matrix<double> LU = A;
      const auto f = lu(verbs_only{}, LU, options);
      EXPECT_TRUE(f);
      EXPECT_TRUE(within(lu_ratio<double>(A, LU, f.interchanges().span())));
      EXPECT_TRUE(memory.tail_untouched());
    }
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
  matrix<double> LU = A, games = A, B = general(70, 2);
  lu_options options{.pivoting = pivoting::tournament, .block = 16, .leaves = 3};
  std::vector<std::byte> memory(lu_workspace_bytes<double>(70, 70, options));
  options.workspace = memory;
  const int before = allocations;
  const auto f = lu(LU);
  EXPECT_LE(allocations - before, 1);
  const auto g = lu(games, options);
  EXPECT_LE(allocations - before, 2);
  const int factored = allocations;
  solve(f, B);
  solve(g, B, operation::transpose);
  EXPECT_EQ(allocations, factored);
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
  const int interchanges = allocations_of(general(64, 64), by_lu);
  free_kept_workspace();
  EXPECT_EQ(allocations_of(A, by_cholesky), 1);
  EXPECT_EQ(allocations_of(A, by_cholesky), 0);
  EXPECT_EQ(allocations_of(B, by_cholesky), 0);
  EXPECT_EQ(allocations_of(A, by_cholesky), 0);
  EXPECT_EQ(allocations_of(C, by_cholesky), 1);
  ASSERT_LE(lu_workspace_bytes<double>(300, 300), cholesky_workspace_bytes<double>(400));
  EXPECT_EQ(allocations_of(G, by_lu), interchanges);
  const int kept = not_freed;
  free_kept_workspace();
  EXPECT_EQ(not_freed, kept - 1);
  EXPECT_EQ(allocations_of(B, by_cholesky), 1);
}

TEST(Memory, WorkspaceThatIsHandedInLeavesWhatIsKeptAlone) {
  const auto A = spd(300);
  std::vector<std::byte> memory(cholesky_workspace_bytes<double>(300));
  free_kept_workspace();
  const auto given = [&](matrix<double>& L) { return cholesky(L, {.workspace = memory}).ok(); };
  EXPECT_EQ(allocations_of(A, given), 0);
  EXPECT_EQ(allocations_of(A, [](matrix<double>& L) { return cholesky(L).ok(); }), 1);
}

TEST(Memory, NoThreadKeepsMoreThanTheContractSays) {
  const auto A = spd(1300);
  const cholesky_options wide{.block = 1280};  // two panels of nearly all columns
  ASSERT_GT((cholesky_workspace_bytes<double, variant::fused>(1300, wide)), most_kept_workspace);
  const auto factor = [&](matrix<double>& L) { return cholesky<variant::fused>(L, wide).ok(); };
  const auto small = [](matrix<double>& L) { return cholesky(L).ok(); };
  free_kept_workspace();
  EXPECT_EQ(allocations_of(spd(300), small), 1);
  const int before = not_freed;
  EXPECT_EQ(allocations_of(A, factor), 1);
  EXPECT_EQ(not_freed, before);
  EXPECT_EQ(allocations_of(A, factor), 1);
  EXPECT_EQ(allocations_of(spd(300), small), 0) << "what was kept is still there";
}

TEST(Memory, CallsWithinCallsHaveMemoryOfTheirOwn) {
  free_kept_workspace();
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
  free_kept_workspace();
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
  placed_matrix<double> A(spd(20), layout::padded), C(general(20, 20), layout::padded);
  const lu_options games{.pivoting = pivoting::tournament, .leaves = 2};
  free_kept_workspace();
  memory_is_full = true;
  const status of_cholesky = try_cholesky<variant::crout_distributed_sum>(A.view()).status();
  const status of_lu = try_lu(C.view(), games).status();
  bool threw = false;
  try {
    (void)lu(C.view(), games);
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

}  // namespace
}  // namespace trifac::test
