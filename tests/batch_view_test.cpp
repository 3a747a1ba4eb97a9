// batch_view and batch: addresses in every layout, parts, transposes, copies between layouts,
// padding, and what the calls refuse.

#include "trifac/batch_view.hpp"

#include <gtest/gtest.h>

#include <array>
#include <concepts>
#include <limits>
#include <random>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "support/sanitizers.hpp"
#include "trifac/engine/batch/checks/check.hpp"
#include "trifac/engine/batch/layout/matrices.hpp"
#include "trifac/engine/batch/layout/overlap.hpp"

namespace trifac::test {
namespace {

constexpr index_t huge = std::numeric_limits<index_t>::max();

/// 100·b + 10·i + j at (b, i, j).
void number(const batch_view<double>& A) {
  for (index_t b = 0; b < A.batch(); ++b)
    for (index_t i = 0; i < A.rows(); ++i)
      for (index_t j = 0; j < A.cols(); ++j) A(b, i, j) = static_cast<double>(100 * b + 10 * i + j);
}
void expect_numbered(const batch_view<const double>& A, index_t b0 = 0, index_t i0 = 0,
                     index_t j0 = 0) {
  for (index_t b = 0; b < A.batch(); ++b)
    for (index_t i = 0; i < A.rows(); ++i)
      for (index_t j = 0; j < A.cols(); ++j)
        ASSERT_EQ(A(b, i, j), static_cast<double>(100 * (b0 + b) + 10 * (i0 + i) + j0 + j));
}

TEST(BatchView, AddressesOfTheFourLayouts) {
  std::vector<double> data(400);
  double* const p = data.data();
  const auto S = strided(p, 5, 3, 2, 4, 10);
  EXPECT_EQ(&S(3, 2, 1), p + 30 + 2 + 4);
  EXPECT_EQ(&strided(p, 5, 3, 2)(4, 2, 1), p + 24 + 2 + 3);
  const auto I = interleaved(p, 5, 3, 2, 8);
  EXPECT_EQ(&I(3, 2, 1), p + 3 + 2 * 8 + 3 * 8);
  EXPECT_EQ(&interleaved(p, 5, 3, 2)(3, 2, 1), p + 3 + 2 * 5 + 3 * 5);
  const auto C = chunked(p, 5, 3, 2, 2);
  EXPECT_EQ(&C(3, 2, 1), p + 1 * (2 * 3 * 2) + 1 + 2 * 2 + 3 * 2);
  std::vector<double*> where = {p + 100, p, p + 50};
  const auto P = pointers(where, 3, 2, 4);
  EXPECT_EQ(P.batch(), 3);
  EXPECT_EQ(&P(2, 2, 1), p + 50 + 2 + 4);
  EXPECT_EQ(&P[0](1, 1), p + 100 + 1 + 4);
}

template <class P>
concept TakenAsPointers = requires(P&& p) {
  pointers(std::forward<P>(p), 1, 1, 1);
};

TEST(BatchView, PointersOfVectorsArraysAndSpans) {
  std::vector<double> data(2);
  double* where[] = {data.data(), data.data() + 1};
  std::vector<double*> vector(where, where + 2);
  const std::array<const double*, 2> constants = {where[0], where[1]};
  EXPECT_EQ(&pointers(where, 1, 1, 1)(1, 0, 0), where[1]);
  EXPECT_EQ(&pointers(vector, 1, 1, 1)(1, 0, 0), where[1]);
  EXPECT_EQ(&pointers(std::as_const(vector), 1, 1, 1)(1, 0, 0), where[1]);
  EXPECT_EQ(&pointers(constants, 1, 1, 1)(1, 0, 0), where[1]);
  static_assert(std::same_as<decltype(pointers(vector, 1, 1, 1)), batch_view<double>>);
  static_assert(std::same_as<decltype(pointers(constants, 1, 1, 1)), batch_view<const double>>);
  std::span<double*> part(where);
  EXPECT_EQ(&pointers(part, 1, 1, 1)(1, 0, 0), where[1]);
  static_assert(TakenAsPointers<std::span<double*>> && !TakenAsPointers<std::vector<double*>>);
  static_assert(!TakenAsPointers<std::vector<double>&>);
}

TEST(BatchView, PartsAndTransposesAreThoseOfEachMatrix) {
  std::vector<double> data(7 * 64);
  std::vector<double*> where;
  for (int b = 0; b < 7; ++b) where.push_back(data.data() + (6 - b) * 60);
  for (const auto& A : {strided(data.data(), 7, 4, 5), interleaved(data.data(), 7, 4, 5),
                        chunked(data.data(), 7, 4, 5, 3), pointers(std::span(where), 4, 5, 6)}) {
    number(A);
    expect_numbered(A);
    for (index_t b = 0; b <= 7; ++b)
      for (index_t count = 0; b + count <= 7; ++count) {
        const auto part = A.matrices(b, count);
        EXPECT_EQ(part.batch(), count);
        expect_numbered(part, b);
        expect_numbered(part.block(1, 2, 3, 2), b, 1, 2);
        if (count > 2) expect_numbered(part.matrices(1, 2), b + 1);
      }
    const auto T = A.transposed();
    EXPECT_EQ(T.rows(), 5);
    EXPECT_EQ(&T(3, 4, 1), &A(3, 1, 4));
    EXPECT_TRUE(detail::check_batch(A.matrices(2, 4).block(1, 1, 2, 3), "A").ok());
    EXPECT_TRUE(detail::check_batch(T, "A").ok());
  }
}

TEST(Batch, EveryLayoutHoldsTheSameElements) {
  std::vector<double> data(20 * 3 * 4);
  const auto source = strided(data.data(), 20, 3, 4);
  number(source);
  for (const auto& how : {batch_layout::canonical(), batch_layout::interleaved(), batch_layout(),
                          batch_layout::chunked(5)}) {
    batch<double> A(source, how);
    expect_numbered(A.view());
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(A.data()) % 64, 0u);
    const batch<double> copied = A;
    batch<double> moved = std::move(A);
    expect_numbered(copied.view());
    expect_numbered(moved);
    batch<double> back(20, 3, 4);
    copy<double>(moved, back);
    expect_numbered(back);
    EXPECT_EQ(back[3](1, 2), 312);
  }
  EXPECT_EQ(batch<double>(20, 3, 4, batch_layout::interleaved()).chunk(), 32);
}

TEST(Batch, ColumnsDoNotShareASetOfTheCache) {
  batch<double> A(16, 64, 64);
  EXPECT_NE(A.view().strides().col_stride * 8 % 4096, 0);
  batch<double> small(16, 5, 5);
  EXPECT_EQ(small.chunk(), 8);
  EXPECT_EQ(batch<float>(1, 1, 1).chunk(), 16);
  EXPECT_EQ(small.view().strides().col_stride, 40);
}

TEST(Batch, SizesThatDoNotFitAreAFailedAllocation) {
  if (!new_throws) GTEST_SKIP() << "the address sanitizer does not throw std::bad_alloc";
  EXPECT_THROW(batch<double>(-1, 2, 2), std::bad_alloc);
  EXPECT_THROW(batch<double>(2, huge, 2), std::bad_alloc);
  EXPECT_THROW(batch<double>(huge, huge, huge, batch_layout::canonical()), std::bad_alloc);
  const batch<double> none(0, 3, 3), nothing(3, 0, 0);
  EXPECT_TRUE(none.view().empty());
  EXPECT_TRUE(nothing.view().empty());
}

/// What check_batch says, "" for nothing.
template <class T>
std::string fault(const batch_view<T>& A) {
  const status s = detail::check_batch(A, "A");
  EXPECT_TRUE(s.ok() ||
              (s.kind() == status_kind::invalid_argument && s.argument() == std::string("A")));
  return s.what();
}

TEST(BatchArguments, WrongSizesStridesAndMemory) {
  std::vector<double> data(1000);
  double* const p = data.data();
  EXPECT_EQ(fault(strided(p, 5, 3, 3)), "");
  EXPECT_EQ(fault(strided(static_cast<double*>(nullptr), 0, 3, 3)), "");
  EXPECT_NE(fault(strided(static_cast<double*>(nullptr), 1, 3, 3)), "");
  EXPECT_NE(fault(strided(p, -1, 3, 3, 3, 9)), "");
  EXPECT_NE(fault(strided(p, 5, -3, 3, 3, 9)), "");
  EXPECT_NE(fault(strided(p, 5, 3, 3, 2, 9)), "");   // ld < rows
  EXPECT_NE(fault(strided(p, 5, 3, 3, 3, 8)), "");   // matrices overlap
  EXPECT_NE(fault(strided(p, 5, 3, 3, 3, 0)), "");   // all the same
  EXPECT_EQ(fault(strided(p, 1, 3, 3, 3, 0)), "");   // of one matrix it means nothing
  EXPECT_EQ(fault(strided(p, 5, 3, 3, 20, 4)), "");  // matrices between columns
  EXPECT_NE(fault(interleaved(p, 5, 3, 3, 4)), "");  // runs shorter than the batch
  EXPECT_NE(fault(chunked(p, 5, 3, 3, 2, 2)), "");   // ld < rows
  EXPECT_EQ(fault(chunked(p, 5, 3, 3, 2, 4)), "");
}

/// Random batches in one array, against the sets of their elements.
TEST(BatchArguments, OverlapIsThatOfTheElements) {
  std::vector<double> memory(4000);
  std::mt19937 random(804);
  const auto number = [&](int from, int to) {
    return index_t{std::uniform_int_distribution<int>(from, to)(random)};
  };
  const auto any_batch = [&] {
    for (;;) {
      const index_t count = number(1, 6), m = number(1, 3), n = number(1, 3);
      batch_view<double>::place at;
      switch (number(0, 3)) {
        case 0:  // any strides
          at = {.chunk_stride = number(-40, 40),
                .row_stride = number(-12, 12),
                .col_stride = number(-20, 20)};
          break;
        case 1:  // chunks, whose lanes need not lie side by side
          at = {.chunk = number(2, 4),
                .chunk_stride = number(-60, 60),
                .lane_stride = number(0, 3) > 0 ? 1 : number(-3, 12),
                .row_stride = number(-20, 20),
                .col_stride = number(-30, 30)};
          at.first = number(0, static_cast<int>(at.chunk) - 1);
          break;
        case 2:  // interleaved
          at = {.chunk_stride = number(1, 4),
                .row_stride = number(1, 12),
                .col_stride = number(1, 40)};
          break;
        default:  // tiles of rows
          at = {.chunk_stride = m * number(1, 3), .row_stride = 1, .col_stride = number(3, 48)};
      }
      const batch_view<double> A(memory.data() + 2000 + number(-40, 40), count, m, n, at);
      if (detail::check_batch(A, "A")) return A;
    }
  };
  const auto elements = [](const batch_view<double>& A) {
    std::set<const double*> all;
    for (index_t b = 0; b < A.batch(); ++b)
      for (index_t i = 0; i < A.rows(); ++i)
        for (index_t j = 0; j < A.cols(); ++j) all.insert(&A(b, i, j));
    return all;
  };
  int shared = 0, apart = 0;
  for (int repeat = 0; repeat < 30000; ++repeat) {
    const auto A = any_batch(), B = any_batch();
    const auto in_A = elements(A);
    ASSERT_EQ(static_cast<index_t>(in_A.size()), A.batch() * A.rows() * A.cols());
    bool truth = false;
    for (const double* x : elements(B)) truth = truth || in_A.count(x) > 0;
    ++(truth ? shared : apart);
    ASSERT_EQ(detail::batches_overlap<double>(A, B), truth) << repeat;
  }
  EXPECT_GT(shared, 1000);
  EXPECT_GT(apart, 1000);
}

TEST(BatchArguments, SizesBeyond64Bits) {
  double one = 0;
  EXPECT_NE(fault(strided(&one, huge / 8, 8, 8)), "");
  EXPECT_NE(fault(strided(&one, 8, huge / 8, 8)), "");
  EXPECT_NE(fault(interleaved(&one, huge, 2, 2)), "");
  EXPECT_NE(fault(chunked(&one, 100, 2, 2, huge)), "");
  EXPECT_NE(fault(strided(&one, 2, 2, 2, 2, huge / 8)), "");
}

TEST(BatchArguments, WrongPointers) {
  std::vector<double> data(100);
  std::vector<double*> where = {data.data(), data.data() + 9, data.data() + 18};
  const auto view = [&] { return pointers(std::span(where), 3, 3, 3); };
  EXPECT_EQ(fault(view()), "");
  where[1] = nullptr;
  EXPECT_NE(fault(view()), "");
  where[1] = data.data() + 8;
  EXPECT_NE(fault(view()), "");
  where[1] = data.data() + 26;
  EXPECT_NE(fault(view()), "");
  EXPECT_NE(
      fault(pointers(std::span<double* const>(static_cast<double* const*>(nullptr), 3), 3, 3, 3)),
      "");
  EXPECT_NE(fault(pointers(std::span(where), 3, 3, 2)), "");
}

}  // namespace
}  // namespace trifac::test
