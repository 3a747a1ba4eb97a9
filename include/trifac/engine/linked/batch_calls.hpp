#pragma once
// Batches of small matrices as calls of trifac::kernels: the kernels for a piece of a batch, and
// the sharing of pieces among threads. What a call checks and plans is compiled in the program
// (batch/).

#include <cstddef>
#include <cstdint>
#include <span>

#include "trifac/batch_view.hpp"
#include "trifac/engine/base/float_model.hpp"
#include "trifac/engine/linked/calls.hpp"

namespace trifac {
namespace linked {

inline namespace TRIFAC_LINKED_VERSION {

/// A solve as the kernels see it: for Cholesky `factors` are lower triangles. conj(A)·x = b is
/// A·conj(x) = conj(b), so that right-hand sides and not factors are conjugated.
template <class T>
struct batch_systems {
  /// B := A⁻¹·B; A is its `part` alone; A⁻¹ is written, of Cholesky its lower triangle.
  enum class task { solve, solve_triangle, invert };

  batch_view<const T> factors;
  batch_view<T> sides;
  std::span<const std::int32_t> info;
  operation op = operation::none;
  bool conjugated = false, is_lu = false;
  std::span<const std::int32_t> interchanges = {};
  task what = task::solve;
  triangle part = triangle::lower;
  diagonal diag = diagonal::general;

  /// One for all right-hand sides.
  bool is_one_factor() const { return factors.batch() == 1; }
  std::int32_t info_of(index_t b) const {
    return info[static_cast<std::size_t>(is_one_factor() ? 0 : b)];
  }
};

/// As the functions of these names in batch/in_lanes.hpp: matrices from … to−1, on one thread.
template <class T>
struct TRIFAC_SHARED batch_calls {
  static index_t lanes_of_type() noexcept;
  static void factor_cholesky(const batch_view<T>& A, index_t from, index_t to, std::int32_t* info,
                              std::byte* memory, float_model floats) noexcept;
  static void factor_lu(const batch_view<T>& A, index_t from, index_t to,
                        std::int32_t* interchanges, std::int32_t* info, std::byte* memory) noexcept;
  static void solve(const batch_systems<T>& S, index_t from, index_t to,
                    std::byte* memory) noexcept;
  /// piece(work, i) for i = 0 … pieces−1, in any order, on the threads that `flops` are worth.
  static status share(const threads& team, double flops, index_t pieces,
                      void (*piece)(void* work, index_t i), void* work) noexcept;
};

}  // namespace TRIFAC_LINKED_VERSION
}  // namespace linked
}  // namespace trifac
