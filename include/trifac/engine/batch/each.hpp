#pragma once
// Calls on a factored batch that go matrix by matrix, through the call of one matrix.

#include "trifac/engine/batch/solve.hpp"
#include "trifac/engine/batch/with_info.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// What a bad pivot that is finite means.
template <class T>
status_kind bad_pivot_of(const batch_cholesky_factor<T>&) {
  return status_kind::not_positive_definite;
}
template <class T>
status_kind bad_pivot_of(const batch_lu_factor<T>& f) {
  return f.pivoting() == pivoting::partial ? status_kind::singular : status_kind::zero_pivot;
}

/// `checked`, or work(info) with a number for each matrix of f.
template <class F, class Work>
batch_outcome with_outcomes(const F& f, const status& checked, Work work) {
  return with_info({}, f.batch(), bad_pivot_of(f), checked,
                   [&](given_or_own& own) { return work(own.span()); });
}

/// info[b] := how one(b) ended for each matrix, b shared among the threads; `flops` of one.
/// not_finite without an index gets that of the last pivot. No exception leaves a piece.
template <class T, PackingBackend B, class One>
status run_each(const B& backend, std::span<std::int32_t> info, index_t n, double flops, One one) {
  const auto count = static_cast<index_t>(info.size());
  if (count == 0) return {};
  return run_batch<T>(backend, count, 1, flops * static_cast<double>(count), 0, {},
                      [&](index_t from, index_t to, std::byte*) {
                        for (index_t b = from; b < to; ++b) {
                          status s = without_exceptions([&] { return one(b); });
                          if (s.of_the_matrix() && !s && s.index() < 0)
                            s = status::at(s.kind(), n - 1);
                          info[as_size(b)] = info_of(s);
                        }
                      });
}

/// Checks f, then calls checked(), the status of the call's own arguments, then one(b) for each
/// matrix of f.
template <PackingBackend B, class F, class Check, class One>
batch_outcome for_each_matrix(const B& backend, const F& f, double flops, Check checked, One one) {
  status s = check_batch_factor(f);
  if (s) s = checked();
  if (s) s = check_backend(backend);
  return with_outcomes(f, s, [&](std::span<std::int32_t> info) {
    return run_each<typename F::value_type>(backend, info, f.rows(), flops, one);
  });
}

/// One value for each matrix.
template <class F, class V>
status check_values(const F& f, const std::span<V>& values, const char* argument) {
  return static_cast<index_t>(values.size()) == f.batch()
             ? status()
             : status::argument(argument, "must have as many numbers as the batch has matrices");
}

#if TRIFAC_EXCEPTIONS
inline void throw_unless_ok(const batch_outcome& outcome) {
  if (!outcome) throw_status(outcome.status());
}
/// Of a factor whose call failed, before memory of its sizes is asked for.
template <class F>
void throw_unless_usable(const F& factor) {
  if (const status s = check_batch_factor(factor); !s) throw_status(s);
}
#endif

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
