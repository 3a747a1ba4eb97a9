// What the factors tell of a matrix: determinants, norms, condition (LAPACK's ratio dget06) and the
// trace of the inverse.

#include "trifac/condition.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "backends.hpp"
#include "support/dependent.hpp"
#include "support/layouts.hpp"
#include "support/residual.hpp"
#include "support/scalars.hpp"
#include "trifac/cholesky.hpp"
#include "trifac/factored.hpp"
#include "trifac/inverse.hpp"
#include "trifac/lu.hpp"

namespace trifac::test {
namespace {

template <class T>
class Condition : public testing::Test {};
TYPED_TEST_SUITE(Condition, lapack_scalars, scalar_names);

template <class T>
bool is_near(const T& x, const T& y, double tolerance) {
  using R = real_t<T>;
  return detail::absolute(x - y) <= static_cast<R>(tolerance) * std::numeric_limits<R>::epsilon() *
                                        (detail::absolute(y) + R(1));
}

TYPED_TEST(Condition, DeterminantsOfKnownMatrices) {
  using T = TypeParam;
  using R = real_t<T>;
  EXPECT_EQ(determinant(lu(matrix<T>())), T(1));
  EXPECT_EQ(determinant(cholesky(matrix<T>())), R(1));
  matrix<T> A(3, 3);  // a cycle of three rows, and −2 in one: two exchanges
  A(0, 1) = T(3);
  A(1, 2) = T(-2);
  A(2, 0) = T(5);
  EXPECT_TRUE(is_near(determinant(lu(matrix<T>(A))), T(-30), 8));
  const auto s = log_determinant(lu(matrix<T>(A)));
  EXPECT_TRUE(is_near(s.sign, T(-1), 8));
  EXPECT_TRUE(is_near(s.log_abs, R(std::log(R(30))), 8));
  A(1, 2) = T(0);
  EXPECT_EQ(determinant(lu(matrix<T>(A))), T(0));
  const auto zero = log_determinant(lu(matrix<T>(A)));
  EXPECT_EQ(zero.sign, T(0));
  EXPECT_EQ(zero.log_abs, -std::numeric_limits<R>::infinity());
  if constexpr (is_complex<T>) {
    matrix<T> i(2, 2);
    i(0, 0) = T(0, 2);
    i(1, 1) = T(3, 0);
    EXPECT_TRUE(is_near(determinant(lu(matrix<T>(i))), T(0, 6), 8));
    EXPECT_TRUE(is_near(log_determinant(lu(i)).sign, T(0, 1), 8));
  }
}

TYPED_TEST(Condition, DeterminantsNeitherOverflowNorUnderflowOnTheWay) {
  using T = TypeParam;
  using R = real_t<T>;
  const R huge = std::numeric_limits<R>::max() / 4, tiny = R(1) / huge;
  const index_t n = 40;
  matrix<T> A(n, n);
  for (index_t k = 0; k < n; ++k) A(k, k) = T(k < n / 2 ? huge : tiny);
  EXPECT_TRUE(is_near(determinant(lu(matrix<T>(A))), T(1), 100));
  EXPECT_TRUE(is_near(determinant(cholesky(matrix<T>(A))), R(1), 100));
  for (index_t k = 0; k < n; ++k) A(k, k) = T(huge);
  const R expected = static_cast<R>(n) * std::log(huge);
  EXPECT_TRUE(is_near(log_determinant(lu(matrix<T>(A))).log_abs, expected, 100));
  EXPECT_TRUE(is_near(log_determinant(cholesky(matrix<T>(A))).log_abs, expected, 100));
  T value(7);
  EXPECT_EQ(try_determinant(lu(matrix<T>(A)), value).kind(), status_kind::not_finite);
  EXPECT_EQ(value, T(7));
  EXPECT_THROW(static_cast<void>(determinant(lu(matrix<T>(A)))), numerical_error);
}

/// Also the types that LAPACK does not have.
template <class T>
class Determinants : public testing::Test {};
using floating_scalars = testing::Types<float, double, long double, std::complex<float>,
                                        std::complex<double>, std::complex<long double>>;
TYPED_TEST_SUITE(Determinants, floating_scalars, scalar_names);

/// Numbers x_k and y_k with x_k·y_k = 1 + r_k, r_k known exactly and its parts positive.
template <class T>
struct near_inverses {
  using R = real_t<T>;
  static constexpr int bits = std::numeric_limits<R>::digits / 2 - 3;
  std::vector<T> x, y, r;

  near_inverses(random_source& random, index_t count) {
    while (static_cast<index_t>(r.size()) < count) {
      const T a = rounded(random.uniform<T>()), b = rounded(T(R(1)) / a),
              rest = T(detail::multiply(a, b) - T(R(1)));
      bool is_fit = std::abs(a) > R(0.25) && detail::real_part(rest) > R(0);
      if constexpr (is_complex<T>) is_fit = is_fit && rest.imag() > R(0);
      if (!is_fit) continue;
      x.push_back(a);
      y.push_back(b);
      r.push_back(rest);
    }
  }
  /// Σ log |1 + r_k|.
  R logarithm() const {
    R sum(0);
    for (const T& rest : r)
      sum += std::log1p(2 * detail::real_part(rest) + detail::squared_abs(rest)) / 2;
    return sum;
  }
  /// Σ arg (1 + r_k).
  R phase() const {
    R sum(0);
    if constexpr (is_complex<T>)
      for (const T& rest : r) sum += std::atan2(rest.imag(), 1 + rest.real());
    return sum;
  }

  static R rounded_part(const R& z) {
    return std::ldexp(std::nearbyint(std::ldexp(z, bits)), -bits);
  }
  static T rounded(const T& z) {
    if constexpr (is_complex<T>)
      return T(rounded_part(z.real()), rounded_part(z.imag()));
    else
      return rounded_part(z);
  }
};

// A determinant that is nearly 1, of pivots whose products are not.
TYPED_TEST(Determinants, LogarithmsNearZeroHaveAllDigits) {
  using T = TypeParam;
  using R = real_t<T>;
  const R eps = std::numeric_limits<R>::epsilon();
  const index_t count = 20;
  random_source random(668);
  for (const int up : {0, 1, std::numeric_limits<R>::max_exponent / 4})
    for (int trial = 0; trial < 10; ++trial) {
      const near_inverses<T> exact(random, count);
      matrix<T> A(2 * count, 2 * count);
      for (index_t k = 0; k < count; ++k) {
        const auto at = static_cast<std::size_t>(k);
        A(k, k) = exact.x[at] * T(std::ldexp(R(1), up));
        A(count + k, count + k) = exact.y[at] * T(std::ldexp(R(1), -up));
      }
      pivots odd(2 * count);
      if (trial % 2 == 1) odd[0] = 1;
      const lu_factor<T> f(A, std::move(odd), status());
      const auto found = log_determinant(f);
      const R expected = exact.logarithm(), phase = exact.phase();
      EXPECT_LE(std::abs(found.log_abs - expected), 20 * eps * expected);
      const T sign = trial % 2 == 1 ? T(-found.sign) : found.sign;
      EXPECT_LE(std::abs(detail::real_part(sign) - std::cos(phase)), 2 * eps);
      if constexpr (is_complex<T>) {
        EXPECT_LE(std::abs(sign.imag() - std::sin(phase)), 20 * eps * phase);
      }
      EXPECT_LE(std::abs(std::abs(determinant(f)) - std::exp(expected)), 4 * eps);

      const near_inverses<R> of_cholesky(random, count);
      for (index_t k = 0; k < count; ++k) {
        const auto at = static_cast<std::size_t>(k);
        A(k, k) = T(std::abs(of_cholesky.x[at]));
        A(count + k, count + k) = T(std::abs(of_cholesky.y[at]));
      }
      const cholesky_factor<T> g(A, triangle::lower, status());
      const R twice = 2 * of_cholesky.logarithm();
      EXPECT_LE(std::abs(log_determinant(g).log_abs - twice), 20 * eps * twice);
      EXPECT_LE(std::abs(determinant(g) - std::exp(twice)), 4 * eps);
    }
}

TYPED_TEST(Determinants, OfOneNumber) {
  using T = TypeParam;
  using R = real_t<T>;
  using limits = std::numeric_limits<R>;
  for (R x : {limits::denorm_min(), limits::min(), R(0.7), R(0.8), R(1) - limits::epsilon() / 2,
              R(1), R(1) + limits::epsilon(), R(1.4), R(1.5), limits::max()}) {
    matrix<T> A(1, 1);
    A(0, 0) = T(x);
    const lu_factor<T> f(A, pivots(1), status());
    const cholesky_factor<T> g(A, triangle::lower, status());
    EXPECT_EQ(determinant(f), T(x));
    EXPECT_LE(std::abs(log_determinant(f).log_abs - std::log(x)),
              2 * limits::epsilon() * std::abs(std::log(x)));
    EXPECT_LE(std::abs(log_determinant(g).log_abs - 2 * std::log(x)),
              4 * limits::epsilon() * std::abs(std::log(x)));
    EXPECT_EQ(log_determinant(f).sign, T(1));
    if constexpr (is_complex<T>) {
      A(0, 0) = T(0, -x);
      EXPECT_EQ(determinant(f), T(0, -x));
      EXPECT_EQ(log_determinant(f).sign, T(0, -1));
      EXPECT_LE(std::abs(log_determinant(f).log_abs - std::log(x)),
                2 * limits::epsilon() * std::abs(std::log(x)));
    }
  }
  // What no factorization leaves, but a caller may bring.
  matrix<T> A(2, 2);
  A(0, 0) = T(limits::infinity());
  A(1, 1) = T(1);
  const lu_factor<T> f(A, pivots(2), status());
  T value(0);
  EXPECT_EQ(try_determinant(f, value).kind(), status_kind::not_finite);
  EXPECT_FALSE(detail::is_finite(log_determinant(f).log_abs));
}

TYPED_TEST(Condition, BothFactorsHaveTheSameDeterminant) {
  using T = TypeParam;
  random_source random(631);
  for (index_t n : {1, 2, 5, 70}) {
    const matrix<T> A = random_spd<T>(random, n);
    const auto of_cholesky = log_determinant(cholesky(matrix<T>(A), {.part = triangle::upper}));
    const auto of_lu = log_determinant(lu(matrix<T>(A)));
    EXPECT_EQ(of_cholesky.sign, real_t<T>(1));
    EXPECT_TRUE(is_near(of_lu.sign, T(1), 100));
    EXPECT_TRUE(is_near(of_cholesky.log_abs, of_lu.log_abs, 100));
  }
}

TYPED_TEST(Condition, Norms) {
  using T = TypeParam;
  using R = real_t<T>;
  random_source random(632);
  for (index_t n : {0, 1, 2, 63, 64, 65, 130})
    for (layout where : all_layouts) {
      const matrix<T> A = random_spd<T>(random, n), M = random_matrix<T>(random, n, n + 3);
      placed_matrix<T> stored(n, n, where), wide(M, where);
      const auto of_M = static_cast<R>(norm_1(M.view())),
                 across = static_cast<R>(norm_inf(M.view()));
      EXPECT_TRUE(is_near(norm(wide.view()), of_M, 40));
      EXPECT_TRUE(is_near(norm(wide.view(), norm_kind::infinity), across, 40));
      for (triangle part : {triangle::lower, triangle::upper}) {
        stored.restore();
        stored.assign(A, in_triangle(part));
        EXPECT_TRUE(is_near(norm(stored.view(), part), norm(A), 40)) << to_string(where);
      }
    }
  if constexpr (is_complex<T>) {  // the imaginary part of a Hermitian diagonal is not read
    const matrix<T> A = random_spd<T>(random, 70);
    matrix<T> B = A;
    for (index_t i = 0; i < 70; ++i) B(i, i) += T(R(0), R(1e6));
    for (triangle part : {triangle::lower, triangle::upper}) {
      EXPECT_EQ(norm(B, part), norm(A, part));
      EXPECT_EQ(cholesky(matrix<T>(B), {.part = part, .norm = true}).norm(), norm(A, part));
    }
  }
  matrix<T> nan = random_spd<T>(random, 70);
  nan(66, 3) = T(std::numeric_limits<R>::quiet_NaN());
  EXPECT_TRUE(std::isnan(norm(nan)) && std::isnan(norm(nan, norm_kind::infinity)));
  EXPECT_TRUE(std::isnan(norm(nan, triangle::lower)));

  const matrix_view<const T> nothing(nullptr, 3, 3, 3), narrow(nan.view().data(), 3, 3, 2);
  for (const auto& wrong : {nothing, narrow}) {
    EXPECT_THROW(static_cast<void>(norm(wrong)), argument_error);
    EXPECT_THROW(static_cast<void>(norm(wrong, triangle::upper)), argument_error);
  }
  EXPECT_THROW(static_cast<void>(norm(nan.view().block(0, 0, 3, 2), triangle::lower)),
               argument_error);
  EXPECT_EQ(norm(matrix_view<const T>(nullptr, 0, 5, 1)), R(0));
  EXPECT_THROW(static_cast<void>(norm(nan, static_cast<norm_kind>(5))), argument_error);
  EXPECT_THROW(static_cast<void>(norm(nan, static_cast<triangle>(5))), argument_error);
}

/// LAPACK: dget06.
template <class R>
double rcond_ratio(R estimate, R exact) {
  if (!(estimate > R(0)) || !(exact > R(0))) return 1 / static_cast<double>(unit_roundoff<R>);
  return static_cast<double>(std::max(estimate, exact) / std::min(estimate, exact)) - 1;
}

TYPED_TEST(Condition, ReciprocalConditionOfLapacksTestMatrices) {
  using T = TypeParam;
  using R = real_t<T>;
  for (index_t n : {1, 2, 8, 9, 10, 50, 70})
    for (int type = 1; type <= dge_types; ++type) {
      if (type >= 5 && type <= 7) continue;  // singular
      random_source random(1988);
      const matrix<T> A = dge_matrix<T>(type, random, n, n).A;
      const auto f = lu(matrix<T>(A));
      ASSERT_TRUE(f);
      matrix<T> X(n, n);
      if (!try_inverse(f, X)) continue;
      for (norm_kind kind : {norm_kind::one, norm_kind::infinity}) {
        SCOPED_TRACE(testing::Message() << "type " << type << ", n = " << n);
        const R exact = R(1) / norm(X, kind) / norm(A, kind);
        const R estimate = reciprocal_condition(f, norm(A, kind), kind);
        EXPECT_TRUE(within(rcond_ratio(estimate, exact)));
        EXPECT_GE(estimate, exact * R(0.9));  // a lower bound of the norm
        EXPECT_LE(estimate, R(1));
      }
    }
}

// ---- matrices that are ill-conditioned by a few of their variables

/// A = D·B·D with D = diag(scales), where B is the identity but for rows and columns a and b, which
/// are those of [1 φ(1−d); φ*(1−d) 1] with |φ| = 1: two variables that are nearly equal, up to a
/// sign or phase. Its condition number and reciprocal in closed form.
template <class T>
class two_equal_variables {
  using R = real_t<T>;

 public:
  two_equal_variables(matrix<T>& L, index_t a, index_t b, R d, T phase, bool scaled)
      : L_(L), a_(a), b_(b), d_(d), scaled_(scaled) {
    for (index_t i = 0; i < L.rows(); ++i) L(i, i) = T(scale(i));
    L(b, a) = T(R(1) - d) * phase * T(scale(b));
    L(b, b) = T(std::sqrt(d * (2 - d)) * scale(b));
  }
  ~two_equal_variables() { L_(b_, a_) = T(0); }

  R norm() const {
    R most(0);
    for (index_t i = 0; i < L_.rows(); ++i) most = std::max(most, scale(i) * scale(i));
    return std::max(most, of_pair(scale(a_), scale(b_)));
  }
  R inverse_norm() const {
    R most(0);
    for (index_t i = 0; i < L_.rows(); ++i)
      if (i != a_ && i != b_) most = std::max(most, 1 / (scale(i) * scale(i)));
    return std::max(most, of_pair(1 / scale(a_), 1 / scale(b_)) / (d_ * (2 - d_)));
  }

 private:
  R scale(index_t i) const {
    return scaled_ ? std::ldexp(R(1), static_cast<int>(i % 3) - 1) : R(1);
  }
  R of_pair(R first, R second) const {
    return std::max(first, second) * (std::max(first, second) + (1 - d_) * std::min(first, second));
  }

  matrix<T>& L_;
  index_t a_, b_;
  R d_;
  bool scaled_;
};

/// Each pair of variables, from condition numbers of 64 on, beside the exact value.
template <class T>
void expect_every_pair_is_seen(index_t n) {
  using R = real_t<T>;
  matrix<T> L(n, n);
  std::vector<T> phases = {T(1), T(1), T(-1)};
  if constexpr (is_complex<T>) phases = {T(1), T(1), T(-1), T(0, 1), T(R(0.6), R(-0.8))};
  std::size_t count = 0;
  for (index_t a = 0; a < n; ++a)
    for (index_t b = a + 1; b < n; ++b, ++count) {
      const bool scaled = count % 4 == 0;  // the pair stands out by a factor 16 less
      const int power =
          (scaled ? 10 : 5) + static_cast<int>(count / 4 % (std::is_same_v<R, float> ? 5 : 25));
      const two_equal_variables<T> A(L, a, b, std::ldexp(R(1), -power),
                                     phases[count % phases.size()], scaled);
      const auto f = factored_cholesky(L);
      const R exact = 1 / A.norm() / A.inverse_norm();
      for (norm_kind kind : {norm_kind::one, norm_kind::infinity}) {
        const R found = reciprocal_condition(f, A.norm(), kind);
        ASSERT_TRUE(found <= R(1.05) * exact && found >= R(0.95) * exact)
            << "n = " << n << ", variables " << a << " and " << b << ", 2^-" << power << ": "
            << found << ", exact " << exact;
      }
    }
}

TYPED_TEST(Condition, EachPairOfEqualVariablesIsSeen) {
  for (index_t n : {9, 10, 23, 60}) expect_every_pair_is_seen<TypeParam>(n);
}
TYPED_TEST(Condition, FullEachPairOfEqualVariablesIsSeen) {
  for (index_t n = 9; n <= 60; ++n) expect_every_pair_is_seen<TypeParam>(n);
}

#if TRIFAC_EXPECT_LAPACK
/// LAPACK's estimators by type; members, for a test program without all types calls some alone.
struct lapack {
  static lapack_int pocon(lapack_int n, const float* a, float anorm, float* rcond) {
    return LAPACKE_spocon(LAPACK_COL_MAJOR, 'L', n, a, n, anorm, rcond);
  }
  static lapack_int pocon(lapack_int n, const double* a, double anorm, double* rcond) {
    return LAPACKE_dpocon(LAPACK_COL_MAJOR, 'L', n, a, n, anorm, rcond);
  }
  static lapack_int pocon(lapack_int n, const std::complex<float>* a, float anorm, float* rcond) {
    return LAPACKE_cpocon(LAPACK_COL_MAJOR, 'L', n, a, n, anorm, rcond);
  }
  static lapack_int pocon(lapack_int n, const std::complex<double>* a, double anorm,
                          double* rcond) {
    return LAPACKE_zpocon(LAPACK_COL_MAJOR, 'L', n, a, n, anorm, rcond);
  }
  static lapack_int gecon(char kind, lapack_int n, const float* a, float anorm, float* rcond) {
    return LAPACKE_sgecon(LAPACK_COL_MAJOR, kind, n, a, n, anorm, rcond);
  }
  static lapack_int gecon(char kind, lapack_int n, const double* a, double anorm, double* rcond) {
    return LAPACKE_dgecon(LAPACK_COL_MAJOR, kind, n, a, n, anorm, rcond);
  }
  static lapack_int gecon(char kind, lapack_int n, const std::complex<float>* a, float anorm,
                          float* rcond) {
    return LAPACKE_cgecon(LAPACK_COL_MAJOR, kind, n, a, n, anorm, rcond);
  }
  static lapack_int gecon(char kind, lapack_int n, const std::complex<double>* a, double anorm,
                          double* rcond) {
    return LAPACKE_zgecon(LAPACK_COL_MAJOR, kind, n, a, n, anorm, rcond);
  }
};
#endif

/// What LAPACK estimates from the same factor; infinity without it.
template <class F, class R>
R rcond_of_lapack([[maybe_unused]] const F& f, [[maybe_unused]] norm_kind kind,
                  [[maybe_unused]] R norm_of_A) {
  R rcond = std::numeric_limits<R>::infinity();
#if TRIFAC_EXPECT_LAPACK
  const auto n = static_cast<lapack_int>(f.rows());
  if constexpr (detail::HasTriangle<F>)
    EXPECT_EQ(lapack::pocon(n, f.matrix().data(), norm_of_A, &rcond), 0);
  else
    EXPECT_EQ(
        lapack::gecon(kind == norm_kind::one ? '1' : 'I', n, f.matrix().data(), norm_of_A, &rcond),
        0);
#endif
  return rcond;
}

// Beside an inverse in long double: within a factor 3, and never twice LAPACK's.
TYPED_TEST(Condition, MatricesThatAreIllConditionedByAFewVariables) {
  using T = TypeParam;
  using R = real_t<T>;
  random_source random(636);
  for (dependence of : all_dependences)
    for (int trial = 0; trial < 12; ++trial) {
      const double small = std::exp2(-6 - trial % (std::is_same_v<R, float> ? 8 : 28));
      const matrix<T> A = dependent_matrix<T>(of, random, small);
      const index_t n = A.rows();
      SCOPED_TRACE(testing::Message() << "kind " << int(of) << ", n = " << n << ", " << small);
      matrix<T> I(n, n), stored = A;
      for (index_t i = 0; i < n; ++i) I(i, i) = T(1);
      const auto inverse = long_solution(A, I);
      const auto expect = [&](const auto& f, norm_kind kind) {
        ASSERT_TRUE(f) << f.status().message();
        const R size = norm(A, kind), found = reciprocal_condition(f, size, kind);
        const double exact = 1 / double(size) / double(norm(inverse, kind));
        EXPECT_TRUE(double(found) <= 3 * exact && double(found) >= exact / 1.1)
            << found << ", exact " << exact;
        const R other = rcond_of_lapack(f, kind, size);
        EXPECT_TRUE(found <= 2 * other) << found << ", LAPACK " << other;
      };
      if (is_definite(of)) {
        expect(cholesky(stored), norm_kind::one);
      } else {
        const auto f = lu(stored);
        expect(f, norm_kind::one);
        expect(f, norm_kind::infinity);
      }
    }
}

// κ(s·A) = κ(A), where s·A is as small or as large as its type allows.
TYPED_TEST(Condition, ScaleOfTheMatrixDoesNotMatter) {
  using T = TypeParam;
  using R = real_t<T>;
  using limits = std::numeric_limits<R>;
  for (index_t n : {1, 2, 8, 9, 60}) {
    R expected(0);
    for (int exponent : {0, limits::min_exponent - 3, limits::min_exponent + 3, -20, 20,
                         limits::max_exponent - 12, limits::max_exponent - 4}) {
      const R s = std::ldexp(R(1), exponent);
      matrix<T> A(n, n);
      for (index_t i = 0; i < n; ++i) {
        A(i, i) = T(4 * s);
        if (i > 0) A(i, i - 1) = A(i - 1, i) = T(s);
      }
      const R size = norm(A);
      const auto f = cholesky(matrix<T>(A));
      const auto g = lu(matrix<T>(A));
      if (exponent == 0) expected = reciprocal_condition(f, size);
      const auto expect = [&](R found) {
        EXPECT_TRUE(found <= R(1.01) * expected && found >= R(0.99) * expected)
            << "n = " << n << ", 2^" << exponent << ": " << found << ", " << expected;
      };
      expect(reciprocal_condition(f, size));
      expect(reciprocal_condition(g, size));
      expect(reciprocal_condition(g, norm(A, norm_kind::infinity), norm_kind::infinity));
    }
  }
}

TYPED_TEST(Condition, OfCholeskyFactorsAndOnEveryBackend) {
  using T = TypeParam;
  using R = real_t<T>;
  random_source random(633);
  for (index_t n : {0, 1, 5, 40, 130})
    for (triangle part : {triangle::lower, triangle::upper}) {
      const matrix<T> A = random_spd<T>(random, n);
      matrix<T> L = A;
      const auto f = cholesky(L, {.part = part});
      const R rcond = reciprocal_condition(f, norm(A, part));
      if (n == 0) {
        EXPECT_EQ(rcond, R(1));
        continue;
      }
      EXPECT_TRUE(within(rcond_ratio(rcond, R(1) / norm(inverse(f)) / norm(A)), 2));
      for_each_backend([&](const auto& backend, const std::string& name) {
        EXPECT_TRUE(is_near(reciprocal_condition(backend, f, norm(A, part)), rcond, 1000)) << name;
      });
    }
}

TYPED_TEST(Condition, TheFactorizationMeasuresNorms) {
  using T = TypeParam;
  random_source random(635);
  for (index_t n : {0, 1, 4, 40, 130}) {
    const matrix<T> A = random_spd<T>(random, n), M = random_matrix<T>(random, n, n);
    for (triangle part : {triangle::lower, triangle::upper}) {
      matrix<T> L = A, out(n, n);
      for (const auto& f : {cholesky(L, {.part = part, .norm = true}),
                            cholesky(A, out, {.part = part, .norm = true})}) {
        EXPECT_EQ(f.norm(), norm(A, part));
        EXPECT_EQ(reciprocal_condition(f), reciprocal_condition(f, norm(A, part)));
      }
    }
    const auto g = lu(matrix<T>(M), {.norm = true});
    for (norm_kind kind : {norm_kind::one, norm_kind::infinity}) {
      EXPECT_EQ(g.norm(kind), norm(M, kind));
      EXPECT_EQ(reciprocal_condition(g, kind), reciprocal_condition(g, norm(M, kind), kind));
    }
    EXPECT_TRUE(std::isnan(lu(matrix<T>(M)).norm()) && std::isnan(lu(matrix<T>(M)).growth()));
    EXPECT_TRUE(std::isnan(cholesky(matrix<T>(A)).norm()));
    EXPECT_THROW(static_cast<void>(reciprocal_condition(lu(matrix<T>(M)))), argument_error);
  }
}

TYPED_TEST(Condition, BadFactorsAndNormsAreTold) {
  using T = TypeParam;
  using R = real_t<T>;
  const R nan = std::numeric_limits<R>::quiet_NaN();
  R value(7);
  T number(7);
  matrix<T> I(3, 3), wide(2, 3), bad(3, 3);
  for (index_t k = 0; k < 3; ++k) I(k, k) = T(1);
  bad(1, 1) = T(nan);
  const auto f = lu(I);
  for (R norm_of_A : {nan, R(-1), std::numeric_limits<R>::infinity()})
    EXPECT_STREQ(try_reciprocal_condition(f, norm_of_A, norm_kind::one, value).argument(),
                 "norm_of_A");
  EXPECT_STREQ(try_reciprocal_condition(f, R(1), static_cast<norm_kind>(9), value).argument(),
               "kind");
  const auto g = lu(wide);
  EXPECT_STREQ(try_reciprocal_condition(g, R(1), norm_kind::one, value).argument(), "factor");
  EXPECT_STREQ(try_determinant(g, number).argument(), "factor");
  EXPECT_STREQ(try_trace_of_inverse(lu_factor<T>(), number).argument(), "factor");
  const auto h = cholesky(bad);
  EXPECT_EQ(try_reciprocal_condition(h, R(1), norm_kind::one, value).kind(), h.status().kind());
  EXPECT_EQ(try_determinant(h, value).kind(), h.status().kind());
  EXPECT_EQ(try_trace_of_inverse(h, value).kind(), h.status().kind());
  EXPECT_EQ(value, R(7));
  EXPECT_EQ(number, T(7));
  const auto singular = lu(matrix<T>(3, 3));
  EXPECT_TRUE(try_reciprocal_condition(singular, R(1), norm_kind::one, value));
  EXPECT_EQ(value, R(0));
  EXPECT_EQ(try_trace_of_inverse(singular, number).kind(), status_kind::singular);
}

// Beyond the first block of columns, too, in both triangles; the trace alone overflows last.
TYPED_TEST(Condition, TraceThatOverflowsHasNoIndex) {
  using T = TypeParam;
  using R = real_t<T>;
  const R least = std::numeric_limits<R>::denorm_min(), large = std::numeric_limits<R>::min() * 4;
  for (index_t n : {2, 70})
    for (triangle part : {triangle::lower, triangle::upper})
      for (R size : {least, large}) {
        matrix<T> L(n, n);
        for (index_t k = 0; k < n; ++k) L(k, k) = T(1);
        L(n - 1, n - 1) = T(size);
        const auto f = factored_cholesky(L, part);
        ASSERT_TRUE(f.ok());
        R value(7);
        const status s = try_trace_of_inverse(f, value);
        EXPECT_EQ(s.kind(), status_kind::not_finite) << n;
        EXPECT_EQ(s.index(), -1) << n;
        EXPECT_EQ(value, R(7));
      }
}

TYPED_TEST(Condition, TraceOfTheInverse) {
  using T = TypeParam;
  random_source random(634);
  for (index_t n : {0, 1, 2, 64, 65, 130, 300}) {  // the last one on a team
    const matrix<T> A = random_spd<T>(random, n);
    matrix<T> L = A, LU = A;
    const auto f = cholesky(L, {.part = triangle::upper});
    const auto g = lu(LU);
    const matrix<T> X = inverse(f);
    T trace(0);
    for (index_t k = 0; k < n; ++k) trace += X(k, k);
    EXPECT_TRUE(is_near(T(trace_of_inverse(f)), trace, 1000));
    EXPECT_TRUE(is_near(trace_of_inverse(g), trace, 1000));
    for_each_team([&](const auto& team, const std::string& name) {
      EXPECT_EQ(trace_of_inverse(team, f), trace_of_inverse(f)) << name;
    });
  }
}

}  // namespace
}  // namespace trifac::test
