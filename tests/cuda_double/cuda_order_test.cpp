// The order of what runs on a device: two streams in any order that their events allow give the
// same bits; without one of the events they do not; a recorded graph does what was recorded.

#include <gtest/gtest.h>

#include <algorithm>

#include "cuda_double/cuda_double.hpp"
#include "support/layouts.hpp"
#include "support/residual.hpp"
#include "trifac/backend/cuda.hpp"
#include "trifac/backend/cuda_graph.hpp"
#include "trifac/device_matrix_lu.hpp"

namespace trifac::test {
namespace {

using backend::cuda;
using backend::cuda_graph;

class CudaOrder : public testing::Test {
 protected:
  void SetUp() override {
    cuda_double::reset();
    ASSERT_TRUE(on_.available()) << on_.available().reason;
  }
  void TearDown() override {
    EXPECT_EQ(cuda_double::complaints(), "");
    cuda_double::reset();
  }
  matrix<double> spd(std::uint64_t seed) const {
    random_source random(seed);
    return random_spd<double>(random, 300);
  }
  /// The factor by panels of 64 columns, with the wait number `forgotten` left out.
  matrix<double> factor(const matrix<double>& A, triangle part, int forgotten = -1) {
    device_matrix D(on_, A.view());
    cuda_double::inject({.wait = forgotten});
    static_cast<void>(cholesky(D, {.part = part, .block = 64}).status());
    return D.to_host();
  }
  const cuda on_ = cuda::first();
};

TEST_F(CudaOrder, AnyOrderOfTwoStreamsGivesTheSameBits) {
  const matrix<double> A = spd(1401);
  for (triangle part : {triangle::lower, triangle::upper}) {
    const int before = cuda_double::seen().waits;
    const matrix<double> first = factor(A, part);
    EXPECT_EQ(cuda_double::seen().waits - before, 2 * 3);  // apart and together for each look ahead
    EXPECT_TRUE(within(cholesky_ratio<double>(A, part, first)));
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      cuda_double::seed(seed);
      const matrix<double> again = factor(A, part);
      EXPECT_TRUE(same_bits(again.view(), first.view())) << "seed " << seed;
    }
  }
}

TEST_F(CudaOrder, EveryWaitIsNeeded) {
  const matrix<double> A = spd(1402);
  const matrix<double> right = factor(A, triangle::lower);
  for (int wait = 0; wait < 6; ++wait) {
    bool found = false;
    for (std::uint64_t seed = 1; seed <= 200 && !found; ++seed) {
      cuda_double::seed(seed);
      const matrix<double> L = factor(A, triangle::lower, wait);
      found = !same_bits(L.view(), right.view());
    }
    EXPECT_TRUE(found) << "nothing went wrong without wait " << wait;
  }
}

/// Panels of 128 columns, which are factored by narrower ones in the second stream.
TEST_F(CudaOrder, TwoLevelsOfBlocks) {
  const matrix<double> A = spd(1404);
  for (triangle part : {triangle::lower, triangle::upper})
    for (auto by : {device::product_kernels::own, device::product_kernels::library})
      for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        cuda_double::seed(seed);
        device_matrix D(on_.with({.products = by}), A.view());
        ASSERT_TRUE(cholesky(D, {.part = part, .block = 128}));
        EXPECT_TRUE(within(cholesky_ratio<double>(A, part, D.to_host())));
      }
  random_source random(1405);
  using runtime = device::cuda_runtime;
  using executor = device::lu_executor<runtime, double>;
  for (auto [m, n] : {std::pair<index_t, index_t>{150, 150}, {140, 100}, {100, 140}, {600, 70}})
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      cuda_double::seed(seed);
      const matrix<double> B = random_matrix<double>(random, m, n);
      device_matrix D(on_, B.view());
      pivots p(std::min(m, n));
      executor on(on_.session(), {}, std::min(m, n));
      // A limit of one sends most panels back to partial pivoting.
      const device::lu_rounds<runtime, double> rounds(on_.session(), on.shape(), m, 16,
                                                      {.max_l = seed % 4 == 0 ? 1.0 : 64.0});
      lu_blocked(on, device::two_queue_lu_panel(D.view(), p.span(), 48, 16,
                                                seed % 2 == 0 ? &rounds.get() : nullptr));
      ASSERT_TRUE(on.finish());
      on.interchanges().read(p.span());
      EXPECT_TRUE(within(lu_ratio<double>(B, D.to_host(), p.span())));
    }
}

/// The matrix and its interchanges after LU by panels of 32 columns, with the wait number
/// `forgotten` left out.
struct lu_outcome {
  matrix<double> LU;
  pivots interchanges;

  bool same_as(const lu_outcome& other) const {
    return same_bits(LU.view(), other.LU.view()) &&
           std::ranges::equal(interchanges.span(), other.interchanges.span());
  }
};
lu_outcome factor_lu(const cuda& on, const matrix<double>& A, pivoting how, int forgotten = -1) {
  device_matrix D(on, A.view());
  cuda_double::inject({.wait = forgotten});
  const auto f = lu(D, {.pivoting = how, .block = 32});
  lu_outcome found{matrix<double>(), f.interchanges()};
  found.LU = D.to_host();
  return found;
}

TEST_F(CudaOrder, LuGivesTheSameBitsInAnyOrderOfTwoStreams) {
  random_source random(1412);
  for (auto [m, n] : {std::pair<index_t, index_t>{150, 150}, {140, 100}, {100, 140}})
    for (pivoting how : {pivoting::partial, pivoting::tournament}) {
      SCOPED_TRACE(testing::Message() << m << "×" << n << ", " << to_string(how));
      const matrix<double> A = random_matrix<double>(random, m, n);
      const int before = cuda_double::seen().waits;
      const lu_outcome first = factor_lu(on_, A, how);
      const int panels = static_cast<int>((std::min(m, n) + 31) / 32);
      // Apart and together: the first panel, and each that has columns right of it.
      EXPECT_EQ(cuda_double::seen().waits - before, 2 * (panels + (m < n)));
      EXPECT_TRUE(within(lu_ratio<double>(A, first.LU, first.interchanges.span())));
      for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        cuda_double::seed(seed);
        EXPECT_TRUE(factor_lu(on_, A, how).same_as(first)) << "seed " << seed;
      }
    }
}

TEST_F(CudaOrder, EveryWaitOfLuIsNeeded) {
  random_source random(1413);
  const matrix<double> A = random_matrix<double>(random, 100, 100);
  const lu_outcome right = factor_lu(on_, A, pivoting::partial);
  for (int wait = 0; wait < 2 * 4; ++wait) {
    if (wait == 2) continue;  // the first stream has done nothing yet that the second one needs
    bool found = false;
    for (std::uint64_t seed = 1; seed <= 60 && !found; ++seed) {
      cuda_double::seed(seed);
      found = !factor_lu(on_, A, pivoting::partial, wait).same_as(right);
    }
    EXPECT_TRUE(found) << "nothing went wrong without wait " << wait;
  }
}

TEST_F(CudaOrder, AGraphFactorsWhatItIsGiven) {
  const matrix<double> start = spd(1403);
  device_matrix D(on_, start.view());
  cuda_graph graph(on_, [&] { return cholesky(D, {.block = 64}); });
  const int launches = cuda_double::seen().launches;
  for (std::uint64_t seed = 1404; seed < 1408; ++seed) {
    const matrix<double> A = spd(seed);
    D.assign(A.view());
    graph.launch();
    EXPECT_TRUE(graph.status()) << graph.status().message();
    EXPECT_TRUE(within(cholesky_ratio<double>(A, triangle::lower, D.to_host())));
    // What else the session does in between has memory of its own.
    const matrix<double> L = factor(A, triangle::lower), from_graph = D.to_host();
    EXPECT_TRUE(same_bits(L.view(), from_graph.view()));
  }
  EXPECT_EQ(cuda_double::seen().graph_launches, 4);
  EXPECT_GT(launches, 0);

  matrix<double> bad = spd(1408);
  bad(205, 205) = -1;
  D.assign(std::as_const(bad).view());
  graph.launch();
  EXPECT_EQ(graph.status(), status::at(status_kind::not_positive_definite, 205));
}

TEST_F(CudaOrder, AGraphOfLu) {
  random_source random(1409);
  const matrix<double> A = random_matrix<double>(random, 150, 150);
  for (pivoting how : {pivoting::partial, pivoting::tournament}) {
    device_matrix D(on_, A.view());
    cuda_graph graph(on_, [&] { return lu(D, {.pivoting = how, .block = 32}); });
    D.assign(A.view());
    graph.launch();
    EXPECT_TRUE(graph.status());
    EXPECT_TRUE(within(lu_ratio<double>(A, D.to_host(), graph.result().interchanges().span())));
  }
}

TEST_F(CudaOrder, AGraphOfLuAnswersForItsLastLaunch) {
  random_source random(1414);
  const index_t n = 100;
  matrix<double> A = random_matrix<double>(random, n, n);
  const matrix<double> B = random_matrix<double>(random, n, 2);
  device_matrix D(on_, std::as_const(A).view()), X(on_, B.view());
  cuda_graph graph(on_, [&] { return lu(D, {.block = 32}); });
  for (int launch = 0; launch < 3; ++launch) {
    SCOPED_TRACE(launch);
    A = random_matrix<double>(random, n, n);
    D.assign(std::as_const(A).view());
    X.assign(B.view());
    graph.launch();
    EXPECT_TRUE(within(lu_ratio<double>(A, D.to_host(), graph.result().interchanges().span())));
    solve(graph.result(), X);
    EXPECT_TRUE(within(solve_ratio<double>(A, X.to_host(), B)));
  }
  for (index_t i = 0; i < n; ++i) A(i, 70) = 0;
  D.assign(std::as_const(A).view());
  graph.launch();
  EXPECT_EQ(graph.result().status(), status::at(status_kind::singular, 70));
  EXPECT_EQ(graph.status(), graph.result().status());
}

TEST_F(CudaOrder, AGraphMayGoWhileItRuns) {
  random_source random(1415);
  const matrix<double> A = random_matrix<double>(random, 150, 150);
  for (pivoting how : {pivoting::partial, pivoting::tournament}) {
    const lu_outcome right = factor_lu(on_, A, how);
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      const cuda on = cuda::first();  // its session has no other memory
      device_matrix D(on, A.view());
      {
        cuda_graph graph(on, [&] { return lu(D, {.pivoting = how, .block = 32}); });
        D.assign(A.view());
        cuda_double::seed(seed);
        graph.launch();
      }
      const matrix<double> LU = D.to_host();
      EXPECT_TRUE(same_bits(LU.view(), right.LU.view())) << "seed " << seed;
    }
  }
}

TEST_F(CudaOrder, WhatWaitsCannotBeRecorded) {
  const matrix<double> start = spd(1410);
  static_cast<void>(factor(start, triangle::lower));  // programs are loaded
  device_matrix D(on_, start.view());
  const int objects = cuda_double::seen().live_objects;
  const auto waiting = [&] {
    auto f = cholesky(D, {.block = 64});
    static_cast<void>(f.status());
    return f;
  };
  EXPECT_THROW(static_cast<void>(cuda_graph(on_, waiting)), backend_error);
  EXPECT_EQ(cuda_double::seen().live_objects, objects);
  // The stream is as it was before.
  const matrix<double> A = spd(1411);
  EXPECT_TRUE(within(cholesky_ratio<double>(A, triangle::lower, factor(A, triangle::lower))));
}

}  // namespace
}  // namespace trifac::test
