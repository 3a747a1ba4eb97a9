// Offsets past 2³¹ and 2³² elements: small matrices whose columns, rows, or both lie gigabytes
// apart are factored and solved with, for real, on every backend. An offset computed in 32 bits
// would miss them.

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <utility>

#include "backends.hpp"
#include "support/cholesky_engine.hpp"
#include "support/lu_engine.hpp"
#include "support/matrices.hpp"
#include "support/residual.hpp"
#include "support/sparse_memory.hpp"
#include "trifac/solve.hpp"

namespace trifac::test {
namespace {

constexpr index_t beyond_31_bits = (index_t{1} << 31) + 5;
constexpr index_t n = 11;

struct spacing {
  const char* name;
  index_t row_stride, col_stride;
};
void PrintTo(const spacing& s, std::ostream* out) {
  *out << s.name;
}

constexpr spacing spacings[] = {{"columns apart", 1, beyond_31_bits},
                                {"rows apart", beyond_31_bits, 1},
                                {"both apart", beyond_31_bits / 16, beyond_31_bits * 3 / 4 + 1}};

class HugeStride : public testing::TestWithParam<spacing> {
 protected:
  void SetUp() override {
    if (!memory_.data())
      GTEST_SKIP() << "the system gives no address space of " << elements * sizeof(float)
                   << " bytes";
  }
  /// A place for n × n elements with the huge strides, set to those of A.
  matrix_view<float> place(const matrix<float>& A) const {
    const matrix_view<float> far(static_cast<float*>(memory_.data()), A.rows(), A.cols(),
                                 GetParam().row_stride, GetParam().col_stride);
    for (index_t j = 0; j < A.cols(); ++j)
      for (index_t i = 0; i < A.rows(); ++i) far(i, j) = A(i, j);
    return far;
  }

 private:
  static constexpr std::size_t elements = static_cast<std::size_t>(beyond_31_bits) * n;
  sparse_memory memory_{elements * sizeof(float)};
};

INSTANTIATE_TEST_SUITE_P(, HugeStride, testing::ValuesIn(spacings), [](const auto& chosen) {
  std::string name = chosen.param.name;
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
});

TEST_P(HugeStride, Cholesky) {
  random_source random(701);
  const auto A = random_spd<float>(random, n);
  for (const auto& on : cholesky_engines<float>())
    for (variant v : all_variants())
      for (triangle part : {triangle::lower, triangle::upper}) {
        if (!on->runs(v)) continue;
        SCOPED_TRACE(on->name() + ", " + std::string(to_string(v)));
        const auto far = place(A);
        const auto f = on->cholesky(v, far, {.part = part, .block = 4});
        ASSERT_TRUE(f) << f.status().message();
        EXPECT_TRUE(within(cholesky_ratio<float>(A, part, far)));
      }
}

TEST_P(HugeStride, Lu) {
  random_source random(702);
  for_each_lu_way<float>([&](const lu_way<float>& way) {
    const auto A = way.how == pivoting::none ? dominant_matrix<float>(random, n, n)
                                             : random_matrix<float>(random, n, n);
    const auto far = place(A);
    const auto f =
        way.on.lu(way.v, far, {.pivoting = way.how, .block = 4, .leaves = 2, .growth = true});
    ASSERT_TRUE(f) << f.status().message();
    EXPECT_TRUE(within(lu_ratio<float>(A, far, f.interchanges().span())));
    EXPECT_GT(f.max_l(), 0);
    EXPECT_GT(f.growth(), 0);
  });
}

TEST_P(HugeStride, Solve) {
  random_source random(703);
  const auto A = random_spd<float>(random, n), B = random_matrix<float>(random, n, 3);
  const auto f = cholesky(matrix<float>(A));
  const auto g = lu(matrix<float>(A));
  for_each_backend([&](const auto& backend, const std::string& name) {
    SCOPED_TRACE(name);
    auto X = place(B);
    solve(backend, f, X);
    EXPECT_TRUE(within(solve_ratio<float>(A, X, B)));
    X = place(B);
    solve(backend, g, X);
    EXPECT_TRUE(within(solve_ratio<float>(A, X, B)));
    const auto far = place(A);  // the factor itself far apart
    const auto h = lu(backend, far);
    matrix<float> Y = B;
    solve(backend, h, Y);
    EXPECT_TRUE(within(solve_ratio<float>(A, Y, B)));
  });
}

}  // namespace
}  // namespace trifac::test
