#pragma once
// What a panel of LU learns about its pivots.

#include "trifac/detail/config.hpp"
#include "trifac/status.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace simd {

/// The first pivot that is exactly zero and the first that is not finite, −1 where there is none.
/// Elimination goes on after a zero and stops at a pivot that is not finite.
struct pivot_faults {
  index_t zero = -1;
  index_t not_finite = -1;

  constexpr bool fatal() const { return not_finite >= 0; }
  /// Takes over the faults of a part that starts `offset` columns further on.
  constexpr void merge(const pivot_faults& part, index_t offset) {
    if (zero < 0 && part.zero >= 0) zero = part.zero + offset;
    if (not_finite < 0 && part.not_finite >= 0) not_finite = part.not_finite + offset;
  }
};

/// A panel's status; the index counts from its first column.
inline status status_of(const pivot_faults& faults) {
  if (faults.fatal()) return status::at(status_kind::not_finite, faults.not_finite);
  if (faults.zero >= 0) return status::at(status_kind::singular, faults.zero);
  return {};
}

}  // namespace simd
}  // namespace TRIFAC_ABI
}  // namespace trifac
