// matrix_view and matrix: addresses, blocks, splits, transposes, constness, and sizes that do not
// fit 32 bits.

#include "trifac/matrix_view.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <type_traits>
#include <vector>

#include "support/sanitizers.hpp"
#include "trifac/matrix.hpp"

namespace trifac::test {
namespace {

/// 10·i + j at (i, j).
matrix<double> numbered(index_t rows, index_t cols) {
  matrix<double> A(rows, cols);
  for (index_t j = 0; j < cols; ++j)
    for (index_t i = 0; i < rows; ++i) A(i, j) = static_cast<double>(10 * i + j);
  return A;
}

TEST(MatrixView, ColumnMajorAndRowMajorAddress) {
  std::vector<double> data(40);
  const auto A = column_major(data.data(), 3, 4, 5);
  const auto B = row_major(data.data(), 3, 4, 6);
  EXPECT_EQ(&A(2, 3), data.data() + 2 + 3 * 5);
  EXPECT_EQ(&B(2, 3), data.data() + 2 * 6 + 3);
  EXPECT_EQ(column_major(data.data(), 3, 4).col_stride(), 3);
  EXPECT_EQ(row_major(data.data(), 3, 4).row_stride(), 4);
  const matrix_view<double> C(data.data() + 39, 3, 4, -2, -8);
  EXPECT_EQ(&C(1, 2), data.data() + 39 - 2 - 16);
  EXPECT_TRUE(matrix_view<double>().empty());
}

TEST(Matrix, CopiesEndlessColumnsWithoutRowsAtOnce) {
  constexpr index_t endless = std::numeric_limits<index_t>::max();
  const matrix<double> A(0, endless), B(endless, 0), copy = A;
  EXPECT_EQ(copy.cols(), endless);
  EXPECT_EQ(matrix<double>(B.view()).rows(), endless);
}

TEST(MatrixView, BlocksRowsColumnsAndTrailing) {
  auto A = numbered(5, 6);
  const auto B = A.view().block(1, 2, 3, 4);
  EXPECT_EQ(B.rows(), 3);
  EXPECT_EQ(B.cols(), 4);
  EXPECT_EQ(B(0, 0), 12);
  EXPECT_EQ(B(2, 3), 35);
  EXPECT_EQ(B.block(1, 1, 2, 2)(1, 1), 34);
  EXPECT_EQ(A.view().row(4)(0, 5), 45);
  EXPECT_EQ(A.view().col(3)(2, 0), 23);
  const auto rest = A.view().trailing(2);
  EXPECT_EQ(rest.rows(), 3);
  EXPECT_EQ(rest.cols(), 4);
  EXPECT_EQ(rest(0, 0), 22);
  B(0, 1) = -1;
  EXPECT_EQ(A(1, 3), -1);
}

TEST(MatrixView, SplitsIntoFourBlocks) {
  auto A = numbered(5, 6);
  for (index_t r = 0; r <= 5; ++r)
    for (index_t c = 0; c <= 6; ++c) {
      const auto [A00, A01, A10, A11] = A.view().split(r, c);
      EXPECT_EQ(A00.rows() + A10.rows(), 5);
      EXPECT_EQ(A00.cols() + A01.cols(), 6);
      EXPECT_TRUE(A00.empty() || &A00(0, 0) == &A(0, 0));
      EXPECT_TRUE(A01.empty() || &A01(0, 0) == &A(0, c));
      EXPECT_TRUE(A10.empty() || &A10(0, 0) == &A(r, 0));
      EXPECT_TRUE(A11.empty() || &A11(0, 0) == &A(r, c));
    }
}

TEST(MatrixView, EmptyBlocksAtTheFarEdgeFormNoAddress) {
  double one = 0;
  const matrix_view<double> A(&one, 1, 1, index_t{1} << 62, index_t{1} << 62);
  EXPECT_TRUE(A.block(1, 1, 0, 0).empty());
  EXPECT_EQ(A.block(1, 1, 0, 0).data(), &one);
  EXPECT_TRUE(A.trailing(1).empty());
}

TEST(MatrixView, TransposesForFree) {
  auto A = numbered(2, 3);
  const auto At = A.view().transposed();
  EXPECT_EQ(At.rows(), 3);
  EXPECT_EQ(At.cols(), 2);
  for (index_t j = 0; j < 3; ++j)
    for (index_t i = 0; i < 2; ++i) EXPECT_EQ(&At(j, i), &A(i, j));
  EXPECT_EQ(&At.transposed()(1, 2), &A(1, 2));
  EXPECT_EQ(&At.block(1, 1, 2, 1)(1, 0), &A(1, 2));
}

TEST(MatrixView, ConstnessGoesOneWay) {
  static_assert(std::is_convertible_v<matrix_view<double>, matrix_view<const double>>);
  static_assert(!std::is_convertible_v<matrix_view<const double>, matrix_view<double>>);
  static_assert(
      std::is_same_v<decltype(std::declval<matrix_view<const double>>()(0, 0)), const double&>);
  static_assert(std::is_same_v<decltype(std::declval<const matrix<double>&>().view()),
                               matrix_view<const double>>);
  static_assert(std::is_convertible_v<const matrix<double>&, matrix_view<const double>>);
  static_assert(!std::is_convertible_v<const matrix<double>&, matrix_view<double>>);
  static_assert(!std::is_convertible_v<matrix_view<float>, matrix_view<const double>>);
  static_assert(std::is_trivially_copyable_v<matrix_view<double>>);
  static_assert(std::is_trivially_copyable_v<matrix_view<const double>>);
  const auto A = numbered(2, 2);
  const matrix_view<const double> view = A;
  EXPECT_EQ(&view(1, 1), &A(1, 1));
}

TEST(MatrixView, IsUsableInConstantExpressions) {
  constexpr auto element = [] {
    double data[] = {1, 2, 3, 4, 5, 6};
    return column_major(data, 2, 3).transposed().block(1, 0, 2, 2)(1, 1);
  }();
  static_assert(element == 6);
}

TEST(MatrixView, OffsetsBeyond32Bits) {
  // No element is touched: only addresses are computed, in bytes so that nothing overflows.
  const index_t ld = (index_t{1} << 31) + 7;
  char* const origin = reinterpret_cast<char*>(std::uintptr_t{1} << 20);
  const matrix_view<char> A(origin, ld, 5, 1, ld);
  const auto offset = [origin](const char& element) {
    return reinterpret_cast<std::uintptr_t>(&element) - reinterpret_cast<std::uintptr_t>(origin);
  };
  EXPECT_EQ(offset(A(3, 4)), static_cast<std::uintptr_t>(3 + 4 * ld));
  EXPECT_EQ(offset(A.block(ld - 2, 3, 2, 2)(1, 1)), static_cast<std::uintptr_t>(ld - 1 + 4 * ld));
  EXPECT_EQ(offset(A.transposed().split(2, 9).A11(1, 1)), static_cast<std::uintptr_t>(3 * ld + 10));
}

TEST(Operand, ConjugatesOnRequest) {
  using Z = std::complex<double>;
  matrix<Z> A(2, 3);
  for (index_t j = 0; j < 3; ++j)
    for (index_t i = 0; i < 2; ++i) A(i, j) = Z(static_cast<double>(i), static_cast<double>(j + 1));
  const auto H = adjoint(A.view());
  EXPECT_EQ(H.rows(), 3);
  EXPECT_EQ(H.cols(), 2);
  EXPECT_EQ(H(2, 1), Z(1, -3));
  EXPECT_EQ(H.block(1, 1, 2, 1)(1, 0), Z(1, -3));
  EXPECT_EQ(conjugate(A.view())(1, 2), Z(1, -3));
  EXPECT_EQ(operand<Z>(A.view())(1, 2), Z(1, 3));
  matrix<double> R(2, 2);
  EXPECT_FALSE(adjoint(R.view()).conjugated);
}

TEST(Matrix, OwnsAlignedZeroedStorage) {
  for (index_t rows : {0, 1, 3, 17})
    for (index_t cols : {0, 1, 5}) {
      const matrix<float> A(rows, cols);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(A.data()) % 64, 0u);
      for (index_t j = 0; j < cols; ++j)
        for (index_t i = 0; i < rows; ++i) EXPECT_EQ(A(i, j), 0.0f);
      EXPECT_EQ(A.view().col_stride(), rows);
    }
}

TEST(Matrix, CopiesAreDeepAndMovesLeaveNothing) {
  auto A = numbered(3, 2);
  auto copy = A;
  copy(1, 1) = -1;
  EXPECT_EQ(A(1, 1), 11);
  const double* const data = A.data();
  auto moved = std::move(A);
  EXPECT_EQ(moved.data(), data);
  EXPECT_EQ(A.rows(), 0);  // NOLINT(bugprone-use-after-move): documented to be empty
  A = moved;
  EXPECT_EQ(A(2, 1), 21);
  EXPECT_NE(A.data(), moved.data());
  matrix<double> from_view(moved.view().transposed());
  EXPECT_EQ(from_view.rows(), 2);
  EXPECT_EQ(from_view(1, 2), 21);
}

TEST(Matrix, RefusesSizesThatDoNotFit) {
  if (!new_throws) GTEST_SKIP() << "the address sanitizer does not throw std::bad_alloc";
  // The address leaves the function, because a compiler may leave out an allocation that nobody
  // sees.
  [[maybe_unused]] static const double* volatile seen;
  const auto rows_of_new = [](index_t rows, index_t cols) {
    const matrix<double> A(rows, cols);
    seen = A.data();
    return A.rows();
  };
  const index_t huge = index_t{1} << 40;
  EXPECT_THROW(rows_of_new(huge, huge), std::bad_alloc);
  EXPECT_THROW(rows_of_new(-1, 3), std::bad_alloc);
  EXPECT_THROW(rows_of_new(3, -1), std::bad_alloc);
  EXPECT_EQ(rows_of_new(huge, 0), huge);
}

}  // namespace
}  // namespace trifac::test
