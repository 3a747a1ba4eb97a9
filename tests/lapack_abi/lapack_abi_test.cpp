// libtrifac_lapack.so as a program sees it: loaded, its routines found by Fortran's names, called
// with both kinds of integers. Residuals are LAPACK's, INFO is LAPACK's in every case.

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "support/matrices.hpp"
#include "support/random.hpp"
#include "support/residual.hpp"
#include "support/scalars.hpp"

namespace {

std::string told;  // what XERBLA was told last
long told_position = 0;

}  // namespace

// The program's XERBLA.
extern "C" void xerbla_(const char* name, const std::int32_t* position, std::size_t length) {
  told = std::string(name, length);
  told_position = *position;
}
extern "C" void xerbla_64_(const char* name, const std::int64_t* position, std::size_t length) {
  told = std::string(name, length);
  told_position = *position;
}

namespace trifac::test {
namespace {

void* library() {
  static void* const handle = dlopen(TRIFAC_LAPACK_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (!handle) throw std::runtime_error(dlerror());
  return handle;
}
void* symbol(const std::string& name) {
  void* const found = dlsym(library(), name.c_str());
  if (!found) throw std::runtime_error(name + " is missing");
  return found;
}

// Fortran passes addresses and knows no const; -fsanitize=function would compare types with const.
#if defined(__clang__)
  #define TRIFAC_TEST_AS_FORTRAN __attribute__((no_sanitize("function")))
#else
  #define TRIFAC_TEST_AS_FORTRAN
#endif

/// Calls d<routine>_ or d<routine>_64_ for T and I.
template <class T, class I>
struct lapack {
  static constexpr const char* letter =
      is_complex<T> ? (sizeof(T) == 8 ? "c" : "z") : (sizeof(T) == 4 ? "s" : "d");
  template <class... Arguments>
  TRIFAC_TEST_AS_FORTRAN void operator()(const std::string& routine, Arguments... arguments) const {
    reinterpret_cast<void (*)(Arguments...)>(name_of(letter + routine))(arguments...);
  }
  /// A function with a real result.
  template <class... Arguments>
  TRIFAC_TEST_AS_FORTRAN real_t<T> value(const std::string& routine, Arguments... arguments) const {
    return reinterpret_cast<real_t<T> (*)(Arguments...)>(name_of(letter + routine))(arguments...);
  }
  static void* name_of(const std::string& routine) {
    return symbol(routine + (sizeof(I) == 8 ? "_64_" : "_"));
  }
};

/// A type of numbers with a type of integers.
template <class Number, class Integer>
struct kinds {
  using T = Number;
  using I = Integer;
};
using all_kinds =
    testing::Types<kinds<float, std::int32_t>, kinds<double, std::int32_t>,
                   kinds<std::complex<float>, std::int32_t>,
                   kinds<std::complex<double>, std::int32_t>, kinds<double, std::int64_t>,
                   kinds<std::complex<float>, std::int64_t>>;

template <class Kinds>
class LapackAbi : public testing::Test {};
TYPED_TEST_SUITE(LapackAbi, all_kinds);

/// A in a caller's array, with guards below its rows.
template <class T, class I>
struct stored {
  explicit stored(const matrix<T>& A) : m(A.rows()), n(A.cols()), ld(static_cast<I>(m + 3)) {
    elements.assign(detail::as_size(std::max<index_t>(1, ld * n)), guard);
    for (index_t j = 0; j < n; ++j)
      for (index_t i = 0; i < m; ++i) elements[detail::as_size(i + j * ld)] = A(i, j);
  }
  T* data() { return elements.data(); }
  matrix_view<T> view() { return column_major(elements.data(), m, n, ld); }
  matrix_view<const T> as_const() { return view(); }
  bool guards_untouched() const {
    for (index_t j = 0; j < n; ++j)
      for (index_t i = m; i < ld; ++i)
        if (elements[detail::as_size(i + j * ld)] != guard) return false;
    return true;
  }

  static constexpr T guard = T(real_t<T>(77));
  index_t m, n;
  I ld;
  std::vector<T> elements;
};

template <class I>
std::vector<index_t> from_zero(const std::vector<I>& ipiv) {
  std::vector<index_t> rows;
  for (I row : ipiv) rows.push_back(static_cast<index_t>(row) - 1);
  return rows;
}

constexpr index_t orders[] = {0, 1, 2, 3, 8, 9, 31, 64, 65, 130, 257, 300};

TYPED_TEST(LapackAbi, FactorsAndSolvesByLu) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  using R = real_t<T>;
  using array = stored<T, I>;
  constexpr lapack<T, I> call;
  random_source random(1701);
  I info = 99;
  for (index_t order : orders) {
    SCOPED_TRACE(order);
    const matrix<T> A = random_matrix<T>(random, order, order),
                    B = random_matrix<T>(random, order, 3);
    array LU(A);
    const I n = static_cast<I>(order), nrhs = 3;
    std::vector<I> ipiv(detail::as_size(order) + 1, I(-7));
    call(order % 2 ? "getrf" : "getrf2", &n, &n, LU.data(), &LU.ld, ipiv.data(), &info);
    ASSERT_EQ(info, 0);
    EXPECT_EQ(ipiv.back(), I(-7));
    ipiv.pop_back();
    EXPECT_TRUE(within(lu_ratio<T>(A.view(), LU.as_const(), from_zero(ipiv))));
    for (const char* trans : {"N", "T", "c"}) {
      const operation op = *trans == 'N'   ? operation::none
                           : *trans == 'T' ? operation::transpose
                                           : operation::adjoint;
      array X(B);
      call("getrs", trans, &n, &nrhs, LU.data(), &LU.ld, ipiv.data(), X.data(), &X.ld, &info);
      ASSERT_EQ(info, 0);
      const auto op_A = applied<T>(op, A.view());
      EXPECT_TRUE(within(solve_ratio<T>(op_A.view(), X.as_const(), B.view()))) << trans;
      EXPECT_TRUE(X.guards_untouched());
    }
    array inverse = LU;
    const I asks = -1, lwork = n + 1;
    std::vector<T> work(detail::as_size(lwork));
    call("getri", &n, inverse.data(), &inverse.ld, ipiv.data(), work.data(), &asks, &info);
    EXPECT_LE(std::real(work[0]), R(lwork));
    call("getri", &n, inverse.data(), &inverse.ld, ipiv.data(), work.data(), &lwork, &info);
    ASSERT_EQ(info, 0);
    EXPECT_TRUE(within(inverse_ratio<T>(A.view(), inverse.as_const())));
    EXPECT_TRUE(LU.guards_untouched() && inverse.guards_untouched());

    array again(A), X(B);
    call("gesv", &n, &nrhs, again.data(), &again.ld, ipiv.data(), X.data(), &X.ld, &info);
    ASSERT_EQ(info, 0);
    EXPECT_TRUE(within(solve_ratio<T>(A.view(), X.as_const(), B.view())));
  }
}

TYPED_TEST(LapackAbi, RectanglesAndSingularMatrices) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  using array = stored<T, I>;
  constexpr lapack<T, I> call;
  random_source random(1701);
  I info = 99;
  for (const auto& [rows, cols] :
       {std::pair<index_t, index_t>{5, 3}, {3, 5}, {90, 200}, {200, 90}}) {
    matrix<T> A = random_matrix<T>(random, rows, cols);
    for (index_t i = 0; i < rows; ++i) A(i, 1) = T(0);
    array LU(A);
    const I m = static_cast<I>(rows), n = static_cast<I>(cols);
    std::vector<I> ipiv(detail::as_size(std::min(rows, cols)));
    call("getrf", &m, &n, LU.data(), &LU.ld, ipiv.data(), &info);
    EXPECT_EQ(info, 2);
    EXPECT_TRUE(within(lu_ratio<T>(A.view(), LU.as_const(), from_zero(ipiv))));
  }
}

TYPED_TEST(LapackAbi, NaNsAndInfinitiesFlowThroughLu) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  using R = real_t<T>;
  using array = stored<T, I>;
  constexpr lapack<T, I> call;
  random_source random(1701);
  I info = 99;
  const R infinity = std::numeric_limits<R>::infinity(), nan = std::numeric_limits<R>::quiet_NaN();
  const I n = 2, one = 1;
  std::vector<I> ipiv(2);
  matrix<T> A(2, 2), b(2, 1);
  A(0, 0) = T(infinity), A(1, 1) = T(2), b(0, 0) = T(1), b(1, 0) = T(6);
  array LU(A), x(b);
  call("gesv", &n, &one, LU.data(), &LU.ld, ipiv.data(), x.data(), &x.ld, &info);
  EXPECT_EQ(info, 0);
  EXPECT_EQ(x.view()(0, 0), T(0));
  EXPECT_EQ(x.view()(1, 0), T(3));

  for (index_t order : {1, 2, 7, 20, 70, 300}) {
    matrix<T> bad = random_matrix<T>(random, order, order), ones(order, 1);
    bad(order / 2, 0) = T(nan);
    for (index_t i = 0; i < order; ++i) ones(i, 0) = T(1);
    array factored(bad), y(ones);
    const I size = static_cast<I>(order);
    std::vector<I> rows(detail::as_size(order));
    call("gesv", &size, &one, factored.data(), &factored.ld, rows.data(), y.data(), &y.ld, &info);
    EXPECT_EQ(info, 0) << order;
    for (I row : rows) EXPECT_TRUE(1 <= row && row <= size);
    EXPECT_FALSE(detail::is_finite(y.view()(0, 0))) << order;
  }
}

TYPED_TEST(LapackAbi, FactorsAndSolvesByCholesky) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  using R = real_t<T>;
  using array = stored<T, I>;
  constexpr lapack<T, I> call;
  random_source random(1701);
  I info = 99;
  for (const char* uplo : {"L", "u"})
    for (index_t order : orders) {
      SCOPED_TRACE(uplo + std::to_string(order));
      const triangle part = *uplo == 'L' ? triangle::lower : triangle::upper;
      const matrix<T> A = random_spd<T>(random, order), B = random_matrix<T>(random, order, 2);
      array L(A), X(B);
      const I n = static_cast<I>(order), nrhs = 2;
      call(order % 2 ? "potrf" : "potrf2", uplo, &n, L.data(), &L.ld, &info);
      ASSERT_EQ(info, 0);
      EXPECT_TRUE(within(cholesky_ratio<T>(A.view(), part, L.as_const())));
      for (index_t j = 0; j < order; ++j)
        for (index_t i = 0; i < order; ++i)
          if (part == triangle::lower ? i < j : i > j) {
            ASSERT_EQ(L.view()(i, j), A(i, j));
          }
      call("potrs", uplo, &n, &nrhs, L.data(), &L.ld, X.data(), &X.ld, &info);
      ASSERT_EQ(info, 0);
      EXPECT_TRUE(within(solve_ratio<T>(A.view(), X.as_const(), B.view())));
      call("potri", uplo, &n, L.data(), &L.ld, &info);
      ASSERT_EQ(info, 0);
      matrix<T> inverse(L.as_const());
      if (part == triangle::upper)
        for (index_t j = 0; j < order; ++j)
          for (index_t i = j + 1; i < order; ++i) inverse(i, j) = detail::conjugate(inverse(j, i));
      mirror_lower(inverse);
      EXPECT_TRUE(within(inverse_ratio<T>(A.view(), inverse.view())));
      EXPECT_TRUE(L.guards_untouched() && X.guards_untouched());

      array again(A), Y(B);
      call("posv", uplo, &n, &nrhs, again.data(), &again.ld, Y.data(), &Y.ld, &info);
      ASSERT_EQ(info, 0);
      EXPECT_TRUE(within(solve_ratio<T>(A.view(), Y.as_const(), B.view())));
      if (order > 0) {
        matrix<T> indefinite = A;
        indefinite(order / 2, order / 2) = T(-1);
        array failed(indefinite);
        call("potrf", uplo, &n, failed.data(), &failed.ld, &info);
        EXPECT_EQ(info, order / 2 + 1);
        indefinite(order / 2, order / 2) = T(std::numeric_limits<R>::quiet_NaN());
        array with_nan(indefinite);
        call("potrf", uplo, &n, with_nan.data(), &with_nan.ld, &info);
        EXPECT_EQ(info, order / 2 + 1);
      }
    }
}

TYPED_TEST(LapackAbi, AnInfinityOnTheDiagonalIsAPivot) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  using R = real_t<T>;
  constexpr lapack<T, I> call;
  random_source random(1704);
  const R infinity = std::numeric_limits<R>::infinity();
  for (const char* uplo : {"L", "U"}) {
    const index_t order = 5;
    matrix<T> A = random_spd<T>(random, order);
    A(2, 2) = T(infinity);
    matrix<T> L = A;
    const I n = order;
    I info = 99;
    call("potrf", uplo, &n, L.data(), &n, &info);
    EXPECT_EQ(info, 0);
    EXPECT_EQ(L(2, 2), T(infinity));
    for (index_t i = 3; i < order; ++i) EXPECT_EQ(*uplo == 'L' ? L(i, 2) : L(2, i), T(0));
    // Without row and column 2 it is the factor of A without them.
    matrix<T> rest(order - 1, order - 1), of_rest(order - 1, order - 1);
    for (index_t j = 0; j < order - 1; ++j)
      for (index_t i = 0; i < order - 1; ++i) {
        rest(i, j) = A(i + (i > 1), j + (j > 1));
        of_rest(i, j) = L(i + (i > 1), j + (j > 1));
      }
    const triangle part = *uplo == 'L' ? triangle::lower : triangle::upper;
    EXPECT_TRUE(within(cholesky_ratio<T>(rest.view(), part, of_rest.view())));
    A(4, 4) = T(-1);
    call("potrf", uplo, &n, A.data(), &n, &info);
    EXPECT_EQ(info, 5);
  }
}

TYPED_TEST(LapackAbi, PivotedCholeskyFindsTheRank) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  using R = real_t<T>;
  using array = stored<T, I>;
  constexpr lapack<T, I> call;
  random_source random(1701);
  I info = 99;
  for (const char* uplo : {"L", "U"}) {
    const index_t order = 40, rank = 7;
    const matrix<T> G = random_matrix<T>(random, order, rank);
    const matrix<T> adjoint = applied<T>(operation::adjoint, G.view());
    const matrix<T> A = product<T>(G.view(), adjoint.view());
    array L(A);
    const I n = order;
    std::vector<I> piv(order);
    std::vector<R> work(2 * order);
    I found = 0;
    const R tolerance(-1);
    call("pstrf", uplo, &n, L.data(), &L.ld, piv.data(), &found, &tolerance, work.data(), &info);
    EXPECT_EQ(found, rank);
    EXPECT_EQ(info, 1);
    std::vector<bool> seen(order);
    for (I row : piv) {
      ASSERT_TRUE(1 <= row && row <= n);
      seen[detail::as_size(row - 1)] = true;
    }
    EXPECT_EQ(std::count(seen.begin(), seen.end(), true), order);
    matrix<T> residual(order, order), half(order, rank);
    for (index_t j = 0; j < rank; ++j)
      for (index_t i = j; i < order; ++i)
        half(i, j) = *uplo == 'L' ? L.view()(i, j) : detail::conjugate(L.view()(j, i));
    const matrix<T> other = applied<T>(operation::adjoint, half.view());
    const matrix<T> product_of_halves = product<T>(half.view(), other.view());
    for (index_t j = 0; j < order; ++j)
      for (index_t i = 0; i < order; ++i)
        residual(i, j) =
            A(piv[detail::as_size(i)] - 1, piv[detail::as_size(j)] - 1) - product_of_halves(i, j);
    EXPECT_TRUE(within(ratio_of<T>(norm_1(residual.view()), norm_1(A.view()), order)));
  }
}

TYPED_TEST(LapackAbi, Triangles) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  using R = real_t<T>;
  using array = stored<T, I>;
  constexpr lapack<T, I> call;
  random_source random(1701);
  I info = 99;
  for (const char* uplo : {"L", "U"})
    for (const char* diag : {"N", "U"})
      for (index_t order : {0, 1, 2, 17, 64, 65, 150}) {
        SCOPED_TRACE(std::string(uplo) + diag + std::to_string(order));
        const bool lower = *uplo == 'L', unit = *diag == 'U';
        matrix<T> stored = random_matrix<T>(random, order, order), A(order, order);
        for (index_t j = 0; j < order; ++j)
          for (index_t i = 0; i < order; ++i) {
            if (i != j) stored(i, j) /= static_cast<R>(order);
            if (i == j) stored(i, j) += T(2);
            if (i == j)
              A(i, j) = unit ? T(1) : stored(i, j);
            else if (lower == (i > j))
              A(i, j) = stored(i, j);
          }
        const matrix<T> B = random_matrix<T>(random, order, 2);
        const I n = static_cast<I>(order), nrhs = 2;
        array from(stored);
        for (const char* trans : {"N", "T", "C"}) {
          array X(B);
          call("trtrs", uplo, trans, diag, &n, &nrhs, from.data(), &from.ld, X.data(), &X.ld,
               &info);
          ASSERT_EQ(info, 0);
          const auto op_A = applied<T>(*trans == 'N'   ? operation::none
                                       : *trans == 'T' ? operation::transpose
                                                       : operation::adjoint,
                                       A.view());
          EXPECT_TRUE(within(solve_ratio<T>(op_A.view(), X.as_const(), B.view())));
        }
        array inverse(stored);
        call("trtri", uplo, diag, &n, inverse.data(), &inverse.ld, &info);
        ASSERT_EQ(info, 0);
        matrix<T> X(order, order);
        for (index_t j = 0; j < order; ++j)
          for (index_t i = 0; i < order; ++i) {
            const bool in_triangle = lower ? i >= j : i <= j;
            if (!in_triangle || (unit && i == j)) {
              ASSERT_EQ(inverse.view()(i, j), stored(i, j));
              X(i, j) = T(i == j ? 1 : 0);
            } else {
              X(i, j) = inverse.view()(i, j);
            }
          }
        EXPECT_TRUE(within(inverse_ratio<T>(A.view(), X.view())));
        if (order > 0 && !unit) {
          stored(order - 1, order - 1) = T(0);
          array singular(stored), Y(B);
          call("trtri", uplo, diag, &n, singular.data(), &singular.ld, &info);
          EXPECT_EQ(info, n);
          call("trtrs", uplo, "N", diag, &n, &nrhs, singular.data(), &singular.ld, Y.data(), &Y.ld,
               &info);
          EXPECT_EQ(info, n);
          EXPECT_EQ(Y.view()(0, 0), B(0, 0));
        }
      }
}

TYPED_TEST(LapackAbi, InterchangesOfRows) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  using array = stored<T, I>;
  constexpr lapack<T, I> call;
  random_source random(1701);
  const matrix<T> A = random_matrix<T>(random, 9, 40);
  array moved(A);
  const I n = 40, k1 = 2, k2 = 5, one = 1, two = -2;
  const std::vector<I> ipiv = {77, 9, 3, 7, 5}, spread = {77, 9, 77, 3, 77, 7, 77, 5};
  call("laswp", &n, moved.data(), &moved.ld, &k1, &k2, ipiv.data(), &one);
  for (index_t j = 0; j < 40; ++j) {
    EXPECT_EQ(moved.view()(1, j), A(8, j));
    EXPECT_EQ(moved.view()(3, j), A(6, j));
  }
  call("laswp", &n, moved.data(), &moved.ld, &k1, &k2, spread.data(), &two);  // back
  for (index_t j = 0; j < 40; ++j)
    for (index_t i = 0; i < 9; ++i) ASSERT_EQ(moved.view()(i, j), A(i, j));
}

TYPED_TEST(LapackAbi, Norms) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  using R = real_t<T>;
  using array = stored<T, I>;
  constexpr lapack<T, I> call;
  random_source random(1701);
  for (const auto& [rows, cols] : {std::pair<index_t, index_t>{6, 6}, {9, 4}, {4, 9}, {0, 3}}) {
    const matrix<T> A = random_matrix<T>(random, rows, cols);
    array from(A);
    const I m = static_cast<I>(rows), n = static_cast<I>(cols);
    std::vector<R> work(20);
    const auto expect = [&](const char* kind, const R& found, const matrix<T>& all) {
      R largest(0), squares(0);
      for (index_t j = 0; j < all.cols(); ++j)
        for (index_t i = 0; i < all.rows(); ++i) {
          largest = std::max(largest, std::abs(all(i, j)));
          squares += std::norm(all(i, j));
        }
      const R expected = *kind == 'M'   ? largest
                         : *kind == 'F' ? std::sqrt(squares)
                         : *kind == '1' ? static_cast<R>(norm_1(all.view()))
                                        : static_cast<R>(norm_inf(all.view()));
      EXPECT_NEAR(found, expected, 20 * unit_roundoff<T> * std::max(R(1), expected)) << kind;
    };
    for (const char* kind : {"M", "1", "I", "F"}) {
      expect(kind, call.value("lange", kind, &m, &n, from.data(), &from.ld, work.data()), A);
      for (const char* uplo : {"L", "U"})
        for (const char* diag : {"N", "U"}) {
          matrix<T> part(rows, cols);
          for (index_t j = 0; j < cols; ++j)
            for (index_t i = 0; i < rows; ++i)
              if (i == j && *diag == 'U')
                part(i, j) = T(1);
              else if (*uplo == 'L' ? i >= j : i <= j)
                part(i, j) = A(i, j);
          expect(kind,
                 call.value("lantr", kind, uplo, diag, &m, &n, from.data(), &from.ld, work.data()),
                 part);
        }
      if (rows != cols) continue;
      matrix<T> symmetric = A;
      for (index_t j = 0; j < cols; ++j)
        for (index_t i = j + 1; i < rows; ++i) symmetric(j, i) = symmetric(i, j);
      expect(kind, call.value("lansy", kind, "L", &n, from.data(), &from.ld, work.data()),
             symmetric);
      if constexpr (is_complex<T>) {
        for (index_t j = 0; j < cols; ++j) symmetric(j, j) = std::real(symmetric(j, j));
        expect(kind, call.value("lanhe", kind, "L", &n, from.data(), &from.ld, work.data()),
               symmetric);
      }
    }
  }
}

TYPED_TEST(LapackAbi, ConditionNumbers) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  using R = real_t<T>;
  using array = stored<T, I>;
  constexpr lapack<T, I> call;
  random_source random(1701);
  I info = 99;
  for (index_t order : {1, 2, 8, 9, 60, 260}) {
    const matrix<T> A = random_matrix<T>(random, order, order), S = random_spd<T>(random, order);
    const I n = static_cast<I>(order), lwork = n;
    array LU(A), L(S);
    std::vector<I> ipiv(detail::as_size(order));
    std::vector<T> work(detail::as_size(4 * order)), more(detail::as_size(2 * order));
    call("getrf", &n, &n, LU.data(), &LU.ld, ipiv.data(), &info);
    array inverse = LU;
    call("getri", &n, inverse.data(), &inverse.ld, ipiv.data(), work.data(), &lwork, &info);
    for (const char* norm : {"1", "I"}) {
      const bool one = *norm == '1';
      const R anorm = static_cast<R>(one ? norm_1(A.view()) : norm_inf(A.view()));
      const R of_inverse = static_cast<R>(one ? norm_1(inverse.view()) : norm_inf(inverse.view()));
      R rcond(-1);
      call("gecon", norm, &n, LU.data(), &LU.ld, &anorm, &rcond, work.data(),
           static_cast<void*>(more.data()), &info);
      ASSERT_EQ(info, 0);
      EXPECT_GE(rcond * anorm * of_inverse, R(0.9)) << order << norm;
      EXPECT_LE(rcond * anorm * of_inverse, R(3.5)) << order << norm;
    }
    call("potrf", "L", &n, L.data(), &L.ld, &info);
    const R anorm = static_cast<R>(norm_1(S.view()));
    R rcond(-1);
    call("pocon", "L", &n, L.data(), &L.ld, &anorm, &rcond, work.data(),
         static_cast<void*>(more.data()), &info);
    ASSERT_EQ(info, 0);
    call("potri", "L", &n, L.data(), &L.ld, &info);
    for (index_t j = 0; j < order; ++j)
      for (index_t i = 0; i < j; ++i) L.view()(i, j) = detail::conjugate(L.view()(j, i));
    EXPECT_GE(rcond * anorm * static_cast<R>(norm_1(L.view())), R(0.9)) << order;
    EXPECT_LE(rcond * anorm * static_cast<R>(norm_1(L.view())), R(3.5)) << order;
    call("trcon", "1", "U", "N", &n, LU.data(), &LU.ld, &rcond, work.data(),
         static_cast<void*>(more.data()), &info);
    ASSERT_EQ(info, 0);
    array U = LU;
    for (index_t j = 0; j < order; ++j)
      for (index_t i = j + 1; i < order; ++i) U.view()(i, j) = T(0);
    const R of_U = static_cast<R>(norm_1(U.view()));
    call("trtri", "U", "N", &n, U.data(), &U.ld, &info);
    EXPECT_GE(rcond * of_U * static_cast<R>(norm_1(U.view())), R(0.9)) << order;
    EXPECT_LE(rcond * of_U * static_cast<R>(norm_1(U.view())), R(3.5)) << order;
    const R nothing = std::numeric_limits<R>::quiet_NaN();
    call("gecon", "1", &n, LU.data(), &LU.ld, &nothing, &rcond, work.data(),
         static_cast<void*>(more.data()), &info);
    EXPECT_EQ(info, -5);
  }
}

TYPED_TEST(LapackAbi, RefinesAndDrives) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  using R = real_t<T>;
  using array = stored<T, I>;
  constexpr lapack<T, I> call;
  random_source random(1701);
  I info = 99;
  const index_t order = 50;
  matrix<T> A = random_matrix<T>(random, order, order), S = random_spd<T>(random, order);
  for (index_t j = 0; j < order; ++j) A(3, j) *= T(R(100));  // a row that asks for scales
  const matrix<T> B = random_matrix<T>(random, order, 2);
  const I n = order, nrhs = 2;
  const auto pick = [&](const char* fact, const char* trans) {
    SCOPED_TRACE(std::string(fact) + trans);
    array a(A), af(A), b(B), x(B);
    std::vector<I> ipiv(order);
    std::vector<R> r(order), c(order), ferr(2), berr(2);
    std::vector<T> work(4 * order), more(2 * order);
    char equed = 'N';
    R rcond(-1);
    if (*fact == 'F') call("getrf", &n, &n, af.data(), &af.ld, ipiv.data(), &info);
    call("gesvx", fact, trans, &n, &nrhs, a.data(), &a.ld, af.data(), &af.ld, ipiv.data(), &equed,
         r.data(), c.data(), b.data(), &b.ld, x.data(), &x.ld, &rcond, ferr.data(), berr.data(),
         work.data(), static_cast<void*>(more.data()), &info);
    EXPECT_EQ(info, 0);
    EXPECT_EQ(equed != 'N', *fact == 'E');
    EXPECT_GT(rcond, R(0));
    const auto op_A = applied<T>(*trans == 'N' ? operation::none : operation::adjoint, A.view());
    EXPECT_TRUE(within(solve_ratio<T>(op_A.view(), x.as_const(), B.view())));
    for (R error : berr) EXPECT_LE(error, R(8) * unit_roundoff<T>);
    for (R bound : ferr) EXPECT_TRUE(bound >= R(0) && bound < R(1));
  };
  for (const char* fact : {"N", "E", "F"})
    for (const char* trans : {"N", "C"}) pick(fact, trans);

  for (index_t j = 0; j < order; ++j) S(3, j) *= T(R(1e3)), S(j, 3) *= T(R(1e3));
  for (const char* uplo : {"L", "U"})
    for (const char* fact : {"N", "E"}) {
      array a(S), af(S), b(B), x(B);
      std::vector<R> s(order), ferr(2), berr(2);
      std::vector<T> work(4 * order), more(2 * order);
      char equed = 'N';
      R rcond(-1);
      call("posvx", fact, uplo, &n, &nrhs, a.data(), &a.ld, af.data(), &af.ld, &equed, s.data(),
           b.data(), &b.ld, x.data(), &x.ld, &rcond, ferr.data(), berr.data(), work.data(),
           static_cast<void*>(more.data()), &info);
      EXPECT_EQ(info, 0) << fact << uplo;
      EXPECT_EQ(equed, *fact == 'E' ? 'Y' : 'N');
      EXPECT_TRUE(within(solve_ratio<T>(S.view(), x.as_const(), B.view())));
      for (R error : berr) EXPECT_LE(error, R(8) * unit_roundoff<T>);
    }
}

// One right-hand side with a NaN says nothing about the others, and row interchanges need not point
// down.
TYPED_TEST(LapackAbi, RefinesEachColumnByAnyInterchanges) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  using R = real_t<T>;
  using array = stored<T, I>;
  constexpr lapack<T, I> call;
  random_source random(1705);
  const index_t order = 3;
  matrix<T> A = random_matrix<T>(random, order, order), B = random_matrix<T>(random, order, 3);
  for (index_t i = 0; i < order; ++i) A(i, i) += T(R(4));
  const I n = order, nrhs = 3;
  std::vector<I> ipiv(order);
  I info = 99;
  array LU(A);
  call("getrf", &n, &n, LU.data(), &LU.ld, ipiv.data(), &info);
  ASSERT_EQ(from_zero(ipiv), (std::vector<index_t>{0, 1, 2}));
  const std::vector<I> back = {1, 1, 3};  // rows 1 and 2 exchanged in the second step
  matrix<T> exchanged = A;
  for (index_t j = 0; j < order; ++j) std::swap(exchanged(0, j), exchanged(1, j));
  B(0, 1) = T(std::numeric_limits<R>::quiet_NaN());
  array a(exchanged), b(B), x(B);
  std::vector<R> ferr(3), berr(3);
  std::vector<T> work(12), more(6);
  call("getrs", "N", &n, &nrhs, LU.data(), &LU.ld, back.data(), x.data(), &x.ld, &info);
  call("gerfs", "N", &n, &nrhs, a.data(), &a.ld, LU.data(), &LU.ld, back.data(), b.data(), &b.ld,
       x.data(), &x.ld, ferr.data(), berr.data(), work.data(), static_cast<void*>(more.data()),
       &info);
  EXPECT_EQ(info, 0);
  EXPECT_NE(berr[1], berr[1]);
  for (index_t j : {0, 2}) {
    EXPECT_LE(berr[detail::as_size(j)], R(4) * unit_roundoff<T>);
    EXPECT_TRUE(within(solve_ratio<T>(exchanged.view(), x.as_const().col(j), B.view().col(j))));
  }
}

TYPED_TEST(LapackAbi, EdgesOfDrivers) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  using R = real_t<T>;
  constexpr lapack<T, I> call;
  const I zero = 0, one = 1, two = 2;
  std::vector<T> a = {T(R(1))}, af(4), b(4), x(4), work(16), more(16);
  std::vector<R> r(4), c(4), ferr(4), berr(4);
  std::vector<I> ipiv(4);
  char equed = 'x';
  R rcond(-1);
  I info = 99, rank = 99;
  void* const rest = more.data();
  call("gesvx", "E", "N", &zero, &one, a.data(), &one, af.data(), &one, ipiv.data(), &equed,
       r.data(), c.data(), b.data(), &one, x.data(), &one, &rcond, ferr.data(), berr.data(),
       work.data(), rest, &info);
  EXPECT_TRUE(info == 0 && equed == 'N' && rcond == R(1));
  const R infinity = std::numeric_limits<R>::infinity(), above = R(5);
  call("pocon", "L", &one, a.data(), &one, &infinity, &rcond, work.data(), rest, &info);
  EXPECT_TRUE(info == 0 && rcond == R(0));
  for (const char* const norm : {"1", "I"}) {
    rcond = R(-1);
    call("gecon", norm, &zero, a.data(), &one, &infinity, &rcond, work.data(), rest, &info);
    EXPECT_TRUE(info == 0 && rcond == R(1)) << norm;
  }
  std::vector<T> S = {T(R(1)), T(R(0)), T(R(0)), T(R(3))};
  call("pstrf", "L", &two, S.data(), &two, ipiv.data(), &rank, &above, r.data(), &info);
  EXPECT_TRUE(info == 1 && rank == 1 && ipiv[0] == 2) << "the first pivot is not compared with TOL";
  for (const R tolerance : {R(1), R(5)}) {
    S = {T(R(1)), T(R(0)), T(R(0)), T(R(1))};
    call("pstrf", "L", &two, S.data(), &two, ipiv.data(), &rank, &tolerance, r.data(), &info);
    EXPECT_TRUE(info == 1 && rank == 1) << "the second one is, of the same size, too";
  }
  const I order = 16777217;  // 2²⁴ + 1, no float
  const I query = -1;
  call("getri", &order, a.data(), &order, ipiv.data(), work.data(), &query, &info);
  EXPECT_TRUE(info == 0 && static_cast<double>(std::real(work[0])) >= double(order));
  if constexpr (sizeof(I) == 8) {
    const I no_row = I(1) << 60;  // of one column: not used
    a = {T(R(4))}, b = {T(R(8))};
    call("posvx", "N", "L", &one, &one, a.data(), &no_row, af.data(), &no_row, &equed, r.data(),
         b.data(), &no_row, x.data(), &no_row, &rcond, ferr.data(), berr.data(), work.data(), rest,
         &info);
    EXPECT_TRUE(info == 0 && rcond == R(1) && x[0] == T(R(2)));
  }
}

// INFO = 1, as from LAPACK 3.12 on: the condition number of the factor's matrix is no number, or no
// norm of the inverse belongs to it.
TYPED_TEST(LapackAbi, ConditionsThatAreNoNumbers) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  using R = real_t<T>;
  constexpr lapack<T, I> call;
  constexpr R nan = std::numeric_limits<R>::quiet_NaN();
  constexpr R infinity = std::numeric_limits<R>::infinity();
  for (const I n : {2, 20})  // the inverse is known, or estimated
    for (const char* const norm : {"1", "I"}) {
      SCOPED_TRACE(std::string(norm) + ", n = " + std::to_string(n));
      matrix<T> identity(n, n);
      for (index_t k = 0; k < n; ++k) identity(k, k) = T(1);
      matrix<T> A = identity;
      std::vector<T> work(detail::as_size(4 * n)), more(detail::as_size(2 * n));
      R rcond(-1);
      const auto is_one = [&] { return std::abs(rcond - R(1)) < R(1e-5); };
      const auto condition = [&](R anorm) {
        I info = 99;
        call("gecon", norm, &n, A.data(), &n, &anorm, &rcond, work.data(),
             static_cast<void*>(more.data()), &info);
        return info;
      };
      EXPECT_TRUE(condition(R(1)) == 0 && is_one());
      EXPECT_TRUE(condition(std::numeric_limits<R>::denorm_min()) == 1 && rcond == infinity);
      A(1, 1) = T(0);
      EXPECT_TRUE(condition(R(1)) == 0 && rcond == R(0));
      A(1, 0) = T(nan);
      EXPECT_TRUE(condition(R(4)) == 1 && rcond != rcond);
      for (index_t k = 0; k < n; ++k) A(k, k) = T(infinity);
      A(1, 0) = T(0);
      EXPECT_TRUE(condition(R(4)) == 1 && rcond == R(0));

      A = identity;
      A(1, 0) = T(nan);
      const R one(1);
      I info = 99;
      call("pocon", "L", &n, A.data(), &n, &one, &rcond, work.data(),
           static_cast<void*>(more.data()), &info);
      EXPECT_TRUE(info == 0 && rcond != rcond);
      call("pocon", "U", &n, A.data(), &n, &one, &rcond, work.data(),
           static_cast<void*>(more.data()), &info);
      EXPECT_TRUE(info == 0 && is_one());
    }
}

TYPED_TEST(LapackAbi, ScalesOfRowsAndColumns) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  using R = real_t<T>;
  using array = stored<T, I>;
  constexpr lapack<T, I> call;
  random_source random(1701);
  I info = 99;
  matrix<T> A = random_matrix<T>(random, 6, 4);
  for (index_t j = 0; j < 4; ++j) A(2, j) *= T(R(1e5));
  array a(A);
  const I m = 6, n = 4;
  std::vector<R> r(6), c(4);
  R rowcnd, colcnd, amax;
  for (const char* name : {"geequ", "geequb"}) {
    call(name, &m, &n, a.data(), &a.ld, r.data(), c.data(), &rowcnd, &colcnd, &amax, &info);
    ASSERT_EQ(info, 0);
    const bool powers = std::string(name) == "geequb";
    for (index_t i = 0; i < 6; ++i) {
      R largest(0);
      for (index_t j = 0; j < 4; ++j)
        largest = std::max(largest, R(detail::pivot_size(A(i, j))) * r[detail::as_size(i)]);
      EXPECT_TRUE(powers ? largest >= R(0.5) && largest <= R(2) : std::abs(largest - 1) < R(1e-5));
    }
    EXPECT_LT(rowcnd, R(1e-3));
  }
  for (index_t j = 0; j < 4; ++j) A(4, j) = T(0);
  array zero_row(A);
  call("geequ", &m, &n, zero_row.data(), &zero_row.ld, r.data(), c.data(), &rowcnd, &colcnd, &amax,
       &info);
  EXPECT_EQ(info, 5);

  const matrix<T> S = random_spd<T>(random, 4);
  array s_of(S);
  std::vector<R> s(4);
  R scond;
  call("poequ", &n, s_of.data(), &s_of.ld, s.data(), &scond, &amax, &info);
  ASSERT_EQ(info, 0);
  for (index_t k = 0; k < 4; ++k)
    EXPECT_NEAR(s[detail::as_size(k)] * s[detail::as_size(k)] * std::real(S(k, k)), R(1), R(1e-5));
}

TYPED_TEST(LapackAbi, WrongArgumentsAreToldInLapacksOrder) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  using R = real_t<T>;
  using array = stored<T, I>;
  constexpr lapack<T, I> call;
  random_source random(1701);
  I info = 99;
  matrix<T> A(2, 2);
  array a(A);
  std::vector<I> ipiv(2);
  const I minus = -1, two = 2, zero = 0;
  const std::string letter(1, static_cast<char>(std::toupper(call.letter[0])));
  const auto expect = [&](long position, const std::string& name) {
    EXPECT_EQ(info, -position);
    EXPECT_EQ(told, letter + name);
    EXPECT_EQ(told_position, position);
  };
  call("potrf", "U", &two, a.data(), &zero, &info);  // the probe of libblastrampoline
  expect(4, "POTRF");
  call("potrf", "X", &minus, a.data(), &zero, &info);
  expect(1, "POTRF");
  call("getrf", &two, &minus, a.data(), &zero, ipiv.data(), &info);
  expect(2, "GETRF");
  call("getrs", "Q", &two, &two, a.data(), &a.ld, ipiv.data(), a.data(), &a.ld, &info);
  expect(1, "GETRS");
  const R negative(-1);
  R rcond;
  call("gecon", "1", &two, a.data(), &a.ld, &negative, &rcond, a.data(), nullptr, &info);
  expect(5, "GECON");
}

template <class Low, class T, class I>
void expect_mixed(const std::string& prefix, random_source& random) {
  using R = real_t<T>;
  const index_t order = 70;
  const matrix<T> A = random_matrix<T>(random, order, order), S = random_spd<T>(random, order),
                  B = random_matrix<T>(random, order, 2);
  const I n = order, nrhs = 2;
  std::vector<T> work(2 * order);
  std::vector<Low> swork(order * (order + 2));
  std::vector<R> rwork(order);
  std::vector<I> ipiv(order);
  I iter = 77, info = 77;
  const auto end = [&](auto... arguments) {
    const auto name = lapack<T, I>::name_of(prefix + "gesv");
    if constexpr (is_complex<T>)
      reinterpret_cast<void (*)(decltype(arguments)..., R*, I*, I*)>(name)(
          arguments..., rwork.data(), &iter, &info);
    else
      reinterpret_cast<void (*)(decltype(arguments)..., I*, I*)>(name)(arguments..., &iter, &info);
  };
  const auto solve = [&](matrix<T> system) {
    matrix<T> factored = system, X(order, 2);
    end(&n, &nrhs, factored.data(), &n, ipiv.data(), B.data(), &n, X.data(), &n, work.data(),
        swork.data());
    EXPECT_EQ(info, 0);
    EXPECT_TRUE(within(solve_ratio<T>(system.view(), X.view(), B.view())));
  };
  solve(A);
  EXPECT_GE(iter, 0);
  matrix<T> large = A;
  for (index_t j = 0; j < order; ++j)
    for (index_t i = 0; i < order; ++i) large(i, j) *= T(R(1e60));
  solve(large);
  EXPECT_EQ(iter, -2);
  matrix<T> singular_in_single = A;
  for (index_t i = 0; i < order; ++i) singular_in_single(i, 1) = A(i, 0) * T(R(1) + R(1e-12));
  singular_in_single(0, 1) += T(R(1e-9));
  solve(singular_in_single);
  EXPECT_LT(iter, 0);

  for (const char* uplo : {"L", "U"}) {
    matrix<T> factored = S, X(order, 2);
    const auto name = lapack<T, I>::name_of(prefix + "posv");
    using plain = void (*)(const char*, const I*, const I*, T*, const I*, const T*, const I*, T*,
                           const I*, T*, Low*, I*, I*);
    using with_rwork = void (*)(const char*, const I*, const I*, T*, const I*, const T*, const I*,
                                T*, const I*, T*, Low*, R*, I*, I*);
    if constexpr (is_complex<T>)
      reinterpret_cast<with_rwork>(name)(uplo, &n, &nrhs, factored.data(), &n, B.data(), &n,
                                         X.data(), &n, work.data(), swork.data(), rwork.data(),
                                         &iter, &info);
    else
      reinterpret_cast<plain>(name)(uplo, &n, &nrhs, factored.data(), &n, B.data(), &n, X.data(),
                                    &n, work.data(), swork.data(), &iter, &info);
    EXPECT_TRUE(info == 0 && iter >= 0) << info << " " << iter;
    EXPECT_TRUE(within(solve_ratio<T>(S.view(), X.view(), B.view())));
  }
}

TEST(LapackAbiLibrary, MixedPrecision) {
  random_source random(1702);
  expect_mixed<float, double, std::int32_t>("ds", random);
  expect_mixed<std::complex<float>, std::complex<double>, std::int64_t>("zc", random);
}

TEST(LapackAbiLibrary, EveryRoutineHasItsFourNames) {
#define TRIFAC_ROUTINE(name)                      \
  for (std::string letter : {"s", "d", "c", "z"}) \
    for (std::string suffix : {"_", "_64_"})      \
      EXPECT_EQ(symbol(letter + #name + suffix), symbol("scipy_" + letter + #name + suffix));
#define TRIFAC_MIXED_ROUTINE(name)           \
  for (std::string letters : {"ds", "zc"})   \
    for (std::string suffix : {"_", "_64_"}) \
      EXPECT_EQ(symbol(letters + #name + suffix), symbol("scipy_" + letters + #name + suffix));
#define TRIFAC_LOW_LETTER
#include "cmake/lapack_abi/names.inl"
  for (const char* name : {"clanhe_", "zlanhe_64_", "ilaver_", "ilaver_64_"}) (void)symbol(name);
}

TEST(LapackAbiLibrary, ThreadsAndForks) {
  const auto set = reinterpret_cast<void (*)(int)>(symbol("trifac_set_num_threads"));
  const auto get = reinterpret_cast<int (*)()>(symbol("trifac_get_num_threads"));
  EXPECT_EQ(get(), 1);
  const int numbers[][2] = {{3, 3}, {-1, 1}, {5000, 4096}, {std::numeric_limits<int>::min(), 1}};
  for (const auto& [k, known] : numbers) {
    set(k);
    EXPECT_EQ(get(), known) << k;
  }
  set(1);
  random_source random(1703);
  const matrix<double> A = random_matrix<double>(random, 700, 700);
  matrix<double> expected = A;
  const auto factor = [](matrix<double>& LU) {
    const std::int32_t n = static_cast<std::int32_t>(LU.rows());
    std::vector<std::int32_t> ipiv(detail::as_size(n));
    std::int32_t info = 99;
    lapack<double, std::int32_t>()("getrf", &n, &n, LU.data(), &n, ipiv.data(), &info);
    return info;
  };
  ASSERT_EQ(factor(expected), 0);
  const auto same = [&](const matrix<double>& LU) {
    return std::equal(LU.data(), LU.data() + 700 * 700, expected.data());
  };
  for (int threads : {1, 2}) {
    set(threads);
    std::vector<matrix<double>> copies(4, A);
    std::vector<std::thread> callers;
    for (matrix<double>& copy : copies) callers.emplace_back([&] { (void)factor(copy); });
    for (std::thread& caller : callers) caller.join();
    for (const matrix<double>& copy : copies) EXPECT_TRUE(same(copy));
    const pid_t child = fork();
    if (child == 0) {
      matrix<double> copy = A;
      _exit(factor(copy) == 0 && same(copy) ? 0 : 1);
    }
    int outcome = -1;
    ASSERT_EQ(waitpid(child, &outcome, 0), child);
    EXPECT_EQ(outcome, 0) << "in a child of a process that had called";
  }
  set(1);
}

}  // namespace
}  // namespace trifac::test
