#pragma once
// From the arguments of a solve of a batch to the systems of its pieces.

#include <atomic>
#include <vector>

#include "trifac/engine/batch/call.hpp"
#include "trifac/engine/batch/check.hpp"
#include "trifac/engine/batch/on_device.hpp"
#include "trifac/engine/batch/one_for_all.hpp"
#include "trifac/engine/batch/overlap.hpp"
#include "trifac/engine/batch/tuning.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// The factor of a batch of square matrices, not empty; single matrices may have failed.
template <class Factor>
status check_batch_factor(const Factor& f) {
  const batch_outcome& outcome = outcome_of(f);
  const status call = outcome.first_failure() < 0 ? outcome.status() : status();
  if (call.kind() == status_kind::empty) return status::argument("factor", call.what());
  if (!call) return call;
  return f.rows() == f.cols() ? status() : status::argument("factor", "is not square");
}

/// `name`: of X.
template <class Factor, class T>
status check_batch_solve(const Factor& f, const batch_view<T>& X, const char* name, operation op) {
  if (const status s = check_batch_factor(f); !s) return s;
  if (const status s = check_batch(X, name); !s) return s;
  if (X.batch() != f.batch() && f.batch() != 1)
    return status::argument(name,
                            "must have as many matrices as the factored batch, unless that is one "
                            "matrix for all");
  if (X.rows() != f.rows())
    return status::argument(name, "must have as many rows as the factored matrices");
  if (batches_overlap<T>(f.matrices(), X))
    return status::argument(name, "overlaps the factored matrices");
  return check_operation(op);
}

/// X := op(A)⁻¹·B; `right`: B, null where that is X, which is not empty.
template <PackingBackend B, class Factor, class T>
status run_solve_batch(const B& backend, const Factor& f, const batch_view<const T>* right,
                       const batch_view<T>& X, const batch_solve_options& options) {
  const double n = static_cast<double>(X.rows());
  const double flops = 2 * n * n * static_cast<double>(X.cols()) * static_cast<double>(X.batch());
  const auto solve_in_pieces = [&](index_t lanes, std::size_t slot, const auto& piece) {
    return run_batch<T>(backend, X.batch(), lanes, flops, slot, options.workspace, piece);
  };
  if (const index_t lanes = lanes_for<T>(f.rows(), f.cols()); lanes > 0) {
    batch_systems<T> S = systems_of(f, X, options.op);
    std::vector<std::int32_t> rows;
    if (S.is_one_factor() && X.batch() > 1) {
      rows = interchanges_for_all(S);
      S.interchanges = rows;
    }
    return solve_in_pieces(lanes, slot_bytes<T>(f.rows(), f.cols(), X.cols()),
                           [&](index_t from, index_t to, std::byte* memory) {
                             copy_sides(right, X, from, to);
                             solve_range(S, from, to, memory);
                           });
  }
  std::atomic<bool> complete = true;
  const status s = solve_in_pieces(1, 0, [&](index_t from, index_t to, std::byte*) {
    const auto solve_them = [&] {
      return solve_one_by_one(backend::serial{}, f, right, X, options.op, from, to);
    };
    if (!without_exceptions(solve_them)) complete = false;  // no exception may leave a piece
  });
  return complete ? s : status::failure(status_kind::out_of_memory, "workspace");
}

/// X := op(A)⁻¹·B; without B that of X.
template <BatchBackend B, class Factor, class T>
status solve_batch(const B& backend, const Factor& f, const batch_view<const T>* right,
                   const batch_view<T>& X, batch_solve_options options) {
  const batch_tuning asked = options.tuning;
  options.tuning =
      tuned_batch(backend, asked, options.profile, batch_operation::solve, f.matrices());
  if constexpr (std::same_as<Factor, batch_triangular_view<T>>) {
    if (asked.kernel == batch_kernel::groups)
      return status::argument("options.tuning.kernel", "groups have no solve with a triangle");
    if (options.tuning.kernel == batch_kernel::groups) options.tuning = {};  // of whole solves
  }
  if (const status s = check_batch_solve(f, X, right ? "X" : "B", options.op); !s) return s;
  if (const status s = check_floats(options.floats); !s) return s;
  if (right != nullptr)
    if (const status s = check_sides(*right, X); !s) return s;
  if (const status s = check_batch_tuning<T>(backend, options.tuning, batch_operation::solve,
                                             X.rows(), X.rows());
      !s)
    return s;
  if (const status s = check_batch_workspace<B, T>(options.workspace, f.rows(), f.cols(), X.cols());
      !s)
    return s;
  const status outcome = outcome_of(f).status();
  if (X.empty()) return outcome;
  if (f.batch() == 1 && !outcome) return outcome;
  const status s = run_solve_batch(backend, f, right, X, options);
  return s ? outcome : s;
}

/// The same with what a call has: the factor of a batch or of one matrix.
template <BatchBackend B, class F, class T>
status solve_batch_or_one(const B& backend, const F& f, const batch_view<const T>* right,
                          const batch_view<T>& X, const batch_solve_options& options) {
  if constexpr (requires { f.matrices(); }) {
    return solve_batch(backend, f, right, X, options);
  } else {
    if (const status s = check_invertible(f); !s) return s;
    std::int32_t info = 0;
    return solve_batch(backend, as_batch(f, {&info, 1}), right, X, options);
  }
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
