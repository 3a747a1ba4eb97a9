// Matrices whose order is known at compile time: constant expressions; the same status and, where
// the instruction set is the baseline, the same bits as with the order known at run time; no
// allocation.

#include "trifac/fixed_size.hpp"

#include <gtest/gtest.h>

#include <array>
#include <complex>
#include <cstdlib>
#include <limits>
#include <new>
#include <span>

#include "support/layouts.hpp"
#include "support/matrices.hpp"
#include "support/pivot_cases.hpp"
#include "support/residual.hpp"
#include "support/scalars.hpp"
#include "trifac/engine/simd/isa/isa.hpp"
#include "trifac/trifac.hpp"

namespace {

int allocations = 0;

void* allocate(std::size_t bytes, std::size_t alignment) {
  ++allocations;
  void* const memory = std::aligned_alloc(alignment, (bytes / alignment + 1) * alignment);
  if (!memory) throw std::bad_alloc();
  return memory;
}
void release(void* memory) {
  std::free(memory);
}

}  // namespace

#include "support/replaced_new.inl"

namespace trifac::test {
namespace {

// ---- constant expressions

template <class T>
constexpr bool near(T x, double expected) {
  const double error = static_cast<double>(x) - expected;
  return (error < 0 ? -error : error) < 100 * double{std::numeric_limits<T>::epsilon()};
}
static_assert(detail::constant_square_root(2.0) == 0x1.6a09e667f3bcdp+0);
static_assert(detail::constant_square_root(0.1) == 0x1.43d136248490fp-2);
static_assert(detail::constant_square_root(2.0f) == 0x1.6a09e6p+0f);
static_assert(detail::constant_square_root(0x1p-1074) == 0x1p-537);
static_assert(detail::constant_square_root(0.0) == 0);

template <class T>
constexpr bool solves_with_cholesky() {
  const matrix<T, 3> S({{4, 1, 0}, {1, 3, 2}, {0, 2, 5}});
  for (const triangle part : {triangle::lower, triangle::upper}) {
    matrix<T, 3> A = S, L;
    matrix<T, 3, 1> x({5, 6, 7});
    std::array<T, 3> y = {5, 6, 7};
    const auto f = try_cholesky(A, {.part = part});
    const auto g = try_cholesky(S, L, {.part = part});
    if (!f || !g || f.rows() != 3 || f.matrix()(0, 0) != T(2) || L(0, 0) != T(2)) return false;
    if (!try_solve(f, x) || !try_solve(g, y)) return false;
    for (index_t i = 0; i < 3; ++i)
      if (!near(x(i, 0), 1) || !near(y[detail::as_size(i)], 1)) return false;
    if (A(part == triangle::lower ? 0 : 1, part == triangle::lower ? 1 : 0) != T(1)) return false;
  }
  return true;
}
static_assert(solves_with_cholesky<double>());
static_assert(solves_with_cholesky<float>());

template <class T, index_t N>
constexpr bool solves_with_lu(operation op) {
  matrix<T, N> A;  // row i has its largest element right of the diagonal
  matrix<T, N, 2> B;
  for (index_t i = 0; i < N; ++i)
    for (index_t j = 0; j < N; ++j) {
      const T a = T(j == (i + 1) % N ? 8 : static_cast<int>((i * 3 + j) % 4));
      (op == operation::none ? A(i, j) : A(j, i)) = a;
      B(i, 0) = B(i, 0) + a;
      B(i, 1) = B(i, 1) + a * T(static_cast<int>(j));
    }
  pivots p;
  const auto f = try_lu(A, p);
  if (!f || f.interchanges().size() != N || !try_solve(f, B, op)) return false;
  for (index_t i = 0; i < N; ++i)
    if (!near(detail::real_part(B(i, 0)), 1) ||
        !near(detail::real_part(B(i, 1)), static_cast<double>(i)))
      return false;
  return true;
}
static_assert(solves_with_lu<double, 4>(operation::none));
static_assert(solves_with_lu<double, 4>(operation::transpose));
static_assert(solves_with_lu<float, 6>(operation::adjoint));
static_assert(solves_with_lu<double, 9>(operation::none));  // by plain loops
static_assert(solves_with_lu<double, 9>(operation::transpose));
#if !defined(__clang__)  // Clang 14 takes no difference of std::complex for a constant
static_assert(solves_with_lu<std::complex<double>, 3>(operation::none));
#endif

constexpr bool copies_and_solves_out_of_place() {
  const double given[] = {0, 4, 2, 0, 2, 5};  // column-major, ld = 3
  const matrix<double, 2> A(column_major(given + 1, 2, 2, 3));
  const matrix<double, 2> M({{1, 2}, {3, 4}}), turned(M.view().transposed());
  const matrix<double, 2, 1> b({8, 12});
  matrix<double, 2> L;
  matrix<double, 2, 1> x, y;
  solve(cholesky(A, L), b, x);
  matrix<double, 2> LU(A);
  return try_solve(lu(LU), b, y, operation::transpose) && !A.empty() && A(1, 1) == 5 &&
         turned(0, 1) == 3 && x(0, 0) == 1 && x(1, 0) == 2 && near(y(1, 0), 2) && b(1, 0) == 12;
}

static_assert(copies_and_solves_out_of_place());

constexpr status cholesky_of(double pivot) {
  matrix<double, 3> A({{4, 0, 0}, {0, pivot, 0}, {0, 0, 1}});
  return try_cholesky(A).status();
}
static_assert(cholesky_of(-1) == status::at(status_kind::not_positive_definite, 1));
static_assert(cholesky_of(0) == status::at(status_kind::not_positive_definite, 1));
static_assert(cholesky_of(0x1p-1060).ok());

constexpr status lu_of(double pivot) {
  matrix<double, 3> A({{4, 0, 1}, {0, pivot, 1}, {0, 0, 1}});
  matrix<double, 3, 1> b({1, 2, 3});
  const auto f = try_lu(A);
  const status s = try_solve(f, b);
  return f ? f.status() : b(0, 0) == 1 ? s : status();  // b is unchanged
}
static_assert(lu_of(0) == status::at(status_kind::singular, 1));
static_assert(lu_of(3).ok());

constexpr bool finds_wrong_arguments() {
  matrix<double, 3> A({{4, 1, 0}, {1, 3, 2}, {0, 2, 5}});
  matrix<double, 2, 3> wide;
  const auto f = try_cholesky(A);
  matrix<double, 2, 1> b;
  const status overlap = try_solve(f, A), height = try_solve(f, b);
  const status options = try_cholesky(A, {.block = -1}).status();
  matrix<double, 3> L;
  const status out_of_place = try_cholesky(std::as_const(A), L, {.block = -1}).status();
  return overlap.kind() == status_kind::invalid_argument &&
         height.kind() == status_kind::invalid_argument &&
         options.kind() == status_kind::invalid_argument &&
         out_of_place.kind() == status_kind::invalid_argument && L(0, 0) == 0 &&
         try_cholesky(wide).status().kind() == status_kind::invalid_argument;
}
static_assert(finds_wrong_arguments());

/// Out of place: L over a part of A, L between the columns of A, and L that is A.
constexpr bool finds_overlap_out_of_place() {
  double memory[16] = {4, 2, 2, 5, 9, 9, 9, 9};
  const matrix_view<double> A(memory, 2, 2, 2), behind(memory + 2, 2, 2, 2);
  const bool refused = try_cholesky(A, behind).status().kind() == status_kind::invalid_argument;
  const bool untouched = memory[2] == 2 && memory[3] == 5;
  double rows[8] = {4, 0, 2, 0, 2, 0, 5, 0};
  const matrix_view<double> even(rows, 2, 2, 2, 4), odd(rows + 1, 2, 2, 2, 4);
  const bool between = try_cholesky(even, odd).ok() && rows[1] == 2 && rows[7] == 2;
  return refused && untouched && between && try_cholesky(A, A).ok() && memory[3] == 2 &&
         try_cholesky(A, {.norm = true}).status().kind() == status_kind::invalid_argument;
}
static_assert(finds_overlap_out_of_place());

// Sizes that are known at compile time, or not.
static_assert(rows_of<matrix<double, 3, 2>> == 3 && cols_of<const matrix<double, 3, 2>&> == 2);
static_assert(rows_of<matrix_view<const float, 5>> == 5 && cols_of<matrix_view<float, 5>> == 5);
static_assert(rows_of<matrix<double>> == dynamic && cols_of<matrix_view<double>> == dynamic);

// ---- at run time

template <class T>
class FixedSize : public testing::Test {};
using reals = testing::Types<float, double>;
TYPED_TEST_SUITE(FixedSize, reals, scalar_names);

/// calls.template operator()<N>() for orders below, at and above the largest that is inlined.
template <class Call>
void for_orders(Call call) {
  call.template operator()<1>();
  call.template operator()<2>();
  call.template operator()<4>();
  call.template operator()<5>();
  call.template operator()<6>();
  call.template operator()<7>();
  call.template operator()<8>();
  call.template operator()<9>();
}

bool has_baseline_bits() {
  return to_string(simd::active_isa()) == "baseline" && !TRIFAC_SIMD_AARCH64;
}

/// The factor with the order known (f, in X) is that with the order known at run time only (g, in
/// Y).
template <class T, class F, class G>
void expect_same_outcome(const F& f, const placed_matrix<T>& X, const G& g,
                         const placed_matrix<T>& Y) {
  EXPECT_EQ(f.status(), g.status()) << f.status().message() << ", " << g.status().message();
  EXPECT_TRUE(X.guards_untouched());
  if (!g.status().completed() || !f.status().completed()) return;
  EXPECT_TRUE(!has_baseline_bits() || same_bits(X.view(), Y.view()));
}

/// A ± X·Xᴴ, X: K columns, with the order known and not; then one that is lost in column N/2.
template <index_t N, index_t K, class T>
void compare_updates(const cholesky_factor<T>& f, const matrix<T>& S, const matrix<T>& B) {
  matrix<T, N, K> X;
  matrix<T> Y(N, K);
  for (index_t c = 0; c < K; ++c)
    for (index_t i = 0; i < N; ++i) X(i, c) = Y(i, c) = B((i + c / 3) % N, c % 3);
  const auto expect_same = [](matrix_view<const T> known, matrix_view<const T> at_run_time) {
    EXPECT_TRUE(!has_baseline_bits() || same_bits(known, at_run_time)) << N << ", rank " << K;
  };
  matrix<T, N> L;
  blas::copy(f.matrix(), matrix_view<T>(L));
  matrix<T> M(f.matrix()), more = S;
  for (index_t i = 0; i < N; ++i)
    for (index_t j = 0; j < N; ++j)
      for (index_t c = 0; c < K; ++c) more(i, j) += Y(i, c) * Y(j, c);
  cholesky_factor<T> g(L.view(), f.part(), status()), h(M.view(), f.part(), status());
  ASSERT_TRUE(try_update(g, X) && try_update(h, Y));
  EXPECT_TRUE(within(cholesky_ratio<T>(more.view(), f.part(), L.view())));
  expect_same(L, M);
  ASSERT_TRUE(try_downdate(g, X) && try_downdate(h, Y));
  EXPECT_TRUE(within(cholesky_ratio<T>(S.view(), f.part(), L.view()), 2 * lapack_threshold));
  expect_same(L, M);
  for (const T x : {std::numeric_limits<T>::quiet_NaN(), T(100)}) {
    X(N / 2, K / 2) = Y(N / 2, K / 2) = x;
    const status s = try_downdate(g, X);
    EXPECT_EQ(s, try_downdate(h, Y));
    EXPECT_FALSE(s.ok());
  }
  EXPECT_FALSE(g.ok());
}

/// Triangles of f, and A ± X·Xᴴ, with the order known and not.
template <index_t N, class T>
void compare_calls_on_a_factor(const cholesky_factor<T>& f, const matrix<T>& S,
                               const matrix<T>& B) {
  const auto expect_same = [](matrix_view<const T> known, matrix_view<const T> at_run_time) {
    EXPECT_TRUE(!has_baseline_bits() || same_bits(known, at_run_time));
  };
  matrix<T, N, 3> X;
  for (const auto& A : {f.L(), f.U()})
    for (const operation op : {operation::none, operation::transpose}) {
      blas::copy(matrix_view<const T>(B), matrix_view<T>(X));
      matrix<T> Y(B), dense = A.dense();
      ASSERT_TRUE(try_solve(A, X, op) && try_solve(A, Y, op));
      EXPECT_TRUE(within(solve_ratio<T>(applied<T>(op, dense), X.view(), B.view())));
      expect_same(X, Y);
    }
  compare_updates<N, 1>(f, S, B);
  compare_updates<N, 2>(f, S, B);
  compare_updates<N, 3>(f, S, B);
  compare_updates<N, 4>(f, S, B);
}

/// Seven right-hand sides at once, some by vectors, have the bits of one after the other.
template <index_t N, class T, class F>
void expect_same_columns(const F& f, const matrix<T>& B, operation op) {
  matrix<T, N, 7> X;
  const auto element = [&](index_t i, index_t j) { return T(j + 1) * B(i, j % 3); };
  for (index_t j = 0; j < 7; ++j)
    for (index_t i = 0; i < N; ++i) X(i, j) = element(i, j);
  ASSERT_TRUE(try_solve(f, X, op));
  for (index_t j = 0; j < 7; ++j) {
    matrix<T, N, 1> x;
    for (index_t i = 0; i < N; ++i) x(i, 0) = element(i, j);
    ASSERT_TRUE(try_solve(f, x, op));
    EXPECT_TRUE(same_bits<T>(X.view().block(0, j, N, 1), x.view())) << j;
  }
}

/// S factored with its order known, in a layout, against the order known at run time.
template <index_t N, class T>
void compare_cholesky(const matrix<T>& S, const matrix<T>& B, bool is_good) {
  for (const layout where : {layout::padded, layout::row_major_padded, layout::strided})
    for (const triangle part : {triangle::lower, triangle::upper}) {
      placed_matrix<T> X(S.view(), where), Y(S.view(), where);
      const matrix_view<T> V = X.view();
      const matrix_view<T, N> known(V.data(), V.row_stride(), V.col_stride());
      const auto f = try_cholesky(known, {.part = part});
      const auto g = try_cholesky(Y.view(), {.part = part});
      expect_same_outcome(f, X, g, Y);
      EXPECT_EQ(f.ok(), is_good);
      if (!f || !is_good) continue;
      EXPECT_TRUE(within(cholesky_ratio<T>(S.view(), part, f.matrix())));
      matrix<T, N, 3> Z;
      matrix<T> R(B);
      blas::copy(matrix_view<const T>(B), matrix_view<T>(Z));
      ASSERT_TRUE(try_solve(f, Z) && try_solve(f, R));
      EXPECT_TRUE(within(solve_ratio<T>(S.view(), Z.view(), B.view())));
      EXPECT_TRUE(!has_baseline_bits() || same_bits<T>(Z.view(), R.view()));
      expect_same_columns<N>(f, B, operation::none);
      compare_calls_on_a_factor<N>(f, S, B);
    }
}
template <index_t N, class T>
void compare_lu(const matrix<T>& A, const matrix<T>& B) {
  for (const layout where : {layout::padded, layout::row_major_padded, layout::strided}) {
    placed_matrix<T> X(A.view(), where), Y(A.view(), where);
    const matrix_view<T> V = X.view();
    const matrix_view<T, N> known(V.data(), V.row_stride(), V.col_stride());
    const auto f = try_lu(known);
    const auto g = try_lu(Y.view());
    expect_same_outcome(f, X, g, Y);
    if (!f) continue;
    EXPECT_TRUE(within(lu_ratio<T>(A.view(), f.matrix(), f.interchanges().span())));
    EXPECT_TRUE(!has_baseline_bits() || f.interchanges() == g.interchanges());
    for (const operation op : {operation::none, operation::transpose, operation::adjoint}) {
      matrix<T, N, 3> Z;
      matrix<T> R(B);
      blas::copy(matrix_view<const T>(B), matrix_view<T>(Z));
      ASSERT_TRUE(try_solve(f, Z, op) && try_solve(f, R, op));
      EXPECT_TRUE(within(solve_ratio<T>(applied(op, A.view()), Z.view(), B.view())));
      EXPECT_TRUE(!has_baseline_bits() || same_bits<T>(Z.view(), R.view()));
      expect_same_columns<N>(f, B, op);
    }
  }
}

TYPED_TEST(FixedSize, HasTheOutcomeOfRunTime) {
  using T = TypeParam;
  using limits = std::numeric_limits<T>;
  random_source random(1701);
  for_orders([&]<index_t N>() {
    for (int turn = 0; turn < 3; ++turn) {
      SCOPED_TRACE(N);
      const matrix<T> S = random_spd<T>(random, N), A = random_matrix<T>(random, N, N),
                      B = random_matrix<T>(random, N, 3);
      compare_cholesky<N>(S, B, true);
      compare_lu<N>(A, B);
      matrix<T> ties(N, N);  // rows of equal size, and pivots of zero
      for (index_t j = 0; j < N; ++j)
        for (index_t i = 0; i < N; ++i) ties(i, j) = T(static_cast<int>(random.below(3)) - 1);
      compare_lu<N>(ties, B);
      const index_t i = random.below(N);
      for (const T x : {limits::quiet_NaN(), limits::infinity(), T(0), T(-1)}) {
        matrix<T> bad = A, bad_S = S;
        bad(i, random.below(N)) = x;
        bad_S(i, i) = x;
        compare_cholesky<N>(bad_S, B, false);
        compare_lu<N>(bad, B);
      }
    }
  });
}

TYPED_TEST(FixedSize, TiesGoToTheFirstRowInThePresentOrder) {
  using T = TypeParam;
  random_source random(1703);
  for_orders([&]<index_t N>() {
    for (int turn = 0; turn < 20; ++turn)
      for (const matrix<T>& A : matrices_with_ties<T>(random, N, N)) {
        matrix<T, N> LU;
        blas::copy(matrix_view<const T>(A), matrix_view<T>(LU));
        const auto f = try_lu(LU);
        EXPECT_TRUE(pivots_like<T>(textbook(A), LU.view(), f.interchanges())) << N;
      }
  });
}

TYPED_TEST(FixedSize, ExtremePivotsTakeTheOrdinaryWay) {
  using T = TypeParam;
  using limits = std::numeric_limits<T>;
  for (const T x : {limits::denorm_min(), limits::min(), limits::max()}) {
    matrix<T, 4> A({{1, 0, 0, 0}, {0, 2, 0, 0}, {0, 0, x, 0}, {0, 0, 0, 4}}), LU = A;
    matrix<T, 4, 1> b({1, 2, x, 4}), c = b;
    const auto f = try_cholesky(A);
    const auto g = try_lu(LU);
    ASSERT_TRUE(f && g && try_solve(f, b) && try_solve(g, c));
    for (index_t i = 0; i < 4; ++i) {
      EXPECT_TRUE(std::abs(b(i, 0) - 1) <= 4 * limits::epsilon()) << i << " " << x;
      EXPECT_TRUE(std::abs(c(i, 0) - 1) <= 4 * limits::epsilon()) << i << " " << x;
    }
  }
}

TEST(FixedSizeArguments, AreFoundAndNothingIsTouched) {
  matrix<double, 3> A({{4, 1, 0}, {1, 3, 2}, {0, 2, 5}});
  matrix<double, 2, 1> too_low({7, 8});
  const auto f = try_cholesky(A);
  ASSERT_TRUE(f);
  EXPECT_EQ(try_solve(f, too_low).argument(), std::string_view("B"));
  EXPECT_EQ(too_low(0, 0), 7);
  EXPECT_EQ(try_solve(f, column_major<3, 1>(A.data() + 1)).argument(), std::string_view("B"));
  matrix<double, 3, 1> b({1, 2, 3});
  EXPECT_EQ(try_solve(f, b, static_cast<operation>(9)).argument(), std::string_view("op"));
  EXPECT_EQ(try_solve(cholesky_factor<double>(), b).argument(), std::string_view("factor"));
  EXPECT_EQ(try_cholesky(column_major<4>(static_cast<double*>(nullptr))).status().argument(),
            std::string_view("A"));
  EXPECT_EQ(try_lu(column_major<4>(A.data(), 3)).status().argument(), std::string_view("A"));
  pivots p;
  matrix<double, 3> LU = A;
  const auto g = try_lu(LU, p);
  p.reset(2);
  EXPECT_EQ(try_solve(g, b).argument(), std::string_view("factor"));
  EXPECT_EQ(b(2, 0), 3);
}

TEST(FixedSizeTriangles, ZeroAndInfinityOnTheDiagonalAreNoSuccess) {
  for (index_t k = 0; k < 3; ++k)
    for (const double bad : {0.0, std::numeric_limits<double>::infinity()}) {
      matrix<double, 3> L({{1, 0, 0}, {2, 1, 0}, {3, 4, 1}});
      L(k, k) = bad;
      std::array<double, 3> b = {3, 4, 5};
      const auto kept = b;
      EXPECT_EQ(try_solve(triangular_view(L.view(), triangle::lower), b),
                status::at(bad == 0 ? status_kind::singular : status_kind::not_finite, k));
      EXPECT_EQ(b == kept, bad == 0);
    }
}

TEST(FixedSizeCopies, AreThoseOfAViewOfTheSize) {
  const matrix<double, 2, 3> A({{1, 2, 3}, {4, 5, 6}});
  const matrix<double> moved(A.view());
  const matrix<double, 2, 3> same(moved);
  const matrix<double, 3, 2> turned(moved.view().transposed());
  EXPECT_TRUE(same_bits(A.view(), same.view()));
  EXPECT_TRUE(same_bits(A.view().transposed(), turned.view()));
  for (const matrix_view<const double> wrong :
       {moved.view().transposed(), moved.view().block(0, 0, 2, 2), matrix_view<const double>()})
    try {
      const matrix<double, 2, 3> B(wrong);
      ADD_FAILURE();
    } catch (const argument_error& e) {
      EXPECT_STREQ(e.argument(), "A");
      EXPECT_STREQ(e.reason().what(), "has not the size of the matrix");
    }
}

TEST(FixedSizeMemory, NothingIsAllocated) {
  double data[16] = {9, 1, 1, 1, 1, 9, 1, 1, 1, 1, 9, 1, 1, 1, 1, 9};
  std::array<double, 4> b = {12, 12, 12, 12}, c = b;
  double more[16];
  std::copy_n(data, 16, more);
  free_workspace_cache();
  const int before = allocations;
  auto f = try_cholesky(column_major<4>(data));
  bool ok = try_solve(f, b).ok();
  const auto y = b;
  ok = ok && try_update(f, y) && try_downdate(f, y) && try_solve(f.L(), b) && try_solve(f.U(), b);
  b = y;
  ok = ok && try_solve(try_lu(row_major<4>(more)), c).ok();
  EXPECT_EQ(allocations, before);
  ASSERT_TRUE(ok);
  for (const double x : b) EXPECT_NEAR(x, 1, 1e-15);
  for (const double x : c) EXPECT_NEAR(x, 1, 1e-15);
}

TEST(FixedSizeLifetime, ATemporaryIsCopiedIntoTheFactor) {
  const matrix<double, 3> S({{4, 1, 0}, {1, 3, 2}, {0, 2, 5}});
  std::array<double, 3> b = {5, 6, 7};
  const auto f = try_cholesky(matrix<double, 3>(S));
  ASSERT_TRUE(f && try_solve(f, b));
  for (const double x : b) EXPECT_NEAR(x, 1, 1e-15);
}

}  // namespace
}  // namespace trifac::test
