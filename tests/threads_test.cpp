// The backend on std::thread: the bits and statuses of one thread, whatever the team; callers at
// the same time, nested calls, fork, and the pool itself.

#include "trifac/backend/threads.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "support/layouts.hpp"
#include "support/matrices.hpp"
#include "trifac/cholesky.hpp"
#include "trifac/lu.hpp"
#include "trifac/nests.hpp"
#include "trifac/solve.hpp"
#include "trifac/variants.hpp"

namespace trifac::test {
namespace {

using backend::thread_pool;

constexpr index_t n = 130, block = 32;
constexpr lu_options rounds = {.pivoting = pivoting::tournament, .block = block, .leaves = 3};

TEST(Threads, EveryTeamGivesTheBitsOfOneThread) {
  random_source random(921);
  const auto A = random_spd<double>(random, n), M = random_matrix<double>(random, n, n);
  auto L = A, by_columns = A, LU = M, X = M;
  ASSERT_TRUE(cholesky<variant::packed>(L, {.block = block}));
  ASSERT_TRUE(cholesky<variant::crout>(by_columns, {.cutoff = 9}));
  const auto f = lu<variant::packed>(LU, rounds);
  solve(f, X);
  for (int threads = 1; threads <= 4; ++threads) {
    SCOPED_TRACE(std::to_string(threads) + " threads");
    const backend::threads on{.threads = threads};
    for (int again = 0; again < 5; ++again) {
      auto mine = A, columns = A, mine_lu = M, Y = M;
      ASSERT_TRUE(cholesky<variant::packed>(on, mine, {.block = block}));
      ASSERT_TRUE(cholesky<variant::crout>(on, columns, {.cutoff = 9}));
      const auto g = lu<variant::packed>(on, mine_lu, rounds);
      solve(on, g, Y);
      EXPECT_TRUE(same_bits(mine.view(), L.view()));
      EXPECT_TRUE(same_bits(columns.view(), by_columns.view()));
      EXPECT_TRUE(same_bits(mine_lu.view(), LU.view()));
      EXPECT_TRUE(same_bits(Y.view(), X.view()));
      EXPECT_EQ(g.interchanges(), f.interchanges());
    }
  }
}

TEST(Threads, EveryTeamReportsTheSameFailure) {
  random_source random(922);
  auto A = random_spd<double>(random, n);
  A(70, 70) = -1;
  for (int threads = 1; threads <= 4; ++threads) {
    auto L = A;
    EXPECT_EQ(
        try_cholesky<variant::packed>(backend::threads{.threads = threads}, L, {.block = block})
            .status(),
        status::at(status_kind::not_positive_definite, 70));
  }
}

TEST(Threads, NegativeThreadsAreAnArgumentError) {
  matrix<double> A(3, 3);
  EXPECT_FALSE(backend::threads{.threads = -1}.available());
  EXPECT_EQ(try_cholesky(backend::threads{.threads = -1}, A).status(),
            status::argument("backend.threads", "is negative"));
}

TEST(Threads, ATeamIsAsLargeAsItsWork) {
  EXPECT_EQ(backend::team_size(backend::threads{.threads = 8}, 2.4e7), 1);
  EXPECT_EQ(backend::team_size(backend::threads{.threads = 8}, 4e7), 5);
  EXPECT_EQ(backend::team_size(backend::threads{.threads = 8}, threads_as_asked), 8);
  EXPECT_EQ(backend::team_size(backend::threads{.threads = 8}, one_thread), 1);
}

TEST(Threads, ACallInsideATeamIsSingleThreaded) {
  std::atomic<int> inner = 0, calls = 0;
  status outcome;
  const backend::threads team{.threads = 3};
  run(team, outcome, threads_as_asked, [&](auto& on) {
    EXPECT_EQ(on.threads(), 3);
    status inside;
    run(team, inside, threads_as_asked, [&](auto& here) { inner += here.threads(); });
    ++calls;
  });
  EXPECT_GE(calls, 1);
  EXPECT_EQ(inner, calls);
}

TEST(Threads, CallersAtTheSameTimeGetTheSameBits) {
  random_source random(923);
  const auto A = random_spd<double>(random, n);
  auto L = A;
  ASSERT_TRUE(cholesky<variant::packed>(L, {.block = block}));
  std::vector<matrix<double>> factors(4, A);
  std::vector<std::thread> callers;
  for (matrix<double>& mine : factors)
    callers.emplace_back([&] {
      for (int again = 0; again < 10; ++again) {
        mine = A;
        (void)try_cholesky<variant::packed>(backend::threads{.threads = 2}, mine, {.block = block});
      }
    });
  for (std::thread& caller : callers) caller.join();
  for (const matrix<double>& mine : factors) EXPECT_TRUE(same_bits(mine.view(), L.view()));
}

TEST(Threads, APoolOfTheCallers) {
  random_source random(924);
  const auto A = random_spd<double>(random, n);
  auto L = A, mine = A;
  ASSERT_TRUE(cholesky<variant::packed>(L, {.block = block}));
  thread_pool pool;
  ASSERT_TRUE(cholesky<variant::packed>(backend::threads{.threads = 3, .pool = &pool}, mine,
                                        {.block = block}));
  EXPECT_TRUE(same_bits(mine.view(), L.view()));
}

TEST(Threads, APoolRunsAsManyThreadsAsItIsAskedForAtMost) {
  thread_pool pool;
  for (int size = -1; size <= 4; ++size) {
    std::atomic<int> threads = 0;
    const auto body = [&] { ++threads; };
    EXPECT_TRUE(pool.run(size, body));
    EXPECT_GE(threads, 1);
    EXPECT_LE(threads, std::max(1, size));
  }
}

TEST(Threads, APoolHasOneTeamAtATime) {
  thread_pool pool;
  std::atomic<int> refused = 0, runs = 0;
  const auto nothing = [] {};
  const auto body = [&] {
    ++runs;
    std::thread([&] { refused += !pool.run(2, nothing); }).join();
  };
  EXPECT_TRUE(pool.run(2, body));
  EXPECT_EQ(refused, runs);
  EXPECT_TRUE(pool.run(2, nothing));
}

matrix<double> large_spd() {
  random_source random(927);
  return random_spd<double>(random, 700);
}

/// In a process of its own.
TEST(ThreadsDeathTest, TheProcessMayEndWhileATeamWorks) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto end_amid_calls = [] {
    static const auto* const A =
        new matrix<double>(large_spd());  // lives as long as the other thread
    static std::atomic<bool> begun = false;
    std::thread([] {
      for (;;) {
        auto L = *A;
        begun = true;
        static_cast<void>(try_cholesky(backend::threads{.threads = 2}, L));
      }
    }).detach();
    while (!begun) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    std::exit(0);
  };
  for (int k = 0; k < 5; ++k) EXPECT_EXIT(end_amid_calls(), testing::ExitedWithCode(0), "");
}

TEST(ThreadsDeathTest, ADestructorAtExitMayFactor) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto end = [] {
    static struct late {
      ~late() {
        auto L = large_spd();
        if (!try_cholesky(backend::threads{.threads = 2}, L)) std::_Exit(3);
      }
    } is_destroyed_after_the_pool;
    auto L = large_spd();
    if (!try_cholesky(backend::threads{.threads = 2}, L)) std::_Exit(2);
    std::exit(0);
  };
  EXPECT_EXIT(end(), testing::ExitedWithCode(0), "");
}

// The child has the pool's memory but not its threads; it ends with exit(), destructors included.
TEST(Threads, AForkedChildFactorsOnOneThread) {
  random_source random(925);
  const auto A = random_spd<double>(random, n);
  auto L = A;
  const backend::threads team{.threads = 2};
  ASSERT_TRUE(cholesky<variant::packed>(team, L, {.block = block}));
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);  // ends a child that hangs
    auto mine = A;
    const bool good = try_cholesky<variant::packed>(team, mine, {.block = block}).ok();
    std::exit(good && same_bits(mine.view(), L.view()) ? 0 : 1);
  }
  int code = -1;
  ASSERT_EQ(::waitpid(child, &code, 0), child);
  EXPECT_TRUE(WIFEXITED(code)) << "ended by signal " << WTERMSIG(code);
  EXPECT_EQ(WEXITSTATUS(code), 0);
  L = A;
  EXPECT_TRUE(cholesky<variant::packed>(team, L, {.block = block}));
}

}  // namespace
}  // namespace trifac::test
