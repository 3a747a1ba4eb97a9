// Arguments at the edge of their types: sizes of blocks and groups up to the largest index, strides
// without a size, matrices that share memory, integers that are none of an enumeration's values.
// All are either served or named, on every backend, and what is named changes nothing.

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backends.hpp"
#include "support/layouts.hpp"
#include "support/matrices.hpp"
#include "support/residual.hpp"
#include "trifac/solve.hpp"
#include "trifac/variants.hpp"

namespace trifac::test {
namespace {

constexpr index_t largest = std::numeric_limits<index_t>::max();
constexpr index_t smallest = std::numeric_limits<index_t>::min();
/// A team waits at barriers, which takes long on a busy machine: it gets few of the cases.
bool takes_part(std::string_view backend, index_t n, index_t number) {
  return backend != backend::openmp::name || (n <= 30 && number == largest);
}

constexpr index_t large_numbers[] = {65,           1000,        index_t{1} << 31, index_t{1} << 62,
                                     largest - 15, largest - 1, largest};

matrix<double> spd(index_t n) {
  random_source random(801);
  return random_spd<double>(random, n);
}
matrix<double> dominant(index_t n) {
  random_source random(802);
  return dominant_matrix<double>(random, n, n);
}

testing::AssertionResult is_named(const status& s, const char* argument) {
  if (s.kind() == status_kind::invalid_argument && std::string(s.argument()) == argument)
    return testing::AssertionSuccess();
  return testing::AssertionFailure() << s.message() << ", not an invalid " << argument;
}

template <variant V>
void expect_workspace_of_the_order(index_t n) {
  const cholesky_options whole{.block = n};
  for (index_t block : large_numbers)
    EXPECT_EQ((cholesky_workspace_bytes<double, V>(n, {.block = std::max(n, block)})),
              (cholesky_workspace_bytes<double, V>(n, whole)))
        << to_string(V) << ", block = " << block;
}

TEST(Argument, CholeskyTakesAnyBlockAndCutoff) {
  for (index_t n : {1, 30, 70}) {
    const matrix<double> A = spd(n);
    for_each_backend([&](const auto& on, const std::string& name) {
      for (variant v : cholesky_variants)
        for (triangle part : {triangle::lower, triangle::upper})
          for (index_t number : large_numbers) {
            if (!supports(on, v) || !takes_part(name, n, number)) continue;
            SCOPED_TRACE(testing::Message()
                         << name << ", " << to_string(v) << ", n = " << n << ", " << number);
            matrix<double> L = A, M = A;
            EXPECT_TRUE(try_cholesky(v, on, L.view(), {.part = part, .block = number}));
            EXPECT_TRUE(within(cholesky_ratio<double>(A, part, L)));
            EXPECT_TRUE(try_cholesky(v, on, M.view(), {.part = part, .cutoff = number}));
            EXPECT_TRUE(within(cholesky_ratio<double>(A, part, M)));
          }
    });
    expect_workspace_of_the_order<variant::best>(n);
    expect_workspace_of_the_order<variant::packed>(n);
    expect_workspace_of_the_order<variant::crout_distributed_sum>(n);
  }
}

TEST(Argument, LuTakesAnyBlockLeavesAndArity) {
  for (index_t n : {1, 30, 70}) {
    const matrix<double> A = dominant(n);
    for_each_backend([&](const auto& on, const std::string& name) {
      for (variant v : lu_variants)
        for (pivoting how : {pivoting::none, pivoting::partial, pivoting::tournament})
          for (selection rule : {selection::plain, selection::scaled})
            for (index_t number : large_numbers) {
              if (!supports(on, v) || !takes_part(name, n, number)) continue;
              for (const lu_options& options :
                   {lu_options{.pivoting = how, .selection = rule, .block = number},
                    lu_options{.pivoting = how, .selection = rule, .block = 8, .leaves = number},
                    lu_options{.pivoting = how, .selection = rule, .block = 8, .arity = number},
                    lu_options{.pivoting = how,
                    .selection = rule,
                    .block = number,
                    .leaves = number,
                    .arity = number}}) {
                SCOPED_TRACE(testing::Message()
                             << name << ", " << to_string(v) << ", " << to_string(how) << ", "
                             << to_string(rule) << ", n = " << n << ", " << number);
                matrix<double> LU = A;
                const auto f = try_lu(v, on, LU.view(), options);
                if (f.status().kind() == status_kind::invalid_argument) {
                  EXPECT_TRUE(is_named(f.status(), "options.pivoting"));  // not of this variant
                  continue;
                }
                ASSERT_TRUE(f) << f.status().message();
                EXPECT_TRUE(within(lu_ratio<double>(A, LU, f.interchanges().span())));
              }
            }
    });
    for (index_t number : large_numbers)
      for (selection rule : {selection::plain, selection::scaled}) {
        const lu_options wild{.pivoting = pivoting::tournament,
                              .selection = rule,
                              .block = number,
                              .leaves = number,
                              .arity = number};
        const std::size_t all = static_cast<std::size_t>((n + 64) * (n + 64)) * sizeof(double);
        EXPECT_LE((lu_workspace_bytes<double, variant::best>(n, n, wild)), 64 * all);
        EXPECT_LE((lu_workspace_bytes<double, variant::right_looking>(n, n, wild)), 64 * all);
      }
  }
}

TEST(Argument, StridesThatNoMemoryHasRoomForAreNamed) {
  for (index_t n : {2, 3, 16, 70, 200}) {
    const matrix<double> A = spd(n);
    std::vector<double> memory(A.data(), A.data() + n * n);
    for (index_t wild : {smallest, smallest + 1, smallest / 2, smallest / 8 - 1, largest,
                         largest / 8 + 1, largest / 8 / n + 1, -largest / 8 / n - 1})
      for (const matrix_view<double>& wrong :
           {matrix_view<double>(memory.data(), n, n, 1, wild),
            matrix_view<double>(memory.data(), n, n, wild, 1),
            matrix_view<double>(memory.data(), n, n, wild, wild)}) {
        SCOPED_TRACE(testing::Message() << "n = " << n << ", stride " << wild);
        for_each_backend([&](const auto& on, const std::string& name) {
          SCOPED_TRACE(name);
          EXPECT_TRUE(is_named(try_cholesky(on, wrong).status(), "A"));
          EXPECT_TRUE(is_named(try_cholesky(on, A, wrong).status(), "L"));
          EXPECT_TRUE(is_named(try_lu(on, wrong).status(), "A"));
          EXPECT_TRUE(is_named(try_solve(on, lu(matrix<double>(A)), wrong), "B"));
        });
      }
    EXPECT_TRUE(std::equal(memory.begin(), memory.end(), A.data()));
  }
  double one = 4;
  EXPECT_TRUE(is_named(try_lu(matrix_view<double>(&one, largest, 1, 1)).status(), "A"));
  EXPECT_TRUE(is_named(try_lu(matrix_view<double>(&one, largest, largest, 1)).status(), "A"));
  EXPECT_TRUE(is_named(try_lu(matrix_view<double>(&one, 1, 1, smallest, 1)).status(), "A"));
}

/// The addresses that a call uses.
template <class T>
std::set<const T*> cells(const matrix_view<T>& A, detail::part_in_use part) {
  std::set<const T*> all;
  for (index_t j = 0; j < A.cols(); ++j)
    for (index_t i = 0; i < A.rows(); ++i)
      if (part == detail::part_in_use::whole ||
          (part == detail::part_in_use::lower ? i >= j : i <= j))
        all.insert(&A(i, j));
  return all;
}

/// Random blocks of one array, against the sets of their elements.
TEST(Argument, OverlapIsThatOfTheElements) {
  std::vector<double> memory(600);
  std::mt19937 random(803);
  const auto number = [&](int from, int to) {
    return std::uniform_int_distribution<int>(from, to)(random);
  };
  const auto view = [&](bool square, int order, index_t ld) {
    const index_t m = number(1, 5), n = square ? m : number(1, 5);
    const index_t step = order < 2 ? 1 : 2, pitch = order < 2 ? ld : 2 * ld;
    const index_t down = number(0, 3) == 0 ? -1 : 1, along = number(0, 3) == 0 ? -1 : 1;
    return matrix_view<double>(memory.data() + 200 + number(0, 60), m, n,
                               down * (order % 2 == 0 ? step : pitch),
                               along * (order % 2 == 0 ? pitch : step));
  };
  int shared = 0, apart = 0;
  for (int repeat = 0; repeat < 50000; ++repeat) {
    const index_t ld = number(5, 9);
    const int order = number(0, 3), other = order - order % 2 + number(0, 1);
    const bool square = number(0, 1) == 1;
    const auto A = view(square, order, ld), B = view(square, other, ld);
    if (!detail::check_view(A, "A") || !detail::check_view(B, "B")) continue;
    const auto part = static_cast<detail::part_in_use>(square ? number(0, 2) : 0);
    const auto other_part = static_cast<detail::part_in_use>(square ? number(0, 2) : 0);
    const auto in_A = cells(A, part);
    bool truth = false;
    for (const double* x : cells(B, other_part)) truth = truth || in_A.count(x) > 0;
    ++(truth ? shared : apart);
    ASSERT_EQ(detail::overlap(A, part, B, other_part), truth)
        << A.rows() << "×" << A.cols() << " (" << A.row_stride() << ", " << A.col_stride()
        << ") and " << B.rows() << "×" << B.cols() << " (" << B.row_stride() << ", "
        << B.col_stride() << "), " << B.data() - A.data() << " apart";
  }
  EXPECT_GT(shared, 1000);
  EXPECT_GT(apart, 1000);
}

TEST(Argument, CholeskyOutOfPlaceRefusesToOverlap) {
  for (index_t n : {3, 16, 70, 150}) {
    std::vector<double> memory(static_cast<std::size_t>(n * (2 * n + 3)), 1.0);
    const auto A = column_major(memory.data(), n, n, n + 1);
    const matrix<double> S = spd(n);
    const auto fill = [&] {
      for (index_t j = 0; j < n; ++j)
        for (index_t i = 0; i < n; ++i) A(i, j) = S(i, j);
    };
    fill();
    const auto before = memory;
    for_each_backend([&](const auto& on, const std::string& name) {
      for (variant v : cholesky_variants)
        for (triangle part : {triangle::lower, triangle::upper}) {
          if (!supports(on, v)) continue;
          SCOPED_TRACE(testing::Message() << name << ", " << to_string(v) << ", n = " << n);
          const matrix_view<const double> source = A;
          for (const matrix_view<double>& L :
               {A.transposed(), column_major(memory.data() + 1, n, n, n + 1),
                column_major(memory.data() + n + 1, n, n, n + 1),
                column_major(memory.data(), n, n, n), row_major(memory.data() + 2, n, n, n + 1),
                matrix_view<double>(&A(n - 1, n - 1), n, n, -1, -(n + 1))}) {
            const auto f = try_cholesky(v, on, source, L, {.part = part});
            EXPECT_TRUE(is_named(f.status(), "L"));
          }
          EXPECT_EQ(memory, before);
        }
      // The two triangles of an array with one row more share no element, though the squares do.
      for (variant v : cholesky_variants) {
        if (!supports(on, v)) continue;
        SCOPED_TRACE(testing::Message() << name << ", " << to_string(v) << ", n = " << n);
        const matrix_view<const double> upper_half = A.transposed();
        const auto lower_half = column_major(memory.data() + 1, n, n, n + 1);
        const auto f = try_cholesky(v, on, upper_half, lower_half);
        EXPECT_TRUE(f) << f.status().message();
        EXPECT_TRUE(within(cholesky_ratio<double>(S, triangle::lower, lower_half)));
        memory = before;
      }
    });
  }
}

TEST(Argument, SolveRefusesToOverlapTheFactorAndTakesAugmentedMatrices) {
  for (index_t n : {3, 16, 70})
    for (index_t columns : {1, 3, 9}) {
      const matrix<double> A = spd(n);
      random_source random(804);
      const matrix<double> right = random_matrix<double>(random, n, columns);
      for (bool by_rows : {false, true}) {
        const index_t width = n + columns, ld = by_rows ? width + 1 : n + 2;
        std::vector<double> memory(static_cast<std::size_t>(ld * std::max(n, width) + 1), 0.5);
        const auto all = by_rows ? row_major(memory.data(), n, width, ld)
                                 : column_major(memory.data(), n, width, ld);
        const auto left = all.block(0, 0, n, n), B = all.block(0, n, n, columns);
        const auto expect_solved = [&](const auto& f, const auto& on) {
          for (index_t j = 0; j < columns; ++j)
            for (index_t i = 0; i < n; ++i) B(i, j) = right(i, j);
          const status s = try_solve(on, f, B);
          EXPECT_TRUE(s) << s.message();
          EXPECT_TRUE(within(solve_ratio<double>(A, B, right)));
          const auto before = memory;
          for (const matrix_view<double>& wrong :
               {all.block(0, 0, n, columns), all.block(0, n - 1, n, columns),
                left.transposed().block(0, 0, n, 1),
                matrix_view<double>(left.data(), n, 1, n > 1 ? left.row_stride() : 1, 1)}) {
            EXPECT_TRUE(is_named(try_solve(on, f, wrong), "B"));
            EXPECT_EQ(memory, before);
          }
        };
        for_each_backend([&](const auto& on, const std::string& name) {
          SCOPED_TRACE(testing::Message() << name << ", n = " << n << ", " << columns
                                          << (by_rows ? " by rows" : " by columns"));
          const auto fill = [&] {
            for (index_t j = 0; j < n; ++j)
              for (index_t i = 0; i < n; ++i) left(i, j) = A(i, j);
          };
          fill();
          expect_solved(cholesky(left), on);
          fill();
          expect_solved(lu(left), on);
        });
      }
    }
}

TEST(Argument, ValuesOutsideTheirEnumerationAreNamed) {
  for (index_t n : {3, 16, 70, 150})
    for (int wild : {-1, 3, 7, std::numeric_limits<int>::max()}) {
      placed_matrix<double> placed(spd(n), layout::padded), out(n, n, layout::padded);
      const auto A = placed.view();
      matrix<double> stored = spd(n);
      const auto f = cholesky(stored);
      const auto part = static_cast<triangle>(wild == 3 ? 2 : wild);
      const auto rule = static_cast<selection>(wild == 3 ? 2 : wild);
      const auto how = static_cast<pivoting>(wild);
      const auto op = static_cast<operation>(wild);
      for_each_backend([&](const auto& on, const std::string& name) {
        SCOPED_TRACE(testing::Message() << name << ", n = " << n << ", " << wild);
        for (variant v : cholesky_variants) {
          if (!supports(on, v)) continue;
          const auto g = try_cholesky(v, on, A, {.part = part});
          EXPECT_TRUE(is_named(g.status(), "options.part")) << to_string(v);
          const matrix_view<const double> source = A;
          const auto h = try_cholesky(v, on, source, out.view(), {.part = part});
          EXPECT_TRUE(is_named(h.status(), "options.part")) << to_string(v);
        }
        for (variant v : lu_variants) {
          if (!supports(on, v)) continue;
          EXPECT_TRUE(is_named(try_lu(v, on, A, {.pivoting = how}).status(), "options.pivoting"));
          EXPECT_TRUE(
              is_named(try_lu(v, on, A, {.selection = rule}).status(), "options.selection"));
        }
        EXPECT_TRUE(is_named(try_solve(on, f, A, op), "op"));
      });
      EXPECT_TRUE(placed.untouched());
      EXPECT_TRUE(out.untouched());
    }
}

}  // namespace
}  // namespace trifac::test
