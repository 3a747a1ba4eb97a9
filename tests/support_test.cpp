// The tests' own tools: that the generated matrices have the properties their names promise, that
// the ratios see an error, and that the guards see a stray write.

#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include "support/gallery.hpp"
#include "support/layouts.hpp"
#include "support/matrices.hpp"
#include "support/residual.hpp"
#include "support/scalars.hpp"

namespace trifac::test {
namespace {

/// Singular values in descending order by one-sided Jacobi rotations, accurate to small relative
/// errors.
template <class T>
std::vector<double> singular_values(matrix_view<const T> view) {
  using Z = std::complex<double>;
  matrix<Z> A(std::max(view.rows(), view.cols()), std::min(view.rows(), view.cols()));
  const auto tall = view.rows() >= view.cols() ? view : view.transposed();
  for (index_t j = 0; j < A.cols(); ++j)
    for (index_t i = 0; i < A.rows(); ++i) A(i, j) = Z(tall(i, j));
  const auto inner = [&A](index_t p, index_t q) {
    Z sum = 0;
    for (index_t i = 0; i < A.rows(); ++i) sum += std::conj(A(i, p)) * A(i, q);
    return sum;
  };
  for (int sweep = 0; sweep < 60; ++sweep) {
    double worst = 0;
    for (index_t p = 0; p < A.cols(); ++p)
      for (index_t q = p + 1; q < A.cols(); ++q) {
        const double a = inner(p, p).real(), b = inner(q, q).real();
        const Z c = inner(p, q);
        if (std::abs(c) == 0) continue;
        worst = std::max(worst, std::abs(c) / std::sqrt(a * b));
        const double zeta = (b - a) / (2 * std::abs(c));
        const double t = (zeta < 0 ? -1 : 1) / (std::abs(zeta) + std::hypot(1.0, zeta));
        const double cosine = 1 / std::hypot(1.0, t), sine = cosine * t;
        const Z phase = c / std::abs(c);
        for (index_t i = 0; i < A.rows(); ++i) {
          const Z x = A(i, p), y = A(i, q) * std::conj(phase);
          A(i, p) = cosine * x - sine * y;
          A(i, q) = sine * x + cosine * y;
        }
      }
    if (worst < 1e-15) break;
  }
  std::vector<double> values;
  for (index_t j = 0; j < A.cols(); ++j) values.push_back(std::sqrt(inner(j, j).real()));
  std::sort(values.rbegin(), values.rend());
  return values;
}

template <class T>
class Support : public testing::Test {};
TYPED_TEST_SUITE(Support, lapack_scalars, scalar_names);

/// That A has the norm ‖A‖₂ and the condition number, by its largest and its smallest singular
/// value.
template <class T>
void expect_norm_and_condition(const matrix<T>& A, real_t<T> norm, real_t<T> condition) {
  matrix<std::complex<double>> scaled(A.rows(), A.cols());
  for (index_t j = 0; j < A.cols(); ++j)
    for (index_t i = 0; i < A.rows(); ++i)
      scaled(i, j) = std::complex<double>(A(i, j)) / static_cast<double>(norm);
  const auto values = singular_values<std::complex<double>>(scaled);
  const double bound = 50 * static_cast<double>(unit_roundoff<T>);
  EXPECT_NEAR(values.front(), 1, bound);
  EXPECT_NEAR(values.back(), 1 / static_cast<double>(condition), bound);
}

TYPED_TEST(Support, DgeTypesHaveTheirNormAndCondition) {
  using T = TypeParam;
  const lapack_constants<T> lapack;
  for (auto [m, n] : {std::pair<index_t, index_t>{20, 20}, {23, 11}, {7, 19}})
    for (int type : {1, 2, 3, 4, 8, 9, 10, 11}) {
      SCOPED_TRACE(type);
      random_source random(1988);
      auto made = dge_matrix<T>(type, random, m, n);
      expect_norm_and_condition(made.A,
                                type == 10   ? lapack.tiny_norm
                                : type == 11 ? lapack.huge_norm
                                             : 1,
                                type == 8   ? lapack.bad_condition
                                : type == 9 ? lapack.very_bad_condition
                                            : 2);
      for (index_t j = 0; j < n; ++j)
        for (index_t i = 0; i < m; ++i) {
          const bool zero = (type == 1 && i != j) || (type == 2 && i > j) || (type == 3 && i < j);
          EXPECT_TRUE(!zero || made.A(i, j) == T(0)) << i << ", " << j;
        }
    }
}

TYPED_TEST(Support, DgeTypesHaveTheirZeroColumns) {
  using T = TypeParam;
  for (auto [m, n] : {std::pair<index_t, index_t>{10, 10}, {12, 7}, {7, 12}})
    for (int type = 5; type <= 7; ++type) {
      random_source random(1989);
      const auto made = dge_matrix<T>(type, random, m, n);
      const index_t k = std::min(m, n);
      EXPECT_EQ(made.first_zero, type == 5 ? 0 : type == 6 ? k - 1 : k / 2);
      for (index_t j = 0; j < n; ++j) {
        const bool zero = type == 7 ? j >= made.first_zero : j == made.first_zero;
        EXPECT_EQ(norm_1(made.A.view().col(j)) == 0, zero) << "type " << type << " column " << j;
      }
    }
}

TYPED_TEST(Support, DpoTypesAreHermitianWithTheirEigenvalues) {
  using T = TypeParam;
  const lapack_constants<T> lapack;
  for (int type = 1; type <= dpo_types; ++type) {
    SCOPED_TRACE(type);
    random_source random(1990);
    const index_t n = 17;
    auto made = dpo_matrix<T>(type, random, n);
    for (index_t j = 0; j < n; ++j)
      for (index_t i = 0; i < n; ++i) EXPECT_EQ(made.A(i, j), detail::conjugate(made.A(j, i)));
    EXPECT_EQ(made.first_zero, type == 3 ? 0 : type == 4 ? n - 1 : type == 5 ? n / 2 : -1);
    if (made.first_zero >= 0) {
      EXPECT_EQ(norm_1(made.A.view().col(made.first_zero)), 0);
      continue;
    }
    expect_norm_and_condition(made.A,
                              type == 8   ? lapack.tiny_norm
                              : type == 9 ? lapack.huge_norm
                                          : 1,
                              type == 6   ? lapack.bad_condition
                              : type == 7 ? lapack.very_bad_condition
                                          : 2);
  }
}

TYPED_TEST(Support, RatiosOfExactFactorsAreZeroAndSeeOneWrongElement) {
  using T = TypeParam;
  const index_t n = 8;
  // minij has the factor of ones; Wilkinson's matrix the factors −1 below and powers of two: no
  // rounding at all.
  const auto A = minij<T>(n);
  matrix<T> L(n, n);
  for (index_t j = 0; j < n; ++j)
    for (index_t i = j; i < n; ++i) L(i, j) = T(1);
  EXPECT_EQ(cholesky_ratio<T>(A, triangle::lower, L), 0);
  EXPECT_EQ(cholesky_ratio<T>(A, triangle::upper, L.view().transposed()), 0);
  L(5, 2) += T(unit_roundoff<T> * 4096);
  EXPECT_FALSE(within(cholesky_ratio<T>(A, triangle::lower, L)));
  L(5, 2) = T(std::numeric_limits<real_t<T>>::quiet_NaN());
  EXPECT_FALSE(within(cholesky_ratio<T>(A, triangle::lower, L)));

  auto W = wilkinson_growth<T>(n);
  matrix<T> LU = W;
  for (index_t i = 1; i < n; ++i) LU(i, n - 1) = T(2) * LU(i - 1, n - 1);
  std::vector<index_t> none(static_cast<std::size_t>(n));
  std::iota(none.begin(), none.end(), 0);
  EXPECT_EQ(lu_ratio<T>(W, LU, none), 0);
  EXPECT_EQ(lu_growth_free_ratio<T>(W, LU, none), 0);
  LU(6, 3) += T(unit_roundoff<T> * 4096);
  EXPECT_FALSE(within(lu_ratio<T>(W, LU, none)));
  std::swap(none[0], none[1]);
  EXPECT_FALSE(within(lu_ratio<T>(W, LU, none)));
  std::swap(none[0], none[1]);

  const matrix<T> zero(n, n);
  LU = zero;
  EXPECT_EQ(lu_ratio<T>(zero, LU, none), 0);
  LU(6, 3) = T(std::numeric_limits<real_t<T>>::quiet_NaN());  // above it a row of U that is zero
  EXPECT_FALSE(within(lu_ratio<T>(zero, LU, none)));
  EXPECT_FALSE(within(lu_growth_free_ratio<T>(zero, LU, none)));
}

TYPED_TEST(Support, SolutionRatiosSeeAWrongElement) {
  using T = TypeParam;
  random_source random(7);
  const index_t n = 6;
  // A permutation of rows: products and solutions are exact.
  matrix<T> A(n, n), inverse(n, n);
  for (index_t i = 0; i < n; ++i) A(i, (i + 2) % n) = inverse((i + 2) % n, i) = T(1);
  const auto X = random_matrix<T>(random, n, 2);
  const auto B = product<T>(A, X);
  EXPECT_EQ(solve_ratio<T>(A, X, B), 0);
  EXPECT_EQ(error_ratio<T>(X, X, 1.0), 0);
  EXPECT_EQ(inverse_ratio<T>(A, inverse), 0);
  EXPECT_EQ(hpl_ratio<T>(A, X.view().col(0), B.view().col(0)), 0);
  auto wrong = X;
  wrong(3, 0) += T(unit_roundoff<T> * 4096);
  EXPECT_FALSE(within(solve_ratio<T>(A, wrong, B)));
  EXPECT_FALSE(within(error_ratio<T>(wrong, X, 1.0)));
  EXPECT_FALSE(within(hpl_ratio<T>(A, wrong.view().col(0), B.view().col(0)), hpl_threshold));
  wrong(3, 0) = T(std::numeric_limits<real_t<T>>::quiet_NaN());  // the column after it is right
  EXPECT_FALSE(within(solve_ratio<T>(A, wrong, B)));
  EXPECT_FALSE(within(error_ratio<T>(wrong, X, 1.0)));
  const auto size = max_abs(wrong.view());
  EXPECT_NE(size, size) << "NaN";
  inverse(1, 1) += T(unit_roundoff<T> * 4096);
  EXPECT_FALSE(within(inverse_ratio<T>(A, inverse)));
}

TYPED_TEST(Support, GuardsSeeAWriteOutsideTheMatrix) {
  using T = TypeParam;
  random_source random(11);
  const auto A = random_matrix<T>(random, 4, 3);
  for (layout where : all_layouts) {
    SCOPED_TRACE(to_string(where));
    placed_matrix<T> placed(A, where);
    EXPECT_TRUE(same_bits(placed.view(), A.view()));
    EXPECT_TRUE(placed.untouched());
    placed.view()(2, 1) = T(5);
    EXPECT_TRUE(placed.guards_untouched());
    EXPECT_FALSE(placed.untouched());
    EXPECT_TRUE(placed.untouched_except(in_triangle(triangle::lower)));
    EXPECT_FALSE(placed.untouched_except(in_triangle(triangle::upper)));
    if (where == layout::padded || where == layout::strided || where == layout::reversed) {
      placed.view()(4, 0) = T(5);  // the gap below column 0
      EXPECT_FALSE(placed.guards_untouched());
    }
  }
}

TYPED_TEST(Support, GuardsSeeAWriteBeforeAndBehind) {
  using T = TypeParam;
  placed_matrix<T> front(2, 2, layout::packed), back(2, 2, layout::packed);
  front.view().data()[-1] = T(1);
  back.view().data()[4] = T(1);
  EXPECT_FALSE(front.guards_untouched());
  EXPECT_FALSE(back.guards_untouched());
}

TYPED_TEST(Support, GalleryMatricesAreWhatTheyAreCalled) {
  using T = TypeParam;
  for (const auto& entry : definite_gallery<T>()) {
    const auto A = rotated(entry.make(9));
    for (index_t j = 0; j < 9; ++j)
      for (index_t i = 0; i < 9; ++i) EXPECT_EQ(A(i, j), detail::conjugate(A(j, i))) << entry.name;
  }
  EXPECT_EQ(pascal<T>(7)(6, 6), T(924));
  EXPECT_EQ(gcd_matrix<T>(12)(11, 7), T(4));
  EXPECT_EQ(graded<T>(4)(3, 3), T(3) / T(64));
  const auto H = orthogonal_sine<T>(10);
  matrix<T> residual(10, 10);
  for (index_t k = 0; k < 10; ++k) residual(k, k) = T(1);
  subtract_product(residual, H, H);
  EXPECT_LT(norm_1(residual.view()), 100 * unit_roundoff<T>);
  const auto W = wright<T>(6);
  EXPECT_EQ(W(0, 4), T(1));
  EXPECT_EQ(W(1, 5), T(1));
  EXPECT_EQ(W(2, 0), W(3, 1));
  EXPECT_EQ(W(2, 1), W(5, 2));
  EXPECT_NEAR(detail::real_part(W(2, 0)), -std::exp(-0.05) * std::cosh(0.3), 1e-6);
}

TEST(RandomSource, IsTheSameEverywhere) {
  random_source random(1);
  EXPECT_EQ(random.bits(),
            0x910a2dec89025cc1u);  // the first number of the published generator for seed 1
  double sum = 0, squares = 0;
  const int count = 100000;
  for (int k = 0; k < count; ++k) {
    const double x = random.normal();
    sum += x;
    squares += x * x;
  }
  EXPECT_NEAR(sum / count, 0, 0.02);
  EXPECT_NEAR(squares / count, 1, 0.02);
  for (int k = 0; k < 1000; ++k) {
    const double x = random.uniform();
    EXPECT_TRUE(-1 < x && x < 1 && x != 0);
  }
}

}  // namespace
}  // namespace trifac::test
