// update and downdate: against the matrix itself, by LAPACK's ratio dpot01; random sequences with
// loss of definiteness at a chosen column; numbers at the ends of their range; the arguments.

#include "trifac/update.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "backends.hpp"
#include "support/layouts.hpp"
#include "support/residual.hpp"
#include "support/scalars.hpp"
#include "trifac/cholesky.hpp"
#include "trifac/engine/cpu/run.hpp"
#include "trifac/engine/modify/low_rank.hpp"
#include "trifac/factored.hpp"

namespace trifac::test {
namespace {

template <class T>
class Update : public testing::Test {};
TYPED_TEST_SUITE(Update, lapack_scalars, scalar_names);

constexpr index_t orders[] = {0, 1, 2, 15, 16, 17, 33, 64, 65, 97};
constexpr index_t ranks[] = {0, 1, 2, 3, 4, 5, 9, 16};

/// A := A + sign·X·Xᴴ, Hermitian to the bit.
template <class T>
void add_product(matrix<T>& A, matrix_view<const T> X, int sign = 1) {
  for (index_t c = 0; c < X.cols(); ++c)
    for (index_t j = 0; j < A.cols(); ++j)
      for (index_t i = j; i < A.rows(); ++i)
        A(i, j) += number<T>(sign) * X(i, c) * detail::conjugate(X(j, c));
  mirror_lower(A);
}

/// Whether the factor of the leading block of A is that in the `part` of `stored`.
template <class T>
testing::AssertionResult holds_factor(const matrix<T>& A, triangle part,
                                      matrix_view<const T> stored, index_t order) {
  return within(cholesky_ratio<T>(A.view().block(0, 0, order, order), part,
                                  stored.block(0, 0, order, order)));
}

TYPED_TEST(Update, AgreesWithTheMatrixInAllLayouts) {
  using T = TypeParam;
  random_source random(1701);
  for (index_t n : orders)
    for (index_t k : ranks)
      for (triangle part : {triangle::lower, triangle::upper}) {
        const matrix<T> A = random_spd<T>(random, n), X = random_matrix<T>(random, n, k);
        matrix<T> more = A, L = A;
        add_product<T>(more, X);
        auto f = cholesky(L, {.part = part});
        const matrix<T> before = L;
        update(f, X);
        ASSERT_TRUE(holds_factor<T>(more, part, L, n)) << n << ", rank " << k;
        for (index_t i = 0; i < n; ++i) ASSERT_GT(detail::real_part(L(i, i)), 0);
        auto g = f;
        matrix<T> M = L;
        g = cholesky_factor<T>(M.view(), part, status());
        downdate(g, X);
        ASSERT_TRUE(within(cholesky_ratio<T>(A, part, M.view()), 2 * lapack_threshold));
        for (layout where : all_layouts) {
          SCOPED_TRACE(testing::Message() << to_string(where) << ", n = " << n << ", k = " << k);
          placed_matrix<T> stored(before, where), added(X, where);
          cholesky_factor<T> h(stored.view(), part, status());
          update(h, added.view());
          EXPECT_TRUE(same_bits(stored.view(), L.view()));
          EXPECT_TRUE(stored.untouched_except(in_triangle(part)) && added.untouched());
          downdate(h, added.view());
          EXPECT_TRUE(same_bits(stored.view(), M.view()));
        }
      }
}

TYPED_TEST(Update, SameBitsForAnyNumberOfThreads) {
  using T = TypeParam;
  random_source random(1702);
  const index_t n = 600;
  const matrix<T> A = random_spd<T>(random, n), X = random_matrix<T>(random, n, 37);
  ASSERT_GT(team_size(backend::threads{.threads = 2}, 2. * n * n * X.cols()), 1);
  for (const triangle part : {triangle::lower, triangle::upper}) {
    const auto before = cholesky(matrix<T>(A), {.part = part});
    auto more = before;
    update(more, X);
    auto less = more;
    downdate(less, X);
    for_each_team([&](const auto& team, const std::string& name) {
      for (const layout where : {layout::padded, layout::row_major_padded}) {
        SCOPED_TRACE(testing::Message() << name << ", " << to_string(where));
        placed_matrix<T> stored(before.matrix(), where);
        cholesky_factor<T> f(stored.view(), part, status());
        update(team, f, X);
        EXPECT_TRUE(same_bits(f.matrix(), more.matrix()));
        downdate(team, f, X);
        EXPECT_TRUE(same_bits(f.matrix(), less.matrix()));
      }
    });
  }
}

/// The executor of one thread, whose ranges end anywhere.
struct any_ranges : backend::serial_executor {
  using backend::serial_executor::serial_executor;
  template <class Work>
  void ranges(nest_step, index_t count, index_t, Work work) {
    for (index_t from = 0, size = 1; from < count; from += size, size = size * 3 % 23)
      work(from, std::min(count, from + size));
  }
};

// One vector is worth a team from order 3536 on. What its threads share are rows.
TYPED_TEST(Update, SameBitsForAnyRowsAtOnce) {
  using T = TypeParam;
  random_source random(1709);
  const index_t n = 150, ld = simd::whole_packets(n) + 16;
  for (const index_t k : {1, 6})
    for (const modification how : {modification::update, modification::downdate}) {
      const matrix<T> X = random_matrix<T>(random, n, k);
      auto f = cholesky(random_spd<T>(random, n));
      update(f, X);
      const auto modified = [&](auto executor) {
        matrix<T> L(f.matrix()), Y(ld, 8), D(simd::whole_packets(16), 16);
        for (index_t c = 0; c < k; ++c)
          for (index_t i = 0; i < n; ++i) Y(i, c) = X(i, c);
        std::vector<reflector<T>> reflectors(2 * 16);
        modify_lower(executor, how, L.view(), Y.view().block(0, 0, n, k), 16, &D(0, 0),
                     reflectors.data());
        return L;
      };
      status outcome, other;
      const matrix<T> L = modified(any_ranges(outcome)),
                      M = modified(backend::serial_executor(other));
      ASSERT_TRUE(outcome && other) << outcome.message();
      EXPECT_TRUE(same_bits(L.view(), M.view()));
      EXPECT_FALSE(same_bits(L.view(), f.matrix()));
    }
}

/// x = L·p with ‖p‖ below one before element j, and above from there on: A − x·xᴴ has a leading
/// minor of order j + 1 that is not positive, and no smaller one.
template <class T>
std::vector<T> lost_at(random_source& random, const cholesky_factor<T>& f, index_t j) {
  using R = real_t<T>;
  const index_t n = f.rows();
  std::vector<T> p(static_cast<std::size_t>(n)), x(p);
  for (T& element : p) element = random.uniform<T>();
  R size(0);
  for (index_t i = 0; i < j; ++i) size += detail::squared_abs(p[static_cast<std::size_t>(i)]);
  for (index_t i = 0; i < j; ++i)
    p[static_cast<std::size_t>(i)] *= T(R(0.7) / std::max(R(0.7), std::sqrt(size)));
  p[static_cast<std::size_t>(j)] = T(R(1.2));
  const auto L = f.L();
  for (index_t i = 0; i < n; ++i)
    for (index_t c = 0; c <= i; ++c)
      x[static_cast<std::size_t>(i)] += L(i, c) * p[static_cast<std::size_t>(c)];
  return x;
}

// 2,500 for each of four types.
TYPED_TEST(Update, RandomSequencesEndWhereDefinitenessIsLost) {
  using T = TypeParam;
  using R = real_t<T>;
  random_source random(1703);
  for (int sequence = 0; sequence < 2500; ++sequence) {
    const index_t n = 1 + random.below(20);
    const triangle part = sequence % 2 ? triangle::lower : triangle::upper;
    matrix<T> A = random_spd<T>(random, n);
    auto f = cholesky(matrix<T>(A), {.part = part});
    for (index_t step = random.below(6); step > 0; --step) {
      matrix<T> X = random_matrix<T>(random, n, 1 + random.below(3));
      for (index_t c = 0; c < X.cols(); ++c)
        for (index_t i = 0; i < n; ++i) X(i, c) *= T(R(0.1));  // the diagonal dominates by far
      const bool down = random.below(2) == 1;
      const status s = down ? try_downdate(f, X) : try_update(f, X);
      ASSERT_TRUE(s) << s.message();
      add_product<T>(A, X, down ? -1 : 1);
      ASSERT_TRUE(holds_factor<T>(A, part, f.matrix(), n));
    }
    const index_t bad = random.below(n);
    const std::vector<T> x = lost_at(random, f, bad);
    ASSERT_EQ(try_downdate(f, x), status::at(status_kind::not_positive_definite, bad));
    ASSERT_EQ(f.status(), status::at(status_kind::not_positive_definite, bad));
    add_product<T>(A, column_of(x), -1);
    ASSERT_TRUE(holds_factor<T>(A, part, f.matrix(), bad));
  }
}

TYPED_TEST(Update, ColumnsOfXLoseDefinitenessAtTheFirstOfTheirPivots) {
  using T = TypeParam;
  random_source random(1704);
  const index_t n = 40;
  for (const auto& [early, late] : {std::pair<index_t, index_t>{3, 9}, {20, 21}, {7, 35}})
    for (const bool swapped : {false, true}) {
      matrix<T> A = random_spd<T>(random, n), X(n, 9);
      auto f = cholesky(matrix<T>(A));
      const auto x = lost_at(random, f, late), y = lost_at(random, f, early);
      for (index_t i = 0; i < n; ++i) {  // in the second group of four columns, and in the third
        X(i, 4) = (swapped ? y : x)[static_cast<std::size_t>(i)];
        X(i, 8) = (swapped ? x : y)[static_cast<std::size_t>(i)];
        // Alone, so that their order is that of the two pivots.
        if (i < early) X(i, 4) = X(i, 8) = T(0);
      }
      const status s = try_downdate(f, X);
      add_product<T>(A, X, -1);
      const auto refactored = cholesky(matrix<T>(A));
      EXPECT_EQ(s, refactored.status());
      EXPECT_FALSE(s.ok());
      EXPECT_TRUE(holds_factor<T>(A, triangle::lower, f.matrix(), s.index()));
    }
}

TYPED_TEST(Update, NumbersThatAreNotFiniteLeaveTheFactor) {
  using T = TypeParam;
  using R = real_t<T>;
  random_source random(1705);
  const index_t n = 20;
  placed_matrix<T> L(random_spd<T>(random, n), layout::padded);
  auto f = cholesky(L.view());
  L.remember();
  for (R bad : {std::numeric_limits<R>::quiet_NaN(), std::numeric_limits<R>::infinity()})
    for (index_t row : {0, 7, 19}) {
      matrix<T> X = random_matrix<T>(random, n, 3);
      X(row, 1) = T(bad);
      EXPECT_EQ(try_update(f, X), status::at(status_kind::not_finite, row));
      EXPECT_EQ(try_downdate(f, X), status::at(status_kind::not_finite, row));
      EXPECT_TRUE(f.ok() && L.untouched());
    }
  matrix<T> huge(n, 2);
  for (index_t c = 0; c < 2; ++c) huge(4, c) = T(std::numeric_limits<R>::max());
  EXPECT_EQ(try_update(f, huge), status::at(status_kind::not_finite, 4));
  EXPECT_EQ(f.status(), status::at(status_kind::not_finite, 4));
}

TYPED_TEST(Update, NumbersWhoseSquaresAreOutOfRange) {
  using T = TypeParam;
  using R = real_t<T>;
  random_source random(1706);
  const index_t n = 18;
  const R ends[] = {std::numeric_limits<R>::min() * 1024, std::numeric_limits<R>::max() / 1024};
  const matrix<T> A = random_spd<T>(random, n);
  auto f = cholesky(matrix<T>(A));
  const matrix<T> L(f.matrix());
  for (const index_t k : {1, 3})
    for (const R end : ends) {  // powers of two, nearly
      const R scale = std::exp2(std::round(std::log2(end)));
      const matrix<T> X = random_matrix<T>(random, n, k);
      matrix<T> scaled = L, Y = X;
      for (index_t j = 0; j < n; ++j)
        for (index_t i = j; i < n; ++i) scaled(i, j) *= T(scale);
      for (index_t c = 0; c < k; ++c)
        for (index_t i = 0; i < n; ++i) Y(i, c) *= T(scale);
      cholesky_factor<T> g(scaled.view(), triangle::lower, status());
      ASSERT_TRUE(try_update(g, Y)) << g.status().message();
      for (index_t j = 0; j < n; ++j)
        for (index_t i = j; i < n; ++i) scaled(i, j) /= T(scale);
      matrix<T> more = A;
      add_product<T>(more, X);
      EXPECT_TRUE(holds_factor<T>(more, triangle::lower, scaled, n));
    }
  // Elements of L below a block so large that their product with x/α overflows.
  const R far = std::sqrt(std::numeric_limits<R>::max()) * R(0x1p36), near = R(0x1p30);
  matrix<T> high(20, 20), once(20, 1), twice(20, 2);
  for (index_t i = 0; i < 20; ++i) high(i, i) = i == 18 ? T(far) : T(1);
  high(18, 0) = T(far);
  once(0, 0) = twice(0, 0) = T(near);
  matrix<T> other = high;
  auto one = factored_cholesky(high), two = factored_cholesky(other);
  EXPECT_TRUE(try_update(one, once) && try_update(two, twice));
  // An x that is nothing beside L, and one beside which L is nothing.
  matrix<T> x(n, 1);
  for (index_t i = 0; i < n; ++i) x(i, 0) = T(std::numeric_limits<R>::denorm_min());
  auto g = f;
  update(g, x);
  downdate(g, x);
  EXPECT_TRUE(same_bits(g.matrix(), f.matrix()));
  matrix<T> tiny(1, 1), large(1, 1);
  tiny(0, 0) = T(std::numeric_limits<R>::min());
  large(0, 0) = T(std::numeric_limits<R>::max() / 2);
  cholesky_factor<T> h(tiny.view(), triangle::lower, status());
  update(h, large);
  EXPECT_EQ(tiny(0, 0), large(0, 0));
}

/// The largest |A ± x·xᴴ − F·Fᴴ|, A = L·Lᴴ, of an element i, j relative to √(dᵢ·dⱼ)·n·ε, d the
/// larger of the two diagonals: each row by itself, whatever it is scaled by.
template <class T>
double elementwise_ratio(matrix_view<const T> L, const std::vector<T>& x, int sign,
                         matrix_view<const T> F) {
  using W = wide_t<T>;
  const index_t n = L.rows();
  const auto product = [](matrix_view<const T> M, index_t i, index_t j) {
    W sum(0);
    for (index_t k = 0; k <= std::min(i, j); ++k) sum += W(M(i, k)) * detail::conjugate(W(M(j, k)));
    return sum;
  };
  const auto added = [&](index_t i, index_t j) {
    return W(x[static_cast<std::size_t>(i)]) * detail::conjugate(W(x[static_cast<std::size_t>(j)]));
  };
  std::vector<double> d;
  double worst = 0;
  for (index_t i = 0; i < n; ++i) {
    const double before = static_cast<double>(detail::real_part(product(L, i, i)));
    d.push_back(sign > 0 ? before + static_cast<double>(detail::real_part(added(i, i))) : before);
    for (index_t j = 0; j <= i; ++j) {
      const W A = product(L, i, j), more = sign > 0 ? W(A + added(i, j)) : W(A - added(i, j));
      worst = maximum(worst, static_cast<double>(detail::absolute(W(more - product(F, i, j)))) /
                                 std::sqrt(d[static_cast<std::size_t>(i)]) /
                                 std::sqrt(d[static_cast<std::size_t>(j)]));
    }
  }
  return worst / static_cast<double>(std::numeric_limits<real_t<T>>::epsilon()) /
         static_cast<double>(n);
}

// One vector goes by rotations, block by block, where numbers are ordinary: here pivots are tiny
// beside what is below them, and rows from the middle on, or the vector, leave the range.
TYPED_TEST(Update, OneVectorIsBackwardStableByElements) {
  using T = TypeParam;
  using R = real_t<T>;
  constexpr bool is_double = sizeof(R) == 8;
  random_source random(1708);
  const index_t n = 40;
  for (const int smallest : {0, is_double ? -24 : -10})
    for (const int of_rows : {0, is_double ? 515 : 66, is_double ? -515 : -66})
      for (const int of_x : {0, is_double ? 270 : 40}) {
        SCOPED_TRACE(testing::Message() << smallest << ", " << of_rows << ", " << of_x);
        const auto power = [](int k) { return T(std::ldexp(R(1), k)); };
        matrix<T> L(n, n);
        std::vector<T> x;
        for (index_t i = 0; i < n; ++i) {
          for (index_t j = 0; j < i; ++j) L(i, j) = random.normal<T>();
          L(i, i) = power(smallest == 0 ? 4 : -static_cast<int>(random.below(-smallest)));
          x.push_back(T(random.normal<T>() * power(of_x)));
        }
        const auto scaled = [&](const matrix<T>& M, int by) {
          matrix<T> S(M);
          for (index_t i = 20; i < n; ++i)
            for (index_t j = 0; j <= i; ++j) S(i, j) *= power(by);
          return S;
        };
        matrix<T> F = scaled(L, of_rows);
        std::vector<T> y = x;
        for (std::size_t i = 20; i < y.size(); ++i) y[i] *= power(of_rows);
        auto f = factored_cholesky(F, triangle::lower);
        ASSERT_TRUE(try_update(f, y)) << f.status().message();
        const matrix<T> more = scaled(F, -of_rows);
        ASSERT_TRUE(within(elementwise_ratio<T>(L, x, 1, more)));
        if (try_downdate(f, y))  // of a matrix that is singular to rounding it need not
          ASSERT_TRUE(within(elementwise_ratio<T>(more, x, -1, scaled(F, -of_rows))));
        else
          ASSERT_TRUE(smallest != 0 || of_x != 0);
      }
}

TYPED_TEST(Update, NumbersWhoseAbsoluteValuesOverflow) {
  using T = TypeParam;
  using R = real_t<T>;
  if constexpr (is_complex<T>)
    for (const index_t n : {1, 3, 20}) {
      matrix<T> A(n, n), x(n, 1);
      for (index_t i = 0; i < n; ++i) A(i, i) = T(4);
      x(0, 0) = T(std::numeric_limits<R>::max() / R(1.2), std::numeric_limits<R>::max() / R(1.2));
      auto f = cholesky(matrix<T>(A)), g = f;
      EXPECT_EQ(try_update(f, x), status::at(status_kind::not_finite, 0));
      EXPECT_EQ(try_downdate(g, x), status::at(status_kind::not_positive_definite, 0));
    }
}

TYPED_TEST(Update, ArgumentsAndFactorsThatCannotBeUpdated) {
  using T = TypeParam;
  random_source random(1707);
  const index_t n = 5;
  const matrix<T> A = random_spd<T>(random, n);
  placed_matrix<T> L(A, layout::padded);
  auto f = cholesky(L.view(), {.norm = true});
  L.remember();
  const matrix<T> X = random_matrix<T>(random, n, 2), longer(n + 1, 1);
  const auto expect_argument = [&](const status& s, const char* name) {
    EXPECT_EQ(s.kind(), status_kind::invalid_argument) << s.message();
    EXPECT_STREQ(s.argument(), name);
    EXPECT_TRUE(L.untouched());
  };
  expect_argument(try_update(f, longer), "X");
  expect_argument(try_downdate(f, matrix_view<const T>(nullptr, n, 1, n)), "X");
  expect_argument(try_update(backend::threads{.threads = -1}, f, X), "backend.threads");
  EXPECT_GT(f.norm(), 0);
  cholesky_factor<T> none;
  expect_argument(try_update(none, X), "factor");
  const matrix<T> constant(f.matrix());
  auto only_read = factored_cholesky(constant);
  expect_argument(try_update(only_read, X), "factor");
  EXPECT_TRUE(try_update(f, matrix<T>(n, 0)) && L.untouched());

  matrix<T> negative(n, n);
  auto failed = cholesky(negative);
  EXPECT_EQ(try_update(failed, X), status::at(status_kind::not_positive_definite, 0));
  EXPECT_THROW(downdate(failed, X), numerical_error);
  EXPECT_THROW(update(f, longer), argument_error);

  matrix<T> foreign(f.matrix());
  auto g = factored_cholesky(foreign);  // of a matrix that may be written
  update(f, X);
  update(g, X.view());
  EXPECT_TRUE(
      same_bits(matrix_view<const T>(L.view()).block(2, 0, 1, 3), g.matrix().block(2, 0, 1, 3)));
  EXPECT_FALSE(f.norm() > 0);  // not known any more
}

}  // namespace
}  // namespace trifac::test
