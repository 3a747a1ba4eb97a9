// LU never reports a completed factorization with an infinity or a NaN in L or U: matrices near
// overflow, and NaN and infinities at every position, alone and beside columns of zeros, for every
// variant, block, pivoting, selection and layout on every backend.

#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "support/layouts.hpp"
#include "support/lu_engine.hpp"
#include "support/matrices.hpp"
#include "support/random.hpp"
#include "support/scalars.hpp"

namespace trifac::test {
namespace {

template <class T>
bool all_finite(matrix_view<const T> A) {
  for (index_t j = 0; j < A.cols(); ++j)
    for (index_t i = 0; i < A.rows(); ++i)
      if (!detail::is_finite(A(i, j))) return false;
  return true;
}

/// All options of a way to factor that may decide in which order sums are made.
std::vector<lu_options> options_of(pivoting how) {
  std::vector<lu_options> list;
  for (index_t block : {0, 1, 2, 3, 5, 8}) {
    if (how != pivoting::tournament) {
      list.push_back({.pivoting = how, .block = block});
      continue;
    }
    const double infinity = std::numeric_limits<double>::infinity();
    for (selection rule : {selection::plain, selection::scaled})
      for (index_t leaves : {0, 3})
        for (double max_l : {64.0, infinity})
          list.push_back({.pivoting = how,
                          .selection = rule,
                          .block = block,
                          .leaves = leaves,
                          .max_l = max_l});
  }
  return list;
}

/// The contract of lu(), with one in `every` of all ways, options and layouts, in turn. What costs
/// barriers or launches is taken less often.
template <class T>
void expect_finite_or_told(const matrix<T>& A, int every) {
  static int turns = 0;
  const bool finite = all_finite<T>(A.view());
  const index_t steps = std::min(A.rows(), A.cols());
  for (const auto& on : lu_engines<T>()) {
    const int period = on->is_costly() ? 23 * every : every;
    for (const lu_way<T>& way : lu_ways_of(*on))
      for (const lu_options& options : options_of(way.how))
        for (layout where : padded_layouts) {
          if (turns++ % period != 0) continue;
          placed_matrix<T> placed(A.view(), where);
          const auto f = way.on.lu(way.v, placed.view(), options);
          const status& s = f.status();
          const auto fail = [&](const char* what) {
            static std::set<std::string> known;
            if (!known.insert(way.description() + what).second) return;  // one of a kind is enough
            ADD_FAILURE() << way.description() << ", " << A.rows() << "×" << A.cols() << ", "
                          << to_string(where) << ", block " << options.block << ", selection "
                          << to_string(options.selection) << ", leaves " << options.leaves
                          << ", max_l " << options.max_l << ": " << s.message() << ", but " << what;
          };
          ASSERT_TRUE(s.of_the_matrix()) << s.message();
          if (s.completed()) {
            if (!all_finite<T>(f.matrix())) fail("a factor is not finite");
            if (!finite) fail("A is not finite");
          } else if (s.kind() == status_kind::not_finite) {
            if (finite && all_finite<T>(f.matrix())) fail("A and the factors are finite");
            if (s.index() < 0 || s.index() >= steps) fail("there is no such pivot");
          }
        }
  }
}

constexpr std::pair<index_t, index_t> shapes[] = {
    {1, 1}, {1, 9}, {9, 1}, {2, 2}, {2, 5},  {3, 3},  {3, 9},   {4, 4},  {9, 3},
    {5, 8}, {7, 7}, {8, 8}, {8, 9}, {9, 12}, {12, 9}, {10, 10}, {3, 19}, {17, 40}};

/// Numbers whose products and sums overflow here and there, zeros and small numbers among them.
template <class T>
T near_overflow(random_source& random) {
  constexpr double most = static_cast<double>(std::numeric_limits<real_t<T>>::max());
  const auto part = [&] {
    constexpr double sizes[] = {0, 1, 1e-3, most / 8, most / 2, 0.99 * most};
    const double x = sizes[random.below(6)];
    return static_cast<real_t<T>>(random.below(2) ? x : -x);
  };
  if constexpr (is_complex<T>)
    return T(part(), random.below(3) ? real_t<T>(0) : part());
  else
    return part();
}

template <class T>
void check_near_overflow(int every) {
  random_source random(301);
  for (const auto& [m, n] : shapes)
    for (int turn = 0; turn < 60; ++turn) {
      matrix<T> A(m, n);
      for (index_t j = 0; j < n; ++j)
        for (index_t i = 0; i < m; ++i) {
          const bool ordinary = turn % 2 == 0 && random.below(4) != 0;
          A(i, j) = ordinary ? random.uniform<T>() : near_overflow<T>(random);
        }
      expect_finite_or_told(A, every);
    }
}

/// U_ij overflows, but no element below it does: forward substitution would show it there, products
/// with an inverse of L11 do not.
template <class T>
void check_overflow_in_one_row(int every) {
  constexpr double most = static_cast<double>(std::numeric_limits<real_t<T>>::max());
  for (const auto& [m, n] : shapes)
    for (index_t row = 1; row < m; ++row) {
      matrix<T> A(m, n);
      for (index_t i = 0; i < m && i < n; ++i) A(i, i) = T(1);
      A(row, 0) = T(-1);
      for (index_t j = 1; j < n; ++j)
        if (j != row) A(0, j) = A(row, j) = number<T>(0.75 * most);
      expect_finite_or_told(A, every);
    }
}

/// NaN and infinities at every position, some columns and elements zero: zero columns make zero
/// pivots.
template <class T>
void check_every_position(int every) {
  using limits = std::numeric_limits<real_t<T>>;
  random_source random(302);
  for (const auto& [m, n] : shapes)
    for (const real_t<T> bad : {limits::quiet_NaN(), limits::infinity(), -limits::infinity()})
      for (index_t at = 0; at < m * n; at += 1 + m * n / 150) {
        const index_t zero_columns = random.below(4);
        const bool sparse = random.below(3) == 0;
        matrix<T> A(m, n);
        for (index_t j = 0; j < n; ++j)
          for (index_t i = 0; i < m; ++i)
            A(i, j) = sparse && random.below(2) ? T(0)
                      : j % m == i              ? number<T>(static_cast<double>(n + 1))
                                                : random.uniform<T>();
        for (index_t k = 0; k < zero_columns; ++k) {
          const index_t j = random.below(n);
          for (index_t i = 0; i < m; ++i) A(i, j) = T(0);
        }
        if constexpr (is_complex<T>)
          A(at % m, at / m) = random.below(2) ? T(bad, 0) : T(1, bad);
        else
          A(at % m, at / m) = bad;
        expect_finite_or_told(A, every);
      }
}

// What LU does with NaN and infinities where it completes the factorization: `best` and `packed` on
// CPUs, with partial pivoting and tournaments.

bool completes(variant v, pivoting how, const std::string& backend) {
  const bool on_cpu = backend.starts_with("serial") || backend.starts_with("openmp") ||
                      backend.starts_with("threads");
  return on_cpu && how != pivoting::none && (v == variant::best || v == variant::packed);
}

/// One group of rows is partial pivoting, and so are panels that a tournament rejects; three are
/// not.
std::vector<lu_options> ways_to_choose(pivoting how) {
  if (how == pivoting::partial) return {{}};
  return {{.pivoting = how, .leaves = 3},
          {.pivoting = how, .selection = selection::scaled, .leaves = 3}};
}

template <class T>
bool same_elements(matrix_view<const T> A, matrix_view<const T> B) {
  for (index_t j = 0; j < A.cols(); ++j)
    for (index_t i = 0; i < A.rows(); ++i)
      if (!same_element(A(i, j), B(i, j))) return false;
  return true;
}

/// L with its rows where A has them.
template <class T>
matrix<T> rows_of_A(const lu_factor<T>& f, index_t columns) {
  const std::vector<index_t> rows = f.interchanges().permutation(f.rows());
  matrix<T> L(f.rows(), columns);
  for (index_t j = 0; j < columns; ++j)
    for (index_t i = 0; i < f.rows(); ++i) L(rows[detail::as_size(i)], j) = f.matrix()(i, j);
  return L;
}

/// A NaN in column c: right of it and below all is NaN, and the interchanges are some. With partial
/// pivoting columns left of it are those of the factors without it.
template <class T>
void check_completed(index_t m, index_t n, index_t c) {
  random_source random(303);
  const matrix<T> A = random_matrix<T>(random, m, n);
  matrix<T> bad = A;
  bad(m / 2, c) = number<T>(std::numeric_limits<double>::quiet_NaN());
  const auto check = [&](const lu_way<T>& way, const lu_options& options, layout where) {
    SCOPED_TRACE(testing::Message() << m << "×" << n << ", NaN in column " << c << ", "
                                    << to_string(where) << ", " << to_string(options.selection));
    placed_matrix<T> placed(A.view(), where), placed_bad(bad.view(), where);
    const auto expected = way.on.lu(way.v, placed.view(), options);
    const auto f = way.on.lu(way.v, placed_bad.view(), options);
    const index_t steps = std::min(m, n), k = std::min(c, steps - 1);
    ASSERT_EQ(f.status(), status::at(status_kind::not_finite, k));
    for (index_t step = 0; step < steps; ++step)
      ASSERT_TRUE(step <= f.interchanges()[step] && f.interchanges()[step] < m);
    if (way.how == pivoting::partial) {
      EXPECT_TRUE(same_elements<T>(rows_of_A(f, k), rows_of_A(expected, k)))
          << "columns left of the NaN differ";
    }
    for (index_t j = c; j < n; ++j)
      for (index_t i = c + 1; i < m; ++i)
        ASSERT_FALSE(detail::is_finite(f.matrix()(i, j))) << i << ", " << j;
    EXPECT_TRUE(placed.guards_untouched());
    EXPECT_TRUE(placed_bad.guards_untouched());
  };
  for_each_lu_way<T>([](const lu_way<T>& way) { return completes(way.v, way.how, way.on.name()); },
                     [&](const lu_way<T>& way) {
                       for (const lu_options& options : ways_to_choose(way.how))
                         for (layout where : padded_layouts) check(way, options, where);
                     });
}

/// Pivots that are infinite: diag(d) is its own U, and nothing moves.
template <class T>
void check_infinite_diagonal(index_t n, index_t k) {
  matrix<T> A(n, n);
  for (index_t i = 0; i < n; ++i) A(i, i) = number<T>(static_cast<double>(2 + i));
  A(k, k) = T(std::numeric_limits<real_t<T>>::infinity());
  for_each_lu_way<T>([](const lu_way<T>& way) { return completes(way.v, way.how, way.on.name()); },
                     [&](const lu_way<T>& way) {
                       for (const lu_options& options : ways_to_choose(way.how)) {
                         SCOPED_TRACE(testing::Message() << "order " << n << ", infinity at " << k
                                                         << ", " << to_string(options.selection));
                         matrix<T> LU = A;
                         const auto f = way.on.lu(way.v, LU.view(), options);
                         EXPECT_EQ(f.status(), status::at(status_kind::not_finite, k));
                         for (index_t i = 0; i < n; ++i) EXPECT_EQ(f.interchanges()[i], i);
                         for (index_t j = 0; j < n; ++j)
                           for (index_t i = 0; i < n; ++i)
                             ASSERT_EQ(LU(i, j), A(i, j)) << i << ", " << j;
                       }
                     });
}

template <class T>
class LuFinite : public testing::Test {};
TYPED_TEST_SUITE(LuFinite, lapack_scalars, scalar_names);

TYPED_TEST(LuFinite, NearOverflow) {
  check_near_overflow<TypeParam>(61);
}
TYPED_TEST(LuFinite, OverflowInOneRowOfU) {
  check_overflow_in_one_row<TypeParam>(11);
}
TYPED_TEST(LuFinite, NotFiniteAtEveryPosition) {
  check_every_position<TypeParam>(61);
}

TYPED_TEST(LuFinite, NaNsAreFactoredToTheEnd) {
  constexpr std::pair<index_t, index_t> sizes[] = {
      {1, 1},   {2, 2},   {3, 3},   {7, 7},   {8, 8},   {9, 9},   {17, 17},   {24, 24},
      {25, 25}, {20, 33}, {49, 49}, {64, 64}, {65, 64}, {130, 9}, {130, 130}, {270, 270}};
  for (const auto& [m, n] : sizes)
    for (index_t c : {index_t(0), n / 3, n - 1}) check_completed<TypeParam>(m, n, c);
  check_completed<TypeParam>(530, 600, 180);  // panels of 64 and 96 columns, and a team's
}
TYPED_TEST(LuFinite, AnInfinitePivotDividesToZeros) {
  for (index_t n : {1, 2, 5, 8, 9, 16, 24, 40, 65, 130, 300})
    for (index_t k : {index_t(0), n / 2, n - 1}) check_infinite_diagonal<TypeParam>(n, k);
}

TYPED_TEST(LuFinite, FullNearOverflow) {
  check_near_overflow<TypeParam>(5);
}
TYPED_TEST(LuFinite, FullNotFiniteAtEveryPosition) {
  check_every_position<TypeParam>(5);
}

}  // namespace
}  // namespace trifac::test
