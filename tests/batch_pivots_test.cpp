// The pivots of batched LU on the CPU: LAPACK's choice among equal candidates, among denormal
// numbers and among those whose |Re| + |Im| overflows, in every lane and layout.

#include "support/batch_pivots.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "backends.hpp"
#include "support/scalars.hpp"

namespace trifac::test {
namespace {

template <class T>
class BatchPivots : public testing::Test {};
TYPED_TEST_SUITE(BatchPivots, lapack_scalars, scalar_names);

constexpr index_t many = 37;  // no whole number of vectors or chunks

/// In every layout, on the backends in turn.
template <class T>
void expect_batch_pivots(const pivot_cases<T>& all) {
  static int turn = 0;
  for (const int layout : {0, 1, 2, 3, 4, 5, 6, 7}) {
    switch (turn++ % 3) {
      case 0:
        expect_batch_pivots(backend::serial{}, all, layout);
        break;
      case 1:
        expect_batch_pivots(backend::threads{.threads = 2}, all, layout);
        break;
      default:
        expect_batch_pivots(backend::openmp{.threads = 2}, all, layout);
    }
    if (testing::Test::HasFatalFailure()) return;
  }
}

/// many m×n matrices with ties, every other one with columns of zeros.
template <class T>
pivot_cases<T> tied_batch(index_t m, index_t n, real_t<T> scale = 1) {
  random_source random(static_cast<std::uint64_t>(1000 * m + n));
  pivot_cases<T> all;
  for (index_t b = 0; b < many; ++b) all.push_back(tied_case<T>(random, m, n, b % 2 * 5, scale));
  return all;
}

TYPED_TEST(BatchPivots, OfEqualOnesTheFirstInThePresentOrderOfRows) {
  for (index_t n = 1; n <= 64; ++n) expect_batch_pivots(tied_batch<TypeParam>(n, n));
  for (const auto& [m, n] :
       {std::pair<index_t, index_t>(5, 12), {12, 5}, {1, 7}, {7, 1}, {18, 30}, {30, 18}, {70, 40}})
    expect_batch_pivots(tied_batch<TypeParam>(m, n));
}

TYPED_TEST(BatchPivots, OfDenormalMatricesAreThoseOfLargerOnes) {
  for (const index_t n : {1, 2, 3, 4, 5, 8, 9, 13, 16, 17, 33, 50})
    expect_batch_pivots(tied_batch<TypeParam>(n, n, denormal_scale<TypeParam>()));
}

TYPED_TEST(BatchPivots, AreTheLargestWhateverTheSizes) {
  using T = TypeParam;
  for (const sizes which : all_sizes)
    for (const index_t n : {1, 2, 3, 4, 5, 6, 8, 9, 13, 16, 17, 18, 33, 50}) {
      SCOPED_TRACE(testing::Message() << "sizes " << static_cast<int>(which));
      random_source random(static_cast<std::uint64_t>(n));
      pivot_cases<T> all;
      for (index_t b = 0; b < 5 * many; ++b) all.push_back(size_case<T>(random, n, which));
      expect_batch_pivots(all);
    }
}

}  // namespace
}  // namespace trifac::test
