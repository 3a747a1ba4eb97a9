#pragma once
// The combinations of parameters that a tuner tries: a level of each, without those that cannot
// run.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "trifac/batch/tuning.hpp"
#include "trifac/batch_findings.hpp"

namespace tune {

using trifac::batch_chunks;
using trifac::batch_operation;
using trifac::batch_place;
using trifac::batch_tuning;
using trifac::index_t;
using trifac::looking_order;
using trifac::outer_loops;

/// What runs the kernels. The host's are compiled in: there only the layout is a choice.
enum class device_sort { host, cpu, gpu };

/// What is tuned.
struct subject {
  device_sort device = device_sort::host;
  batch_operation operation = batch_operation::cholesky;
  batch_place place = batch_place::chunked;
  char type = 'd';
  index_t n = 1, count = 1, rhs = 1;
  bool with_lu = false;  ///< solves: with the factors of LU, not of Cholesky
  bool fast = false;     ///< fast-math, on devices
  std::uint64_t seed = 1;
};

/// The levels of each parameter. A chunk of 0 is the library's choice, −1 an unchunked copy.
struct levels {
  std::vector<int> tile = {0};
  std::vector<looking_order> looking = {looking_order::automatic};
  std::vector<index_t> chunk = {0};
  std::vector<outer_loops> outer = {outer_loops::automatic};
};
inline constexpr index_t unchunked = -1;

/// Matrices in a chunk of a cache line: what batch<T> takes unless told.
inline index_t line_of(char type) {
  return type == 's' || type == 'c' ? 16 : 8;
}

/// Chunks of the layout where the batch is laid out by the program, else of the device's copy.
inline std::vector<index_t> chunks_of(const subject& s, bool all) {
  if (s.device == device_sort::host)
    return s.place == batch_place::chunked ? std::vector<index_t>{0, 1, 16, 32, 64, 128}
                                           : std::vector<index_t>{0};
  if (s.place == batch_place::chunked)
    return all ? std::vector<index_t>{0, 16, 32, 64, 128, 256, 512}
               : std::vector<index_t>{0, 16, 64};
  return all ? std::vector<index_t>{0, 16, 32, 64, 128, 256, 512, unchunked}
             : std::vector<index_t>{0};
}

/// All levels on GPUs. On CPUs those that have ever won: of tiles 1 … 8 only 2, 4 and n itself, of
/// looking left and top, unrolled up to order 24, and no other chunks than a few small ones.
inline levels levels_of(const subject& s, bool everything) {
  levels l;
  const bool all = everything || s.device == device_sort::gpu;
  l.chunk = chunks_of(s, all);
  if (s.device == device_sort::host) return l;
  if (all)
    l.tile = {1, 2, 3, 4, 5, 6, 7, 8};
  else
    l.tile = {2, 4};
  if (!all && s.n <= 6 && s.n != 2 && s.n != 4) l.tile.push_back(static_cast<int>(s.n));
  if (s.operation != batch_operation::cholesky) return l;
  l.looking = {looking_order::left, looking_order::top};
  if (all) l.looking.insert(l.looking.begin(), looking_order::right);
  l.outer = {outer_loops::rolled};
  if (all || s.n <= 24) l.outer.push_back(outer_loops::unrolled);
  return l;
}

/// The parameters as a call names them: the chunk of a batch that the program lays out is none of
/// the call's.
inline batch_tuning of_call(const subject& s, batch_tuning t) {
  if (s.place == batch_place::chunked || s.device == device_sort::host)
    t.chunk = 0, t.chunks = batch_chunks::automatic;
  return t;
}

/// Combinations and, in words, what was left out and why.
struct candidates {
  std::vector<batch_tuning> all;  ///< the first names nothing
  std::vector<std::string> left_out;
};

inline candidates combinations(const subject& s, const levels& l) {
  candidates made;
  made.all.push_back({});
  const auto leave_out = [&](const std::string& why) {
    if (std::find(made.left_out.begin(), made.left_out.end(), why) == made.left_out.end())
      made.left_out.push_back(why);
  };
  for (const int tile : l.tile)
    for (const looking_order looking : l.looking)
      for (const outer_loops outer : l.outer)
        for (const index_t chunk : l.chunk) {
          batch_tuning t = {.tile = tile, .looking = looking, .outer = outer};
          t.chunk = chunk > 0 ? chunk : 0;
          if (chunk == unchunked) t.chunks = batch_chunks::unchunked;
          if (s.place == batch_place::chunked && chunk == line_of(s.type)) continue;  // it is 0
          if (tile > s.n) {
            leave_out("options.tuning.tile is larger than the order");
            continue;
          }
          const batch_tuning call = of_call(s, t);
          const trifac::status runs =
              s.device == device_sort::host
                  ? trifac::detail::check_cpu_tuning(call, s.operation)
                  : trifac::detail::check_device_tuning(call, s.operation, s.n);
          if (!runs)
            leave_out(std::string(runs.argument()) + " " + std::string(runs.what()));
          else if (std::find(made.all.begin(), made.all.end(), t) == made.all.end())
            made.all.push_back(t);
        }
  return made;
}

}  // namespace tune
