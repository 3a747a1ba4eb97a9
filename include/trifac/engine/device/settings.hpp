#pragma once
// Settings of a device backend: kernels and shapes.

#include <array>
#include <optional>
#include <string_view>

#include "trifac/engine/device/facts.hpp"

namespace trifac::device {

/// Device kernels of the variants by columns (thesis 2016; SYCL note 2021 for rounds).
enum class column_kernels {
  multiple,  ///< per column one item for the diagonal, then one item per row below
  single,    ///< one launch per column; each item computes the diagonal itself (out of place only)
  rounds,    ///< pivot by a tree reduction in one group, then the pivot row
};

/// The host loop for the last columns of the variants by columns, as set by
/// cholesky_options::cutoff.
enum class cutoff_loop {
  scalar,  ///< the sequential loop of the source (thesis 2016), element by element
  vector   ///< vectorized multiply-adds, with the same bits as the device
};

/// Shape of the tiles in the blocked kernels. With `groups`, block_kernels::rows loads one element
/// at a time.
enum class tile_choice {
  by_device,  ///< vectors on CPUs, groups on GPUs
  vectors,    ///< one work-item per group, wide vectors
  groups,     ///< many work-items per group, local memory
};

/// Kernels for LU without pivoting (ECE496, 2012) of the variants four_block and unblocked.
/// "packed" is trifac's own; the others are the source's: one item per row of a block with wide
/// loads, or per column, one group on one block after another; several groups per block (v1 of the
/// source); one group per block, kinds 2 and 3 in one launch, then all of kind 4 (v2), also with
/// blocks in local memory. Designed for row-major storage, as in the source.
enum class block_kernels {
  packed,
  rows,
  columns,
  several_groups,
  group_per_block,
  group_per_block_local  ///< blocks of at most 50 columns in float, as in the source; 36 in double
                         ///< and complex float, 25 in complex double
};

/// Where large products and triangular solves run if the vendor has a library (cuBLAS): those of
/// all blocked variants of Cholesky and LU, and of their solves.
enum class product_kernels {
  by_size,  ///< the library above a number of multiplications
  own,
  library
};

// The names of the enumerators, in order.
inline constexpr std::array<std::string_view, 3> column_kernels_names = {"multiple", "single",
                                                                         "rounds"};
inline constexpr std::array<std::string_view, 2> cutoff_loop_names = {"scalar", "vector"};
inline constexpr std::array<std::string_view, 6> block_kernels_names = {
    "packed", "rows", "columns", "several_groups", "group_per_block", "group_per_block_local"};
using trifac::float_model_names;
inline constexpr std::array<std::string_view, 4> device_kind_names = {"any", "cpu", "gpu",
                                                                      "accelerator"};

/// The enumerator with this name, or nothing.
template <class Enum, std::size_t count>
constexpr std::optional<Enum> value_named(const std::array<std::string_view, count>& names,
                                          std::string_view name) {
  for (std::size_t i = 0; i < count; ++i)
    if (names[i] == name) return static_cast<Enum>(i);
  return std::nullopt;
}
constexpr std::string_view to_string(block_kernels k) {
  return block_kernels_names[static_cast<std::size_t>(k)];
}

/// Settings of a device backend.
struct device_settings {
  int group = 0;  ///< work-items per group of the variants by elements; 0: chosen for the device
  column_kernels columns = column_kernels::multiple;
  block_kernels blocks = block_kernels::packed;
  tile_choice tiles = tile_choice::by_device;
  product_kernels products = product_kernels::by_size;
  /// For variants by elements and batches only, to repeat experiments of 2021 and 2018. With
  /// `fast`, a matrix with NaN or infinities may have any status, success included.
  float_model floats = float_model::ieee;
  cutoff_loop cutoff = cutoff_loop::scalar;
};

/// The settings of a call whose options request `floats`: `fast` if either is.
constexpr device_settings with_floats(device_settings settings, float_model floats) {
  if (floats == float_model::fast) settings.floats = floats;
  return settings;
}

}  // namespace trifac::device

namespace trifac::backend {

/// Kinds of OpenCL devices, in the order of device::device_kind_names.
enum class device_kind { any, cpu, gpu, accelerator };

}  // namespace trifac::backend
