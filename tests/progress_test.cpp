// options.progress: what a call tells, on one thread and on a team, and how it ends a call.

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "backends.hpp"
#include "support/layouts.hpp"
#include "support/matrices.hpp"
#include "support/scalars.hpp"
#include "trifac/cholesky.hpp"
#include "trifac/lu.hpp"
#include "trifac/solve.hpp"

namespace trifac::test {
namespace {

template <class T>
class Progress : public testing::Test {};
TYPED_TEST_SUITE(Progress, lapack_scalars, scalar_names);

/// Both factorizations of order n, Cholesky of both triangles, in three layouts: call(name,
/// factored), where factored(progress, block, A) is the status of a copy's, which A receives.
template <class T, class B, class Call>
void for_both(const B& backend, index_t n, Call call) {
  random_source random(801);
  const matrix<T> A = random_spd<T>(random, n);
  for (const layout where : {layout::padded, layout::row_major_padded, layout::strided}) {
    placed_matrix<T> stored(A, where);
    const auto copied = [&](const status& s, matrix<T>& result) {
      result = matrix<T>(matrix_view<const T>(stored.view()));
      return s;
    };
    for (const triangle part : {triangle::lower, triangle::upper})
      call("cholesky, " + std::string(to_string(where)),
           [&](matrix<T>& L, progress_ref progress, index_t block) {
             stored.assign(A, [](index_t, index_t) { return true; });
             return copied(try_cholesky(backend, stored.view(),
                                        {.part = part, .block = block, .progress = progress})
                               .status(),
                           L);
           });
    call("lu, " + std::string(to_string(where)),
         [&](matrix<T>& LU, progress_ref progress, index_t block) {
           stored.assign(A, [](index_t, index_t) { return true; });
           return copied(
               try_lu(backend, stored.view(), {.block = block, .progress = progress}).status(), LU);
         });
  }
}

TYPED_TEST(Progress, GrowsToOneAndChangesNoBit) {
  using T = TypeParam;
  for_each_team([](const auto& backend, const std::string& name) {
    for_both<T>(backend, 150, [&](const std::string& what, const auto& factored) {
      SCOPED_TRACE(testing::Message() << name << ", " << what);
      matrix<T> plain, told;
      EXPECT_TRUE(factored(plain, {}, 32));
      std::vector<double> done;  // one call at a time
      EXPECT_TRUE(factored(
          told, [&](double fraction) { done.push_back(fraction); }, 32));
      EXPECT_TRUE(same_bits(plain.view(), told.view()));
      ASSERT_GE(done.size(), 3u);
      EXPECT_GT(done.front(), 0);
      EXPECT_EQ(done.back(), 1);
      for (std::size_t k = 1; k < done.size(); ++k) EXPECT_GE(done[k], done[k - 1]);
    });
  });
}

TYPED_TEST(Progress, EndsTheCall) {
  using T = TypeParam;
  for_each_team([](const auto& backend, const std::string& name) {
    for_both<T>(backend, 150, [&](const std::string& what, const auto& factored) {
      SCOPED_TRACE(testing::Message() << name << ", " << what);
      matrix<T> A;
      std::stop_source stop;
      int calls = 0;
      const status s = factored(
          A,
          [&](double done) {
            ++calls;
            if (done > 0.5) stop.request_stop();
            return !stop.stop_requested();
          },
          32);
      EXPECT_EQ(s.kind(), status_kind::cancelled) << s.message();
      EXPECT_FALSE(s.completed() || s.of_the_matrix());
      const int then = calls;
      EXPECT_TRUE(factored(
          A, [&](double done) { return ++calls, done < 1; }, 32));  // too late
      EXPECT_GT(calls, 2 * then);
    });
  });
}

TYPED_TEST(Progress, GrowsForWideAndTallMatrices) {
  using T = TypeParam;
  random_source random(803);
  for (const auto& [m, n] : {std::pair<index_t, index_t>(50, 200), {70, 100}, {200, 70}}) {
    matrix<T> A = random_matrix<T>(random, m, n);
    std::vector<double> done;
    const auto told = [&](double fraction) { done.push_back(fraction); };
    EXPECT_TRUE(try_lu(A, {.block = 32, .progress = told}));
    ASSERT_GE(done.size(), 2u);
    EXPECT_TRUE(std::is_sorted(done.begin(), done.end()));
    EXPECT_LT(done[done.size() - 2], 1);
    EXPECT_EQ(done.back(), 1);
  }
}

TYPED_TEST(Progress, OnePanelTellsNothing) {
  using T = TypeParam;
  for_both<T>(backend::serial{}, 60, [&](const std::string&, const auto& factored) {
    matrix<T> A;
    EXPECT_TRUE(factored(
        A, [](double) { return ADD_FAILURE(), false; }, 0));
  });
}

TEST(ProgressErrors, ACancelledFactorIsOfNoUse) {
  random_source random(802);
  matrix<double> A = random_spd<double>(random, 150), B(150, 1);
  const auto never = [](double) { return false; };
  EXPECT_THROW(static_cast<void>(lu(A, {.block = 32, .progress = never})), cancelled_error);
  const auto f = try_cholesky(A, {.block = 32, .progress = never});
  EXPECT_EQ(f.status().kind(), status_kind::cancelled);
  EXPECT_EQ(try_solve(f, B).kind(), status_kind::cancelled);
  EXPECT_EQ(f.status().message(), "cancelled");
}

TEST(ProgressErrors, AFailureOfTheMatrixComesFirst) {
  matrix<double> A(150, 150);
  for (index_t k = 0; k < 150; ++k) A(k, k) = k == 3 ? -1 : 1;
  int calls = 0;
  const auto f = try_cholesky(A, {.block = 32, .progress = [&](double) { return ++calls, true; }});
  EXPECT_EQ(f.status(), status::at(status_kind::not_positive_definite, 3));
  EXPECT_EQ(calls, 0);
}

}  // namespace
}  // namespace trifac::test
