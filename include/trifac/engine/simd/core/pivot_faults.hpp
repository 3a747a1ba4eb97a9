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

/// The first pivot that is exactly zero and the first that is NaN or infinite; −1 where there is
/// none. In two registers, not in memory: 4 % at orders 24 to 48.
struct pivot_faults {
  index_t zero = -1;
  index_t not_finite = -1;

  /// Whether elimination stopped there: only where no other row may be chosen. Else it goes on, as
  /// LAPACK does: a column whose largest element is zero needs nothing, and NaN and infinities
  /// spread by the rules of IEEE 754.
  constexpr bool fatal(pivot_choice choice) const {
    return choice == pivot_choice::diagonal && (zero >= 0 || not_finite >= 0);
  }
  /// Takes over the faults of a part that starts `offset` columns further on.
  constexpr void merge(const pivot_faults& part, index_t offset) {
    if (zero < 0 && part.zero >= 0) zero = part.zero + offset;
    if (not_finite < 0 && part.not_finite >= 0) not_finite = part.not_finite + offset;
  }
};

/// A panel's status; the index counts from its first column.
inline status status_of(const pivot_faults& faults, pivot_choice choice) {
  if (faults.not_finite >= 0) return status::at(status_kind::not_finite, faults.not_finite);
  if (faults.zero >= 0)
    return status::at(faults.fatal(choice) ? status_kind::zero_pivot : status_kind::singular,
                      faults.zero);
  return {};
}

}  // namespace simd
}  // namespace TRIFAC_ABI
}  // namespace trifac
