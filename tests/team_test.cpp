// Teams of threads: who calls from where, calls at the same time, failures inside a team, and many
// more threads than work.

#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "backends.hpp"
#include "support/layouts.hpp"
#include "support/matrices.hpp"
#include "support/residual.hpp"
#include "trifac/any_variant.hpp"
#include "trifac/solve.hpp"

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
  const lu_options games{.pivoting = pivoting::tournament, .block = 8, .leaves = 3};
  const auto reference = lu<variant::fused>(expected, games);
  std::vector<matrix<double>> factors(4, A);
  std::vector<status> outcomes(factors.size());
  std::vector<std::thread> callers;
  for (std::size_t i = 0; i < factors.size(); ++i)
    callers.emplace_back([&, i] {
      outcomes[i] =
          try_lu<variant::fused>(backend::openmp{.threads = 2}, factors[i], games).status();
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
    const auto f = lu<variant::fused>(backend::openmp{.threads = 9}, LU,
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
    for_each_team([&](const backend::openmp& team, const std::string& name) {
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
        const auto f = try_lu<variant::fused>(team, LU, {.pivoting = how, .block = 8, .leaves = 3});
        EXPECT_EQ(f.status(), status::at(status_kind::not_finite, k)) << to_string(how);
      }
    });
  }
}

TEST_F(Team, RepeatedCallsGiveTheSameBits) {
  const auto A = random_matrix<double>(random, 90, 90);
  const lu_options games{.pivoting = pivoting::tournament, .block = 8, .leaves = 5};
  auto first = A;
  (void)lu<variant::fused>(backend::openmp{.threads = 4}, first, games);
  for (int repetition = 0; repetition < 20; ++repetition) {
    auto LU = A;
    (void)lu<variant::fused>(backend::openmp{.threads = 4}, LU, games);
    ASSERT_TRUE(same_bits(LU.view(), first.view())) << "repetition " << repetition;
  }
}

// After a late team some calls go on alone, more of them after each further late one, up to a
// bound; a team that was not late ends that.
TEST(TeamExperience, LateTeamsAreFollowedByCallsAlone) {
  using namespace std::chrono_literals;
  backend::team_experience experience;
  const double work = 1e8;
  const auto calls_alone = [&] {
    int calls = 0;
    while (!experience.wants_team(work)) ++calls;
    return calls;
  };
  EXPECT_EQ(calls_alone(), 0);
  experience.report(work, 2, 900us, 1ms);  // a short wait
  EXPECT_EQ(calls_alone(), 0);
  experience.report(work, 2, 10ms, 100ms);  // a small part of the call
  EXPECT_EQ(calls_alone(), 0);
  for (int expected : {2, 4, 8, 16, 32, 64, 64}) {
    experience.report(work, 2, 3ms, 4ms);
    EXPECT_EQ(calls_alone(), expected);
  }
  experience.report(work, 2, 0ms, 1ms);
  EXPECT_EQ(calls_alone(), 0);
  experience.report(work, 64, 3ms, 4ms);  // still many times faster than one thread
  EXPECT_EQ(calls_alone(), 0);
  experience.report(work, 2, 3ms, 4ms);
  EXPECT_TRUE(experience.wants_team(10 * work));  // of which nothing is known
  EXPECT_EQ(calls_alone(), 2);
}

}  // namespace
}  // namespace trifac::test
