#pragma once
// From the arguments of a solve of a batch to its systems: in lanes, on CPUs and devices, or one
// after another through the solve of one matrix.

#include <atomic>
#include <vector>

#include "trifac/engine/batch/calls/systems.hpp"
#include "trifac/engine/batch/checks/check.hpp"
#include "trifac/engine/batch/checks/tuning.hpp"
#include "trifac/engine/batch/pieces/run.hpp"
#include "trifac/solve.hpp"
#include "trifac/triangular_solve.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// The factor of a batch, not empty; single matrices may have failed.
template <class Factor>
status check_batch_call(const Factor& f) {
  const batch_outcome& outcome = outcome_of(f);
  const status call = outcome.first_failure() < 0 ? outcome.status() : status();
  return call.kind() == status_kind::empty ? status::argument("factor", call.what()) : call;
}
/// The same of square matrices.
template <class Factor>
status check_batch_factor(const Factor& f) {
  if (const status call = check_batch_call(f); !call) return call;
  return f.rows() == f.cols() ? status() : status::argument("factor", "is not square");
}

inline constexpr misfit_texts misfits_of_factor = {
    "must have as many matrices as the factored batch, unless that is one matrix for all",
    "must have as many rows as the factored matrices", "overlaps the factored matrices"};

/// Systems from … to−1, with the solve of one matrix. Stops where there is no memory for it; the
/// interchanges of a large factor may throw.
template <Backend B, class Factor, class T>
status solve_one_by_one(const B& backend, const Factor& f, const batch_sides<T>& sides,
                        operation op, index_t from, index_t to) {
  const auto info = outcome_of(f).info();
  status s;
  for (index_t b = from; b < to && s; ++b) {
    const index_t k = f.batch() == 1 ? 0 : b;  // one factor for all
    sides.copy_to_solutions(b, b + 1);
    if (info[as_size(k)] != 0) continue;
    s = try_solve(backend, f[k], sides.X[b], op);
    if (s.of_the_matrix()) s = {};  // with a triangle: a solution that overflowed
  }
  return s;
}

/// X := op(A)⁻¹·B; X is not empty.
template <PackingBackend B, class Factor, class T>
status run_solve_batch(const B& backend, const Factor& f, const batch_sides<T>& sides, operation op,
                       const batch_solve_options& options) {
  const batch_view<T>& X = sides.X;
  const double n = static_cast<double>(X.rows());
  const double flops = 2 * n * n * static_cast<double>(X.cols()) * static_cast<double>(X.batch());
  if constexpr (LapackScalar<T>)
    if (const index_t lanes = lanes_for<T>(f.rows(), f.cols()); lanes > 0) {
      batch_systems<T> S = systems_of(f, X, op);
      std::vector<std::int32_t> rows;
      repeat_interchanges(S, rows);
      return run_batch<T>(backend, X.batch(), lanes, flops,
                          slot_bytes<T>(f.rows(), f.cols(), X.cols()), options.workspace,
                          [&](index_t from, index_t to, std::byte* memory) {
                            sides.copy_to_solutions(from, to);
                            batch_calls<T>::solve(S, from, to, memory);
                          });
    }
  if (is_for_the_team<T>(X.batch(), 0)) return solve_one_by_one(backend, f, sides, op, 0, 1);
  std::atomic<status_kind> failure = status_kind::success;
  const status s = run_batch<T>(
      backend, X.batch(), 1, flops, 0, options.workspace,
      [&](index_t from, index_t to, std::byte*) {
        const status solved = without_exceptions(  // no exception may leave a piece
            [&] { return solve_one_by_one(backend::serial{}, f, sides, op, from, to); });
        if (!solved) failure = solved.kind();
      });
  return failure == status_kind::success ? s : status_of_work(failure);
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

template <DeviceBackend B, class Factor, class T>
status run_solve_batch(const B& backend, const Factor& f, const batch_sides<T>& sides, operation op,
                       const batch_solve_options& options) {
  const index_t count = sides.X.batch();
  if (!goes_in_device_lanes(f.rows(), f.rows()))
    return solve_one_by_one(backend, f, sides, op, 0, count);
  auto S = systems_of(f, sides.X, op);
  std::vector<std::int32_t> rows;
  repeat_interchanges(S, rows);
  return backend.template on_batches<T>(options.tuning, options.floats, [&](auto& batches) {
    using how = typename std::remove_reference_t<decltype(batches)>::solve_how;
    sides.copy_to_solutions(0, count);
    return batches.solve(how{.factor = factor_of_solve<typename how::with>(S, op),
                             .conjugated = S.conjugated,
                             .one_factor = S.is_one_factor() && count > 1},
                         S.factors, S.interchanges, S.info, S.sides);
  });
}

/// Checks the arguments, then solves with the factor of a batch.
template <BatchBackend B, class Factor, class T>
status solve_batch(const B& backend, const Factor& f, const batch_sides<T>& sides, operation op,
                   batch_solve_options options) {
  const batch_view<T>& X = sides.X;
  const batch_tuning asked = options.tuning;
  options.tuning =
      tuned_batch(backend, asked, options.profile, batch_operation::solve, f.matrices());
  if constexpr (std::same_as<Factor, batch_triangular_view<T>>) {
    if (asked.kernel == batch_kernel::groups)
      return status::argument("options.tuning.kernel", "groups have no solve with a triangle");
    if (options.tuning.kernel == batch_kernel::groups) options.tuning = {};  // of whole solves
  }
  status s = check_batch_factor(f);
  if (s) s = check_solutions<T>(f.matrices(), sides, misfits_of_factor);
  if (s) s = check_operation(op);
  if (s) s = check_floats(options.floats);
  if (s) s = check_right_hand_sides(sides);
  if (s)
    s = check_batch_tuning<T>(backend, options.tuning, batch_operation::solve, X.rows(), X.rows());
  if (s) s = check_batch_workspace<B, T>(options.workspace, f.rows(), f.cols(), X.cols());
  if (!s) return s;
  const status outcome = outcome_of(f).status();
  if (X.empty() || (f.batch() == 1 && !outcome)) return outcome;
  s = run_solve_batch(backend, f, sides, op, options);
  return s ? outcome : s;
}

/// The same with what a call has: the factor of a batch or of one matrix. No exception leaves it.
template <BatchBackend B, class F, class T>
status solve_with(const B& backend, const F& f, const batch_sides<T>& sides, operation op,
                  const batch_solve_options& options) noexcept {
  return without_exceptions([&] {
    if constexpr (requires { f.matrices(); }) {
      return solve_batch(backend, f, sides, op, options);
    } else {
      if (const status s = check_invertible(f); !s) return s;
      std::int32_t info = 0;
      return solve_batch(backend, as_batch(f, {&info, 1}), sides, op, options);
    }
  });
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
