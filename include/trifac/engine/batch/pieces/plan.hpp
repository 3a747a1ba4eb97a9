#pragma once
// The plan of a call on a batch: in which groups, in how many pieces, with how much memory. With it
// batch_workspace_bytes().

#include <cstddef>

#include "trifac/backend.hpp"
#include "trifac/engine/base/min_max.hpp"
#include "trifac/engine/call/workspace.hpp"
#include "trifac/engine/simd/batch/lanes.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// True where a batch is factored in lanes, if there are any (batch_calls::lanes); else matrix by
/// matrix.
template <class T>
constexpr bool goes_in_lanes(index_t rows, index_t cols) {
  return LapackScalar<T> && rows <= simd::largest_in_lanes && cols <= simd::largest_in_lanes;
}

/// Rows and columns that the kernels of a device take.
constexpr bool goes_in_device_lanes(index_t rows, index_t cols) {
  return rows <= simd::largest_in_lanes && cols <= simd::largest_in_lanes;
}

/// Largest orders that go in lanes although they must be packed: above them a matrix alone fills
/// the vectors as well, and is not packed; special paths one-by-one-cholesky and one-by-one-lu.
/// Complex LU is slower one by one.
template <class T>
inline constexpr index_t largest_packed_cholesky = is_complex<T> ? 128 : 64;
template <class T>
inline constexpr index_t largest_packed_lu = is_complex<T> ? simd::largest_in_lanes : 64;

/// Rows of a packed column, in packets: not a multiple of 2048 bytes, whose lines share few sets of
/// the cache; special path packed-columns-apart.
template <class T>
constexpr index_t packed_ld(index_t rows) {
  constexpr index_t packet = is_complex<T> ? 128 : 64;
  return rows * packet % 2048 == 0 ? rows + 1 : rows;
}

/// Bytes of one group of any instruction set: a packed matrix, and for `sides` > 0 columns of
/// right-hand sides and what a solve divides by.
template <class T>
constexpr std::size_t slot_bytes(index_t rows, index_t cols, index_t sides) {
  if (rows <= 0 || cols <= 0 || !goes_in_lanes<T>(rows, cols)) return 0;
  constexpr index_t vector = 64, planes = is_complex<T> ? 2 : 1;
  const index_t divisors = sides > 0 ? (planes + 1) * rows : 0;
  return as_size(vector * (planes * packed_ld<T>(rows) * (cols + sides) + divisors));
}

/// Slots up to this size are on the stack of the thread that works on a piece.
inline constexpr std::size_t slot_on_stack = std::size_t{32} << 10;
/// Of the smallest L1 caches, 32 KiB.
inline constexpr index_t half_of_l1_cache = index_t{16} << 10;
/// Groups that are packed before they are worked on, in memory of slot_bytes: as many as fill half
/// of an L1 cache, so that the roots of one group wait beside those of another; special path
/// packed-groups. At most:
inline constexpr index_t most_packed_groups = 8;
template <class T>
constexpr index_t packed_groups(index_t rows, index_t cols, index_t sides) {
  const auto slot = static_cast<index_t>(slot_bytes<T>(rows, cols, sides));
  return max<index_t>(1, min(most_packed_groups, half_of_l1_cache / slot));
}

/// A thread that starts late or is interrupted delays half of its share.
inline constexpr index_t pieces_per_thread = 2;

struct batch_plan {
  index_t groups = 0;     ///< of so many matrices as there are lanes, the last one fewer
  index_t pieces = 1;     ///< shared by the threads
  std::size_t slot = 0;   ///< bytes of one piece
  std::size_t bytes = 0;  ///< of workspace; 0 where the stack has room
};

/// A team shares a batch from a tenth of the flops on that it needs for one matrix, as no thread
/// waits for another before the end; special path batch-teams.
inline constexpr double independent_work = 10;

/// The number of threads that a backend would use for so much work.
template <class B>
int threads_for_batch(const B& backend, double work) {
  if constexpr (requires { team_size(backend, work); })
    return team_size(backend, work);
  else
    return 1;
}

inline batch_plan plan_batch(index_t batch, index_t lanes, int threads, std::size_t slot,
                             std::size_t given) {
  batch_plan plan{.groups = (batch + lanes - 1) / lanes, .slot = slot};
  plan.pieces = threads > 1 ? min<index_t>(plan.groups, threads * pieces_per_thread) : 1;
  if (slot <= slot_on_stack) return plan;
  if (given >= slot + workspace_alignment)
    plan.pieces = min(plan.pieces, static_cast<index_t>((given - workspace_alignment) / slot));
  plan.bytes = slot * as_size(plan.pieces) + workspace_alignment;
  return plan;
}

}  // namespace detail

/// Bytes of workspace for calls on a batch of rows × cols matrices, and for solves with
/// `right_hand_sides` columns, on up to `threads` threads; 0 where 32 KiB on the stack suffice.
/// With less, fewer threads are used; the bytes for one thread are required. An upper bound for
/// every backend and batch. The largest std::size_t for sides of which no memory has room.
template <class T>
constexpr std::size_t batch_workspace_bytes(index_t rows, index_t cols,
                                            index_t right_hand_sides = 0, int threads = 1) {
  const double pieces = static_cast<double>(threads > 1 ? threads : 1) * detail::pieces_per_thread;
  if (static_cast<double>(right_hand_sides) * pieces > 0x1p40) return detail::no_such_memory;
  const std::size_t slot = detail::slot_bytes<T>(rows, cols, right_hand_sides);
  if (slot <= detail::slot_on_stack) return 0;
  return slot * detail::as_size(threads > 1 ? threads * detail::pieces_per_thread : 1) +
         detail::workspace_alignment;
}

}  // namespace TRIFAC_ABI
}  // namespace trifac
