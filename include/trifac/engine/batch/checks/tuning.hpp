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

constexpr bool is_power_of_two(int n) {
  return n > 0 && (n & (n - 1)) == 0;
}

/// The first parameter of lanes that is named, but for the order of looking, or null.
inline const char* named_lane_parameter(const batch_tuning& t) {
  return t.tile != 0                           ? "options.tuning.tile"
         : t.chunks != batch_chunks::automatic ? "options.tuning.chunks"
         : t.chunk != 0                        ? "options.tuning.chunk"
         : t.outer != outer_loops::automatic   ? "options.tuning.outer"
                                               : nullptr;
}
/// The first parameter of groups that is named, or null.
inline const char* named_group_parameter(const batch_tuning& t) {
  return t.panel != 0          ? "options.tuning.panel"
         : t.block_height != 0 ? "options.tuning.block_height"
         : t.block_width != 0  ? "options.tuning.block_width"
         : t.systems != 0      ? "options.tuning.systems"
                               : nullptr;
}

/// Parameters of a group of items for each matrix, of a rows × cols one.
inline status check_group_tuning(const batch_tuning& t, batch_operation op, index_t rows,
                                 index_t cols) {
  const bool is_solve = op == batch_operation::solve;
  constexpr const char* of_factors = "is of factorizations";
  if (const char* const named = named_lane_parameter(t))
    return status::argument(named, "is of options.tuning.kernel = lanes");
  if (t.looking != looking_order::automatic && (is_solve || t.looking != looking_order::left))
    return status::argument("options.tuning.looking",
                            "of options.tuning.kernel = groups is left, for factorizations");
  if (is_solve && t.panel != 0) return status::argument("options.tuning.panel", of_factors);
  if (t.panel < 0 || t.panel > cols)
    return status::argument("options.tuning.panel", "is wider than the matrices");
  if (is_solve && t.block_height != 0)
    return status::argument("options.tuning.block_height", of_factors);
  if (t.block_height != 0 && !is_power_of_two(t.block_height) && t.block_height != rows)
    return status::argument("options.tuning.block_height",
                            "is no power of two and not the number of rows");
  if (is_solve && t.block_width != 0)
    return status::argument("options.tuning.block_width", of_factors);
  if (t.block_width != 0 && !is_power_of_two(t.block_width) && t.block_width != t.panel)
    return status::argument("options.tuning.block_width", "is no power of two and not the panel");
  if (!is_solve && t.systems != 0)
    return status::argument("options.tuning.systems", "is of solves");
  if (t.systems < 0 || t.systems > 32)
    return status::argument("options.tuning.systems", "is not one of 1 to 32");
  return {};
}

/// The first parameter that is not one of its enumeration, or null.
inline const char* unknown_parameter(const batch_tuning& t) {
  const auto is_unknown = [](auto value, const auto& names) {
    return static_cast<std::size_t>(value) >= names.size();
  };
  return is_unknown(t.looking, looking_order_names) ? "options.tuning.looking"
         : is_unknown(t.chunks, batch_chunks_names) ? "options.tuning.chunks"
         : is_unknown(t.outer, outer_loops_names)   ? "options.tuning.outer"
         : is_unknown(t.kernel, batch_kernel_names) ? "options.tuning.kernel"
                                                    : nullptr;
}

/// Largest order whose loops are unrolled: 24 takes the compiler of PoCL 3 s, and 32 gains nothing.
inline constexpr index_t largest_unrolled = 32;

/// Kernels of a device: all is compiled as asked for.
inline status check_device_tuning(const batch_tuning& t, batch_operation op, index_t rows,
                                  index_t cols) {
  if (t.kernel == batch_kernel::groups) return check_group_tuning(t, op, rows, cols);
  if (const char* const named = named_group_parameter(t))
    return status::argument(named, "is of options.tuning.kernel = groups");
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
  if (t.outer == outer_loops::unrolled && op == batch_operation::cholesky &&
      rows > largest_unrolled)
    return status::argument("options.tuning.outer", "unrolled is for orders up to 32");
  if (t.outer == outer_loops::unrolled && op != batch_operation::cholesky)
    return status::argument("options.tuning.outer", "unrolled is of Cholesky");
  return {};
}

/// Kernels of the CPU are compiled in. Measured there is only how to lay a batch out.
inline status check_cpu_tuning(const batch_tuning& t) {
  if (t.kernel == batch_kernel::groups)
    return status::argument("options.tuning.kernel", "groups are of devices");
  const char* named = named_group_parameter(t);
  if (named == nullptr) named = named_lane_parameter(t);
  if (named == nullptr && t.looking != looking_order::automatic) named = "options.tuning.looking";
  return named == nullptr
             ? status()
             : status::argument(named, "is of devices: the kernels of the CPU are compiled in");
}

/// Where the matrices of a batch lie, as findings tell it.
template <class T>
batch_place place_of(const batch_view<T>& A) {
  const auto& s = A.strides();
  if (A.has_pointers() || s.lane_stride != 1) return batch_place::strided;
  return s.chunk >= A.batch() ? batch_place::interleaved
         : s.chunk > 1        ? batch_place::chunked
                              : batch_place::strided;
}

/// "KIND NAME, DRIVER", compared without memory.
inline bool is_device_named(std::string_view whole, std::string_view kind, std::string_view name,
                            std::string_view driver) {
  const std::size_t sizes = kind.size() + 1 + name.size() + 2 + driver.size();
  return whole.size() == sizes && whole.starts_with(kind) && whole.ends_with(driver) &&
         whole.substr(kind.size() + 1, name.size()) == name;
}

/// The backend, and what it can do with rows × cols matrices of T: of a solve, the factors.
template <class T, class B>
status check_batch_tuning(const B& backend, const batch_tuning& t, batch_operation op, index_t rows,
                          index_t cols) {
  if (const char* const unknown = unknown_parameter(t))
    return status::argument(unknown, "is not one of its enumeration");
  if constexpr (DeviceBackend<B>) {
    status s = check_device_tuning(t, op, rows, cols);
    if (s) s = check_backend(backend);
    if (s && t.kernel == batch_kernel::groups)
      s = backend.template check_batch_groups<T>(op, rows, cols, t);
    return s;
  } else {
    const status s = check_cpu_tuning(t);
    return s ? check_backend(backend) : s;
  }
}

/// Largest order whose default on GPUs is an item for each matrix. H200, Cholesky in float: 4096
/// matrices of order 32 take 70 µs in lanes and 95 in groups, 1024 of order 64 306 and 81, 64 of
/// order 256 46000 and 420.
inline constexpr index_t largest_by_items = 32;

/// The parameters of a call on A: the caller's where it named any; else those that the profile has
/// for the device; else on GPUs groups for orders that are not small. A finding of the profile is
/// passed over if it names nothing, if it does not suit A, as one of a smaller order may not, and
/// if A is not square, since only square matrices are measured. The profile's findings for the CPU
/// say how to lay a batch out, and change no call.
template <class B, class T>
batch_tuning tuned_batch(const B& backend, const batch_tuning& asked,
                         [[maybe_unused]] const profile* measured,
                         [[maybe_unused]] batch_operation op,
                         [[maybe_unused]] const batch_view<T>& A) {
  if constexpr (DeviceBackend<B> && LapackScalar<std::remove_const_t<T>>) {
    if (asked != batch_tuning{} || !backend.available()) return asked;
    using scalar = std::remove_const_t<T>;
    const auto suits = [&](const batch_tuning& t) {
      return check_batch_tuning<scalar>(backend, t, op, A.rows(), A.cols()).ok();
    };
    const auto& f = backend.facts();
    if (measured != nullptr && A.rows() == A.cols())
      for (const device_findings& findings : measured->batches)
        if (is_device_named(findings.device, B::name, f.name, f.driver)) {
          const auto found = tuning_from<scalar>(findings.found, op, place_of(A), A.rows());
          if (found != batch_tuning{} && suits(found)) return found;
        }
    const batch_tuning groups{.kernel = batch_kernel::groups};
    const bool is_small = A.rows() <= largest_by_items && A.cols() <= largest_by_items;
    if (!f.is_cpu && !is_small && suits(groups)) return groups;
  }
  return asked;
}

/// The same for cholesky_solve() and lu_solve(): `systems` are of the solve, all else of the
/// factorization.
template <class T, class B>
status check_systems_tuning(const B& backend, const batch_tuning& t, batch_operation op,
                            index_t n) {
  batch_tuning of_factor = t;
  of_factor.systems = 0;
  const status s = check_batch_tuning<T>(backend, of_factor, op, n, n);
  const batch_tuning of_solve = {.kernel = t.kernel, .systems = t.systems};
  return s ? check_batch_tuning<T>(backend, of_solve, batch_operation::solve, n, n) : s;
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
