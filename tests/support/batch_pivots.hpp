#pragma once
// Pivot cases as a batch, on any backend.

#include <gtest/gtest.h>

#include "batches.hpp"
#include "pivot_cases.hpp"

namespace trifac::test {

/// LU of all of them as a batch in a layout of place().
template <class T, class Backend>
void expect_batch_pivots(const Backend& on, const pivot_cases<T>& all, int layout,
                         const batch_tuning& tuning = {}) {
  matrices<T> As;
  for (const auto& c : all) As.push_back(c.A);
  const auto A = place(As, layout);
  const auto f = try_lu(on, A.view, {.tuning = tuning});
  ASSERT_TRUE(f.status().of_the_matrix()) << f.status().message();
  for (index_t b = 0; b < A.view.batch(); ++b) {
    SCOPED_TRACE(testing::Message() << As[0].rows() << "×" << As[0].cols() << ", layout " << layout
                                    << ", matrix " << b);
    expect_pivots<T>(all[static_cast<std::size_t>(b)], f.status(b), pivots(f.interchanges(b)),
                     A.view[b]);
    if (testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace trifac::test
