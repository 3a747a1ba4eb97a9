#pragma once
// cholesky() of a batch: A = L·Lᴴ of each matrix.

#include <utility>
#include <vector>

#include "trifac/cholesky.hpp"
#include "trifac/engine/batch/calls/jitter.hpp"
#include "trifac/engine/batch/calls/run_factor.hpp"
#include "trifac/factor_solve.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// A = L·Lᴴ or Uᴴ·U of each matrix.
template <class T>
struct cholesky_of_batch {
  using value_type = T;
  static constexpr batch_operation what = batch_operation::cholesky;

  batch_view<T> A;
  batch_cholesky_options options;
  std::span<std::int32_t> info = {};
  std::vector<real_t<T>> own_shifts = {};  ///< none without jitter
  std::span<real_t<T>> shifts = {};        ///< these

  status check() const {
    if (const status s = check_batch(A, "A"); !s) return s;
    if (A.rows() != A.cols()) return status::argument("A", "is not square");
    if (!is_one_of(options.part))
      return status::argument("options.part", "is not one of its enumeration");
    const status s = check_floats(options.floats);
    return s && has_jitter() ? check_jitter<real_t<T>>(options.jitter) : s;
  }
  status_kind bad_pivot() const { return status_kind::not_positive_definite; }
  double flops() const {
    const double n = static_cast<double>(A.rows());
    return static_cast<double>(A.batch()) * n * n * n / 3;
  }
  /// Memory for what is written beside the factors.
  status make_numbers(int32_buffer& outcomes) {
    const status s = make_info(options.info, A.batch(), outcomes);
    info = outcomes.span();
    if (s && has_jitter()) own_shifts.resize(as_size(A.batch()));
    shifts = own_shifts;
    return s;
  }
  bool has_jitter() const { return options.jitter.first != 0; }
  /// Right-hand sides for which the workspace of a piece has room: with jitter for copies.
  index_t columns_of_workspace() const { return has_jitter() ? A.cols() : 0; }

  bool is_upper() const { return options.part == triangle::upper; }
  /// A = Uᴴ·U: Uᵀ is the lower factor of Aᵀ.
  batch_view<T> lower_matrices() const { return is_upper() ? A.transposed() : A; }
  /// Its right-hand sides are conjugated in place of Uᵀ.
  bool is_conjugated() const { return is_complex<T> && is_upper(); }
  batch_systems<T> systems(const batch_view<T>& X) const {
    return {.factors = lower_matrices(), .sides = X, .info = info, .conjugated = is_conjugated()};
  }
  /// Of A, once it was factored.
  batch_cholesky_factor<T> factor(batch_outcome&& outcome) {
    return {A, options.part, std::move(outcome), std::move(own_shifts)};
  }

  void factor_in_lanes(index_t from, index_t to, std::byte* memory) const {
    if (has_jitter())
      return factor_with_jitter_in_lanes(options.jitter, options.floats, lower_matrices(), from, to,
                                         info, shifts, memory);
    batch_calls<T>::factor_cholesky(lower_matrices(), from, to, info.data(), memory,
                                    options.floats);
  }
  template <class Batches>
  status factor_on(Batches& device) const {
    return device.cholesky(lower_matrices(), info);
  }
  template <class Batches>
  status factor_and_solve_on(Batches& device, const batch_view<T>& X) const {
    return device.factor_and_solve({.conjugated = is_conjugated()}, lower_matrices(), {}, info, X);
  }
  template <Backend B>
  status factor_one(const B& backend, index_t b) const {
    if (has_jitter()) return factor_one_with_jitter(backend, b);
    return try_cholesky(backend, A[b], {.part = options.part}).status();
  }
  template <Backend B>
  status factor_and_solve_one(const B& backend, index_t b, const matrix_view<T>& X) const {
    return try_cholesky_solve(backend, A[b], X, {.part = options.part});
  }

 private:
  template <Backend B>
  status factor_one_with_jitter(const B& backend, index_t b) const {
    const matrix_view<T> L = lower_matrices()[b];
    matrix<T> copy(L.rows(), L.cols());
    blas::copy_lower<T>(L, copy);
    const auto f = try_cholesky(backend, copy, L, {.jitter = options.jitter});
    shifts[as_size(b)] = f.shift();
    if (!f.ok()) blas::copy_lower<T>(copy, L);
    return f.status();
  }
};

}  // namespace detail

/// A := L with A = L·Lᴴ (options.part = lower) or U with A = Uᴴ·U (upper) for each matrix of a
/// batch, in place. No exception leaves it.
/// @param backend  serial, openmp, threads, opencl or cuda; without it serial
/// @param A  batch × n × n Hermitian (symmetric) matrices in any layout; the named triangles are
///           read and overwritten, the others neither read nor written
/// @return   status of the call, and info for each matrix: not_positive_definite or not_finite with
///           the first bad pivot. The named triangle of such a matrix is unspecified, with
///           options.jitter as it was; all others have the bits that they have without it.
/// Up to n = 256 a matrix is factored in the lanes of vectors: real ones in chunks of at most 64, a
/// multiple of the lanes, where they lie; all others packed and unpacked. One by one, with the bits
/// of cholesky(A[b]): from n = 257 on, and on CPUs with contiguous columns or rows from n = 65 on
/// (complex types 129). In lanes a matrix has the same bits in any layout, at any place of the
/// batch, for any chunk and number of threads. n³/3 flops for each; workspace:
/// batch_workspace_bytes. LAPACK: potrf for each matrix.
/// options.jitter, on CPUs: of a matrix that is not positive definite A + shift·I is factored, with
/// the first shift of its sequence that suffices and the bits that this matrix has without jitter;
/// f.shift(b) reports it. Each matrix is copied before it is factored, n²/2 elements in the cache;
/// only those that failed are factored again, in lanes of their own. Workspace then:
/// batch_workspace_bytes with n right-hand sides. From n = 257 on a copy is allocated.
template <BatchBackend B, WritableBatch M>
[[nodiscard]] auto try_cholesky(const B& backend, M&& A,
                                const batch_cholesky_options& options = {}) noexcept {
  detail::cholesky_of_batch<batch_scalar_t<M>> work{batch_view_of(A), options};
  return work.factor(detail::factor_batch(backend, work));
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
  return detail::or_throw(try_cholesky(backend, std::forward<M>(A), options));
}
template <WritableBatch M>
[[nodiscard]] auto cholesky(M&& A, const batch_cholesky_options& options = {}) {
  return cholesky(backend::serial{}, std::forward<M>(A), options);
}
#endif

}  // namespace TRIFAC_ABI
}  // namespace trifac
