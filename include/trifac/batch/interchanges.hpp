#pragma once
// batch_interchanges: how the rows of one matrix of a batch were exchanged.

#include <cstdint>

#include "trifac/pivots.hpp"
#include "trifac/simd/batch/lanes.hpp"

namespace trifac {

/// The row interchanges of one matrix of a batch: step k exchanged row k with row operator[](k) ≥ k,
/// counted from 0. LAPACK's ipiv counts from 1.
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

namespace detail {

/// The interchanges of matrix b := p.
inline void store_pivots(const simd::lane_pivots& all, index_t b, const pivots& p) {
  for (index_t k = 0; k < p.size(); ++k)
    all.at(b)[k * simd::most_lanes] = static_cast<std::int32_t>(p[k]);
}

}  // namespace detail
}  // namespace trifac
