#pragma once
// cholesky() of a batch: A = L·Lᴴ of each matrix.

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
status check_batch_cholesky(const batch_view<T>& A, const batch_cholesky_options& options) {
  if (const status s = check_batch(A, "A"); !s) return s;
  if (A.rows() != A.cols()) return status::argument("A", "is not square");
  if (!is_one_of(options.part))
    return status::argument("options.part", "is not one of its enumeration");
  return check_floats(options.floats);
}

/// A = L·Lᴴ of lower triangles; A is not empty; info is written for each.
template <PackingBackend B, class T>
status run_cholesky_batch(const B& backend, const batch_view<T>& A, std::span<std::int32_t> info,
                          const batch_cholesky_options& options) {
  const double n = static_cast<double>(A.rows()), count = static_cast<double>(A.batch());
  const auto run_pieces = [&](index_t lanes, std::size_t slot, const auto& piece) {
    return run_batch<T>(backend, A.batch(), lanes, count * n * n * n / 3, slot, options.workspace,
                        piece);
  };
  if (const index_t lanes = lanes_for<T>(A.rows(), A.cols()); lanes > 0)
    return run_pieces(lanes, slot_bytes<T>(A.rows(), A.cols(), 0),
                      [&](index_t from, index_t to, std::byte* memory) {
                        factor_cholesky_range(A, from, to, info.data(), memory, options.floats);
                      });
  return run_pieces(1, 0, [&](index_t from, index_t to, std::byte*) {
    factor_cholesky_one_by_one(backend::serial{}, A, from, to, info.data());
  });
}

template <BatchBackend B, class T>
batch_outcome factor_cholesky_batch(const B& backend, const batch_view<T>& given,
                                    batch_cholesky_options options) {
  options.tuning =
      tuned_batch(backend, options.tuning, options.profile, batch_operation::cholesky, given);
  status checked = check_batch_cholesky(given, options);
  if (checked)
    checked = check_batch_tuning<T>(backend, options.tuning, batch_operation::cholesky,
                                    given.rows(), given.rows());
  if (checked)
    checked = check_batch_workspace<B, T>(options.workspace, given.rows(), given.cols(), 0);
  // A = Uᴴ·U: Uᵀ is the lower factor of Aᵀ.
  const batch_view<T> A = options.part == triangle::upper ? given.transposed() : given;
  return with_info(
      options.info, A.batch(), status_kind::not_positive_definite, checked, [&](given_or_own& own) {
        return A.empty() ? succeeded(own) : run_cholesky_batch(backend, A, own.span(), options);
      });
}

}  // namespace detail

/// A := L with A = L·Lᴴ (options.part = lower) or U with A = Uᴴ·U (upper) for each matrix of a
/// batch, in place. No exception leaves it.
/// @param backend  serial, openmp, threads, opencl or cuda; without it serial
/// @param A  batch × n × n Hermitian (symmetric) matrices in any layout; the named triangles are
///           read and overwritten, the others neither read nor written
/// @return   status of the call, and info for each matrix: not_positive_definite or not_finite with
///           the first bad pivot. The named triangle of such a matrix is unspecified; all others
///           have the bits that they have without it.
/// Up to n = 256 a matrix is factored in the lanes of vectors: real ones in chunks of at most 64, a
/// multiple of the lanes, where they lie; all others packed and unpacked. One by one, with the bits
/// of cholesky(A[b]): from n = 257 on, and on CPUs with contiguous columns or rows from n = 65 on
/// (complex types 129). In lanes a matrix has the same bits in any layout, at any place of the
/// batch, for any chunk and number of threads. n³/3 flops for each; workspace:
/// batch_workspace_bytes. LAPACK: potrf for each matrix.
template <BatchBackend B, WritableBatch M>
[[nodiscard]] auto try_cholesky(const B& backend, M&& A,
                                const batch_cholesky_options& options = {}) noexcept {
  const auto view = batch_view_of(A);
  return batch_cholesky_factor<batch_scalar_t<M>>(
      view, options.part, detail::factor_cholesky_batch(backend, view, options));
}
template <WritableBatch M>
[[nodiscard]] auto try_cholesky(M&& A, const batch_cholesky_options& options = {}) noexcept {
  return try_cholesky(backend::serial{}, std::forward<M>(A), options);
}

#if TRIFAC_EXCEPTIONS
/// try_cholesky that throws argument_error, backend_error or std::bad_alloc where no matrix is to
/// blame; matrices that are not positive definite come back in the factor.
template <BatchBackend B, WritableBatch M>
[[nodiscard]] auto cholesky(const B& backend, M&& A, const batch_cholesky_options& options = {}) {
  return detail::throwing([&] { return try_cholesky(backend, std::forward<M>(A), options); });
}
template <WritableBatch M>
[[nodiscard]] auto cholesky(M&& A, const batch_cholesky_options& options = {}) {
  return cholesky(backend::serial{}, std::forward<M>(A), options);
}
#endif

}  // namespace TRIFAC_ABI
}  // namespace trifac
