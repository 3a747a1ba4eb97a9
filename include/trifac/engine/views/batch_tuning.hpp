#pragma once
// Tuning parameters of batch calls, named as in Proc. IEEE 2018 (docs/sources.md C). 0 and
// `automatic`: chosen by order, type and device.

#include <array>
#include <string_view>

#include "trifac/scalar.hpp"

namespace trifac {

/// The operations that have tuning parameters.
enum class batch_operation { cholesky, lu, solve };

/// When a Cholesky factorization updates: right-looking at once, left-looking when the column of
/// tiles is factored, top-looking when the row of tiles is.
enum class looking_order { automatic, right, left, top };

/// Whether the matrices of a batch are interleaved in chunks or all together.
enum class batch_chunks { automatic, chunked, unchunked };

/// Whether the loops over tiles are unrolled, with the order as a compile-time constant.
enum class outer_loops { automatic, rolled, unrolled };

/// What factors one matrix on a device: one lane of a vector (one work-item of a GPU) among others,
/// or a group of work-items.
enum class batch_kernel { automatic, lanes, groups };

/// Parameters of batch kernels. A value that the backend does not support is an argument error that
/// names the option. CPU kernels are compiled ahead of time: there all of these are the default, or
/// `kernel` is lanes. `tile` to `outer` apply to `lanes`.
struct batch_tuning {
  int tile = 0;  ///< rows and columns of a tile in registers, 1 … 8
  looking_order looking = looking_order::automatic;  ///< of Cholesky; LU is always left-looking
  batch_chunks chunks = batch_chunks::automatic;     ///< of the copy on the device
  index_t chunk = 0;                                 ///< matrices per chunk; a power of two
  outer_loops outer = outer_loops::automatic;        ///< of Cholesky; unrolled up to order 32

  batch_kernel kernel = batch_kernel::automatic;
  // For `groups` only; 0: chosen by order and device.
  int panel = 0;         ///< of factorizations: columns in registers
  int block_height = 0;  ///< work-items along the rows of a matrix: a power of two, or all rows
  int block_width = 0;   ///< work-items along the columns of a panel: a power of two, or the panel
  int systems = 0;       ///< of solves: systems per group, 32 work-items each, 1 … 32

  bool operator==(const batch_tuning&) const = default;
};

// The names of the enumerators, in order.
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
