#pragma once
// The calls on batches on a device: in lanes there, or larger matrices one by one.

#include <vector>

#include "trifac/engine/batch/call.hpp"
#include "trifac/engine/batch/one_for_all.hpp"
#include "trifac/engine/batch/systems.hpp"
#include "trifac/factor_solve.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// Rows and columns that the kernels of a device take.
constexpr bool goes_in_device_lanes(index_t rows, index_t cols) {
  return rows <= simd::largest_in_lanes && cols <= simd::largest_in_lanes;
}

/// A = L·Lᴴ of lower triangles; A is not empty; info is written for each.
template <DeviceBackend B, class T>
status run_cholesky_batch(const B& backend, const batch_view<T>& A, std::span<std::int32_t> info,
                          const batch_cholesky_options& options) {
  if (goes_in_device_lanes(A.rows(), A.cols()))
    return backend.template on_batches<T>(options.tuning, options.floats,
                                          [&](auto& batches) { return batches.cholesky(A, info); });
  factor_cholesky_one_by_one(backend, A, 0, A.batch(), info.data());
  return {};
}

/// P·A = L·U, or A = L·U where there is no memory for interchanges.
template <DeviceBackend B, class T>
status run_lu_batch(const B& backend, const batch_view<T>& A, std::span<std::int32_t> interchanges,
                    std::span<std::int32_t> info, const batch_lu_options& options) {
  if (!goes_in_device_lanes(A.rows(), A.cols())) {
    const simd::lane_pivots rows = {interchanges.data(), min(A.rows(), A.cols())};
    factor_lu_one_by_one(backend, A, 0, A.batch(), options.pivoting, rows, info.data());
    return {};
  }
  return backend.template on_batches<T>(options.tuning, options.floats, [&](auto& batches) {
    return batches.lu(A, interchanges, info);
  });
}

/// What a device solves the systems with; op: of LU, that of triangles is in the systems.
template <class With, class T>
With factor_of_solve(const batch_systems<T>& S, operation op) {
  if (S.what == batch_systems<T>::task::solve_triangle) {
    if (S.part == triangle::lower) return S.diag == diagonal::unit ? With::unit_lower : With::lower;
    return S.diag == diagonal::unit ? With::unit_upper : With::upper;
  }
  if (!S.is_lu) return With::cholesky;
  return op == operation::none ? With::lu : With::lu_transposed;
}

/// X := op(A)⁻¹·B; `right`: B, null where that is X, which is not empty.
template <DeviceBackend B, class Factor, class T>
status run_solve_batch(const B& backend, const Factor& f, const batch_view<const T>* right,
                       const batch_view<T>& X, const batch_solve_options& options) {
  if (!goes_in_device_lanes(f.rows(), f.rows())) {
    return without_exceptions(
        [&] { return solve_one_by_one(backend, f, right, X, options.op, 0, X.batch()); });
  }
  auto S = systems_of(f, X, options.op);
  const bool one_factor = S.is_one_factor() && X.batch() > 1;
  std::vector<std::int32_t> rows;
  if (one_factor) S.interchanges = rows = interchanges_for_all(S);
  return backend.template on_batches<T>(options.tuning, options.floats, [&](auto& batches) {
    using how = typename std::remove_reference_t<decltype(batches)>::solve_how;
    copy_sides(right, X, 0, X.batch());
    return batches.solve(how{.factor = factor_of_solve<typename how::with>(S, options.op),
                             .conjugated = S.conjugated,
                             .one_factor = one_factor},
                         S.factors, S.interchanges, S.info, S.sides);
  });
}

/// A = L·Lᴴ and B := A⁻¹·B; A is not empty; info is written for each.
template <DeviceBackend B, class T>
status run_cholesky_systems(const B& backend, const batch_view<T>& given,
                            const batch_view<const T>* right, const batch_view<T>& X,
                            std::span<std::int32_t> info, const batch_cholesky_options& options) {
  const bool upper = options.part == triangle::upper;
  const batch_view<T> A = upper ? given.transposed() : given;
  if (X.empty()) return run_cholesky_batch(backend, A, info, options);
  if (!goes_in_device_lanes(A.rows(), A.cols())) {
    for (index_t b = 0; b < A.batch(); ++b) {
      copy_sides(right, X, b, b + 1);
      info[as_size(b)] =
          info_of(try_cholesky_solve(backend, given[b], X[b], {.part = options.part}));
    }
    return {};
  }
  return backend.template on_batches<T>(options.tuning, options.floats, [&](auto& batches) {
    using how = typename std::remove_reference_t<decltype(batches)>::solve_how;
    copy_sides(right, X, 0, X.batch());
    return batches.factor_and_solve(how{.conjugated = is_complex<T> && upper}, A, {}, info, X);
  });
}

/// P·A = L·U, or A = L·U where there is no memory for interchanges, and B := A⁻¹·B.
template <DeviceBackend B, class T>
status run_lu_systems(const B& backend, const batch_view<T>& A, const batch_view<const T>* right,
                      const batch_view<T>& X, std::span<std::int32_t> interchanges,
                      std::span<std::int32_t> info, const batch_lu_options& options) {
  if (X.empty()) return run_lu_batch(backend, A, interchanges, info, options);
  if (!goes_in_device_lanes(A.rows(), A.cols())) {
    const simd::lane_pivots rows = {interchanges.data(), A.rows()};
    pivots p;
    for (index_t b = 0; b < A.batch(); ++b) {
      copy_sides(right, X, b, b + 1);
      info[as_size(b)] =
          info_of(try_lu_solve(backend, A[b], p, X[b], {.pivoting = options.pivoting}));
      if (!interchanges.empty()) store_pivots(rows, b, p);
    }
    return {};
  }
  return backend.template on_batches<T>(options.tuning, options.floats, [&](auto& batches) {
    using how = typename std::remove_reference_t<decltype(batches)>::solve_how;
    copy_sides(right, X, 0, X.batch());
    return batches.factor_and_solve(how{.factor = how::with::lu}, A, interchanges, info, X);
  });
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
