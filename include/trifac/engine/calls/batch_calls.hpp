#pragma once
// Batches of small matrices as calls: the kernels for a piece of a batch. See calls.hpp.

#include <cstddef>
#include <cstdint>
#include <span>

#include "trifac/batch_view.hpp"
#include "trifac/engine/base/float_model.hpp"
#include "trifac/engine/calls/calls.hpp"

namespace trifac {
inline namespace TRIFAC_CALLS {

/// A solve as the kernels see it: for Cholesky `factors` are lower triangles. conj(A)·x = b is
/// A·conj(x) = conj(b), so that right-hand sides and not factors are conjugated.
template <class T>
struct batch_systems {
  enum class task {
    solve,           ///< B := A⁻¹·B
    solve_triangle,  ///< the same with the triangle `part` of A
    invert,          ///< A⁻¹ is written, of Cholesky its lower triangle
    solve_forward,   ///< the first half of a solve with k columns of L, `factors`: n×k
    solve_backward,  ///< the second half
  };

  batch_view<const T> factors;
  batch_view<T> sides;
  std::span<const std::int32_t> info;
  operation op = operation::none;
  bool conjugated = false, is_lu = false;
  std::span<const std::int32_t> interchanges = {};
  task what = task::solve;
  triangle part = triangle::lower;
  diagonal diag = diagonal::non_unit;

  /// One for all right-hand sides.
  bool is_one_factor() const { return factors.batch() == 1; }
  std::int32_t info_of(index_t b) const {
    return info[static_cast<std::size_t>(is_one_factor() ? 0 : b)];
  }
};

/// Matrices from … to−1, on one thread; to be called where lanes() > 0. Small ones go in lanes,
/// larger contiguous ones one by one. memory: slot_bytes (batch/pieces/plan.hpp).
template <class T>
struct TRIFAC_SHARED_CALLS batch_calls {
  /// Matrices of a group on the instruction set in use; 0: there are no kernels.
  TRIFAC_CALL static index_t lanes() noexcept;
  /// The lower triangles := L; info is written for each.
  TRIFAC_CALL static void factor_cholesky(const batch_view<T>& A, index_t from, index_t to,
                                          std::int32_t* info, std::byte* memory,
                                          float_model floats) noexcept;
  /// The same of the first columns, and the Schur complement; order ≤ largest_in_lanes.
  TRIFAC_CALL static void partial_cholesky(const batch_view<T>& A, index_t columns, index_t from,
                                           index_t to, std::int32_t* info,
                                           std::byte* memory) noexcept;
  /// := L\U, info as above; without interchanges (null) none are made.
  TRIFAC_CALL static void factor_lu(const batch_view<T>& A, index_t from, index_t to,
                                    std::int32_t* interchanges, std::int32_t* info,
                                    std::byte* memory) noexcept;
  /// Systems whose factorization failed are left as they are.
  TRIFAC_CALL static void solve(const batch_systems<T>& S, index_t from, index_t to,
                                std::byte* memory) noexcept;
};

}  // namespace TRIFAC_CALLS
}  // namespace trifac
