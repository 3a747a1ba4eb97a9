#pragma once
// A batch in device memory, and the description of a solve with one.

#include <utility>

#include "trifac/engine/kernel/arguments.hpp"
#include "trifac/matrix_view.hpp"

namespace trifac::device {
inline namespace TRIFAC_ABI {

/// A batch as passed to kernels.
template <class Handle>
struct batch_operand {
  Handle memory{};
  kernel::BATCH place{};
  bool in_place = false;  ///< kernels can work in place on whole lane groups

  index_t rows() const { return place.rows; }
  batch_operand transposed() const {
    batch_operand turned = *this;
    std::swap(turned.place.rows, turned.place.cols);
    std::swap(turned.place.rs, turned.place.cs);
    return turned;
  }
};

/// Describes a solve.
struct batch_solve_how {
  /// KIND of kernel/batch_solve.hpp; solves with a triangle have lane kernels only.
  enum class with { cholesky, lu, lu_transposed, lower, upper, unit_lower, unit_upper };

  with factor = with::cholesky;
  bool conjugated = false;
  bool exchanges = false;   ///< of LU
  bool one_factor = false;  ///< matrix 0 serves all right-hand sides
  bool mirrored = false;    ///< Lᴴ is stored in the other triangle
  bool all_good = false;    ///< every info is known to be 0
};

}  // namespace TRIFAC_ABI
}  // namespace trifac::device
