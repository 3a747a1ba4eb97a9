#pragma once
// Whether two matrices share memory, element by element: blocks of one array with alternating rows
// do not.

#include <cstdint>

#include "trifac/engine/base/min_max.hpp"
#include "trifac/engine/call/factor_state.hpp"
#include "trifac/engine/call/lattice.hpp"
#include "trifac/matrix_view.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// The part of a matrix that a call reads or writes.
enum class part_in_use { whole, lower, upper };

/// The bytes of a matrix as lines along its smaller stride, each with `count` elements `step` bytes
/// apart; lines are `pitch` bytes apart. Of line q of a triangle, only positions q … count−1 or 0 …
/// q are in use. For views that pass check_view, whose lines are disjoint and ordered by address. A
/// vector has one line per element.
struct footprint {
  using address = std::int64_t;
  struct interval {
    address first, last;  ///< of bytes; last < first if empty
  };
  enum class stretch { whole, from_diagonal, to_diagonal };

  address data;
  address step, pitch;
  index_t count, lines;
  address size;  ///< of an element
  stretch used = stretch::whole;

  template <class T>
  explicit footprint(const matrix_view<T>& A, part_in_use part = part_in_use::whole)
      : data(static_cast<address>(reinterpret_cast<std::uintptr_t>(A.data()))), size(sizeof(T)) {
    const address down = A.row_stride() * size, along = A.col_stride() * size;
    const bool by_columns = A.rows() == 1 || (A.cols() > 1 && distance(down) <= distance(along));
    step = by_columns ? down : along;
    pitch = by_columns ? along : down;
    count = by_columns ? A.rows() : A.cols();
    lines = by_columns ? A.cols() : A.rows();
    if (part != part_in_use::whole)
      used = by_columns == (part == part_in_use::lower) ? stretch::from_diagonal
                                                        : stretch::to_diagonal;
  }

  /// From the lowest to the highest byte of the whole matrix.
  interval hull() const {
    const address down = (count - 1) * step, along = (lines - 1) * pitch;
    return {data + (down < 0 ? down : 0) + (along < 0 ? along : 0),
            data + (down > 0 ? down : 0) + (along > 0 ? along : 0) + size - 1};
  }
  /// The bytes from the first to the last element in use of the line with the i-th lowest address.
  interval line(index_t i) const {
    const index_t q = pitch < 0 ? lines - 1 - i : i;
    const index_t from = used == stretch::from_diagonal ? q : 0;
    const index_t to = used == stretch::to_diagonal && q < count ? q + 1 : count;
    if (from >= to) return {0, -1};
    const address low = (step < 0 ? to - 1 : from) * step, high = (step < 0 ? from : to - 1) * step;
    return {data + q * pitch + low, data + q * pitch + high + size - 1};
  }
};

/// Whether two runs of elements whose byte ranges overlap share a byte. With equal steps, compares
/// offsets modulo the step; with different steps, assumes they do.
inline bool runs_meet(const footprint& X, const footprint::interval& x, const footprint& Y,
                      const footprint::interval& y) {
  const bool x_is_one = x.last - x.first < X.size, y_is_one = y.last - y.first < Y.size;
  if (!x_is_one && !y_is_one && distance(X.step) != distance(Y.step)) return true;
  if (x_is_one && y_is_one) return true;
  const std::int64_t step = distance(x_is_one ? Y.step : X.step);
  const std::int64_t behind = ((y.first - x.first) % step + step) % step;
  return behind < X.size || step - behind < Y.size;
}

/// Compares line by line in address order.
[[gnu::noinline]] inline bool lines_meet(footprint X, footprint Y) {
  if (X.count == 1) X.step = Y.step;  // irrelevant for one element
  if (Y.count == 1) Y.step = X.step;
  for (index_t i = 0, k = 0; i < X.lines && k < Y.lines;) {
    const auto x = X.line(i), y = Y.line(k);
    if (x.last < y.first)
      ++i;
    else if (y.last < x.first)
      ++k;
    else if (runs_meet(X, x, Y, y))
      return true;
    else
      ++(x.last < y.last ? i : k);
  }
  return false;
}

/// True if an element of A in use and one of B share memory. Nearly always decided by address
/// ranges; otherwise O(1) for blocks of one array, O(rows + cols) for triangles. In triangles,
/// overlapping lines with different strides count as sharing memory.
template <class T, class U>
bool overlap(const matrix_view<T>& A, part_in_use part_of_A, const matrix_view<U>& B,
             part_in_use part_of_B) {
  if (A.empty() || B.empty()) return false;
  const footprint X(A, part_of_A), Y(B, part_of_B);
  const auto x = X.hull(), y = Y.hull();
  if (x.first > y.last || y.first > x.last) return false;
  const bool whole = part_of_A == part_in_use::whole && part_of_B == part_in_use::whole;
  return whole ? lattice(A).meets(lattice(B)) : lines_meet(X, Y);
}

/// Whether two matrices of one size have identical elements, positions included.
template <class T, class U>
constexpr bool is_same_view(const matrix_view<T>& A, const matrix_view<U>& B) {
  return A.data() == B.data() && (A.rows() == 1 || A.row_stride() == B.row_stride()) &&
         (A.cols() == 1 || A.col_stride() == B.col_stride());
}

constexpr part_in_use used_part(triangle part) {
  return part == triangle::lower ? part_in_use::lower : part_in_use::upper;
}
/// The part of a factor's matrix that calls read: a triangle for Cholesky, all for LU.
template <class Factor>
part_in_use used_part(const Factor& f) {
  if constexpr (HasTriangle<Factor>)
    return used_part(f.part());
  else
    return part_in_use::whole;
}

/// True if right-hand sides share memory with the part of the factor that a solve reads.
template <class Factor, class T>
bool overlaps_factor(const Factor& f, const matrix_view<T>& B) {
  return overlap(f.matrix(), used_part(f), B, part_in_use::whole);
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
