// The StarPU backend: the bits and statuses of one thread, whatever the workers, the scheduler and
// who started StarPU; shapes and storage; bad matrices; callers at the same time, tasks, fork; the
// timeline.

#include "trifac/backend/starpu.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <clocale>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "bench/starpu_svg.hpp"
#include "support/layouts.hpp"
#include "support/matrices.hpp"
#include "support/pivot_cases.hpp"
#include "support/residual.hpp"
#include "support/starpu_environment.hpp"
#include "trifac/cholesky.hpp"
#include "trifac/lu.hpp"
#include "trifac/solve.hpp"
#include "trifac/submit.hpp"
#include "trifac/variants.hpp"

namespace {

// For the calling thread, not for StarPU's: all allocations fail, or the one after so many.
thread_local bool memory_is_full = false;
thread_local int fails_after = -1;

void* allocate(std::size_t bytes, std::size_t alignment) {
  const std::size_t rounded = (bytes / alignment + 1) * alignment;
  const bool fails = memory_is_full || (fails_after >= 0 && fails_after-- == 0);
  void* const memory = fails ? nullptr : std::aligned_alloc(alignment, rounded);
  if (!memory) throw std::bad_alloc();
  return memory;
}
void release(void* memory) {
  std::free(memory);
}

}  // namespace

#include "support/replaced_new.inl"

namespace trifac::test {
namespace {

using backend::starpu_step;

constexpr index_t block = 16;
constexpr lu_options partial = {.block = block},
                     rounds = {.pivoting = pivoting::tournament, .block = block, .leaves = 3},
                     scaled = {.pivoting = pivoting::tournament,
                               .selection = selection::scaled,
                               .block = block,
                               .leaves = 3};

const starpu_environment prepared(0);

/// A StarPU of the program's own, with so many workers and a scheduler.
class started {
 public:
  explicit started(int workers, const char* scheduler = "lws") {
    starpu_conf conf;
    starpu_conf_init(&conf);
    conf.ncpus = workers;
    conf.ncuda = conf.nopencl = 0;
    conf.sched_policy_name = scheduler;
    good_ = starpu_init(&conf) == 0;
  }
  ~started() {
    if (good_) starpu_shutdown();
  }
  started(const started&) = delete;
  started& operator=(const started&) = delete;
  bool good() const { return good_; }

 private:
  bool good_ = false;
};

/// LU on StarPU has the bits, interchanges and status of serial.
template <class T>
void expect_lu_of_serial(const matrix<T>& A, layout where, const lu_options& options) {
  placed_matrix<T> mine(A.view(), where), theirs(A.view(), where);
  pivots p, q;
  const status s = try_lu<variant::packed>(backend::starpu{}, mine.view(), p, options).status();
  EXPECT_EQ(s, try_lu<variant::packed>(theirs.view(), q, options).status());
  if (s.completed()) {
    EXPECT_TRUE(same_bits(mine.view(), theirs.view()));
    EXPECT_EQ(p, q);
  }
  EXPECT_TRUE(mine.guards_untouched());
}

template <class T>
void expect_cholesky_of_serial(const matrix<T>& A, layout where, triangle part) {
  placed_matrix<T> mine(A.view(), where), theirs(A.view(), where);
  const cholesky_options options = {.part = part, .block = block};
  const status s = try_cholesky(backend::starpu{}, mine.view(), options).status();
  EXPECT_EQ(s, try_cholesky(theirs.view(), options).status());
  if (s) {
    EXPECT_TRUE(same_bits(mine.view(), theirs.view()));
  }
  EXPECT_TRUE(mine.untouched_except(in_triangle(part)));
}

/// Every shape with one panel or several, in every storage order, by every rule for pivots.
template <class T>
void expect_all_of_serial() {
  random_source random(31);
  struct shape {
    index_t m, n;
  };
  for (const auto [m, n] : {shape{1, 1},
                            {2, 2},
                            {15, 15},
                            {16, 16},
                            {17, 17},
                            {33, 32},
                            {32, 49},
                            {70, 70},
                            {70, 25},
                            {25, 70},
                            {25, 30},  // a last panel with fewer rows than columns to its end
                            {40, 45},
                            {1, 9},
                            {131, 131}}) {
    SCOPED_TRACE(std::to_string(m) + " x " + std::to_string(n));
    const auto A = random_matrix<T>(random, m, n);
    for (const layout where : all_layouts) {
      SCOPED_TRACE(to_string(where));
      expect_lu_of_serial(A, where, partial);
      if (where == layout::padded || where == layout::row_major) {
        expect_lu_of_serial(A, where, rounds);
        expect_lu_of_serial(A, where, scaled);
      }
    }
  }
  for (const index_t n : {0, 1, 2, 15, 16, 17, 33, 130}) {
    SCOPED_TRACE(n);
    const auto A = random_spd<T>(random, n);
    for (const layout where : all_layouts)
      for (const triangle part : {triangle::lower, triangle::upper})
        expect_cholesky_of_serial(A, where, part);
  }
}

// These come first, each with a StarPU of its own; the others have the one that trifac starts, and
// keeps.
class StarpuOfTheProgram : public testing::Test {
 public:
  void SetUp() override {
    if (starpu_is_initialized()) GTEST_SKIP() << "trifac has started StarPU in this process";
  }
};

TEST_F(StarpuOfTheProgram, EveryNumberOfWorkersAndEverySchedulerGivesTheBitsOfOneThread) {
  for (const char* scheduler : {"lws", "prio", "eager", "dmda"})
    for (const int workers : {1, 2, 3}) {
      SCOPED_TRACE(scheduler + std::string(" with workers ") + std::to_string(workers));
      const started here(workers, scheduler);
      ASSERT_TRUE(here.good());
      random_source random(33);
      expect_lu_of_serial(random_matrix<double>(random, 150, 150), layout::padded, partial);
      expect_lu_of_serial(random_matrix<double>(random, 150, 150), layout::padded, rounds);
      expect_cholesky_of_serial(random_spd<double>(random, 150), layout::padded, triangle::lower);
    }
}

TEST_F(StarpuOfTheProgram, StaysTheProgramsOwn) {
  const started here(2);
  ASSERT_TRUE(here.good());
  random_source random(34);
  const auto A = random_matrix<double>(random, 70, 70);
  expect_lu_of_serial(A, layout::packed, partial);
  EXPECT_TRUE(starpu_is_initialized());
  EXPECT_EQ(backend::starpu::workers().size(), 2u);
  // Its tasks still run: it was neither shut down nor left asleep.
  int ran = 0;
  starpu_codelet codelet;
  starpu_codelet_init(&codelet);
  codelet.cpu_funcs[0] = [](void**, void* argument) { ++*static_cast<int*>(argument); };
  ASSERT_EQ(starpu_task_insert(&codelet, STARPU_CL_ARGS_NFREE, &ran, sizeof ran,
                               STARPU_TASK_SYNCHRONOUS, 1, 0),
            0);
  EXPECT_EQ(ran, 1);
}

TEST_F(StarpuOfTheProgram, ACallWithinATaskRunsThere) {
  const started here(1);
  ASSERT_TRUE(here.good());
  starpu_codelet codelet;
  starpu_codelet_init(&codelet);
  static bool good;
  good = false;
  codelet.cpu_funcs[0] = [](void**, void*) {
    random_source random(35);
    auto A = random_spd<double>(random, 70), L = A;
    good = try_cholesky(backend::starpu{}, A, {.block = block}).ok() &&
           try_cholesky(L, {.block = block}).ok() && same_bits(A.view(), L.view());
  };
  ASSERT_EQ(starpu_task_insert(&codelet, STARPU_TASK_SYNCHRONOUS, 1, 0), 0);
  EXPECT_TRUE(good);
}

/// A child, which has the memory of this process but not its workers, ends with code 0 where
/// good(); one that hangs is ended.
template <class Good>
void expect_in_a_child(Good good) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);
    std::_Exit(good() ? 0 : 1);
  }
  int code = -1;
  ASSERT_EQ(::waitpid(child, &code, 0), child);
  EXPECT_TRUE(WIFEXITED(code)) << "ended by signal " << WTERMSIG(code);
  EXPECT_EQ(WEXITSTATUS(code), 0);
}

TEST_F(StarpuOfTheProgram, AForkedChildFactorsOnOneThread) {
  const started here(2);
  ASSERT_TRUE(here.good());
  random_source random(47);
  const auto A = random_spd<double>(random, 70);
  auto L = A;
  ASSERT_TRUE(try_cholesky(L, {.block = block}).ok());
  expect_in_a_child([&] {
    auto mine = A;
    return try_cholesky(backend::starpu{}, mine, {.block = block}).ok() &&
           same_bits(mine.view(), L.view()) && backend::starpu::workers().empty();
  });
  expect_cholesky_of_serial(A, layout::padded, triangle::lower);  // the parent's are still there
}

TEST_F(StarpuOfTheProgram, AStarpuWithoutWorkersIsABackendFailure) {
  ::setenv("STARPU_NCPU", "0", 1);
  random_source random(36);
  const auto A = random_matrix<double>(random, 70, 70);
  auto LU = A;
  const status s = try_lu(backend::starpu{}, LU, partial).status();
  ::unsetenv("STARPU_NCPU");
  EXPECT_EQ(s.kind(), status_kind::backend_failure);
  EXPECT_TRUE(same_bits(LU.view(), A.view()));
}

template <class T>
class Starpu : public testing::Test {};
using scalars = testing::Types<double, std::complex<float>>;
TYPED_TEST_SUITE(Starpu, scalars);
template <class T>
class FullStarpu : public testing::Test {};
using other_scalars = testing::Types<float, std::complex<double>>;
TYPED_TEST_SUITE(FullStarpu, other_scalars);

TYPED_TEST(Starpu, HasTheBitsOfOneThread) {
  expect_all_of_serial<TypeParam>();
}
TYPED_TEST(FullStarpu, FullHasTheBitsOfOneThread) {
  expect_all_of_serial<TypeParam>();
}

TYPED_TEST(Starpu, ResidualsOfLargerMatricesWithPanelsAsChosen) {
  using T = TypeParam;
  random_source random(37);
  const index_t n = 460;
  const auto A = random_matrix<T>(random, n, n), H = random_spd<T>(random, n);
  auto LU = A, L = H;
  pivots p;
  ASSERT_TRUE(try_lu(backend::starpu{}, LU, p).ok());
  EXPECT_TRUE(within(lu_ratio<T>(A.view(), LU.view(), p.span())));
  ASSERT_TRUE(try_cholesky(backend::starpu{}, L).ok());
  EXPECT_TRUE(within(cholesky_ratio<T>(H.view(), triangle::lower, L.view())));
}

TEST(StarpuCalls, FactorsAreThoseOfTheHost) {
  random_source random(38);
  const auto A = random_matrix<double>(random, 131, 131), H = random_spd<double>(random, 131),
             B = random_matrix<double>(random, 131, 7);
  auto X = B, Y = B;
  const auto f = lu(backend::starpu{}, matrix<double>(A), partial);
  solve(backend::starpu{}, f, X);
  EXPECT_TRUE(within(solve_ratio<double>(A.view(), X.view(), B.view())));
  matrix<double> L(131, 131);
  const auto g = cholesky(backend::starpu{}, H, L, {.block = block});
  solve(backend::starpu{}, g, Y);
  EXPECT_TRUE(within(solve_ratio<double>(H.view(), Y.view(), B.view())));
}

TEST(StarpuCalls, TiesGoToTheFirstRowInThePresentOrder) {
  random_source random(48);
  for (const auto& [m, n] : {std::pair<index_t, index_t>{100, 100}, {100, 30}, {30, 100}})
    for (const auto& A : matrices_with_ties<double>(random, m, n)) {
      const auto f = lu(backend::starpu{}, matrix<double>(A), partial);
      EXPECT_TRUE(pivots_like<double>(textbook(A), f.matrix(), f.interchanges())) << m << "×" << n;
    }
}

TEST(StarpuCalls, GrowthAndNormsAreMeasured) {
  random_source random(39);
  const auto A = random_matrix<double>(random, 70, 70);
  auto mine = A, theirs = A;
  lu_options options = partial;
  options.growth = options.norm = true;
  const auto f = lu(backend::starpu{}, mine, options);
  const auto g = lu<variant::packed>(theirs, options);
  EXPECT_EQ(f.growth(), g.growth());
  EXPECT_EQ(f.norm(norm_kind::one), g.norm(norm_kind::one));
}

TEST(StarpuCalls, BadMatricesEndAsOnOneThread) {
  random_source random(40);
  const auto good = random_matrix<double>(random, 131, 131);
  const double nan = std::numeric_limits<double>::quiet_NaN(),
               inf = std::numeric_limits<double>::infinity();
  for (const lu_options& options : {partial, rounds}) {
    for (const double bad : {nan, inf})
      for (const index_t k : {0, 15, 16, 70, 130}) {
        auto A = good;
        A(130 - k / 2, k) = bad;
        expect_lu_of_serial(A, layout::padded, options);
      }
    for (const index_t k : {0, 40, 130}) {  // singular: completed, later columns too
      auto A = good;
      for (index_t i = 0; i < 131; ++i) A(i, k) = 0;
      if (k == 40)
        for (index_t i = 0; i < 131; ++i) A(i, 90) = A(i, 20);
      expect_lu_of_serial(A, layout::padded, options);
    }
  }
  auto A = good;  // not finite after singular
  for (index_t i = 0; i < 131; ++i) A(i, 10) = 0;
  A(60, 60) = nan;
  expect_lu_of_serial(A, layout::padded, partial);
}

/// Its first panel of 256 columns has one group of rows, narrower ones would have two.
TEST(StarpuCalls, TheFirstPanelDecidesForTournaments) {
  random_source random(44);
  const auto A = random_matrix<double>(random, 2047, 479);
  const lu_options wide = {.pivoting = pivoting::tournament, .block = 256};
  auto mine = A, theirs = A;
  pivots p, q;
  ASSERT_TRUE(try_lu(backend::starpu{}, mine, p, wide));
  ASSERT_TRUE(try_lu(theirs, q, wide));
  EXPECT_TRUE(same_bits(mine.view(), theirs.view()));
  EXPECT_EQ(p, q);
}

TEST(StarpuCalls, ABadTournamentIsPartialPivoting) {
  random_source random(41);
  auto A = random_matrix<double>(random, 131, 131);
  lu_options strict = rounds;
  strict.max_l = 1;  // no tournament can promise that
  expect_lu_of_serial(A, layout::padded, strict);
  auto LU = A;
  pivots p, q;
  strict.selection = selection::scaled;
  ASSERT_TRUE(try_lu(backend::starpu{}, LU, p, strict).ok());
  ASSERT_TRUE(try_lu<variant::packed>(A, q, partial).ok());
  EXPECT_EQ(p, q);
}

TEST(StarpuCalls, MatricesThatAreNotDefiniteEndAsOnOneThread) {
  random_source random(42);
  for (const index_t k : {0, 15, 16, 70, 130})
    for (const double bad : {-1.0, 0.0, std::numeric_limits<double>::quiet_NaN()}) {
      auto A = random_spd<double>(random, 131);
      A(k, k) = bad;
      expect_cholesky_of_serial(A, layout::padded, triangle::lower);
      expect_cholesky_of_serial(A, layout::padded, triangle::upper);
    }
}

TEST(StarpuCalls, AnyAllocationOfAFactorizationMayFail) {
  random_source random(43);
  const auto A = random_spd<double>(random, 300);
  placed_matrix<double> in(A, layout::padded), out(300, 300, layout::padded);
  ASSERT_TRUE(try_cholesky(backend::starpu{}, A, matrix<double>(300, 300)));  // it is running
  in.remember();
  int failed = 0;
  const auto each_fails = [&](auto call) {
    for (int k = 0; k < 1000; ++k) {
      fails_after = k;
      const status s = call();
      const bool had_all = fails_after >= 0;
      fails_after = -1;
      if (had_all) return in.restore(), out.restore();
      ++failed;
      EXPECT_EQ(s.kind(), status_kind::out_of_memory) << k;
      ASSERT_TRUE(in.untouched() && out.untouched()) << k;
    }
  };
  each_fails([&] {
    return try_cholesky(backend::starpu{}, in.view(), out.view(), {.block = block}).status();
  });
  each_fails([&] { return try_lu(backend::starpu{}, in.view(), partial).status(); });
  EXPECT_GT(failed, 3);
}

TEST(StarpuCalls, WrongArgumentsAreNamed) {
  matrix<double> A(70, 70), rectangle(70, 60);
  EXPECT_STREQ(try_lu(backend::starpu{}, A, {.block = -1}).status().argument(), "options.block");
  EXPECT_STREQ(try_cholesky(backend::starpu{}, rectangle).status().argument(), "A");
  EXPECT_STREQ(try_lu<variant::recursive>(backend::starpu{}, A).status().argument(), "variant");
}

TEST(StarpuCalls, WithoutPivotingItIsOneThreadsCall) {
  random_source random(43);
  auto mine = dominant_matrix<double>(random, 70, 70), theirs = mine;
  ASSERT_TRUE(try_lu(backend::starpu{}, mine, {.pivoting = pivoting::none}).ok());
  ASSERT_TRUE(try_lu(theirs, {.pivoting = pivoting::none}).ok());
  EXPECT_TRUE(same_bits(mine.view(), theirs.view()));
}

TEST(StarpuCalls, CallersAtTheSameTimeGetTheSameBits) {
  random_source random(44);
  const auto A = random_matrix<double>(random, 131, 131);
  auto LU = A;
  ASSERT_TRUE(try_lu<variant::packed>(LU, partial).ok());
  std::vector<matrix<double>> factors(3, A);
  std::vector<std::thread> callers;
  for (matrix<double>& mine : factors)
    callers.emplace_back([&] {
      for (int again = 0; again < 8; ++again) {
        mine = A;
        (void)try_lu(backend::starpu{}, mine, partial);
      }
    });
  for (std::thread& caller : callers) caller.join();
  for (const matrix<double>& mine : factors) EXPECT_TRUE(same_bits(mine.view(), LU.view()));
}

TEST(StarpuCalls, AForkedChildFactorsOnOneThread) {
  random_source random(45);
  const auto A = random_spd<double>(random, 70);
  auto L = A;
  ASSERT_TRUE(try_cholesky(backend::starpu{}, L, {.block = block}).ok());
  expect_in_a_child([&] {
    auto mine = A;
    return try_cholesky(backend::starpu{}, mine, {.block = block}).ok() &&
           same_bits(mine.view(), L.view());
  });
}

// Matrices of one panel among them, which are done before they are in flight.
TEST(StarpuInFlight, SeveralHaveTheBitsOfOneAfterTheOther) {
  random_source random(48);
  const backend::starpu on;
  std::vector<matrix<double>> general, definite;
  std::vector<submitted<lu_factor<double>>> lus;
  std::vector<submitted<cholesky_factor<double>>> choleskys;
  for (const index_t n : {131, 70, 0, 10, 150, 33}) {
    general.push_back(random_matrix<double>(random, n, n));
    definite.push_back(random_spd<double>(random, n));
  }
  const auto A = general, H = definite;
  lu_options options = partial;
  options.growth = options.norm = true;
  for (std::size_t k = 0; k < A.size(); ++k) {
    lus.push_back(submit_lu(on, general[k], options));
    choleskys.push_back(submit_cholesky(on, definite[k], {.block = block, .norm = true}));
  }
  for (std::size_t k = A.size(); k-- > 0;) {
    auto LU = A[k], L = H[k];
    const auto f = lu(on, LU, options);
    const lu_factor<double>& mine = lus[k].wait();
    EXPECT_TRUE(mine.ok());
    EXPECT_TRUE(same_bits(mine.matrix(), f.matrix()));
    EXPECT_EQ(mine.interchanges(), f.interchanges());
    EXPECT_EQ(mine.norm(norm_kind::infinity), f.norm(norm_kind::infinity));
    EXPECT_EQ(mine.growth(), f.growth());
    EXPECT_TRUE(lus[k].done());
    EXPECT_EQ(&lus[k].wait(), &mine);
    const auto g = cholesky(on, L, {.block = block, .norm = true});
    EXPECT_TRUE(same_bits(choleskys[k].wait().matrix(), g.matrix()));
    EXPECT_EQ(choleskys[k].wait().norm(), g.norm());
  }
}

TEST(StarpuInFlight, ABadMatrixAmongGoodOnesEndsAlone) {
  random_source random(49);
  const backend::starpu on;
  const auto A = random_matrix<double>(random, 131, 131), H = random_spd<double>(random, 131);
  auto good = A, singular = A, infinite = A, definite = H, indefinite = H;
  for (index_t i = 0; i < 131; ++i) singular(i, 40) = 0;
  infinite(100, 70) = std::numeric_limits<double>::infinity();
  indefinite(70, 70) = -1;
  auto a = submit_lu(on, singular, partial);
  auto b = submit_lu(on, good, partial);
  auto c = submit_cholesky(on, indefinite, {.part = triangle::upper, .block = block});
  auto d = submit_lu(on, infinite, rounds);
  auto e = submit_cholesky(on, definite, {.block = block});
  EXPECT_EQ(a.wait().status(), status::at(status_kind::singular, 40));
  EXPECT_EQ(b.wait().status(), status());
  EXPECT_EQ(c.wait().status(), status::at(status_kind::not_positive_definite, 70));
  EXPECT_EQ(c.wait().part(), triangle::upper);
  EXPECT_EQ(d.wait().status(), status::at(status_kind::not_finite, 70));
  EXPECT_EQ(e.wait().status(), status());
  EXPECT_TRUE(within(lu_ratio<double>(A.view(), good.view(), b.wait().interchanges().span())));
  EXPECT_THROW(c.wait().or_throw(), numerical_error);
}

TEST(StarpuInFlight, TheEndWaitsAlsoWhereNobodyHas) {
  random_source random(50);
  const backend::starpu on;
  const auto H = random_spd<double>(random, 150);
  auto L = H, first = H, second = H, third = H;
  ASSERT_TRUE(try_cholesky(L, {.block = block}).ok());
  { const auto left = submit_cholesky(on, first, {.block = block}); }
  EXPECT_TRUE(same_bits(first.view(), L.view()));
  try {
    const auto left = submit_cholesky(on, second, {.block = block});
    throw 1;
  } catch (int) {
  }
  EXPECT_TRUE(same_bits(second.view(), L.view()));
  {
    // Its interchanges are in memory of their own, which the last tasks write.
    auto LU = H, expected = H;
    ASSERT_TRUE(try_lu(expected, {.block = block}).ok());
    { const auto left = submit_lu(on, LU, {.block = block}); }
    EXPECT_TRUE(same_bits(LU.view(), expected.view()));
  }
  first = H;
  auto assigned = submit_cholesky(on, first, {.block = block});
  assigned = submit_cholesky(on, third, {.block = block});  // waits for the first
  EXPECT_TRUE(same_bits(first.view(), L.view()));
  auto moved = std::move(assigned);
  std::thread([&] { EXPECT_TRUE(moved.wait().ok()); }).join();
  EXPECT_TRUE(same_bits(third.view(), L.view()));
  EXPECT_EQ(submitted<cholesky_factor<double>>().wait().status().kind(), status_kind::empty);
}

TEST(StarpuInFlight, WrongArgumentsAreNamedAndNothingIsBegun) {
  const backend::starpu on;
  matrix<double> A(70, 70), rectangle(70, 60);
  auto wrong = submit_lu(on, A, {.block = -1});
  EXPECT_TRUE(wrong.done());
  EXPECT_STREQ(wrong.wait().status().argument(), "options.block");
  EXPECT_STREQ(submit_cholesky(on, rectangle).wait().status().argument(), "A");
}

TEST(StarpuInFlight, WithJitterItIsDoneBeforeItReturns) {
  random_source random(53);
  auto A = random_spd<double>(random, 70);
  A(69, 69) = A(0, 0) * 1e-3;  // not definite
  auto mine = A;
  auto f = submit_cholesky(backend::starpu{}, mine, {.block = block, .jitter = {1e-10}});
  EXPECT_TRUE(f.done());
  const auto g = try_cholesky(backend::starpu{}, A, {.block = block, .jitter = {1e-10}});
  EXPECT_EQ(f.wait().status(), g.status());
  EXPECT_EQ(f.wait().shift(), g.shift());
}

TEST(StarpuInFlight, TimelinesAreOfEachCall) {
  random_source random(51);
  auto A = random_spd<double>(random, 64), B = random_spd<double>(random, 48);
  backend::starpu_timeline a, b;
  auto first = submit_cholesky(backend::starpu{.timeline = &a}, A, {.block = block}),
       second = submit_cholesky(backend::starpu{.timeline = &b}, B, {.block = block});
  EXPECT_TRUE(first.wait().ok());
  EXPECT_TRUE(second.wait().ok());
  EXPECT_EQ(a.tasks.size(), 4u + 3 + 2 + 1);
  EXPECT_EQ(b.tasks.size(), 3u + 2 + 1);
}

TEST(StarpuInFlight, ATimelineWithoutMemoryStaysEmpty) {
  random_source random(53);
  auto A = random_spd<double>(random, 64);
  backend::starpu_timeline t;
  auto mine = submit_cholesky(backend::starpu{.timeline = &t}, A, {.block = block});
  memory_is_full = true;
  const bool good = mine.wait().ok();
  memory_is_full = false;
  EXPECT_TRUE(good);
  EXPECT_TRUE(t.tasks.empty() && t.workers.empty());
}

TEST(StarpuInFlight, InAForkedChildItIsTheParents) {
  random_source random(52);
  auto A = random_spd<double>(random, 150);
  auto mine = submit_cholesky(backend::starpu{}, A, {.block = block});
  expect_in_a_child([&] {
    auto childs = std::move(mine);
    return childs.wait().status().kind() == status_kind::backend_failure;
  });
  EXPECT_TRUE(mine.wait().ok());
}

TEST(StarpuTimeline, HasEveryTaskAfterThoseThatItNeeds) {
  random_source random(46);
  auto A = random_matrix<double>(random, 64, 80);  // panels 0 … 3, block columns 0 … 4
  backend::starpu_timeline t;
  ASSERT_TRUE(try_lu(backend::starpu{.timeline = &t}, A, partial).ok());
  EXPECT_EQ(t.tasks.size(), 4u + (4 + 3 + 2 + 1) + 3);
  EXPECT_FALSE(t.workers.empty());
  const auto end_of = [&](starpu_step step, index_t k, index_t j) {
    for (const auto& task : t.tasks)
      if (task.step == step && task.panel == k && task.column == j) return task.end;
    ADD_FAILURE() << to_string(step) << ' ' << k << ' ' << j;
    return 0.0;
  };
  for (const auto& task : t.tasks) {
    EXPECT_GE(task.worker, 0);
    EXPECT_LE(task.begin, task.end);
    EXPECT_LE(task.end, t.seconds);
    if (task.step == starpu_step::update) {
      EXPECT_GE(task.begin, end_of(starpu_step::factor, task.panel, task.panel));
    }
    if (task.step == starpu_step::factor && task.panel > 0) {
      EXPECT_GE(task.begin, end_of(starpu_step::update, task.panel - 1, task.panel));
    }
    if (task.step == starpu_step::interchange) {
      EXPECT_GE(task.begin, end_of(starpu_step::factor, 3, 3));
    }
  }
  const std::string text = to_text(t), svg = bench::to_svg(t);
  EXPECT_NE(text.find("update 1 -> 3"), std::string::npos);
  std::size_t drawn = 0;
  for (std::size_t at = 0; (at = svg.find("<title>", at)) != std::string::npos; ++at) ++drawn;
  EXPECT_EQ(drawn, t.tasks.size());
  EXPECT_EQ(svg.substr(svg.size() - 7), "</svg>\n");
}

TEST(StarpuTimeline, NamesOfWorkersAreTextInADrawing) {
  const std::string svg =
      bench::to_svg(backend::starpu_timeline{.workers = {"<R&D>", "OpenCL 0 (<R>)"}, .tasks = {}});
  EXPECT_NE(svg.find(">&lt;R&amp;D&gt;</text>"), std::string::npos);
  EXPECT_NE(svg.find(">OpenCL 0<title>OpenCL 0 (&lt;R&gt;)</title>"), std::string::npos);
}

/// Numbers of C's printf have a decimal comma while it lives: a locale that localedef makes, as
/// none need be installed.
class decimal_comma {
 public:
  decimal_comma() {
    const std::string folder = testing::TempDir() + "trifac_locales", source = folder + "/source";
    std::filesystem::create_directory(folder);
    std::ofstream(source) << "comment_char %\nescape_char /\nLC_NUMERIC\ndecimal_point \",\"\n"
                             "thousands_sep \"\"\ngrouping -1\nEND LC_NUMERIC\n";
    const std::string make = "localedef --no-archive -c -f ANSI_X3.4-1968 -i " + source + " " +
                             folder + "/comma > /dev/null 2>&1";
    if (std::system(make.c_str()) == -1) return;
    setenv("LOCPATH", folder.c_str(), 1);
    is_set_ = std::setlocale(LC_NUMERIC, "comma") != nullptr;
  }
  ~decimal_comma() {
    std::setlocale(LC_NUMERIC, "C");
    unsetenv("LOCPATH");
  }
  decimal_comma(const decimal_comma&) = delete;
  decimal_comma& operator=(const decimal_comma&) = delete;
  bool is_set() const { return is_set_; }

 private:
  bool is_set_ = false;
};

TEST(StarpuTimeline, IsTheSameInALocaleWithADecimalComma) {
  const backend::starpu_timeline t = {.workers = {"cpu 0", "gpu 1"},
                                      .tasks = {{starpu_step::factor, 0, 0, 0, 0.125, 0.25},
                                                {starpu_step::update, 0, 3, 1, 0.25, 0.4999}},
                                      .transfers = {{0, 1, 1e6, 0.25, 0.3}},
                                      .seconds = 0.5};
  const std::string text = to_text(t), svg = bench::to_svg(t);
  EXPECT_NE(text.find("\n 0.125000  0.125000       0  factor 0 -> 0\n"), std::string::npos);
  EXPECT_NE(text.find("\n1 transfers, 1.000 MB\n"), std::string::npos);
  EXPECT_NE(svg.find("<rect x=\"365.00\" y=\"34.0\" width=\"275.00\" height=\"28.0\""),
            std::string::npos);
  const decimal_comma locale;
  if (!locale.is_set()) GTEST_SKIP() << "there is no localedef";
  char half[8];
  std::snprintf(half, sizeof half, "%.1f", 0.5);
  ASSERT_STREQ(half, "0,5");
  EXPECT_EQ(to_text(t), text);
  EXPECT_EQ(bench::to_svg(t), svg);
}

}  // namespace
}  // namespace trifac::test
