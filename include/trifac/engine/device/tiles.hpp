#pragma once
// The table of tile shapes of device kernels.

#include <algorithm>
#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

#include "trifac/engine/device/facts.hpp"
#include "trifac/scalar.hpp"

namespace trifac::device {
inline namespace TRIFAC_ABI {

/// Tile parameters of kernel/packed_update.hpp and cholesky_blocked.hpp.
struct tile_shape {
  int vector = 1;              ///< elements in a REALV
  int tile_v = 4, tile_n = 4;  ///< tile of an item: vectors of rows, columns
  int items_x = 16, items_y = 16;
  int strips = 1, tiles = 1;     ///< row strips and column tiles per group
  int stage_k = 16;              ///< columns staged in local memory at a time; 0: none
  int solve_v = 1, solve_n = 8;  ///< tile of an item in a triangular solve
  int diagonal_items = 256;      ///< work-items that factor a diagonal block

  int strip() const { return tile_v * vector * items_x; }
  int tile_columns() const { return tile_n * items_y; }
  int solve_items() const { return strip() / (solve_v * vector); }

  std::vector<std::string> definitions() const {
    const auto define = [](const char* name, int value) {
      return std::string(name) + '=' + std::to_string(value);
    };
    return {define("TILE_V", tile_v),   define("TILE_N", tile_n),
            define("ITEMS_X", items_x), define("ITEMS_Y", items_y),
            define("STRIPS", strips),   define("TILES", tiles),
            define("STAGE_K", stage_k), define("SOLVE_V", solve_v),
            define("SOLVE_N", solve_n), define("DIAGONAL_ITEMS", diagonal_items)};
  }
};

/// CPUs: one work-item per group, its tile in vector registers, no local memory. With 512-bit
/// registers there are 32 of them, else 16.
template <class T>
tile_shape vector_tiles(const device_facts& f) {
  const int width = std::is_same_v<real_t<T>, double> ? f.double_width : f.float_width;
  const int lanes = std::clamp(width, 2, 16);
  const bool many_registers = f.double_width >= 8;
  tile_shape s{.vector = lanes,
               .items_x = 1,
               .items_y = 1,
               .strips = 8,
               .tiles = 8,
               .stage_k = 0,
               .diagonal_items = 1};
  s.tile_v = lanes == 2 ? 4 : 3;
  s.tile_n = many_registers ? 8 : 4;
  if (is_complex<T>) {  // twice the registers per element
    s.tile_v = many_registers || lanes == 2 ? 2 : 1;
    s.tile_n = 4;
  }
  s.solve_v = s.tile_v;
  s.solve_n = s.tile_n;
  return s;
}

/// GPUs: 16×16 items share a tile of 64×64 through local memory; smaller groups if the device
/// requires them.
template <class T>
tile_shape group_tiles(const device_facts& f) {
  tile_shape s;
  if (is_complex<T>) s.stage_k = 4;  // as much unrolled code as for real elements
  if (f.most_items < 256) s.items_x = s.items_y = 8;
  while (static_cast<std::size_t>(s.diagonal_items) > f.most_items) s.diagonal_items /= 2;
  return s;
}

}  // namespace TRIFAC_ABI
}  // namespace trifac::device
