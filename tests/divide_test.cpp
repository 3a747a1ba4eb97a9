// Quotients of complex numbers: accurate over the whole range, and the same bits everywhere.

#include "trifac/engine/blas/divide.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <random>

namespace trifac {
namespace {

template <class R>
class ComplexQuotient : public testing::Test {
 protected:
  std::complex<R> number(int least, int most) {
    std::uniform_int_distribution<int> exponent(least, most);
    std::uniform_real_distribution<R> mantissa(-1, 1);
    const auto part = [&] { return std::ldexp(mantissa(bits_), exponent(bits_)); };
    const R re = part();
    return {re, part()};
  }

 private:
  std::mt19937_64 bits_{7};
};
using reals = testing::Types<float, double>;
TYPED_TEST_SUITE(ComplexQuotient, reals);

// Against long double, whose exponents reach further: |error| ≤ 6ε·|quotient|, and one subnormal
// number where it underflows.
TYPED_TEST(ComplexQuotient, IsAccurateOverTheWholeRange) {
  using limits = std::numeric_limits<TypeParam>;
  using wide = std::complex<long double>;
  const int low = limits::min_exponent - limits::digits + 2, high = limits::max_exponent;
  const struct {
    int least, most;
  } ranges[] = {{-3, 3}, {low, low + 20}, {high - 2, high}, {low, high}, {-high / 2, high / 2}};
  for (const auto& [least, most] : ranges)
    for (int k = 0; k < 20000; ++k) {
      const auto x = this->number(least, most), y = this->number(least, most);
      if (y == std::complex<TypeParam>(0)) continue;
      const wide exact = wide(x) / wide(y);
      const auto q = blas::quotient(x, y);
      const long double size = std::abs(exact);
      if (size > limits::max() / 2) continue;
      const long double error = std::abs(wide(q) - exact);
      ASSERT_TRUE(error <= 6 * limits::epsilon() * size + 2 * limits::denorm_min())
          << x << " / " << y << " = " << q;
    }
}

// A column whose pivot is 1 + i, by the words of the algorithm: (a + b) / 2 and (b − a) / 2.
TYPED_TEST(ComplexQuotient, RoundsAsWritten) {
  using complex = std::complex<TypeParam>;
  const TypeParam third = TypeParam(1) / 3;
  EXPECT_EQ(blas::quotient(complex(third, 1), complex(1, 1)),
            complex((third + 1) / 2, (1 - third) / 2));
  EXPECT_EQ(blas::quotient(complex(third, 1), complex(0, 2)), complex(TypeParam(0.5), -third / 2));
}

TYPED_TEST(ComplexQuotient, OfNumbersThatAreNotFiniteIsNone) {
  using complex = std::complex<TypeParam>;
  const TypeParam nan = std::numeric_limits<TypeParam>::quiet_NaN(),
                  infinity = std::numeric_limits<TypeParam>::infinity();
  EXPECT_FALSE(detail::is_finite(blas::quotient(complex(nan, 1), complex(1, 1))));
  EXPECT_FALSE(detail::is_finite(blas::quotient(complex(infinity, 1), complex(1, 1))));
  EXPECT_FALSE(detail::is_finite(blas::quotient(complex(1, 1), complex(1, nan))));
  EXPECT_FALSE(detail::is_finite(blas::quotient(complex(1, 1), complex(0, 0))));
}

}  // namespace
}  // namespace trifac
