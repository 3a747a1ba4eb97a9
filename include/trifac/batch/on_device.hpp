#pragma once
// The calls on batches on a device: in lanes there, or larger matrices one by one.

#include <vector>

#include "trifac/batch/one_for_all.hpp"
#include "trifac/batch/systems.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// Rows and columns that the kernels of a device take.
constexpr bool goes_in_device_lanes(index_t rows, index_t cols) {
  return rows <= simd::largest_in_lanes && cols <= simd::largest_in_lanes;
}

/// A = L·Lᴴ of lower triangles; A is not empty, info are zeros.
template <DeviceBackend B, class T>
status run_cholesky_batch(const B& backend, const batch_view<T>& A, std::span<std::int32_t> info,
                          const batch_cholesky_options& options) {
  if (goes_in_device_lanes(A.rows(), A.cols()))
    return backend.template on_batches<T>(options.tuning,
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
  const status s = backend.template on_batches<T>(
      options.tuning, [&](auto& batches) { return batches.lu(A, interchanges, info); });
  if (s && A.rows() != A.cols())
    check_finite_piece(A, 0, A.batch(), !interchanges.empty(), info.data());
  return s;
}

/// B := op(A)⁻¹·B; B is not empty.
template <DeviceBackend B, class Factor, class T>
status run_solve_batch(const B& backend, const Factor& f, const batch_view<T>& X,
                       const batch_solve_options& options) {
  if (!goes_in_device_lanes(f.rows(), f.rows())) {
    return without_exceptions(
        [&] { return solve_one_by_one(backend, f, X, options.op, 0, X.batch()); });
  }
  auto S = systems_of(f, X, options.op);
  std::vector<std::int32_t> rows, info;
  if (S.is_one_factor() && X.batch() > 1) {  // kernels know batches
    rows = interchanges_for(S, X.batch());
    info.resize(as_size(X.batch()));
    S.factors = repeated(S.factors, X.batch());
    S.interchanges = rows;
    S.info = info;
  }
  return backend.template on_batches<T>(options.tuning, [&](auto& batches) {
    using kind = typename std::remove_reference_t<decltype(batches)>::solve_kind;
    return batches.solve(!S.is_lu                        ? kind::cholesky
                         : options.op == operation::none ? kind::lu
                                                         : kind::lu_transposed,
                         S.conjugated, S.factors, S.interchanges, S.info, S.sides);
  });
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
