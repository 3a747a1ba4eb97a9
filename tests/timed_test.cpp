// The timed backend: the results are those of the backend inside, and every operation of the loop
// nest is counted.

#include "trifac/backend/timed.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "backends.hpp"
#include "support/residual.hpp"
#include "trifac/batch.hpp"
#include "trifac/cholesky.hpp"
#include "trifac/lu.hpp"
#include "trifac/nests.hpp"
#include "trifac/solve.hpp"
#include "trifac/variants.hpp"

namespace trifac::test {
namespace {

using backend::operation_times;
using backend::timed;
using backend::timed_operation;

constexpr index_t n = 100, block = 16;
constexpr index_t panels = (n + block - 1) / block;

bool same_bits(const matrix<double>& A, const matrix<double>& B) {
  return std::memcmp(A.data(), B.data(), sizeof(double) * static_cast<std::size_t>(n * n)) == 0;
}

double sum_of_operations(const operation_times& times) {
  double seconds = 0;
  for (std::size_t v = 0; v < backend::timed_operation_names.size(); ++v)
    seconds += times[static_cast<timed_operation>(v)].seconds;
  return seconds;
}

TEST(Timed, CountsTheOperationsOfARightLookingCholesky) {
  random_source random(1);
  const auto A = random_spd<double>(random, n);
  auto plain = A, observed = A;
  operation_times times;
  ASSERT_TRUE(cholesky<variant::right_looking>(plain, {.block = block}));
  ASSERT_TRUE(cholesky<variant::right_looking>(timed(backend::serial{}, times), observed,
                                               {.block = block}));
  EXPECT_TRUE(same_bits(plain, observed));
  EXPECT_EQ(times.all().calls, 1);
  EXPECT_EQ(times[timed_operation::factor_block].calls, panels);
  EXPECT_GE(times[timed_operation::update_lower].calls, panels - 1);
  EXPECT_EQ(times[timed_operation::factor_panel].calls, 0);
}

template <class B>
void expect_the_bits_of(const B& inside) {
  random_source random(2);
  const auto A = random_spd<double>(random, n);
  const auto M = random_matrix<double>(random, n, n);
  operation_times times;
  const timed observer(inside, times);
  static_assert(Backend<std::remove_const_t<decltype(observer)>>);
  EXPECT_EQ(observer.name, inside.name);

  auto L = A, L_observed = A;
  ASSERT_TRUE(cholesky(inside, L));
  ASSERT_TRUE(cholesky(observer, L_observed));
  EXPECT_TRUE(same_bits(L, L_observed));

  auto LU = M, LU_observed = M;
  auto X = A, X_observed = A;
  const auto f = lu(inside, LU);
  const auto f_observed = lu(observer, LU_observed);
  ASSERT_TRUE(f && f_observed);
  EXPECT_TRUE(same_bits(LU, LU_observed));
  solve(inside, f, X);
  solve(observer, f_observed, X_observed);
  EXPECT_TRUE(same_bits(X, X_observed));

  EXPECT_EQ(times.all().calls, 3);
  EXPECT_GT(sum_of_operations(times), 0);
  EXPECT_LE(sum_of_operations(times), times.all().seconds);
  times.clear();
  EXPECT_EQ(times.all().calls, 0);
  EXPECT_EQ(sum_of_operations(times), 0);
}

TEST(Timed, EveryBackendGivesItsOwnBitsAndOperationsThatFitInTheWhole) {
  for_each_backend([]<class B>(const B& inside, const std::string& name) {
    SCOPED_TRACE(name);
    if constexpr (!DeviceBackend<B>) expect_the_bits_of(inside);
  });
}

TEST(Timed, ATournamentCountsItsLocalLusWhateverTheTeam) {
  random_source random(3);
  const auto A = random_matrix<double>(random, n, n);
  for_each_team([&](const auto& team, const std::string& name) {
    SCOPED_TRACE(name);
    operation_times times;
    auto LU = A;
    ASSERT_TRUE(lu<variant::packed>(
        timed(team, times), LU, {.pivoting = pivoting::tournament, .block = block, .leaves = 2}));
    // Two leaves need two blocks of rows: the last two panels, of 20 and 4 rows, are factored at
    // once. A tournament has its leaves and a final. One that a thread does ahead is part of
    // eliminate_packed.
    index_t together = 1;  // the first panel
    for (index_t p = 1; p < panels - 2; ++p)
      together += !simd::factors_ahead(team.threads, block, n - (p + 1) * block);
    EXPECT_EQ(times[timed_operation::local_lu_packed].calls, 2 * together);
    EXPECT_EQ(times[timed_operation::interchanges_from_candidates].calls, together);
    EXPECT_EQ(times[timed_operation::start_packed].calls, together);
    EXPECT_EQ(times[timed_operation::finish_packed].calls, together);
  });
}

TEST(Timed, ATournamentOnATypeWithoutKernelsCountsTheSameLocalLus) {
  random_source random(3);
  auto A = random_matrix<long double>(random, n, n);
  operation_times times;
  ASSERT_TRUE(
      lu<variant::right_looking>(timed(backend::serial{}, times), A,
                                 {.pivoting = pivoting::tournament, .block = block, .leaves = 2}));
  EXPECT_EQ(times[timed_operation::check_growth].calls, panels - 2);
  EXPECT_EQ(times[timed_operation::local_lu].calls, 2 * (panels - 2));
  EXPECT_EQ(times[timed_operation::interchanges_from_candidates].calls, panels - 2);
}

TEST(Timed, ABatchCountsItsPieces) {
  batch<double> A(100, 4, 4);
  for (index_t b = 0; b < 100; ++b)
    for (index_t i = 0; i < 4; ++i) A(b, i, i) = 2;
  operation_times times;
  ASSERT_TRUE(cholesky(timed(backend::serial{}, times), A));
  EXPECT_EQ(times[timed_operation::batch_piece].calls, 1);
  EXPECT_EQ(times[timed_operation::factor_packed].calls, 0);
}

TEST(Timed, AFailureIsTheOneOfTheBackendInside) {
  matrix<double> A(3, 3);
  A(0, 0) = A(2, 2) = 1;
  A(1, 1) = -1;
  operation_times times;
  const auto f = cholesky(timed(backend::serial{}, times), A);
  EXPECT_EQ(f.status().kind(), status_kind::not_positive_definite);
  EXPECT_EQ(f.status().index(), 1);
  EXPECT_EQ(times.all().calls, 1);
}

TEST(Timed, ADecoratorOfADecoratorCountsTwice) {
  random_source random(4);
  auto A = random_spd<double>(random, n);
  operation_times inner, outer;
  ASSERT_TRUE(cholesky<variant::left_looking>(timed(timed(backend::serial{}, inner), outer), A,
                                              {.block = block}));
  for (std::size_t v = 0; v < backend::timed_operation_names.size(); ++v)
    EXPECT_EQ(inner[static_cast<timed_operation>(v)].calls,
              outer[static_cast<timed_operation>(v)].calls);
  EXPECT_LE(inner.all().seconds, outer.all().seconds);
}

}  // namespace
}  // namespace trifac::test
