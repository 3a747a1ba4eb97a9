#pragma once
// Compile-time parameters of batch kernels that use one work-group per matrix.

#include <algorithm>
#include <string>
#include <vector>

#include "trifac/engine/device/facts.hpp"
#include "trifac/engine/views/batch_tuning.hpp"

namespace trifac::device {
inline namespace TRIFAC_ABI {

/// Local memory that kernels may declare statically on every current device.
inline constexpr std::uint64_t most_declared_bytes = 48 << 10;

/// Parameters of kernel/batch_group_cholesky.hpp and batch_group_lu.hpp. One program serves all
/// sizes up to `most`.
struct batch_group_shape {
  int panel = 16, height = 32, width = 4;
  int rows = 1, cols = 4;  ///< of a panel, per item
  int stage = 16;          ///< columns staged in local memory at a time
  int most = 32;
  std::uint64_t stage_bytes = 0, local_bytes = 0;  ///< of the stage, and of a group including it

  extent items() const {
    return {static_cast<std::size_t>(height), static_cast<std::size_t>(width)};
  }
  std::vector<std::string> definitions() const {
    const auto define = [](const char* name, int value) {
      return std::string(name) + '=' + std::to_string(value);
    };
    std::vector<std::string> all = {define("PANEL", panel), define("HEIGHT", height),
                                    define("WIDTH", width), define("ROWS", rows),
                                    define("COLS", cols),   define("STAGE", stage),
                                    define("MOST", most)};
    if (local_bytes > most_declared_bytes)
      all.push_back(std::string(program_source::with_launch) + std::to_string(stage_bytes));
    return all;
  }
};

/// Largest panel of a group: half the registers of a multiprocessor (256 KiB).
inline constexpr std::uint64_t most_panel_bytes = 128 << 10;

/// Largest part of a panel per item: half of its 255 registers; loops over it are unrolled.
inline constexpr int most_bytes_of_item = 512;

/// Local memory in addition to the staged columns: two columns of the panel; for LU also two rows
/// of it, two arrays of row numbers and the pivot candidates of 16 items.
template <class T>
std::uint64_t bytes_beside_stage(const batch_group_shape& s, batch_operation op) {
  const auto most = static_cast<std::uint64_t>(s.most);
  const auto row = static_cast<std::uint64_t>(s.cols) * static_cast<std::uint64_t>(s.width);
  const std::uint64_t columns = 2 * most * sizeof(T);
  if (op == batch_operation::cholesky) return columns;
  return columns + 2 * row * sizeof(T) + 2 * most * sizeof(std::int32_t) +
         16 * 3 * sizeof(real_t<T>);
}

/// For Cholesky or LU of rows × cols matrices. A panel of 16 columns in 32 × 4 items is a guess: no
/// other shape was measured on a GPU.
template <class T>
batch_group_shape choose_group_shape(const device_facts& f, batch_operation op, index_t rows,
                                     index_t cols, const batch_tuning& t) {
  const auto m = static_cast<int>(rows), n = static_cast<int>(cols);
  const auto up = [](int count, int unit) { return (count + unit - 1) / unit; };
  batch_group_shape s;
  s.panel = t.panel > 0 ? t.panel : std::min(s.panel, n);
  if (t.block_height > 0) s.height = t.block_height;
  if (t.block_width > 0) s.width = t.block_width;
  // By default 128 items, limited by the device; at least 32.
  const int items = static_cast<int>(std::min<std::size_t>(128, f.most_items));
  if (t.block_height == 0 && t.block_width > 0) s.height = std::max(1, items / s.width);
  if (t.block_width == 0) s.width = std::max(1, items / s.height);
  s.rows = up(m, s.height);
  // With more than 256 bytes of a panel per item, its 255 registers spill on sm_90.
  const auto bytes_of_item = [&] { return s.rows * up(s.panel, s.width) * int{sizeof(T)}; };
  while (t.panel == 0 && s.panel > s.width && bytes_of_item() > 256) s.panel = up(s.panel, 2);
  // PoCL 3.1 compiles panels of one column wrongly; of two, one may be beyond the matrix.
  s.panel = std::max(2, s.panel);
  s.cols = up(s.panel, s.width);
  s.most = std::max(s.rows * s.height, s.cols * s.width);
  const auto column = static_cast<std::uint64_t>(s.most) * sizeof(T);
  const std::uint64_t beside = bytes_beside_stage<T>(s, op);
  s.stage = static_cast<int>(
      std::clamp<std::uint64_t>(f.local_bytes > beside ? (f.local_bytes - beside) / column : 1, 1,
                                static_cast<std::uint64_t>(s.panel)));
  s.stage_bytes = static_cast<std::uint64_t>(s.stage) * column;
  s.local_bytes = s.stage_bytes + beside;
  return s;
}

/// Checks group parameters for consistency and against the device's limits; else an argument error.
template <class T>
status check_group_shape(const device_facts& f, batch_operation op, index_t rows, index_t cols,
                         const batch_tuning& t) {
  if (op == batch_operation::solve) {
    const int systems = std::max(t.systems, 1);
    return static_cast<std::size_t>(systems) * 32 <= f.most_items
               ? status()
               : status::argument("options.tuning.systems",
                                  "have more items than a group of the device");
  }
  const batch_group_shape s =
      choose_group_shape<T>(f, op, std::max<index_t>(rows, 1), std::max<index_t>(cols, 1), t);
  const auto items = static_cast<std::size_t>(s.height) * static_cast<std::size_t>(s.width);
  const char* const block =
      t.block_height > 0 ? "options.tuning.block_height" : "options.tuning.block_width";
  if (items > f.most_items)
    return status::argument(block, "makes more items than a group of the device has");
  if (items % 32 != 0) return status::argument(block, "makes no multiple of 32 items");
  if (s.local_bytes > f.local_bytes)
    return status::argument(block, "needs more local memory than a group has");
  const auto bytes_of_item =
      static_cast<std::uint64_t>(s.rows) * static_cast<std::uint64_t>(s.cols) * sizeof(T);
  if (bytes_of_item > most_bytes_of_item)
    return status::argument("options.tuning.panel", "has no room in the registers of an item");
  if (bytes_of_item * items > most_panel_bytes)
    return status::argument("options.tuning.panel", "has no room in the registers of a group");
  return {};
}

}  // namespace TRIFAC_ABI
}  // namespace trifac::device
