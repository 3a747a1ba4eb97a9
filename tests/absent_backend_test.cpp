// A user's backend that is not available: each call says so, and changes nothing.

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "support/layouts.hpp"
#include "support/matrices.hpp"
#include "trifac/cholesky.hpp"
#include "trifac/lu.hpp"
#include "trifac/nests.hpp"
#include "trifac/solve.hpp"

namespace trifac::test {
namespace {

/// A backend that cannot run here.
struct absent {
  static constexpr std::string_view name = "absent";
  availability available() const noexcept { return {false, reason}; }
  friend constexpr bool supports(const absent&, variant) { return true; }
  template <class Nest>
  friend void run(const absent&, status&, double, Nest) {
    FAIL() << "ran on a backend that is not available";
  }

  std::string reason = "no such device";
};

TEST(AbsentBackend, SaysWhy) {
  random_source random(501);
  const matrix<double> S = random_spd<double>(random, 3);
  placed_matrix<double> placed(S, layout::padded);
  const auto A = placed.view();
  EXPECT_EQ(try_cholesky(absent{}, A).status().kind(), status_kind::backend_failure);
  EXPECT_EQ(try_lu(absent{}, A).status().kind(), status_kind::backend_failure);
  EXPECT_NE(try_lu(absent{}, A).status().message().find("no such device"), std::string::npos);
  try {
    (void)cholesky(absent{}, A);
    FAIL() << "did not throw";
  } catch (const backend_error& error) {
    EXPECT_NE(std::string(error.what()).find("no such device"), std::string::npos) << error.what();
  }
  EXPECT_THROW((void)lu(absent{}, A), backend_error);
  EXPECT_THROW((void)try_lu(absent{}, A).or_throw(), backend_error);
  EXPECT_TRUE(placed.untouched());
  matrix<double> B = S, right(3, 1);
  EXPECT_THROW(solve(absent{}, cholesky(B), right), backend_error);
}

// try_lu(opencl::at(7), A): the backend, which has the reason, ends with the statement.
TEST(AbsentBackend, IsOutlivedByItsStatus) {
  matrix<double> A(3, 3);
  absent missing{.reason = "no device has the number 7"};
  const status first = try_lu(missing, A).status(), same = try_lu(missing, A).status();
  missing.reason.assign(missing.reason.size(), 'x');
  EXPECT_EQ(first.message(), "backend failure: no device has the number 7");
  EXPECT_EQ(first.what(), same.what()) << "the same text is kept twice";
  EXPECT_EQ(try_lu(missing, A).status().what(), missing.reason);
}

}  // namespace
}  // namespace trifac::test
