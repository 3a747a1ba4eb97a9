#pragma once
// What a tuner found for batches: the fastest parameters for an operation, a type, a layout and an
// order. `trifac tune` measures them; a profile holds them, or a header that it exports.

#include <span>

#include "trifac/engine/views/batch_tuning.hpp"

namespace trifac {

/// Where matrices lie, as far as their kernels differ: one after another (by pointers, too), in
/// chunks, or all interleaved.
enum class batch_place { strided, chunked, interleaved };
inline constexpr std::array<std::string_view, 3> batch_place_names = {"strided", "chunked",
                                                                      "interleaved"};

/// The fastest parameters. A plain value.
struct batch_finding {
  batch_operation operation = batch_operation::cholesky;
  char type = 'd';  ///< LAPACK's letter
  /// Of `chunked` batches tuning.chunk is the chunk in which to lay them out, 0 that of a cache
  /// line.
  batch_place place = batch_place::chunked;
  index_t from = 0;  ///< the order that was measured; they hold up to the next one's
  batch_tuning tuning;
  int gain = 100;  ///< speed in percent of that with no parameter named
  int sure = 0;    ///< percent of pairs of runs faster than the next best's; 0: there was none
};

/// The finding of the largest order up to n, or null.
constexpr const batch_finding* find(std::span<const batch_finding> findings, batch_operation what,
                                    char type, batch_place place, index_t n) {
  const batch_finding* best = nullptr;
  for (const batch_finding& f : findings)
    if (f.operation == what && f.type == type && f.place == place && f.from <= n &&
        (best == nullptr || f.from >= best->from))
      best = &f;
  return best;
}

/// options.tuning of a call on batches of order n, where nothing was found one that names nothing:
/// to fix it when a program is compiled, from the findings of an exported header.
template <LapackScalar T>
constexpr batch_tuning tuning_from(std::span<const batch_finding> findings, batch_operation what,
                                   batch_place place, index_t n) {
  const batch_finding* const f = find(findings, what, lapack_letter<T>, place, n);
  if (f == nullptr) return {};
  batch_tuning t = f->tuning;
  if (place == batch_place::chunked) t.chunk = 0, t.chunks = batch_chunks::automatic;
  return t;
}

/// The chunk for trifac::batch_layout; −1 (a cache line) where nothing was found.
template <LapackScalar T>
constexpr index_t chunk_from(std::span<const batch_finding> findings, batch_operation what,
                             index_t n) {
  const batch_finding* const f = find(findings, what, lapack_letter<T>, batch_place::chunked, n);
  return f == nullptr || f->tuning.chunk == 0 ? -1 : f->tuning.chunk;
}

}  // namespace trifac
