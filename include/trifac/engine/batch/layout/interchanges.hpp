#pragma once
// batch_interchanges: how the rows of one matrix of a batch were exchanged; and where those of all
// matrices lie: step by step in groups of 16.

#include <cstdint>
#include <limits>
#include <span>

#include "trifac/engine/simd/batch/lanes.hpp"
#include "trifac/pivots.hpp"

namespace trifac {

/// Numbers that hold the row interchanges of `batch` matrices: min(rows, cols) for each, the batch
/// rounded up to a multiple of 16. The largest index_t where that is more.
constexpr index_t batch_interchanges_size(index_t batch, index_t rows, index_t cols) {
  constexpr index_t w = simd::most_lanes;
  const index_t steps = rows < cols ? rows : cols, groups = batch / w + (batch % w != 0);
  constexpr index_t most = std::numeric_limits<index_t>::max();
  if (steps > 0 && groups > most / w / steps) return most;
  return groups * w * steps;
}

/// The row interchanges of one matrix of a batch: step k exchanged row k with row operator[](k) ≥
/// k, counted from 0. LAPACK's ipiv counts from 1.
class batch_interchanges {
 public:
  constexpr batch_interchanges(const std::int32_t* first, index_t count)
      : first_(first), count_(count) {}

  constexpr index_t size() const { return count_; }
  constexpr index_t operator[](index_t k) const { return first_[simd::most_lanes * k]; }

  /// A copy, with permutation(), sign() and to_ipiv().
  explicit operator pivots() const {
    pivots p(count_);
    for (index_t k = 0; k < count_; ++k) p[k] = (*this)[k];
    return p;
  }

 private:
  const std::int32_t* first_;
  index_t count_;
};

inline namespace TRIFAC_ABI {
namespace detail {

/// The interchanges of matrix b := p.
inline void store_pivots(const simd::lane_pivots& all, index_t b, std::span<const index_t> p) {
  std::int32_t* to = all.at(b);
  for (const index_t row : p) {
    *to = static_cast<std::int32_t>(row);
    to += simd::most_lanes;
  }
}

/// Lanes of the last group that have no matrix exchange nothing: solves in lanes read them, too.
inline void clear_absent_lanes(std::span<std::int32_t> all, index_t batch, index_t steps) {
  constexpr index_t w = simd::most_lanes;
  if (all.empty()) return;
  for (index_t b = batch; b % w != 0; ++b) {
    std::int32_t* to = simd::lane_pivots{all.data(), steps}.at(b);
    for (index_t k = 0; k < steps; ++k, to += w) *to = static_cast<std::int32_t>(k);
  }
}

/// p := the interchanges of matrix b.
inline void load_pivots(std::span<const std::int32_t> all, index_t b, std::span<index_t> p) {
  const auto steps = static_cast<index_t>(p.size());
  const std::int32_t* from = all.data() + simd::lane_pivots{nullptr, steps}.offset(b);
  for (index_t& row : p) {
    row = *from;
    from += simd::most_lanes;
  }
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
