#pragma once
// Which parameters of batch_tuning a backend has, which of them go together, and what a profile
// says of them.

#include <string>

#include "trifac/backend.hpp"
#include "trifac/batch_view.hpp"
#include "trifac/profile.hpp"
#include "trifac/status.hpp"

namespace trifac {

/// A backend that has calls on batches: serial, openmp, threads; opencl, cuda.
template <class B>
concept BatchBackend = PackingBackend<B> || DeviceBackend<B>;

inline namespace TRIFAC_ABI {
namespace detail {

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

/// Where the matrices of a batch lie, as findings tell it.
template <class T>
batch_place place_of(const batch_view<T>& A) {
  const auto& at = A.strides();
  if (A.has_pointers() || at.lane_stride != 1) return batch_place::strided;
  return at.chunk >= A.batch() ? batch_place::interleaved
         : at.chunk > 1        ? batch_place::chunked
                               : batch_place::strided;
}

/// "KIND NAME, DRIVER", compared without memory.
inline bool is_device_named(std::string_view whole, std::string_view kind, std::string_view name,
                            std::string_view driver) {
  const std::size_t sizes = kind.size() + 1 + name.size() + 2 + driver.size();
  return whole.size() == sizes && whole.starts_with(kind) && whole.ends_with(driver) &&
         whole.substr(kind.size() + 1, name.size()) == name;
}

/// The parameters of a call on A: the caller's where it named any, else those that the profile has
/// for the device. What the profile says of the CPU is how to lay a batch out, and changes no call.
template <class B, class T>
batch_tuning tuned_batch(const B& backend, const batch_tuning& asked,
                         [[maybe_unused]] const profile* measured,
                         [[maybe_unused]] batch_operation op,
                         [[maybe_unused]] const batch_view<T>& A) {
  if constexpr (DeviceBackend<B> && LapackScalar<std::remove_const_t<T>>) {
    if (measured == nullptr || asked != batch_tuning{} || !backend.available()) return asked;
    const auto& f = backend.facts();
    for (const batch_findings& here : measured->batches)
      if (is_device_named(here.device, B::name, f.name, f.driver))
        return tuning_from<std::remove_const_t<T>>(here.found, op, place_of(A), A.rows());
  }
  return asked;
}

template <class B>
status check_batch_tuning(const batch_tuning& t, batch_operation op, index_t order) {
  if constexpr (DeviceBackend<B>)
    return check_device_tuning(t, op, order);
  else
    return check_cpu_tuning(t, op);
}

}  // namespace detail

/// The name of a backend in profile::batches: "serial", "opencl NAME, DRIVER".
template <BatchBackend B>
std::string profile_device(const B& backend) {
  std::string name(B::name);
  if constexpr (DeviceBackend<B>)
    if (backend.available()) name += ' ' + backend.facts().name + ", " + backend.facts().driver;
  return name;
}

}  // namespace TRIFAC_ABI
}  // namespace trifac
