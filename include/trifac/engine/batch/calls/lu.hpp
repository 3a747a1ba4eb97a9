#pragma once
// lu() of a batch: P·A = L·U of each matrix.

#include <utility>

#include "trifac/engine/batch/calls/run_factor.hpp"
#include "trifac/factor_solve.hpp"
#include "trifac/lu.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// P·A = L·U of each matrix, or A = L·U.
template <class T>
struct lu_of_batch {
  using value_type = T;
  static constexpr batch_operation what = batch_operation::lu;

  batch_view<T> A;
  batch_lu_options options;
  std::span<std::int32_t> info = {};
  int32_buffer interchanges = {};     ///< none without pivoting
  std::span<std::int32_t> rows = {};  ///< these

  status check() const {
    if (const status s = check_batch(A, "A"); !s) return s;
    if (!exchanges() && options.pivoting != pivoting::none)
      return status::argument("options.pivoting", "must be partial or none for a batch");
    if (!options.interchanges.empty() && exchanges() &&
        static_cast<index_t>(options.interchanges.size()) < numbers_of_interchanges())
      return status::argument("options.interchanges", "is too small");
    return check_floats(options.floats);
  }
  status_kind bad_pivot() const {
    return exchanges() ? status_kind::singular : status_kind::zero_pivot;
  }
  double flops() const {
    const double m = static_cast<double>(max(A.rows(), A.cols())), k = static_cast<double>(steps());
    return static_cast<double>(A.batch()) * (m * k * k - k * k * k / 3);
  }
  /// Memory for what is written beside the factors.
  status make_numbers(int32_buffer& outcomes) {
    const status s = make_info(options.info, A.batch(), outcomes);
    info = outcomes.span();
    if (s && exchanges())
      interchanges = int32_buffer(options.interchanges, numbers_of_interchanges());
    rows = interchanges.span();
    return s;
  }

  index_t columns_of_workspace() const { return 0; }
  bool exchanges() const { return options.pivoting == pivoting::partial; }
  index_t steps() const { return min(A.rows(), A.cols()); }
  index_t numbers_of_interchanges() const {
    return batch_interchanges_size(A.batch(), A.rows(), A.cols());
  }
  batch_systems<T> systems(const batch_view<T>& X) const {
    return {.factors = A, .sides = X, .info = info, .is_lu = true, .interchanges = rows};
  }
  /// Of A, once it was factored.
  batch_lu_factor<T> factor(batch_outcome&& outcome) {
    return {A, options.pivoting, std::move(interchanges), std::move(outcome)};
  }

  void factor_in_lanes(index_t from, index_t to, std::byte* memory) const {
    batch_calls<T>::factor_lu(A, from, to, rows.data(), info.data(), memory);
    if (to == A.batch()) clear_absent_lanes(rows, to, steps());
  }
  template <class Batches>
  status factor_on(Batches& device) const {
    const status s = device.lu(A, rows, info);
    if (s) clear_absent_lanes(rows, A.batch(), steps());
    return s;
  }
  template <class Batches>
  status factor_and_solve_on(Batches& device, const batch_view<T>& X) const {
    using how = typename Batches::solve_how;
    const status s = device.factor_and_solve(how{.factor = how::with::lu}, A, rows, info, X);
    if (s) clear_absent_lanes(rows, A.batch(), steps());
    return s;
  }
  template <Backend B>
  status factor_one(const B& backend, index_t b) const {
    pivots p;
    const status s = try_lu(backend, A[b], p, {.pivoting = options.pivoting}).status();
    store(b, p);
    return s;
  }
  template <Backend B>
  status factor_and_solve_one(const B& backend, index_t b, const matrix_view<T>& X) const {
    pivots p;
    const status s = try_lu_solve(backend, A[b], p, X, {.pivoting = options.pivoting});
    store(b, p);
    return s;
  }

 private:
  void store(index_t b, std::span<const index_t> p) const {
    if (!rows.empty()) store_pivots({rows.data(), steps()}, b, p);
    if (b + 1 == A.batch()) clear_absent_lanes(rows, A.batch(), steps());
  }
};

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
/// matrices with contiguous columns or rows and min(m, n) > 64 one by one, with the bits of
/// lu(A[b]). mn² − n³/3 flops for m ≥ n, 2n³/3 for m = n; workspace: batch_workspace_bytes. LAPACK:
/// getrf for each matrix.
template <BatchBackend B, WritableBatch M>
[[nodiscard]] auto try_lu(const B& backend, M&& A, const batch_lu_options& options = {}) noexcept {
  detail::lu_of_batch<batch_scalar_t<M>> work{batch_view_of(A), options};
  return work.factor(detail::factor_batch(backend, work));
}
template <WritableBatch M>
[[nodiscard]] auto try_lu(M&& A, const batch_lu_options& options = {}) noexcept {
  return try_lu(backend::serial{}, std::forward<M>(A), options);
}

#if TRIFAC_EXCEPTIONS
/// try_lu that throws argument_error, backend_error or std::bad_alloc where no matrix is to blame.
template <BatchBackend B, WritableBatch M>
[[nodiscard]] auto lu(const B& backend, M&& A, const batch_lu_options& options = {}) {
  return detail::or_throw(try_lu(backend, std::forward<M>(A), options));
}
template <WritableBatch M>
[[nodiscard]] auto lu(M&& A, const batch_lu_options& options = {}) {
  return lu(backend::serial{}, std::forward<M>(A), options);
}
#endif

}  // namespace TRIFAC_ABI
}  // namespace trifac
