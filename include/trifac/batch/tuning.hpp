#pragma once
// Which parameters of batch_tuning a backend has, and which of them go together.

#include "trifac/backend.hpp"
#include "trifac/batch_tuning.hpp"
#include "trifac/status.hpp"

namespace trifac {

/// A backend that has calls on batches: serial, openmp, threads; opencl, cuda.
template <class B>
concept BatchBackend = PackingBackend<B> || DeviceBackend<B>;

inline namespace TRIFAC_ABI {
namespace detail {

/// What a call does, as far as its parameters go.
enum class batch_operation { cholesky, lu, solve };

/// Kernels of a device: all is compiled as asked for.
inline status check_device_tuning(const batch_tuning& t, batch_operation op, index_t order) {
  if (t.tile < 0 || t.tile > 8)
    return status::argument("options.tuning.tile",
                            "is not one of 1 to 8, or 0 for the device's choice");
  if (t.chunk < 0 || (t.chunk & (t.chunk - 1)) != 0 || t.chunk > (index_t{1} << 20) ||
      (t.chunk > 0 && t.chunk < 16))
    return status::argument("options.tuning.chunk", "is not a power of two from 16 on");
  if (t.chunk > 0 && t.chunks == batch_chunks::unchunked)
    return status::argument("options.tuning.chunk",
                            "contradicts options.tuning.chunks = unchunked");
  if (t.looking != looking_order::automatic && op != batch_operation::cholesky)
    return t.looking == looking_order::left && op == batch_operation::lu
               ? status()
               : status::argument(
                     "options.tuning.looking",
                     "is of Cholesky; LU is left-looking, and a solve has no such order");
  if (t.outer == outer_loops::unrolled && op == batch_operation::cholesky && order > 32)
    return status::argument("options.tuning.outer", "unrolled is for orders up to 32");
  if (t.outer == outer_loops::unrolled && op != batch_operation::cholesky)
    return status::argument("options.tuning.outer", "unrolled is of Cholesky");
  return {};
}

/// Kernels of the CPU are those that were compiled in.
inline status check_cpu_tuning(const batch_tuning& t, batch_operation op) {
  if (t.tile != 0)
    return status::argument(
        "options.tuning.tile",
        "is given by the instruction set on the CPU, whose kernels are compiled in");
  if (t.chunk != 0 || t.chunks != batch_chunks::automatic)
    return status::argument(
        t.chunk != 0 ? "options.tuning.chunk" : "options.tuning.chunks",
        "is that of the batch on the CPU, which works on chunks where they lie");
  if (t.outer != outer_loops::automatic)
    return status::argument("options.tuning.outer",
                            "is given by the order on the CPU, whose kernels are compiled in");
  const auto only = op == batch_operation::cholesky ? looking_order::top : looking_order::left;
  if (t.looking != looking_order::automatic && (op == batch_operation::solve || t.looking != only))
    return status::argument("options.tuning.looking",
                            "on the CPU is top for Cholesky and left for LU, compiled in");
  return {};
}

template <class B>
status check_batch_tuning(const batch_tuning& t, batch_operation op, index_t order) {
  if constexpr (DeviceBackend<B>)
    return check_device_tuning(t, op, order);
  else
    return check_cpu_tuning(t, op);
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
