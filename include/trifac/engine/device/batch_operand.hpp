#pragma once
// A batch in a device's memory, and how a solve with one is done.

#include <utility>

#include "trifac/engine/kernel/arguments.hpp"
#include "trifac/matrix_view.hpp"

namespace trifac::device {
inline namespace TRIFAC_ABI {

/// A batch as kernels are given it.
template <class Handle>
struct batch_operand {
  Handle memory{};
  kernel::BATCH place{};
  bool in_place = false;  ///< kernels can work on whole groups of lanes where they lie

  index_t rows() const { return place.rows; }
  batch_operand transposed() const {
    batch_operand turned = *this;
    std::swap(turned.place.rows, turned.place.cols);
    std::swap(turned.place.rs, turned.place.cs);
    return turned;
  }
};

/// How a solve is done.
struct batch_solve_how {
  /// As KIND of kernel/batch_solve.hpp; triangles have kernels of lanes only.
  enum class with { cholesky, lu, lu_transposed, lower, upper, unit_lower, unit_upper };

  with factor = with::cholesky;
  bool conjugated = false;
  bool exchanges = false;   ///< of LU
  bool one_factor = false;  ///< matrix 0 for all right-hand sides
  bool mirrored = false;    ///< Lᴴ is in the other triangle, too
  bool all_good = false;    ///< every info is known to be 0
};

}  // namespace TRIFAC_ABI
}  // namespace trifac::device
