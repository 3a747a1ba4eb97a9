#pragma once
// Factor and solve in one pass over a batch, on CPUs: a group of lanes is solved with while it is
// in the cache.

#include "trifac/engine/batch/call.hpp"
#include "trifac/engine/batch/in_lanes.hpp"
#include "trifac/engine/batch/systems.hpp"
#include "trifac/factor_solve.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// Matrices that are factored and then solved with: whole groups, so many that they fill half of an
/// L1 cache with their right-hand sides.
template <class T>
index_t batch_step(index_t n, index_t sides, index_t lanes) {
  const index_t group = lanes * n * (n + sides) * index_t{sizeof(T)};
  return lanes * max<index_t>(1, half_of_l1_cache / max<index_t>(1, group));
}

/// factor(from, to, memory), then solve(from, to, memory), step by step through a piece.
template <Backend B, class T, class Factor, class Solve>
status run_batch_systems(const B& backend, const batch_view<T>& A, const batch_view<T>& X,
                         double flops, std::span<std::byte> workspace, const Factor& factor,
                         const Solve& solve) {
  const index_t lanes = lanes_for<T>(A.rows(), A.cols());
  const index_t step = lanes > 0 ? batch_step<T>(A.rows(), X.cols(), lanes) : 1;
  return run_batch<T>(backend, A.batch(), max<index_t>(1, lanes), flops,
                      lanes > 0 ? slot_bytes<T>(A.rows(), A.cols(), X.cols()) : 0, workspace,
                      [&](index_t from, index_t to, std::byte* memory) {
                        for (; from < to; from += step) {
                          const index_t end = min(to, from + step);
                          factor(from, end, memory);
                          if (!X.empty()) solve(from, end, memory);
                        }
                      });
}

/// A = L·Lᴴ and X := A⁻¹·B with the triangles options.part of `given`, which is not empty; info is
/// written for each; `right`: B, null where that is X.
template <PackingBackend B, class T>
status run_cholesky_systems(const B& backend, const batch_view<T>& given,
                            const batch_view<const T>* right, const batch_view<T>& X,
                            std::span<std::int32_t> info, const batch_cholesky_options& options) {
  const bool upper = options.part == triangle::upper;
  const batch_view<T> A = upper ? given.transposed() : given;
  const double n = static_cast<double>(A.rows());
  const double flops =
      static_cast<double>(A.batch()) * (n * n * n / 3 + 2 * n * n * static_cast<double>(X.cols()));
  if (lanes_for<T>(A.rows(), A.cols()) > 0) {
    const batch_systems<T> S{
        .factors = A, .sides = X, .info = info, .conjugated = is_complex<T> && upper};
    return run_batch_systems(
        backend, A, X, flops, options.workspace,
        [&](index_t from, index_t to, std::byte* memory) {
          factor_cholesky_range(A, from, to, info.data(), memory, options.floats);
        },
        [&](index_t from, index_t to, std::byte* memory) {
          copy_sides(right, X, from, to);
          solve_range(S, from, to, memory);
        });
  }
  return run_batch_systems(
      backend, A, X, flops, options.workspace,
      [&](index_t from, index_t, std::byte*) {
        info[as_size(from)] = info_of(without_exceptions([&] {
          copy_sides(right, X, from, from + 1);
          return try_cholesky_solve(given[from], X[from], {.part = options.part});
        }));
      },
      [](index_t, index_t, std::byte*) {});
}

/// P·A = L·U, or A = L·U where there is no memory for interchanges, and X := A⁻¹·B.
template <PackingBackend B, class T>
status run_lu_systems(const B& backend, const batch_view<T>& A, const batch_view<const T>* right,
                      const batch_view<T>& X, std::span<std::int32_t> interchanges,
                      std::span<std::int32_t> info, const batch_lu_options& options) {
  const double n = static_cast<double>(A.rows());
  const double flops = static_cast<double>(A.batch()) *
                       (2 * n * n * n / 3 + 2 * n * n * static_cast<double>(X.cols()));
  const simd::lane_pivots pivots = {interchanges.data(), A.rows()};
  if (lanes_for<T>(A.rows(), A.cols()) > 0) {
    const batch_systems<T> S{
        .factors = A, .sides = X, .info = info, .is_lu = true, .interchanges = interchanges};
    return run_batch_systems(
        backend, A, X, flops, options.workspace,
        [&](index_t from, index_t to, std::byte* memory) {
          factor_lu_range(A, from, to, pivots.rows, info.data(), memory);
          if (to == A.batch()) clear_absent_lanes(interchanges, to, A.rows());
        },
        [&](index_t from, index_t to, std::byte* memory) {
          copy_sides(right, X, from, to);
          solve_range(S, from, to, memory);
        });
  }
  return run_batch_systems(
      backend, A, X, flops, options.workspace,
      [&](index_t from, index_t, std::byte*) {
        trifac::pivots p;
        info[as_size(from)] = info_of(without_exceptions([&] {
          copy_sides(right, X, from, from + 1);
          return try_lu_solve(A[from], p, X[from], {.pivoting = options.pivoting});
        }));
        if (!interchanges.empty()) store_pivots(pivots, from, p);
      },
      [](index_t, index_t, std::byte*) {});
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
