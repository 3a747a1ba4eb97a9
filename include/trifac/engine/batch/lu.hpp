#pragma once
// lu() of a batch: P·A = L·U of each matrix.

#include <utility>

#include "trifac/engine/batch/batch_like.hpp"
#include "trifac/engine/batch/call.hpp"
#include "trifac/engine/batch/check.hpp"
#include "trifac/engine/batch/factor.hpp"
#include "trifac/engine/batch/on_device.hpp"
#include "trifac/engine/batch/tuning.hpp"
#include "trifac/engine/batch/with_info.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

template <class T>
status check_batch_lu(const batch_view<T>& A, const batch_lu_options& options) {
  if (const status s = check_batch(A, "A"); !s) return s;
  if (options.pivoting != pivoting::partial && options.pivoting != pivoting::none)
    return status::argument("options.pivoting", "must be partial or none for a batch");
  const index_t count = batch_interchanges_size(A.batch(), A.rows(), A.cols());
  if (!options.interchanges.empty() && options.pivoting == pivoting::partial &&
      static_cast<index_t>(options.interchanges.size()) < count)
    return status::argument("options.interchanges", "is too small");
  return check_floats(options.floats);
}

/// P·A = L·U, or A = L·U where there is no memory for interchanges; A is not empty; info is
/// written for each.
template <PackingBackend B, class T>
status run_lu_batch(const B& backend, const batch_view<T>& A, std::span<std::int32_t> interchanges,
                    std::span<std::int32_t> info, const batch_lu_options& options) {
  const index_t steps = min(A.rows(), A.cols());
  const simd::lane_pivots pivots = {interchanges.data(), steps};
  const double m = static_cast<double>(max(A.rows(), A.cols())), k = static_cast<double>(steps);
  const double flops = static_cast<double>(A.batch()) * (m * k * k - k * k * k / 3);
  const auto run_pieces = [&](index_t lanes, std::size_t slot, const auto& piece) {
    return run_batch<T>(backend, A.batch(), lanes, flops, slot, options.workspace, piece);
  };
  if (const index_t lanes = lanes_for<T>(A.rows(), A.cols()); lanes > 0)
    return run_pieces(lanes, slot_bytes<T>(A.rows(), A.cols(), 0),
                      [&](index_t from, index_t to, std::byte* memory) {
                        factor_lu_range(A, from, to, pivots.rows, info.data(), memory);
                      });
  return run_pieces(1, 0, [&](index_t from, index_t to, std::byte*) {
    factor_lu_one_by_one(backend::serial{}, A, from, to, options.pivoting, pivots, info.data());
  });
}

/// `own` receives the interchanges, where there are any.
template <BatchBackend B, class T>
batch_outcome factor_lu_batch(const B& backend, const batch_view<T>& A, given_or_own& own,
                              batch_lu_options options) {
  if (A.rows() == A.cols())  // findings are of square matrices
    options.tuning = tuned_batch(backend, options.tuning, options.profile, batch_operation::lu, A);
  status checked = check_batch_lu(A, options);
  if (checked)
    checked =
        check_batch_tuning<T>(backend, options.tuning, batch_operation::lu, A.rows(), A.cols());
  if (checked) checked = check_batch_workspace<B, T>(options.workspace, A.rows(), A.cols(), 0);
  const bool exchanges = options.pivoting == pivoting::partial;
  const auto bad = exchanges ? status_kind::singular : status_kind::zero_pivot;
  return with_info(options.info, A.batch(), bad, checked, [&](given_or_own& outcomes) {
    if (exchanges)
      own = given_or_own(options.interchanges,
                         batch_interchanges_size(A.batch(), A.rows(), A.cols()));
    if (A.empty()) return succeeded(outcomes);
    const status s = run_lu_batch(backend, A, own.span(), outcomes.span(), options);
    if (s) clear_absent_lanes(own.span(), A.batch(), min(A.rows(), A.cols()));
    return s;
  });
}

}  // namespace detail

/// A := L\U with P·A = L·U for each matrix of a batch, in place: U on and above the diagonal, L
/// without its ones below. No exception leaves it.
/// @param backend  as for cholesky()
/// @param A  batch × m × n matrices in any layout
/// @return   status of the call, and info for each matrix: singular with the first zero on the
///           diagonal of U (the factorization is complete), zero_pivot without pivoting,
///           not_finite. The elements of a matrix that is not complete are unspecified; all others
///           have the bits that they have without it. interchanges(b) are those of matrix b.
/// Up to 256 rows and columns in lanes, as cholesky(); with partial pivoting, on CPUs, real
/// matrices with contiguous columns or rows and min(m, n) > 48 one by one, with the bits of
/// lu(A[b]). mn² − n³/3 flops for m ≥ n, 2n³/3 for m = n; workspace: batch_workspace_bytes. LAPACK:
/// getrf for each matrix.
template <BatchBackend B, WritableBatch M>
[[nodiscard]] auto try_lu(const B& backend, M&& A, const batch_lu_options& options = {}) noexcept {
  const auto view = batch_view_of(A);
  detail::given_or_own interchanges;
  batch_outcome outcome = detail::factor_lu_batch(backend, view, interchanges, options);
  return batch_lu_factor<batch_scalar_t<M>>(view, options.pivoting, std::move(interchanges),
                                            std::move(outcome));
}
template <WritableBatch M>
[[nodiscard]] auto try_lu(M&& A, const batch_lu_options& options = {}) noexcept {
  return try_lu(backend::serial{}, std::forward<M>(A), options);
}

#if TRIFAC_EXCEPTIONS
/// try_lu that throws argument_error, backend_error or std::bad_alloc where no matrix is to blame.
template <BatchBackend B, WritableBatch M>
[[nodiscard]] auto lu(const B& backend, M&& A, const batch_lu_options& options = {}) {
  return detail::throwing([&] { return try_lu(backend, std::forward<M>(A), options); });
}
template <WritableBatch M>
[[nodiscard]] auto lu(M&& A, const batch_lu_options& options = {}) {
  return lu(backend::serial{}, std::forward<M>(A), options);
}
#endif

}  // namespace TRIFAC_ABI
}  // namespace trifac
