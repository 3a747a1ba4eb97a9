#pragma once
// Factorizations and solves of batches that stay in device memory; calls are asynchronous. For
// backends whose device has its own memory (opencl.hpp, cuda.hpp).

#include <memory>
#include <optional>
#include <utility>

#include "trifac/engine/batch/calls/device_batch.hpp"
#include "trifac/engine/batch/calls/device_factor.hpp"
#include "trifac/engine/batch/calls/options.hpp"
#include "trifac/engine/batch/checks/tuning.hpp"
#include "trifac/engine/call/factor_state.hpp"
#include "trifac/engine/simd/batch/lanes.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// The parameters of a call on matrices at A: the caller's, else the profile's except for chunks,
/// which the batch determines, else groups on a GPU above order 32 and for matrices stored one
/// after another, since lanes would need one memory transaction per element.
template <class T, class B>
batch_tuning tuning_of_device(const B& where, const kernel::BATCH& A, const batch_tuning& asked,
                              const profile* measured, batch_operation op) {
  if (asked.chunk != 0 || asked.chunks != batch_chunks::automatic)
    throw argument_error(
        status::argument(asked.chunk != 0 ? "options.tuning.chunk" : "options.tuning.chunks",
                         "is that of the batch, which stays where it lies"));
  const auto shape = chunked<T>(nullptr, A.count, A.rows, A.cols, A.chunk);
  batch_tuning t = tuned_batch(where, asked, measured, op, shape);
  t.chunk = 0;
  t.chunks = batch_chunks::automatic;
  // Lanes in a profile are for the chunked copies made by calls on host memory.
  if (asked == batch_tuning{} && t.kernel != batch_kernel::groups && A.chunk == 1 &&
      !where.facts().is_cpu)
    t = {.kernel = batch_kernel::groups};
  if (const status s = check_batch_tuning<T>(where, t, op, A.rows, A.cols); !s)
    throw argument_error(s);
  return t;
}

template <class T, class B>
void check_device_batch(const device_batch<T, B>& A, bool keeps_elsewhere) {
  if (A.rows() > simd::largest_in_lanes || A.cols() > simd::largest_in_lanes)
    throw argument_error(status::argument(
        "A", "has more than 256 rows or columns: take a device_matrix for each matrix"));
  if (keeps_elsewhere)
    throw argument_error(status::argument(
        "options", "have memory for info, interchanges or work; these stay on the device"));
}

template <class T, class B>
device::batch_launches<typename B::runtime, T> kernels_of(const B& where, const batch_tuning& t,
                                                          float_model floats) {
  if (const status s = check_floats(floats); !s) throw argument_error(s);
  return {where.session(), device::with_floats(where.settings(), floats), t};
}

/// Checks X of a solve with f, or its right-hand side.
template <class F, class T, class B>
void check_device_sides(const F& f, const device_batch<T, B>& X, const char* name) {
  if (f.rows() != f.cols()) throw argument_error(status::argument("factor", "is not square"));
  device::check_sides(f, X, name);
  if (!X.empty() && X.view().memory == f.view().memory)
    throw argument_error(status::argument(name, "is the factored batch"));
}

template <class T, class B>
device::batch_solve_how device_solve_how(const device_batch_cholesky_factor<T, B>& f,
                                         operation op) {
  const bool upper = f.part() == triangle::upper;
  return {.conjugated = is_complex<T> && upper != (op == operation::transpose),
          .mirrored = f.mirrored()};
}
template <class T, class B>
device::batch_solve_how device_solve_how(const device_batch_lu_factor<T, B>& f, operation op) {
  using with = device::batch_solve_how::with;
  return {.factor = op == operation::none ? with::lu : with::lu_transposed,
          .conjugated = is_complex<T> && op == operation::adjoint,
          .exchanges = f.pivoting() == pivoting::partial};
}

template <class F, class T, class B>
void solve_on_device(const F& f, const device_batch<T, B>* right, device_batch<T, B>& X,
                     operation op, const batch_solve_options& options) {
  if (const auto known = f.known_status(); known && !known->of_the_matrix()) throw_status(*known);
  check_device_sides(f, X, right ? "X" : "B");
  if (X.count() != f.batch() && f.batch() != 1)
    throw argument_error(status::argument(right ? "X" : "B",
                                          "must have as many matrices as the factored batch, "
                                          "unless that is one matrix for all"));
  if (right) {
    check_device_sides(f, *right, "B");
    if (right->view().memory == X.view().memory && !X.empty())
      throw argument_error(status::argument("B", "is X: leave one of them out"));
    if (right->cols() != X.cols() || (right->count() != X.count() && right->count() != 1))
      throw argument_error(
          status::argument("B", "must have the columns and matrices of X, or be one for all"));
  }
  if (!options.workspace.empty())
    throw argument_error(
        status::argument("options.workspace", "is for calls on a host's matrices"));
  if (const status s = check_operation(op); !s) throw argument_error(s);
  const batch_tuning t = tuning_of_device<T>(X.backend(), f.view().place, options.tuning,
                                             options.profile, batch_operation::solve);
  if (X.empty()) return;
  auto kernels = kernels_of<T>(X.backend(), t, options.floats);
  if (right) kernels.copy(right->view(), X.view());
  auto how = device_solve_how(f, op);
  how.one_factor = f.batch() == 1 && X.count() > 1;
  auto A = f.view();
  if constexpr (detail::HasTriangle<F>)
    if (f.part() == triangle::upper) A = A.transposed();
  const auto& record = f.pending_executor();
  kernels.solve(how, kernels.of(A), record.interchanges(), record.info(), kernels.of(X.view()));
  X.backend().session().runtime.flush();
}

}  // namespace detail

/// A := L with A = L·Lᴴ (or U with A = Uᴴ·U) for each matrix, in place in device memory.
/// Asynchronous; the factor reports the outcome of each matrix. options.tuning.kernel = groups, the
/// default on GPUs for strided batches and above order 32, overwrites the other triangle with the
/// same factor; other kernels do not modify it. Up to 256 rows. Throws argument_error and
/// backend_error. n³/3 flops per matrix. LAPACK: potrf.
template <class T, class B>
[[nodiscard]] device_batch_cholesky_factor<T, B> cholesky(
    device_batch<T, B>& A, const batch_cholesky_options& options = {}) {
  if (A.rows() != A.cols()) throw argument_error(status::argument("A", "is not square"));
  detail::check_device_batch(A, !options.info.empty() || !options.workspace.empty());
  if (!detail::is_one_of(options.part))
    throw argument_error(status::argument("options.part", "is not one of its enumeration"));
  if (options.jitter.first != 0)
    throw argument_error(
        status::argument("options.jitter", "is not supported by backends of devices"));
  const batch_tuning t = detail::tuning_of_device<T>(A.backend(), A.view().place, options.tuning,
                                                     options.profile, batch_operation::cholesky);
  using factor = device_batch_cholesky_factor<T, B>;
  auto& session = A.backend().session();
  auto on = std::make_unique<typename factor::record>(session, A.count(), 0,
                                                      status_kind::not_positive_definite);
  const bool mirror = t.kernel == batch_kernel::groups;
  if (!A.empty()) {
    auto kernels = detail::kernels_of<T>(A.backend(), t, options.floats);
    const auto view = options.part == triangle::upper ? A.view().transposed() : A.view();
    kernels.cholesky(kernels.of(view), mirror, on->info());
    session.runtime.flush();
  }
  return factor(A, options.part, mirror, std::move(on));
}

/// cholesky() whose errors, too, are the factor's status. Does not throw.
template <class T, class B>
[[nodiscard]] device_batch_cholesky_factor<T, B> try_cholesky(
    device_batch<T, B>& A, const batch_cholesky_options& options = {}) noexcept {
  std::optional<device_batch_cholesky_factor<T, B>> f;
  const status s = device::status_of_call([&] { f.emplace(cholesky(A, options)); });
  return s ? *f : device_batch_cholesky_factor<T, B>(A, options.part, s);
}

/// A := L\U with P·A = L·U for each m × n matrix, in place in device memory. Asynchronous. Up to
/// 256 rows and columns. Throws argument_error and backend_error. mn² − n³/3 flops per matrix for m
/// ≥ n. LAPACK: getrf.
template <class T, class B>
[[nodiscard]] device_batch_lu_factor<T, B> lu(device_batch<T, B>& A,
                                              const batch_lu_options& options = {}) {
  detail::check_device_batch(
      A, !options.info.empty() || !options.interchanges.empty() || !options.workspace.empty());
  if (options.pivoting != pivoting::partial && options.pivoting != pivoting::none)
    throw argument_error(
        status::argument("options.pivoting", "must be partial or none for a batch"));
  const batch_tuning t = detail::tuning_of_device<T>(A.backend(), A.view().place, options.tuning,
                                                     options.profile, batch_operation::lu);
  using factor = device_batch_lu_factor<T, B>;
  auto& session = A.backend().session();
  const bool exchanges = options.pivoting == pivoting::partial;
  auto on = std::make_unique<typename factor::record>(
      session, A.count(), exchanges ? batch_interchanges_size(A.count(), A.rows(), A.cols()) : 0,
      exchanges ? status_kind::singular : status_kind::zero_pivot);
  if (!A.empty()) {
    auto kernels = detail::kernels_of<T>(A.backend(), t, options.floats);
    kernels.lu(kernels.of(A.view()), options.pivoting, on->interchanges(), on->info());
    session.runtime.flush();
  }
  return factor(A, options.pivoting, std::move(on));
}

/// lu() whose errors, too, are the factor's status. Does not throw.
template <class T, class B>
[[nodiscard]] device_batch_lu_factor<T, B> try_lu(device_batch<T, B>& A,
                                                  const batch_lu_options& options = {}) noexcept {
  std::optional<device_batch_lu_factor<T, B>> f;
  const status s = device::status_of_call([&] { f.emplace(lu(A, options)); });
  return s ? *f : device_batch_lu_factor<T, B>(A, options.pivoting, s);
}

/// B := op(A)⁻¹·B for each matrix on the device; the systems of failed matrices are unchanged,
/// and the factor reports which. f: as many square matrices as B, or one for all. Asynchronous.
/// Throws argument_error and backend_error. 2n²·r flops per matrix. LAPACK: potrs, getrs.
template <class F, class T, class B>
requires DeviceBatchFactor<F, T, B>
void solve(const F& f, device_batch<T, B>& X, operation op = operation::none,
           const batch_solve_options& options = {}) {
  detail::solve_on_device<F, T, B>(f, nullptr, X, op, options);
}
/// X := op(A)⁻¹·B, otherwise as above; a B of one matrix serves all. X of a failed matrix is B.
template <class F, class T, class B>
requires DeviceBatchFactor<F, T, B>
void solve(const F& f, const device_batch<T, B>& right, device_batch<T, B>& X,
           operation op = operation::none, const batch_solve_options& options = {}) {
  detail::solve_on_device(f, &right, X, op, options);
}
/// The same that return the status of what these throw.
template <class F, class T, class B>
requires DeviceBatchFactor<F, T, B> status try_solve(const F& f, device_batch<T, B>& X,
                                                     operation op = operation::none,
                                                     const batch_solve_options& options = {})
noexcept {
  return device::status_of_call([&] { solve(f, X, op, options); });
}
template <class F, class T, class B>
requires DeviceBatchFactor<F, T, B> status try_solve(const F& f, const device_batch<T, B>& right,
                                                     device_batch<T, B>& X,
                                                     operation op = operation::none,
                                                     const batch_solve_options& options = {})
noexcept {
  return device::status_of_call([&] { solve(f, right, X, op, options); });
}

}  // namespace TRIFAC_ABI
}  // namespace trifac
