// Memory: workspace handed in is enough and not overrun, too little is refused, and nothing is
// allocated but what the documentation says.

#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <span>
#include <vector>

#include "support/layouts.hpp"
#include "support/matrices.hpp"
#include "support/residual.hpp"
#include "trifac/cholesky.hpp"
#include "trifac/lu.hpp"
#include "trifac/solve.hpp"

namespace {

// Counts the allocations of this program, and lets the next ones fail.
int allocations = 0;
bool memory_is_full = false;

void* allocate(std::size_t bytes, std::size_t alignment) {
  ++allocations;
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void* const memory =
      memory_is_full ? nullptr : std::aligned_alloc(alignment, rounded > 0 ? rounded : alignment);
  if (!memory) throw std::bad_alloc();
  return memory;
}

}  // namespace

// The array and nothrow forms of the standard library call these. Not inlined, or the compiler sees
// free() end the life of memory from operator new, and warns.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  return allocate(bytes, alignof(std::max_align_t));
}
[[gnu::noinline]] void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
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

TEST(Memory, CholeskyTakesTheWorkspaceItAskedFor) {
  const index_t n = 37;
  const auto A = spd(n);
  constexpr auto v = variant::crout_distributed_sum;
  const std::size_t bytes = cholesky_workspace_bytes<double, v>(n);
  ASSERT_GT(bytes, 0u);
  EXPECT_EQ((cholesky_workspace_bytes<double, v>(0)), 0u);
  EXPECT_EQ(cholesky_workspace_bytes<double>(n), 0u) << "the default variant needs none";
  std::vector<std::byte> memory(bytes + 1 + 64, std::byte{0xcd});
  for (std::size_t offset : {0, 1}) {  // aligned or not
    matrix<double> L = A;
    const auto f = cholesky<v>(L, {.workspace = std::span(memory).subspan(offset, bytes)});
    EXPECT_TRUE(within(cholesky_ratio<double>(A, triangle::lower, f.matrix())));
  }
  for (std::size_t k = bytes + 1; k < memory.size(); ++k)
    EXPECT_EQ(memory[k], std::byte{0xcd}) << "wrote beyond";
  placed_matrix<double> L(A, layout::padded);
  EXPECT_STREQ(
      try_cholesky<v>(L.view(), {.workspace = std::span(memory).first(8)}).status().argument(),
      "options.workspace");
  EXPECT_TRUE(L.untouched());
}

TEST(Memory, LuTakesTheWorkspaceItAskedFor) {
  const auto A = general(50, 33);
  for (selection rule : {selection::plain, selection::scaled})
    for (index_t block : {1, 8, 33}) {
      lu_options options{
          .pivoting = pivoting::tournament, .selection = rule, .block = block, .leaves = 3};
      const std::size_t bytes = lu_workspace_bytes<double>(50, 33, options);
      ASSERT_GT(bytes, 0u);
      std::vector<std::byte> memory(bytes + 1 + 64, std::byte{0xcd});
      matrix<double> expected = A;
      (void)lu(expected, options);
      for (std::size_t offset : {0, 1}) {
        matrix<double> LU = A;
        options.workspace = std::span(memory).subspan(offset, bytes);
        EXPECT_TRUE(lu(LU, options));
        EXPECT_TRUE(same_bits(LU.view(), expected.view()));
      }
      for (std::size_t k = bytes + 1; k < memory.size(); ++k)
        EXPECT_EQ(memory[k], std::byte{0xcd}) << "wrote beyond";
      placed_matrix<double> LU(A, layout::padded);
      options.workspace = std::span(memory).first(8);
      EXPECT_STREQ(try_lu(LU.view(), options).status().argument(), "options.workspace");
      EXPECT_TRUE(LU.untouched());
    }
  EXPECT_EQ(lu_workspace_bytes<double>(50, 33), 0u) << "partial pivoting needs none";
  EXPECT_EQ(lu_workspace_bytes<double>(0, 33, {.pivoting = pivoting::tournament}), 0u);
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

TEST(Memory, WithoutMemoryNothingHappens) {
  placed_matrix<double> A(spd(20), layout::padded), C(general(20, 20), layout::padded);
  const lu_options games{.pivoting = pivoting::tournament, .leaves = 2};
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
