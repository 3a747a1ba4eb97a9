#pragma once
// Results of tuning for batches: the fastest parameters for each operation, type, layout and order.
// `trifac tune` measures them; a profile or an exported header stores them.

#include <span>

#include "trifac/engine/views/batch_tuning.hpp"

namespace trifac {

/// Layouts that need different kernels: one matrix after another (also by pointers), interleaved in
/// chunks, or all interleaved.
enum class batch_place { strided, chunked, interleaved };
inline constexpr std::array<std::string_view, 3> batch_place_names = {"strided", "chunked",
                                                                      "interleaved"};

/// The fastest parameters. A plain value.
struct batch_finding {
  batch_operation operation = batch_operation::cholesky;
  char type = 'd';  ///< LAPACK's letter
  /// For `chunked` batches, tuning.chunk is the chunk of the recommended layout; 0: one cache line.
  batch_place place = batch_place::chunked;
  index_t from = 0;  ///< the measured order; valid up to the next finding's order
  batch_tuning tuning;
  int gain = 100;  ///< speed in percent of that with default parameters
  int sure = 0;    ///< percent of paired runs in which it beat the runner-up; 0: no runner-up
};

/// The finding of the largest order ≤ n, or null.
constexpr const batch_finding* find(std::span<const batch_finding> findings, batch_operation what,
                                    char type, batch_place place, index_t n) {
  const batch_finding* best = nullptr;
  for (const batch_finding& f : findings)
    if (f.operation == what && f.type == type && f.place == place && f.from <= n &&
        (best == nullptr || f.from >= best->from))
      best = &f;
  return best;
}

/// options.tuning for batches of order n from the findings of an exported header, usable in
/// constant expressions. Default parameters if there is no finding.
template <LapackScalar T>
constexpr batch_tuning tuning_from(std::span<const batch_finding> findings, batch_operation what,
                                   batch_place place, index_t n) {
  const batch_finding* const f = find(findings, what, lapack_letter<T>, place, n);
  if (f == nullptr) return {};
  batch_tuning t = f->tuning;
  if (place == batch_place::chunked) t.chunk = 0, t.chunks = batch_chunks::automatic;
  return t;
}

/// The chunk for trifac::batch_layout; −1 (one cache line) if there is no finding.
template <LapackScalar T>
constexpr index_t chunk_from(std::span<const batch_finding> findings, batch_operation what,
                             index_t n) {
  const batch_finding* const f = find(findings, what, lapack_letter<T>, batch_place::chunked, n);
  return f == nullptr || f->tuning.chunk == 0 ? -1 : f->tuning.chunk;
}

}  // namespace trifac
