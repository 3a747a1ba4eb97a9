#pragma once
// Default batch parameters by device kind, scalar type and order; `trifac tune` measures better
// ones. Figures below: PoCL, 512-bit vectors, double, in cache. For complex types and for 16
// registers, tile 2 follows from the number of registers and was not measured.

#include <limits>

#include "trifac/engine/views/batch_tuning.hpp"

namespace trifac::device {
inline namespace TRIFAC_ABI {

/// Parameters for orders up to `to`.
struct batch_default {
  bool many_registers, is_complex;
  index_t to;
  int tile;
  looking_order looking;
  outer_loops outer;
};

inline constexpr index_t any_order = std::numeric_limits<index_t>::max();

// GFLOP/s:
//   tile 1 … 8                 n = 8   10.6/13.6/8.1/15.8/11.5/8.6/9.6/13.5
//                              n = 32  22/39/28/42.6/27.5/22/22/24
//   looking right, left, top   n = 16  26/30/27    n = 32  35/44/42    n = 64  40/51/50
//   rolled → unrolled          n = 8   15.5 → 18.4    n = 16  26.7 → 30
// Unrolled loops need one program per order; PoCL compiles order 24 in 3 s. `trifac tune` on PoCL
// (float and double; Cholesky at 4 … 64, LU and solves at 4 … 32; chunks of one vector; on a shared
// machine, hence 31 interleaved rounds) found nothing 3 % faster than these rows except unrolled
// Cholesky loops at orders 12 to 24: 13 to 18 %, at the cost of one program per order.
inline constexpr batch_default batch_defaults[] = {
    {true, false, 8, 4, looking_order::left, outer_loops::unrolled},
    {true, false, any_order, 4, looking_order::left, outer_loops::rolled},
    {true, true, 8, 2, looking_order::left, outer_loops::unrolled},
    {true, true, any_order, 2, looking_order::left, outer_loops::rolled},
    {false, false, 8, 2, looking_order::left, outer_loops::unrolled},
    {false, false, any_order, 2, looking_order::left, outer_loops::rolled},
    {false, true, 8, 2, looking_order::left, outer_loops::unrolled},
    {false, true, any_order, 2, looking_order::left, outer_loops::rolled},
};

/// The requested parameters, completed from the table.
constexpr batch_tuning with_batch_defaults(batch_tuning asked, bool many_registers, bool is_complex,
                                           index_t order) {
  for (const batch_default& row : batch_defaults) {
    if (row.many_registers != many_registers || row.is_complex != is_complex || order > row.to)
      continue;
    if (asked.tile == 0) asked.tile = row.tile;
    if (asked.looking == looking_order::automatic) asked.looking = row.looking;
    if (asked.outer == outer_loops::automatic) asked.outer = row.outer;
    break;
  }
  return asked;
}

}  // namespace TRIFAC_ABI
}  // namespace trifac::device
