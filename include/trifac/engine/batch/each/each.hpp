#pragma once
// Calls on a factored batch that go matrix by matrix, through the call of one matrix.

#include <span>
#include <vector>

#include "trifac/engine/batch/calls/solve.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// `checked`, or work(info) with a number for each matrix of f.
template <class F, class Work>
batch_outcome with_outcomes(const F& f, const status& checked, Work work) {
  int32_buffer info;
  status s = checked;
  if (s)
    s = without_exceptions([&] {
      info = int32_buffer({}, f.batch());
      return work(info.span());
    });
  return outcome_of_call(s, std::move(info), factor_access::state(outcome_of(f)).bad);
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

/// one(b) for each matrix of f; `checked`: f and the call's own arguments.
template <PackingBackend B, class F, class One>
batch_outcome for_each_matrix(const B& backend, const F& f, const status& checked, double flops,
                              One one) {
  return with_outcomes(
      f, checked ? check_backend(backend) : checked, [&](std::span<std::int32_t> info) {
        return run_each<typename F::value_type>(backend, info, f.rows(), flops, one);
      });
}

/// A factor, and one value for each of its matrices.
template <class F, class V>
status check_values(const F& f, const std::span<V>& values, const char* argument) {
  if (const status s = check_batch_factor(f); !s) return s;
  return static_cast<index_t>(values.size()) == f.batch()
             ? status()
             : status::argument(argument, "must have as many numbers as the batch has matrices");
}

#if TRIFAC_EXCEPTIONS
/// A value for each matrix of f, which try_values writes; throws what belongs to the first status
/// that is no success: of a factor whose call failed before memory of its sizes is asked for.
template <class V, class F, class Call>
std::vector<V> values_of_each(const F& f, Call try_values) {
  throw_unless_ok(check_batch_factor(f));
  std::vector<V> values(as_size(f.batch()));
  throw_unless_ok(try_values(std::span(values)).status());
  return values;
}
#endif

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
