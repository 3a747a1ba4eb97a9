#pragma once
// The one list of backends under test. A new backend is added here, and every test runs on it.

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <string_view>
#include <thread>

#include "trifac/backend/openmp.hpp"
#include "trifac/backend/serial.hpp"
#include "trifac/backend/threads.hpp"
#if TRIFAC_EXPECT_LAPACK
  #include "trifac/backend/lapack.hpp"
#endif
#if TRIFAC_EXPECT_OPENCL
  #include "trifac/backend/opencl.hpp"
#endif
#if TRIFAC_TEST_CUDA_ALONE
  #include "trifac/backend/cuda.hpp"
#endif

// The build says what it was configured with; backends_test.cpp holds it to that, so that nothing
// is left out in silence.
#if !defined(TRIFAC_EXPECT_OPENMP) || !defined(TRIFAC_EXPECT_LAPACK) || \
    !defined(TRIFAC_EXPECT_OPENCL)
  #error \
      "define TRIFAC_EXPECT_OPENMP, _LAPACK and _OPENCL as 0 or 1: the backends this build was configured with"
#endif

namespace trifac::test {

/// visit(backend, name) for each backend, with settings that are cheap on a machine of two cores.
template <class Visit>
void for_each_backend(Visit visit) {
#if TRIFAC_TEST_CUDA_ALONE
  static const auto gpu = backend::cuda::first();
  visit(gpu, std::string(backend::cuda::name));
#elif !TRIFAC_TEST_OPENCL_ALONE
  visit(backend::serial{}, std::string(backend::serial::name));
  visit(backend::threads{.threads = 2}, std::string(backend::threads::name));
#endif
  if (backend::openmp{}.available())
    visit(backend::openmp{.threads = 2}, std::string(backend::openmp::name));
#if TRIFAC_EXPECT_LAPACK
  visit(backend::lapack{}, std::string(backend::lapack::name));
#endif
#if TRIFAC_EXPECT_OPENCL
  static const auto device = backend::opencl::first();  // one session for all tests of a program
  if (device.available()) visit(device, std::string(backend::opencl::name));
#endif
}

inline constexpr int most_threads = 4;

/// The teams of B that a test has called on, and those that its calls have formed: bit k for k
/// threads.
template <class B>
inline std::atomic<unsigned> called_teams = 0;
template <class B>
inline std::atomic<unsigned> formed_teams = 0;

/// B, but with as many threads as are asked for, however small the work is: B itself forms no team
/// below shared_work_threshold, and tests of small matrices would compare one thread with itself.
template <class B>
struct eager {
  static constexpr std::string_view name = B::name;
  static constexpr bool packs_panels = B::packs_panels;
  static constexpr bool has_small_path = B::has_small_path;

  int threads = 0;

  B policy() const { return {.threads = threads}; }
  /// Every call begins with this.
  availability available() const noexcept {
    if (threads > 1) called_teams<B> |= 1U << threads;
    return policy().available();
  }
  friend constexpr bool supports(const eager&, variant) { return true; }
};

/// What is one thread's stays so.
constexpr double eager_flops(double flops) {
  return flops > one_thread ? threads_as_asked : one_thread;
}

/// For batches, which divide their work by it.
template <class B>
int team_size(const eager<B>& on, double flops) {
  return team_size(on.policy(), eager_flops(flops));
}

/// See TeamBackend. The threads begin together: of small work the caller would do all before the
/// others have come. One that the system does not start is not waited for longer than a second.
template <class B, class Worked, class Each>
bool start_team(const eager<B>& on, double flops, const Worked& worked, const Each& each) {
  using clock = std::chrono::steady_clock;
  std::atomic<int> here = 0;
  const auto together = [&](int size) {
    const auto latest = clock::now() + std::chrono::seconds(1);
    ++here;
    while (here < size && clock::now() < latest) std::this_thread::yield();
    each(size);
  };
  const bool started = start_team(on.policy(), eager_flops(flops), worked, together);
  if (here == on.threads) formed_teams<B> |= 1U << on.threads;
  return started;
}
template <class B>
call_team team_for_call(const eager<B>& on) {
  return team_started_by(on);
}
static_assert(TeamBackend<eager<backend::threads>> && TeamBackend<eager<backend::openmp>>);

/// Fails for each team that was called on but never formed, and begins anew.
template <class B>
void expect_formed_teams() {
  const unsigned called = called_teams<B>.exchange(0), formed = formed_teams<B>.exchange(0);
  for (int threads = 2; threads <= most_threads; ++threads)
    if ((called & ~formed) >> threads & 1U)
      ADD_FAILURE() << "no call on " << B::name << " with " << threads << " threads formed a team";
}

/// Holds every test to that, so that none compares one thread with itself.
struct team_watch : testing::EmptyTestEventListener {
  void OnTestEnd(const testing::TestInfo&) override {
    expect_formed_teams<backend::openmp>();
    expect_formed_teams<backend::threads>();
  }
};
inline const bool teams_are_watched = [] {
  testing::UnitTest::GetInstance()->listeners().Append(new team_watch);
  return true;
}();

/// visit(backend, name) for teams of 1, 2, 3 and 4 threads: all must give the same bits, so that
/// what is tested with two threads holds for all. Their teams are formed, see eager.
template <class Visit>
void for_each_team(Visit visit) {
  const auto with = [](std::string_view name, int threads) {
    return std::string(name) + " with " + std::to_string(threads) + " threads";
  };
  for (int threads = 1; threads <= most_threads; ++threads) {
    if (backend::openmp{}.available())
      visit(eager<backend::openmp>{.threads = threads}, with(backend::openmp::name, threads));
#if !TRIFAC_TEST_OPENCL_ALONE && !TRIFAC_TEST_CUDA_ALONE
    visit(eager<backend::threads>{.threads = threads}, with(backend::threads::name, threads));
#endif
  }
}

}  // namespace trifac::test
