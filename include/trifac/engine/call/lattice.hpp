#pragma once
// Whether two sets of regularly spaced elements have an element in common.

#include <cstdint>
#include <initializer_list>

#include "trifac/engine/base/min_max.hpp"
#include "trifac/matrix_view.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// The bytes of a matrix, or of equally spaced matrices:
///
///   first + i₀·stride₀ + i₁·stride₁ + …,   0 ≤ i_l < count_l,   strides in descending order.
///
/// Levels l, l+1, … together span at most stride_{l−1} (guaranteed by check_view and check_batch),
/// so the pieces of a level do not interleave.
class lattice {
 public:
  using address = std::int64_t;
  struct level {
    index_t count, stride;  ///< in elements; a negative stride is reversed
  };

  template <class T>
  lattice(const T* data, std::initializer_list<level> levels)
      : first_(static_cast<address>(reinterpret_cast<std::uintptr_t>(data))) {
    constexpr address size = sizeof(T);
    for (const level& l : levels) {
      if (l.count <= 1) continue;  // its stride is irrelevant
      if (l.stride < 0) first_ += (l.count - 1) * l.stride * size;
      int at = depth_++;
      const level in_bytes{l.count, distance(l.stride) * size};
      for (; at > 0 && levels_[at - 1].stride < in_bytes.stride; --at)
        levels_[at] = levels_[at - 1];
      levels_[at] = in_bytes;
    }
    address last = size;
    // No gap: merge into one element.
    for (; depth_ > 0 && levels_[depth_ - 1].stride == last; --depth_)
      last *= levels_[depth_ - 1].count;
    spans_[depth_] = last;
    for (int l = depth_; l-- > 0;)
      spans_[l] = (levels_[l].count - 1) * levels_[l].stride + spans_[l + 1];
  }
  template <class T>
  explicit lattice(const matrix_view<T>& A)
      : lattice(A.data(), {{A.rows(), A.row_stride()}, {A.cols(), A.col_stride()}}) {}

  address first() const { return first_; }
  address end() const { return first_ + spans_[0]; }  ///< one past the last byte

  /// Exact. With equal strides, tests at most three pieces per level; otherwise those that overlap,
  /// so the cost is the number of lines of one matrix, or of matrices among others.
  bool meets(const lattice& other) const { return meet(*this, 0, other, 0, other.first_ - first_); }

 private:
  /// A piece of X from level k on and a piece of Y from level m on that begins d bytes later.
  static bool meet(const lattice& X, int k, const lattice& Y, int m, address d) {
    if (d >= X.spans_[k] || -d >= Y.spans_[m]) return false;
    const bool x_ends = X.ends_at(k), y_ends = Y.ends_at(m);
    if (x_ends && y_ends) return true;
    if (x_ends || (!y_ends && X.levels_[k].stride < Y.levels_[m].stride))
      return meet(Y, m, X, k, -d);
    // Piece i of X against all of Y; with equal strides, against piece j of Y, where only i − j = e
    // matters.
    const auto [count, stride] = X.levels_[k];
    const bool alike = !y_ends && stride == Y.levels_[m].stride;
    const int below = alike ? m + 1 : m;
    const index_t least = alike ? 1 - Y.levels_[m].count : 0;
    const index_t from = max(least, quotient(d - X.spans_[k + 1], stride) + 1);
    const index_t to = min(count, -quotient(-(d + Y.spans_[below]), stride));
    for (index_t e = from; e < to; ++e)
      if (meet(X, k + 1, Y, below, d - e * stride)) return true;
    return false;
  }
  /// ⌊a / b⌋, b > 0.
  static address quotient(address a, address b) { return a / b - (a % b < 0 ? 1 : 0); }

  /// Also checks the bound: compilers that inline the recursion cannot derive it from depth_.
  bool ends_at(int at) const { return at == depth_ || at == most_levels; }

  static constexpr int most_levels = 4;
  address first_;
  int depth_ = 0;
  level levels_[most_levels];
  address spans_[most_levels + 1];  // span of a piece from each level on; the last: of an element
};

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
