#pragma once
// Structs passed to kernels as arguments: one definition for host and device.

#include <cstdint>

namespace trifac::kernel {

using i64 = std::int64_t;

/// Defines a struct for the host and, as `name`_text, for the device. Members are i64, or ints in
/// pairs, so that no compiler adds padding.
#define TRIFAC_KERNEL_STRUCT(name, ...) \
  struct name {                         \
    __VA_ARGS__                         \
  };                                    \
  inline constexpr const char* name##_text = "typedef struct { " #__VA_ARGS__ " } " #name ";\n"

/// A matrix in a buffer: element (i, j) is offset + i·rs + j·cs.
TRIFAC_KERNEL_STRUCT(VIEW, i64 offset; i64 rows; i64 cols; i64 rs; i64 cs;);

/// A round of a tournament: local LU g works on candidates units·g/groups·unit …; in the first
/// round (listed = 0) these are rows of the panel.
TRIFAC_KERNEL_STRUCT(ROUND, i64 groups; i64 units; i64 unit; int listed; int rule;);

/// A batch in a buffer: element (i, j) of matrix b is offset + q / chunk·chunk_stride + (q % chunk
/// − first)·lane_stride + i·rs + j·cs with q = first + b (batch_view.hpp).
TRIFAC_KERNEL_STRUCT(BATCH, i64 offset; i64 count; i64 rows; i64 cols; i64 chunk; i64 chunk_stride;
                     i64 lane_stride; i64 rs; i64 cs; i64 first;);

static_assert(sizeof(BATCH) == 80 && alignof(BATCH) == 8);
static_assert(sizeof(VIEW) == 40 && alignof(VIEW) == 8);
static_assert(sizeof(ROUND) == 32 && alignof(ROUND) == 8);

}  // namespace trifac::kernel
