#pragma once
// How each matrix of a batch ended, as a number.

#include <cstdint>
#include <limits>

#include "trifac/batch_view.hpp"
#include "trifac/engine/lu/check_finite.hpp"
#include "trifac/status.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// A failure of the machine within a matrix's own factorization.
inline constexpr std::int32_t machine_failure = std::numeric_limits<std::int32_t>::min();

inline std::int32_t info_of(const status& s) {
  if (!s.of_the_matrix()) return machine_failure;
  const auto index = static_cast<std::int32_t>(s.index() + 1);
  return s.ok() ? 0 : s.kind() == status_kind::not_finite ? -index : index;
}

/// The first matrix of from … to−1 whose info is not 0, else `to`. 64 numbers at a time: one by one
/// they take a tenth of the time of Cholesky factorizations of order 4.
inline index_t first_failed(const std::int32_t* info, index_t from, index_t to) {
  constexpr index_t together = 64;
  for (; to - from >= together; from += together) {
    std::int32_t any = 0;
    for (index_t i = 0; i < together; ++i) any |= info[from + i];
    if (any != 0) break;
  }
  while (from < to && info[from] == 0) ++from;
  return from;
}

/// What the pivots of matrices that are not square do not show.
template <class T>
void check_finite_piece(const batch_view<T>& A, index_t from, index_t to, bool exchanges,
                        std::int32_t* info) {
  for (index_t b = from; b < to; ++b)
    if (info[b] >= 0 && (info[b] == 0 || exchanges)) {
      const status s = check_finite(A[b], status(), 1);  // 1: assumes no multiples of eight
      if (!s) info[b] = info_of(s);
    }
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
