#pragma once
// The combinations of parameters that a tuner tries: a level of each, without those that cannot
// run.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "trifac/engine/batch/checks/tuning.hpp"
#include "trifac/engine/views/batch_findings.hpp"

namespace tune {

using trifac::batch_chunks;
using trifac::batch_kernel;
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
  bool with_lu = false;    ///< solves: with the factors of LU, not of Cholesky
  bool fast = false;       ///< fast-math, on devices
  bool on_device = false;  ///< a canonical device_batch, Cholesky
  std::uint64_t seed = 1;
};

/// The levels of each parameter. A chunk of 0 is the library's choice, −1 an unchunked copy.
struct levels {
  std::vector<batch_kernel> kernel = {batch_kernel::lanes};
  // Of lanes.
  std::vector<int> tile = {0};
  std::vector<looking_order> looking = {looking_order::automatic};
  std::vector<index_t> chunk = {0};
  std::vector<outer_loops> outer = {outer_loops::automatic};
  // Of groups; empty: those of Proc. IEEE 2018 for the order.
  std::vector<int> panel = {}, block_height = {}, block_width = {}, systems = {};
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

/// All levels on GPUs, where matrices one after another have the kernels of groups, too. On CPUs
/// those that have ever won: of tiles 1 … 8 only 2, 4 and n itself, of looking left and top,
/// unrolled up to order 24, and no other chunks than a few small ones.
inline levels levels_of(const subject& s, bool everything) {
  levels l;
  if (s.device == device_sort::gpu && s.place == batch_place::strided)
    l.kernel.push_back(batch_kernel::groups);
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

/// Whether a call with these parameters can be, else an argument error.
using can_run = std::function<trifac::status(const subject&, const batch_tuning&)>;

/// As far as no device is asked.
inline trifac::status agrees(const subject& s, const batch_tuning& call) {
  return s.device == device_sort::host
             ? trifac::detail::check_cpu_tuning(call)
             : trifac::detail::check_device_tuning(call, s.operation, s.n, s.n);
}

/// Combinations and, in words, what was left out and why.
struct candidates {
  std::vector<batch_tuning> all;  ///< the first names nothing
  std::vector<std::string> left_out;

  void leave_out(const std::string& why) {
    if (std::find(left_out.begin(), left_out.end(), why) == left_out.end()) left_out.push_back(why);
  }
  void add(const subject& s, const batch_tuning& t, const can_run& can) {
    if (const trifac::status runs = can(s, of_call(s, t)); !runs)
      leave_out(std::string(runs.argument()) + " " + std::string(runs.what()));
    else if (std::find(all.begin(), all.end(), t) == all.end())
      all.push_back(t);
  }
};

inline void add_lanes(candidates& to, const subject& s, const levels& l, const can_run& can) {
  for (const int tile : l.tile)
    for (const looking_order looking : l.looking)
      for (const outer_loops outer : l.outer)
        for (const index_t chunk : l.chunk) {
          batch_tuning t = {.tile = tile, .looking = looking, .outer = outer};
          t.chunk = chunk > 0 ? chunk : 0;
          if (chunk == unchunked) t.chunks = batch_chunks::unchunked;
          if (s.place == batch_place::chunked && chunk == line_of(s.type)) continue;  // it is 0
          if (tile > s.n)
            to.leave_out("options.tuning.tile is larger than the order");
          else
            to.add(s, t, can);
        }
}

/// Powers of two up to the first that is `most` or more.
inline std::vector<int> powers_of_two(int most) {
  std::vector<int> all = {1};
  while (all.back() < most) all.push_back(2 * all.back());
  return all;
}
/// Items along n rows or columns: those, and n itself.
inline std::vector<int> blocks_of(int n) {
  auto all = powers_of_two(n);
  if (all.back() != n) all.push_back(n);
  return all;
}
/// n, ⌈n/2⌉, ⌈n/3⌉, … 1.
inline std::vector<int> panels_of(int n) {
  std::vector<int> all;
  for (int parts = 1; parts <= n; ++parts)
    if (const int panel = (n + parts - 1) / parts; all.empty() || panel != all.back())
      all.push_back(panel);
  return all;
}

inline void add_groups(candidates& to, const subject& s, const levels& l, const can_run& can) {
  const auto levels_or = [](const std::vector<int>& named, const std::vector<int>& else_all) {
    return named.empty() ? else_all : named;
  };
  const auto n = static_cast<int>(s.n);
  if (s.operation == batch_operation::solve) {
    for (const int systems : levels_or(l.systems, powers_of_two(32)))
      to.add(s, {.kernel = batch_kernel::groups, .systems = systems}, can);
    return;
  }
  for (const int panel : levels_or(l.panel, panels_of(n)))
    for (const int height : levels_or(l.block_height, blocks_of(n)))
      for (const int width : levels_or(l.block_width, blocks_of(panel)))
        to.add(s,
               {.kernel = batch_kernel::groups,
                .panel = panel,
                .block_height = height,
                .block_width = width},
               can);
}

inline candidates combinations(const subject& s, const levels& l, const can_run& can = agrees) {
  candidates made;
  made.all.push_back({});
  for (const batch_kernel kernel : l.kernel)
    (kernel == batch_kernel::groups ? add_groups : add_lanes)(made, s, l, can);
  return made;
}

}  // namespace tune
