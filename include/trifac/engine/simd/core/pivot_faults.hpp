#pragma once
// What a panel of LU learns about its pivots.

#include "trifac/engine/base/config.hpp"
#include "trifac/status.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace simd {

/// Which row of a column has its pivot.
enum class pivot_choice {
  largest,   ///< the one with the largest |a_ij|
  scaled,    ///< with the largest |a_ij| / max_j |a_ij|; in local LUs of tournaments
  diagonal,  ///< the column's own: no row moves
};

/// The first pivot that is exactly zero, and the one at which elimination stopped; −1 where there
/// is none. It stops at a pivot that is not finite, and at a zero on the diagonal where no other
/// row may be chosen; where the largest of a column is zero, it goes on. In two registers, not in
/// memory: 4 % at orders 24 to 48.
struct pivot_faults {
  index_t zero = -1;
  index_t stopped = -1;

  constexpr bool fatal() const { return stopped >= 0; }
  /// Takes over the faults of a part that starts `offset` columns further on.
  constexpr void merge(const pivot_faults& part, index_t offset) {
    if (zero < 0 && part.zero >= 0) zero = part.zero + offset;
    if (stopped < 0 && part.stopped >= 0) stopped = part.stopped + offset;
  }
};

/// A panel's status; the index counts from its first column.
inline status status_of(const pivot_faults& faults) {
  const bool at_zero = faults.stopped == faults.zero;
  if (faults.fatal())
    return status::at(at_zero ? status_kind::zero_pivot : status_kind::not_finite, faults.stopped);
  if (faults.zero >= 0) return status::at(status_kind::singular, faults.zero);
  return {};
}

}  // namespace simd
}  // namespace TRIFAC_ABI
}  // namespace trifac
