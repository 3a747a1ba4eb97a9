#pragma once
// How a batch is worked on: the parameters of Proc. IEEE 2018 (docs/sources.md C) by name. 0 and
// `automatic` are chosen for the order, the type and the device.

#include <array>
#include <string_view>

#include "trifac/scalar.hpp"

namespace trifac {

/// What a call on a batch does, as far as its parameters go.
enum class batch_operation { cholesky, lu, solve };

/// When the updates of a Cholesky factorization are done: right-looking at once, left-looking when
/// their column of tiles is factored, top-looking when their row of tiles is.
enum class looking_order { automatic, right, left, top };

/// Whether the matrices of a batch are interleaved in chunks, or all of them.
enum class batch_chunks { automatic, chunked, unchunked };

/// Whether the loops over tiles are unrolled for the order, which is compiled in then.
enum class outer_loops { automatic, rolled, unrolled };

/// Who works on a matrix on a device: a lane of a vector (an item of a GPU) with others beside it,
/// or a group of items.
enum class batch_kernel { automatic, lanes, groups };

/// Parameters of the kernels of a batch. What a backend cannot do is an argument error that names
/// the option. The CPU's kernels are compiled in: there all of these are the default, or `kernel`
/// is lanes. `tile` to `outer` are those of lanes.
struct batch_tuning {
  int tile = 0;  ///< rows and columns of a tile in registers, 1 … 8
  looking_order looking = looking_order::automatic;  ///< of Cholesky; LU is left-looking
  batch_chunks chunks = batch_chunks::automatic;     ///< of the copy that the device works on
  index_t chunk = 0;                                 ///< matrices of a chunk; a power of two
  outer_loops outer = outer_loops::automatic;        ///< of Cholesky; unrolled up to order 32

  batch_kernel kernel = batch_kernel::automatic;
  // Of groups only; 0: chosen for the order and the device.
  int panel = 0;         ///< of factorizations: columns in registers
  int block_height = 0;  ///< items along the rows of a matrix: a power of two, or all rows
  int block_width = 0;   ///< along the columns of a panel: a power of two, or the panel
  int systems = 0;       ///< of solves: systems of a group, 32 items each, 1 … 32

  bool operator==(const batch_tuning&) const = default;
};

// The names of these enumerations, each in its order.
inline constexpr std::array<std::string_view, 3> batch_operation_names = {"cholesky", "lu",
                                                                          "solve"};
inline constexpr std::array<std::string_view, 4> looking_order_names = {"automatic", "right",
                                                                        "left", "top"};
inline constexpr std::array<std::string_view, 3> batch_chunks_names = {"automatic", "chunked",
                                                                       "unchunked"};
inline constexpr std::array<std::string_view, 3> outer_loops_names = {"automatic", "rolled",
                                                                      "unrolled"};
inline constexpr std::array<std::string_view, 3> batch_kernel_names = {"automatic", "lanes",
                                                                       "groups"};

}  // namespace trifac
