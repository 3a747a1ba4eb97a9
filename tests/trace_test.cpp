// trace_of_inverse(f, B): against the solution of A·X = B, both triangles of a Hermitian B,
// layouts, teams, numbers that are not finite, and the arguments.

#include "trifac/trace.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "backends.hpp"
#include "support/layouts.hpp"
#include "support/residual.hpp"
#include "support/scalars.hpp"
#include "trifac/cholesky.hpp"
#include "trifac/condition.hpp"
#include "trifac/inverse.hpp"
#include "trifac/lu.hpp"
#include "trifac/solved.hpp"

namespace trifac::test {
namespace {

template <class T>
class Trace : public testing::Test {};
TYPED_TEST_SUITE(Trace, lapack_scalars, scalar_names);

/// |value − trace(A⁻¹·B)| ≤ 30·n·ε·Σ |A⁻¹|·|B|, from the inverse in more precision.
template <class T>
testing::AssertionResult is_trace(const T& value, const matrix<T>& A, const matrix<T>& B) {
  using W = wide_t<T>;
  using R = real_t<W>;
  const index_t n = A.rows();
  matrix<W> LU(n, n), right(n, n);
  for (index_t j = 0; j < n; ++j)
    for (index_t i = 0; i < n; ++i) LU(i, j) = W(A(i, j)), right(i, j) = W(B(i, j));
  const matrix<W> inverse_of_A = inverse(lu(LU));
  W sum(0);
  R size(0);
  for (index_t i = 0; i < n; ++i)
    for (index_t k = 0; k < n; ++k) {
      sum += inverse_of_A(i, k) * right(k, i);
      size += std::abs(inverse_of_A(i, k)) * std::abs(right(k, i));
    }
  return within(ratio_of<T>(R(std::abs(W(value) - sum)), size, n));
}

TYPED_TEST(Trace, OfEveryFactorAndLayout) {
  using T = TypeParam;
  random_source random(651);
  int turn = 0;
  for (index_t n : {0, 1, 2, 9, 64, 255, 256, 257, 300}) {
    const matrix<T> A = random_spd<T>(random, n), B = random_matrix<T>(random, n, n);
    for (const triangle part : {triangle::lower, triangle::upper}) {
      placed_matrix<T> right(B, all_layouts[static_cast<std::size_t>(turn++) % all_layouts.size()]);
      placed_matrix<T> of_L(A, all_layouts[static_cast<std::size_t>(turn++) % all_layouts.size()]);
      placed_matrix<T> of_LU(A, all_layouts[static_cast<std::size_t>(turn++) % all_layouts.size()]);
      const auto f = cholesky(of_L.view(), {.part = part});
      const auto g = lu(of_LU.view());
      const T from_L = trace_of_inverse(f, right.view());
      const T from_LU = trace_of_inverse(g, right.view());
      EXPECT_TRUE(is_trace(from_L, A, B)) << n;
      EXPECT_TRUE(is_trace(from_LU, A, B)) << n;
      EXPECT_TRUE(right.untouched());
      for_each_team([&](const auto& backend, const std::string& name) {
        EXPECT_EQ(trace_of_inverse(backend, f, right.view()), from_L) << name << ", n = " << n;
        EXPECT_EQ(trace_of_inverse(backend, g, right.view()), from_LU) << name << ", n = " << n;
      });
    }
    // Not symmetric, with interchanges; B = A and B = I.
    const matrix<T> G = random_matrix<T>(random, n, n);
    matrix<T> LU = G, I(n, n);
    for (index_t i = 0; i < n; ++i) I(i, i) = T(1);
    const auto g = lu(LU);
    EXPECT_TRUE(is_trace(trace_of_inverse(g, B), G, B)) << n;
    EXPECT_TRUE(is_trace(trace_of_inverse(g, G), G, G)) << n;
    EXPECT_TRUE(is_trace(trace_of_inverse(g, I), G, I)) << n;
  }
}

TYPED_TEST(Trace, OfAHermitianBReadsOneTriangle) {
  using T = TypeParam;
  using R = real_t<T>;
  random_source random(652);
  const R nan = std::numeric_limits<R>::quiet_NaN();
  for (index_t n : {1, 2, 129, 257}) {
    const matrix<T> A = random_spd<T>(random, n), B = random_spd<T>(random, n);
    matrix<T> L = A, LU = A;
    const auto f = cholesky(L);
    const auto g = lu(LU);
    for (const triangle part : {triangle::lower, triangle::upper})
      for (const layout where : padded_layouts) {
        placed_matrix<T> right(B, where);
        for (index_t j = 0; j < n; ++j)
          for (index_t i = 0; i < n; ++i)
            if (!in_triangle(part)(i, j))
              right.view()(i, j) = T(nan);
            else if constexpr (is_complex<T>)
              if (i == j) right.view()(i, j).imag(nan);
        const T value = trace_of_inverse(f, right.view(), part);
        EXPECT_TRUE(is_trace(value, A, B)) << n;
        EXPECT_TRUE(is_trace(trace_of_inverse(g, right.view(), part), A, B)) << n;
        EXPECT_EQ(trace_of_inverse(backend::threads{.threads = 2}, f, right.view(), part), value);
      }
  }
}

TYPED_TEST(Trace, ErrorsLeaveTheValue) {
  using T = TypeParam;
  using R = real_t<T>;
  random_source random(653);
  const index_t n = 280;
  const matrix<T> A = random_spd<T>(random, n);
  matrix<T> LU = A, B = A;
  const auto f = lu(LU);
  T value(7);
  const auto kind = [&](const auto& factor, const auto& right) {
    return try_trace_of_inverse(factor, right, value).kind();
  };
  for (const R bad : {std::numeric_limits<R>::quiet_NaN(), std::numeric_limits<R>::infinity()})
    for (const auto& [i, j] :
         {std::pair<index_t, index_t>(0, 0), {n - 1, 0}, {3, 140}, {279, 279}}) {
      B = A;
      B(i, j) = T(bad);
      EXPECT_EQ(kind(f, B), status_kind::not_finite) << i << ", " << j;
      EXPECT_EQ(try_trace_of_inverse(f, B, value).index(), -1);
    }
  B = A;
  matrix<T> tiny(n, n), singular(n, n);  // the trace overflows
  for (index_t i = 0; i < n; ++i) tiny(i, i) = T(std::numeric_limits<R>::min());
  for (index_t i = 0; i < n; ++i) B(i, i) = T(std::numeric_limits<R>::max() / 4);
  EXPECT_EQ(kind(cholesky(tiny), B), status_kind::not_finite);
  EXPECT_EQ(kind(lu(singular), A), status_kind::singular);
  EXPECT_EQ(kind(lu_factor<T>(), A), status_kind::invalid_argument);
  const auto refuses = [&](const status& s, const char* argument) {
    EXPECT_STREQ(s.argument(), argument) << s.message();
  };
  refuses(try_trace_of_inverse(f, A.view().block(0, 0, n, n - 1), value), "B");
  refuses(try_trace_of_inverse(f, matrix_view<const T>(nullptr, n, n, n), value), "B");
  refuses(try_trace_of_inverse(f, A, static_cast<triangle>(9), value), "part");
  refuses(try_trace_of_inverse(lu(matrix<T>(n, 3)), A, value), "");  // singular first
  EXPECT_EQ(value, T(7));
  EXPECT_THROW(static_cast<void>(trace_of_inverse(f, A.view().block(0, 0, n, 2))), argument_error);
}

}  // namespace
}  // namespace trifac::test
