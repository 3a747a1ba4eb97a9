#pragma once
// Compile-time parameters of batch kernels: lanes, tile, looking order, chunks.

#include <string>
#include <vector>

#include "trifac/engine/device/batch_defaults.hpp"
#include "trifac/engine/device/settings.hpp"
#include "trifac/engine/device/tiles.hpp"
#include "trifac/engine/views/batch_tuning.hpp"

namespace trifac::device {
inline namespace TRIFAC_ABI {

/// Vectors across matrices on CPUs, one work-item per matrix elsewhere.
inline bool wants_vectors(const device_facts& f, const device_settings& settings) {
  return settings.tiles == tile_choice::vectors ||
         (settings.tiles == tile_choice::by_device && f.is_cpu);
}

/// The layout that a kernel requires: `lanes` matrices interleaved, in chunks of `chunk`; 0: one
/// chunk.
struct lane_layout {
  index_t lanes = 1;
  index_t chunk = 1;
  bool as_asked = false;  ///< the caller set the chunk: no other layout will do
};

/// Largest chunk that is factored in place; in larger ones each element of a matrix is on another
/// page. PoCL, n = 16: 16 GFLOP/s with 16, 12.5 with 128, 5 with 512.
inline constexpr index_t most_lanes_in_place = 64;

struct batch_shape {
  index_t lanes = 1;   ///< matrices per item at a time
  index_t order = 0;   ///< compile-time order; 0: dynamic
  index_t most = 256;  ///< largest number of rows and columns
  int tile = 4;
  int looking = 2;    ///< LOOKING of kernel/batch_cholesky.hpp
  index_t chunk = 0;  ///< of a copy; 0: the whole batch
  bool chunk_as_asked = false;

  std::vector<std::string> definitions() const {
    std::vector<std::string> all = {"TILE=" + std::to_string(tile),
                                    "MOST=" + std::to_string(order > 0 ? order : most)};
    if (order > 0) all.push_back("ORDER=" + std::to_string(order));
    return all;
  }
};

/// For matrices whose larger side is `side`; `order`: the order of square matrices that may have
/// their own program, else 0.
template <class T>
batch_shape choose_batch_shape(const device_facts& f, bool vectors, index_t side, index_t order,
                               const batch_tuning& asked, bool is_cholesky) {
  // LU of a compile-time order is done in registers; on a GPU, order 8 in double would spill.
  const index_t most_bytes_in_registers = vectors ? 512 : 400;
  batch_shape s;
  const bool many_registers = !vectors || f.double_width >= 8;
  s.lanes = vectors ? vector_tiles<T>(f).vector : 1;
  const batch_tuning t = with_batch_defaults(asked, many_registers, is_complex<T>, side);
  s.tile = t.tile;
  s.looking = t.looking == looking_order::right ? 0 : t.looking == looking_order::left ? 1 : 2;
  const bool unrolled = t.outer == outer_loops::unrolled;
  const bool fits = order * order * index_t{sizeof(T)} <= most_bytes_in_registers && order <= 8;
  if (order > 0 && unrolled && (is_cholesky || fits)) s.order = order;
  // The length of private arrays; on a GPU there are many of them.
  if (!vectors)
    while (s.most / 2 >= side && s.most > 32) s.most /= 2;
  s.chunk = asked.chunks == batch_chunks::unchunked ? 0
            : asked.chunk > 0                       ? asked.chunk
            : vectors                               ? s.lanes
                                                    : 32;
  s.chunk_as_asked = asked.chunks != batch_chunks::automatic || asked.chunk > 0;
  return s;
}

}  // namespace TRIFAC_ABI
}  // namespace trifac::device
