#pragma once
// Batches for tests: random ones, in every layout, and with what makes a matrix bad.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "layouts.hpp"
#include "matrices.hpp"
#include "random.hpp"
#include "trifac/batch.hpp"

namespace trifac::test {

template <class T>
using matrices = std::vector<matrix<T>>;

template <class T>
matrices<T> random_batch(index_t count, index_t m, index_t n, bool definite = false) {
  random_source random(static_cast<std::uint64_t>(count * 1000 + m * 10 + n));
  matrices<T> all;
  for (index_t b = 0; b < count; ++b)
    all.push_back(definite ? random_spd<T>(random, n) : random_matrix<T>(random, m, n));
  return all;
}

template <class T>
batch<T> batch_of(const matrices<T>& all, batch_layout how = {}) {
  batch<T> A(static_cast<index_t>(all.size()), all[0].rows(), all[0].cols(), how);
  for (index_t b = 0; b < A.count(); ++b)
    for (index_t j = 0; j < A.cols(); ++j)
      for (index_t i = 0; i < A.rows(); ++i) A(b, i, j) = all[static_cast<std::size_t>(b)](i, j);
  return A;
}
template <class T>
matrix<T> at(const batch<T>& A, index_t b) {
  return matrix<T>(A[b]);
}

constexpr triangle other_triangle(triangle part) {
  return part == triangle::lower ? triangle::upper : triangle::lower;
}

/// What is not read before a call: NaN in all of a triangle without its diagonal. Signaling NaN: to
/// calculate with it leaves another one.
template <class T>
void spoil(const batch_view<T>& A, triangle unread) {
  const T nan(std::numeric_limits<real_t<T>>::signaling_NaN());
  const auto in_part = in_triangle(unread);
  for (index_t b = 0; b < A.batch(); ++b)
    for (index_t j = 0; j < A.cols(); ++j)
      for (index_t i = 0; i < A.rows(); ++i)
        if (i != j && in_part(i, j)) A(b, i, j) = nan;
}
template <class T>
void spoil(batch<T>& A, triangle unread) {
  spoil(A.view(), unread);
}

/// Whether the elements (i, j) with chosen(i, j) are the same bit for bit.
template <class T, class Chosen>
testing::AssertionResult same_bits_where(const matrix_view<const T>& A,
                                         const matrix_view<const T>& B, Chosen chosen) {
  if (A.rows() != B.rows() || A.cols() != B.cols())
    return testing::AssertionFailure() << "different sizes";
  for (index_t j = 0; j < A.cols(); ++j)
    for (index_t i = 0; i < A.rows(); ++i)
      if (chosen(i, j) && !same_element(A(i, j), B(i, j)))
        return testing::AssertionFailure()
               << "element (" << i << ", " << j << "): " << A(i, j) << " and " << B(i, j);
  return testing::AssertionSuccess();
}
template <class T>
testing::AssertionResult same_triangle(const matrix_view<const T>& A, const matrix_view<const T>& B,
                                       triangle part) {
  return same_bits_where(A, B, in_triangle(part));
}
/// The other triangle, without the diagonal: what a call on `part` leaves as it was.
template <class T>
testing::AssertionResult same_outside(const matrix_view<const T>& A, const matrix_view<const T>& B,
                                      triangle part) {
  return same_bits_where(
      A, B, [in_part = in_triangle(part)](index_t i, index_t j) { return !in_part(i, j); });
}

/// A view of the same matrices in some layout, and its memory with guards: in front, behind, in
/// every gap, in foreign lanes and in what the last chunk has left. As in placed_matrix they are
/// NaN in half of the layouts.
template <class T>
struct placed {
  std::vector<T> memory, before;
  std::vector<T*> where;
  batch_view<T> view;

  /// Takes the present contents as those that must stay.
  void remember() { before = memory; }

  /// Whether every bit outside the elements with may_change(b, i, j) is as remembered.
  template <class MayChange>
  testing::AssertionResult untouched_except(MayChange may_change) const {
    std::vector<T> expected = before;
    for (index_t b = 0; b < view.batch(); ++b) {
      const matrix_view<T> A = view[b];
      for (index_t j = 0; j < A.cols(); ++j)
        for (index_t i = 0; i < A.rows(); ++i)
          if (may_change(b, i, j))
            expected[static_cast<std::size_t>(&A(i, j) - memory.data())] = A(i, j);
    }
    // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): of all bits, on purpose.
    if (std::memcmp(expected.data(), memory.data(), memory.size() * sizeof(T)) == 0)
      return testing::AssertionSuccess();
    std::size_t k = 0;
    while (same_element(expected[k], memory[k])) ++k;
    const T* const first = view.batch() > 0 ? view.address(0) : memory.data();
    return testing::AssertionFailure()
           << "element " << memory.data() + k - first << " of the memory, counted from the first "
           << "of matrix 0, was changed from " << expected[k] << " to " << memory[k];
  }
  testing::AssertionResult untouched() const {
    return untouched_except([](index_t, index_t, index_t) { return false; });
  }
  testing::AssertionResult guards_untouched() const {
    return untouched_except([](index_t, index_t, index_t) { return true; });
  }
  testing::AssertionResult untouched_outside(triangle part) const {
    return untouched_except(
        [in_part = in_triangle(part)](index_t, index_t i, index_t j) { return in_part(i, j); });
  }
};
template <class T>
placed<T> place(const matrices<T>& all, int layout) {
  constexpr index_t guards = 64;
  const auto count = static_cast<index_t>(all.size());
  const index_t m = all[0].rows(), n = all[0].cols(), each = (m + 1) * (n + 1);
  const index_t chunk = layout == 2 ? 16 : layout == 3 ? 5 : layout >= 7 ? 64 : 1;
  const index_t whole =
      layout == 1 || layout == 4 ? count + 3 : (count + chunk - 1) / chunk * chunk;
  placed<T> p;
  p.memory.resize(static_cast<std::size_t>(whole * each + 2 * guards));
  if (layout % 2 == 0)  // all bits set are NaN
    std::memset(static_cast<void*>(p.memory.data()), 0xff, p.memory.size() * sizeof(T));
  else
    std::fill(p.memory.begin(), p.memory.end(), T(real_t<T>(0.75)));
  T* const data = p.memory.data() + guards;
  switch (layout) {
    case 0:
      p.view = strided(data, count, m, n, m + 1, each);
      break;
    case 1:
      p.view = interleaved(data, count, m, n, count + 3);
      break;
    case 2:
      p.view = chunked(data, count, m, n, 16, m + 1);
      break;
    case 3:
      p.view = chunked(data, count, m, n, 5);
      break;
    case 4:
      p.view = interleaved(data, count + 3, m, n).matrices(3, count);
      break;
    case 5:
      for (index_t b = 0; b < count; ++b) p.where.push_back(data + (count - 1 - b) * each);
      p.view = pointers(std::span(p.where), m, n, m);
      break;
    case 6:
      p.view = strided(data, count, n, m).transposed();
      break;
    default:
      p.view = chunked(data, count, m, n, 64);
  }
  for (index_t b = 0; b < count; ++b)
    for (index_t j = 0; j < n; ++j)
      for (index_t i = 0; i < m; ++i) p.view(b, i, j) = all[static_cast<std::size_t>(b)](i, j);
  p.remember();
  return p;
}

/// Workspace of so many bytes to hand in, and guards behind it.
class guarded_workspace {
 public:
  explicit guarded_workspace(std::size_t bytes) : size_(bytes), memory_(bytes + guards, mark) {}
  std::span<std::byte> given() { return std::span(memory_).first(size_); }
  bool guards_untouched() const {
    return std::all_of(memory_.end() - guards, memory_.end(),
                       [](std::byte b) { return b == mark; });
  }

 private:
  static constexpr std::byte mark{0xcd};
  static constexpr std::ptrdiff_t guards = 128;
  std::size_t size_;
  std::vector<std::byte> memory_;
};

/// More matrices than 16 bits count, of order 3, the last one bad: the others are factored and
/// solved with, by Cholesky and, rows rotated, by LU with interchanges.
template <class T, class Backend>
void expect_large_batch(const Backend& on, batch_layout how) {
  constexpr index_t count = 70001, n = 3, last = count - 1;
  batch<T> A(count, n, n, how), rotated = A, B(count, n, 1, how), rotated_B = B;
  random_source random(987);
  for (index_t b = 0; b < count; ++b)
    for (index_t i = 0; i < n; ++i) {
      const index_t next = (i + 1) % n;
      rotated_B(b, next, 0) = B(b, i, 0) = random.uniform<T>();
      for (index_t j = 0; j <= i; ++j) {
        const T x = b == last ? T(0) : random.uniform<T>() + T(i == j ? 4 : 0);
        rotated(b, next, j) = A(b, i, j) = x;
        rotated(b, (j + 1) % n, i) = A(b, j, i) = x;
      }
    }
  batch<T> L = A, X = B, LU = rotated, Y = rotated_B;
  const auto f = try_cholesky(on, L);
  const auto g = try_lu(on, LU);
  for (const batch_outcome* outcome :
       {static_cast<const batch_outcome*>(&f), static_cast<const batch_outcome*>(&g)}) {
    EXPECT_EQ(outcome->failed_count(), 1);
    EXPECT_EQ(outcome->first_failure(), last);
  }
  EXPECT_EQ(try_solve(on, f, X), f.status());
  EXPECT_EQ(try_solve(on, g, Y), g.status());
  index_t wrong = 0;
  for (index_t b = 0; b < last; ++b)
    for (const batch<T>* solution : {&X, &Y})
      for (index_t i = 0; i < n; ++i) {
        T r = B(b, i, 0);
        for (index_t j = 0; j < n; ++j) r -= A(b, i, j) * (*solution)(b, j, 0);
        wrong += !(std::abs(r) < 32 * std::numeric_limits<T>::epsilon());
      }
  EXPECT_EQ(wrong, 0);
}

/// Every call writes the caller's info for each matrix, whatever it was: all are identities but the
/// last one, which is zero.
template <class T, class Backend>
void expect_info_written(const Backend& on, index_t n, batch_layout how) {
  constexpr index_t count = 21;
  SCOPED_TRACE(testing::Message() << "n " << n << ", chunk " << how.chunk);
  batch<T> A(count, n, n, how), B(count, n, 2, how);
  std::vector<std::int32_t> info(count), expected(count);
  expected.back() = n > 0;
  const auto expect = [&](auto call) {
    for (index_t b = 0; b < count; ++b)
      for (index_t j = 0; j < n; ++j)
        for (index_t i = 0; i < n; ++i) A(b, i, j) = T(i == j && b + 1 < count);
    for (std::int32_t& i : info) i = 9;
    const auto outcome = call();
    EXPECT_EQ(outcome.failed_count(), n > 0) << outcome.status().message();
    EXPECT_EQ(info, expected);
  };
  expect([&] { return try_cholesky(on, A, {.info = info}); });
  expect([&] { return try_lu(on, A, {.info = info}); });
  expect([&] { return try_cholesky_solve(on, A, B, {.info = info}); });
  expect([&] { return try_lu_solve(on, A, B, {.info = info}); });
}

/// What makes a matrix bad.
enum class damage { negative, nan, infinite, zero_row };
template <class T>
void spoil(matrix<T>& A, damage what, index_t k) {
  using limits = std::numeric_limits<real_t<T>>;
  if (what == damage::negative) A(k, k) = T(-1);
  if (what == damage::nan) A(k, 0) = A(0, k) = T(limits::quiet_NaN());
  if (what == damage::infinite) A(k, k) = T(limits::infinity());
  if (what == damage::zero_row)
    for (index_t j = 0; j < A.cols(); ++j) A(k, j) = A(j, k) = T(0);
}

}  // namespace trifac::test
