// Teams of threads: who calls from where, calls at the same time, failures inside a team, and many
// more threads than work.

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "backends.hpp"
#include "support/layouts.hpp"
#include "support/matrices.hpp"
#include "support/residual.hpp"
#include "trifac/backend/timed.hpp"
#include "trifac/nests.hpp"
#include "trifac/solve.hpp"
#include "trifac/variants.hpp"

namespace trifac::test {
namespace {

class Team : public testing::Test {
 protected:
  void SetUp() override {
    if (!backend::openmp{}.available()) GTEST_SKIP() << "no OpenMP in this build";
  }
  random_source random{901};
};

TEST_F(Team, WorksInsideAParallelRegion) {
  const index_t n = 60;
  const auto A = random_spd<double>(random, n);
  auto expected = A;
  ASSERT_TRUE(cholesky<variant::right_looking>(expected, {.block = 8}));
  std::vector<matrix<double>> factors(4, A);
  int good = 0;
#pragma omp parallel for num_threads(2) reduction(+ : good)
  for (std::size_t i = 0; i < factors.size(); ++i) {
    const auto f = try_cholesky<variant::right_looking>(backend::openmp{.threads = 3}, factors[i],
                                                        {.block = 8});
    good += f.ok();
  }
  EXPECT_EQ(good, 4);
  for (const auto& L : factors) EXPECT_TRUE(same_bits(L.view(), expected.view()));
}

TEST_F(Team, SeveralTeamsAtOnce) {
  const index_t n = 50;
  const auto A = random_matrix<double>(random, n, n);
  auto expected = A;
  const lu_options by_tournament{.pivoting = pivoting::tournament, .block = 8, .leaves = 3};
  const auto reference = lu<variant::packed>(expected, by_tournament);
  std::vector<matrix<double>> factors(4, A);
  std::vector<status> outcomes(factors.size());
  std::vector<std::thread> callers;
  for (std::size_t i = 0; i < factors.size(); ++i)
    callers.emplace_back([&, i] {
      outcomes[i] =
          try_lu<variant::packed>(backend::openmp{.threads = 2}, factors[i], by_tournament)
              .status();
    });
  for (std::thread& caller : callers) caller.join();
  for (std::size_t i = 0; i < factors.size(); ++i) {
    EXPECT_TRUE(outcomes[i]);
    EXPECT_TRUE(same_bits(factors[i].view(), expected.view()));
  }
}

TEST_F(Team, ManyMoreThreadsThanRows) {
  for (index_t n : {1, 2, 5}) {
    const auto A = random_spd<double>(random, n);
    for (variant v : cholesky_variants) {
      auto L = A;
      EXPECT_TRUE(try_cholesky(v, backend::openmp{.threads = 9}, L.view(), {.block = 2}))
          << to_string(v);
      EXPECT_TRUE(within(cholesky_ratio<double>(A, triangle::lower, L))) << to_string(v);
    }
    auto LU = A;
    const auto f = lu<variant::packed>(backend::openmp{.threads = 9}, LU,
                                       {.pivoting = pivoting::tournament, .block = 2, .leaves = 9});
    EXPECT_TRUE(within(lu_ratio<double>(A, LU, f.interchanges().span())));
  }
}

TEST_F(Team, DefaultThreadsAreOpenMPs) {
  const auto A = random_spd<double>(random, 40);
  auto L = A;
  EXPECT_TRUE(cholesky<variant::crout>(backend::openmp{}, L));
  EXPECT_TRUE(within(cholesky_ratio<double>(A, triangle::lower, L)));
}

TEST_F(Team, EveryThreadCountReportsTheSameFailure) {
  const index_t n = 45;
  for (index_t k : {0, 7, 8, 22, 44}) {
    auto A = random_spd<double>(random, n), C = random_matrix<double>(random, n, n);
    A(k, k) = -1;
    C(k, k) = std::numeric_limits<double>::quiet_NaN();
    for_each_team([&](const auto& team, const std::string& name) {
      SCOPED_TRACE(name);
      for (variant v : cholesky_variants) {
        auto L = A;
        const auto f = try_cholesky(v, team, L.view(), {.block = 8});
        EXPECT_EQ(f.status(), status::at(status_kind::not_positive_definite, k)) << to_string(v);
        EXPECT_TRUE(within(cholesky_ratio<double>(A.view().block(0, 0, k, k), triangle::lower,
                                                  f.matrix().block(0, 0, k, k))));
      }
      for (pivoting how : {pivoting::partial, pivoting::tournament}) {
        auto LU = C;
        const auto f =
            try_lu<variant::packed>(team, LU, {.pivoting = how, .block = 8, .leaves = 3});
        EXPECT_EQ(f.status(), status::at(status_kind::not_finite, k)) << to_string(how);
      }
    });
  }
}

TEST_F(Team, RepeatedCallsGiveTheSameBits) {
  const auto A = random_matrix<double>(random, 90, 90);
  const lu_options by_tournament{.pivoting = pivoting::tournament, .block = 8, .leaves = 5};
  auto first = A;
  (void)lu<variant::packed>(backend::openmp{.threads = 4}, first, by_tournament);
  for (int repetition = 0; repetition < 20; ++repetition) {
    auto LU = A;
    (void)lu<variant::packed>(backend::openmp{.threads = 4}, LU, by_tournament);
    ASSERT_TRUE(same_bits(LU.view(), first.view())) << "repetition " << repetition;
  }
}

// A call uses no more threads than the machine and its work have a use for, whatever was asked for.
TEST_F(Team, ThreadsAreCapped) {
  const auto threads_of = [](int asked, double flops) {
    status outcome;
    std::atomic<int> threads = 0;
    const backend::openmp team{.threads = asked};
    run(team, outcome, flops, [&](auto& on) { threads = on.threads(); });
    return threads.load();
  };
  const int most = backend::most_threads();
  for (const int asked : {8000, 50'000, std::numeric_limits<int>::max()}) {
    const backend::openmp team{.threads = asked};
    EXPECT_EQ(threads_of(asked, threads_as_asked), most);
    EXPECT_EQ(backend::team_size(team, threads_as_asked), most);
    EXPECT_EQ(backend::team_size(team, 1e15), most);
    EXPECT_EQ(backend::team_size(team, 2.4e7), 1);
    EXPECT_EQ(backend::team_size(team, 4e7), 5);
  }
  EXPECT_EQ(threads_of(2, threads_as_asked), 2);
  EXPECT_EQ(backend::team_size(backend::openmp{.threads = 2}, 4e7), 2);

  const auto A = random_spd<double>(random, 450);
  auto one = A, many = A;
  ASSERT_TRUE(cholesky(one));
  ASSERT_TRUE(cholesky(backend::openmp{.threads = 50'000}, many));
  EXPECT_TRUE(same_bits(one.view(), many.view()));
}

void expect_negative_threads_are_named(const backend::openmp& team) {
  const status expected = status::argument("backend.threads", "is negative");
  for (const index_t n : {1, 16, 200, 700}) {
    const matrix<double> B0(n, 9);
    matrix<double> A(n, n), B = B0;
    for (index_t i = 0; i < n; ++i) A(i, i) = 4;
    const matrix<double> before = A;
    for (const variant v : cholesky_variants)
      EXPECT_EQ(try_cholesky(v, team, A.view()).status(), expected) << to_string(v);
    EXPECT_EQ(try_cholesky(team, A).status(), expected);
    EXPECT_EQ(try_lu(team, A).status(), expected);
    for (const variant v : lu_variants) {
      const lu_options how{.pivoting = never_exchanges(v) ? pivoting::none : pivoting::partial};
      EXPECT_EQ(try_lu(v, team, A.view(), how).status(), expected) << to_string(v);
    }
    EXPECT_TRUE(same_bits(A.view(), before.view()));
    const auto f = cholesky(A);
    EXPECT_EQ(try_solve(team, f, B), expected);
    EXPECT_TRUE(same_bits(B.view(), B0.view()));
  }
}

TEST_F(Team, NegativeThreadsAreAnArgumentError) {
  const backend::openmp team{.threads = -1};
  EXPECT_FALSE(team.available());
  expect_negative_threads_are_named(team);
  backend::operation_times times;
  matrix<double> A(3, 3);
  EXPECT_EQ(try_cholesky(backend::timed(team, times), A).status().kind(),
            status_kind::invalid_argument);
}

// The team's threads are not there after fork(); GCC's runtime would wait for them without end.
TEST_F(Team, AForkedChildOfATeamFactorsOnOneThread) {
  const backend::openmp team{.threads = 2};
  const auto A = random_spd<double>(random, 450);
  auto L = A;
  ASSERT_TRUE(cholesky(team, L));
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);  // ends a child that hangs
    bool good = true;
    for (int again = 0; again < 2; ++again) {
      auto mine = A, named = A;
      good = good && try_cholesky(team, mine).ok() && same_bits(mine.view(), L.view()) &&
             try_cholesky<variant::packed>(team, named).ok() && same_bits(named.view(), L.view());
    }
    ::_exit(good ? 0 : 1);
  }
  int code = -1;
  ASSERT_EQ(::waitpid(child, &code, 0), child);
  EXPECT_TRUE(WIFEXITED(code)) << "ended by signal " << WTERMSIG(code);
  EXPECT_EQ(WEXITSTATUS(code), 0);
  L = A;
  EXPECT_TRUE(cholesky(team, L));  // the parent goes on as before
}

// What other tests say of teams rests on this: for_each_team's are formed for the smallest work,
// and a test whose calls form none fails.
TEST(EagerTeam, IsFormedHoweverSmallTheWork) {
  for_each_team([]<class B>(const B& team, const std::string& name) {
    const auto threads_for = [&](double flops) {
      status outcome;
      std::atomic<int> members = 0, size = 0;
      run(team_for_call(team), outcome, flops, [&](auto& on) {
        ++members;
        size = on.threads();
      });
      EXPECT_EQ(members, size) << name;
      return size.load();
    };
    EXPECT_EQ(threads_for(1), team.threads) << name;
    EXPECT_EQ(threads_for(1e9), team.threads) << name;
    EXPECT_EQ(threads_for(one_thread), 1) << name;
    EXPECT_EQ(team_size(team, 1), team.threads) << name;
  });
}

TEST(EagerTeam, ThatIsNeverFormedFailsItsTest) {
  const eager<backend::threads> team{.threads = 2};
  random_source random(902);
  auto A = random_spd<double>(random, 4);  // one panel
  ASSERT_TRUE(cholesky(team, A));
  EXPECT_NONFATAL_FAILURE(expect_formed_teams<backend::threads>(), "threads with 2 threads");
  ASSERT_TRUE(cholesky<variant::packed>(team, A));
  expect_formed_teams<backend::threads>();
}

// A team that brought nothing is followed by a pause of twenty times what was lost, the next one by
// twice that, up to a bound. Larger calls always have their team.
TEST(TeamExperience, ALateTeamOfSmallWorkIsFollowedByAPause) {
  using namespace std::chrono_literals;
  using backend::team_experience;
  using duration = team_experience::duration;
  const team_experience::clock::time_point start{1h};
  const auto pause_after = [&](double flops, duration worked, duration all) {
    team_experience experience;
    EXPECT_TRUE(experience.allows_team(flops, start));
    experience.report(flops, worked, all, start);
    EXPECT_TRUE(experience.allows_team(2 * flops, start));  // of which nothing is known
    duration pause{};
    while (!experience.allows_team(flops, start + pause)) {
      EXPECT_FALSE(experience.allows_team(flops / 2, start + pause));
      pause += 10ms;
    }
    return pause;
  };
  EXPECT_EQ(pause_after(1e8, 8ms, 4ms), 0ms);     // twice as fast as one thread
  EXPECT_EQ(pause_after(1e8, 8ms, 7ms), 0ms);     // as fast: one thread shares no cache
  EXPECT_EQ(pause_after(1e8, 8ms, 10ms), 60ms);   // late
  EXPECT_EQ(pause_after(1e8, 8ms, 70ms), 500ms);  // very late
  EXPECT_EQ(pause_after(1e9, 16ms, 15ms), 20ms);
  EXPECT_EQ(pause_after(1e9, 21ms, 100ms), 0ms);  // large
  EXPECT_EQ(pause_after(threads_as_asked, 8ms, 10ms), 0ms);
}

TEST(TeamExperience, PausesGrowUntilATeamIsGood) {
  using namespace std::chrono_literals;
  backend::team_experience experience;
  backend::team_experience::clock::time_point now{1h};
  for (const auto pause : {60ms, 120ms, 240ms, 480ms, 500ms, 500ms}) {
    ASSERT_TRUE(experience.allows_team(1e8, now));
    experience.report(1e8, 8ms, 10ms, now);
    EXPECT_FALSE(experience.allows_team(1e8, now + pause - 1ms));
    now += pause;
  }
  experience.report(1e8, 8ms, 5ms, now);
  EXPECT_TRUE(experience.allows_team(1e8, now));
  experience.report(1e8, 8ms, 10ms, now);
  EXPECT_TRUE(experience.allows_team(1e8, now + 60ms));
}

}  // namespace
}  // namespace trifac::test
