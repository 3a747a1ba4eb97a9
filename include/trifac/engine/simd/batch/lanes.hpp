#pragma once
// One matrix in each lane of a vector: what the kernels of this folder work on, for each
// instruction set with its own width W.
//
//   element (i, j) of W matrices:  data + i·row_stride + j·col_stride
//     │ a_ij  b_ij  c_ij  …  W real parts │ W imaginary parts, for complex types │
//
// No lane looks at another: a matrix has the same bits in every lane, beside any others, in place
// or in a copy. Each element is a_ij − Σ_k l_ik·u_kj, k ascending, and then times the reciprocal of
// a pivot (simd/core/division.hpp: or divided by it), however tiles and loops cut the matrix, so
// that tile sizes change no bits.

#include <cstdint>

#include "trifac/engine/base/as_size.hpp"
#include "trifac/engine/base/float_model.hpp"
#include "trifac/engine/base/interchange_order.hpp"
#include "trifac/engine/simd/isa/isa.hpp"
#include "trifac/matrix_view.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace simd {

/// Largest order of the kernels here; beyond it a vector of matrices leaves the caches and the
/// kernels of one matrix are as fast.
inline constexpr index_t largest_in_lanes = 256;

/// Strides in real numbers.
template <class T>
struct lane_matrix {
  real_t<T>* data = nullptr;
  index_t rows = 0, cols = 0;
  index_t row_stride = 0, col_stride = 0;

  constexpr real_t<T>* at(index_t i, index_t j) const {
    return data + i * row_stride + j * col_stride;
  }
  constexpr lane_matrix transposed() const { return {data, cols, rows, col_stride, row_stride}; }
  /// Last row first, last column first: an upper triangle becomes a lower one. Not empty.
  constexpr lane_matrix reversed() const {
    return {at(rows - 1, cols - 1), rows, cols, -row_stride, -col_stride};
  }
  constexpr lane_matrix rows_reversed() const {
    return {at(rows - 1, 0), rows, cols, -row_stride, col_stride};
  }
};

/// Groups of W matrices, `step` real numbers from one to the next. `ahead`: while one is worked on,
/// the one so many real numbers further on is fetched; 0 where they are in the cache.
template <class T>
struct lane_groups {
  lane_matrix<T> first;
  index_t count = 1, step = 0, ahead = 0;

  constexpr lane_matrix<T> operator[](index_t g) const {
    lane_matrix<T> here = first;
    here.data += g * step;
    return here;
  }
};

/// Which elements of a matrix a copy covers: all, those with i ≥ j, those with i ≤ j.
enum class lane_part { whole, lower, upper };

constexpr lane_part transposed(lane_part part) {
  return part == lane_part::lower   ? lane_part::upper
         : part == lane_part::upper ? lane_part::lower
                                    : part;
}

/// How each matrix of a batch ended: 0, or k + 1 for a bad pivot k, −(k + 1) where it is not
/// finite.
using lane_info = std::int32_t;

/// Row interchanges of a batch of `steps` steps: step k of matrix b, counted from 0, is
/// rows[b / 16 · 16·steps + 16·k + b % 16].
struct lane_pivots {
  std::int32_t* rows = nullptr;
  index_t steps = 0;

  /// Step 0 of matrix b; the next one is most_lanes further on.
  constexpr std::int32_t* at(index_t b) const { return rows + offset(b); }
  constexpr index_t offset(index_t b) const {
    return b / most_lanes * most_lanes * steps + b % most_lanes;
  }
};

#if TRIFAC_SIMD

// Orders of Cholesky, and of solves with one right-hand side, with an instance of their own,
// unrolled, where 32 registers hold a tile and its operands; special paths cholesky-lane-orders and
// solve-lane-orders. In any strides: with those of a dense chunk as constants nothing is gained
// but at order 8.
  #define TRIFAC_LANE_ORDERS(f) f(2) f(3) f(4) f(5) f(6) f(7) f(8)

// Orders of LU in registers, where exchanges have masks: one branch for all pivots; special path
// lu-lane-orders. From 5 on the matrix does not fit 32 registers.
  #define TRIFAC_LU_LANE_ORDERS(f) f(2) f(3) f(4)

/// What a solve multiplies by, one entry for each row: x / pivot = (scale·x)·reciprocal; scales
/// only where some pivot is outside ordinary_pivots. Memory of W·(planes + 1) real numbers a row.
template <class T>
struct lane_divisors {
  real_t<T>* reciprocals = nullptr;
  real_t<T>* scales = nullptr;
  index_t reciprocal_step = 0, scale_step = 0;
  bool scaled = false;

  constexpr lane_divisors reversed(index_t n) const {
    return {reciprocals + (n - 1) * reciprocal_step, scales + (n - 1) * scale_step,
            -reciprocal_step, -scale_step, scaled};
  }
};

/// A matrix whose pivot is zero: done, or (partial pivoting) eliminated further, so that a later
/// pivot which is not finite counts.
enum class after_zero { done, goes_on };

/// Notes the first bad pivot of each lane in the mask: `size` is the pivot's, or the pivot of a
/// Cholesky factorization.
template <class R>
__attribute__((noinline, cold)) inline void note_bad_pivots(lane_info* info, index_t k,
                                                            unsigned lanes, const R* size,
                                                            after_zero then) {
  for (int l = 0; lanes != 0; ++l, lanes >>= 1) {
    if (!(lanes & 1)) continue;
    const bool finite = size[l] - size[l] == 0;
    if (finite && size[l] > 0) continue;
    const auto index = static_cast<lane_info>(k + 1);
    if (info[l] == 0)
      info[l] = finite ? index : -index;
    else if (then == after_zero::goes_on && info[l] > 0 && !finite)
      info[l] = -index;
  }
}

#endif

}  // namespace simd
}  // namespace TRIFAC_ABI
}  // namespace trifac
