#pragma once
// Calls on batches in host memory: the device works on that memory or on a copy of it for the
// duration of a call.

#include "trifac/engine/device/batch_launches.hpp"
#include "trifac/engine/device/batch_memory.hpp"

namespace trifac::device {
inline namespace TRIFAC_ABI {

/// The calls on batches of T on a device. Each waits for completion.
template <class Runtime, class T>
class batch_calls {
 public:
  using solve_how = batch_solve_how;

  batch_calls(session<Runtime>& s, const device_settings& settings, const batch_tuning& tuning)
      : session_(s), kernels_(s, settings, tuning) {}

  /// A = L·Lᴴ of each matrix, lower triangles; writes info for each.
  status cholesky(const batch_view<T>& A, std::span<std::int32_t> info) {
    part_watch watch;
    device_times times;
    host_batch<Runtime, T> matrices(session_, A, kernels_.layout(), extent_of_use::lower_triangle);
    host_numbers<Runtime, std::int32_t> outcomes(session_, info);
    times.copy_in = watch.lap();
    kernels_.cholesky(matrices.operand(), /*mirror=*/false, outcomes.get());
    finish(matrices, outcomes);
    times.run = watch.lap();
    matrices.copy_back();
    outcomes.copy_back();
    return ended(times, watch);
  }
  /// P·A = L·U of each matrix, or A = L·U if `interchanges` is empty.
  status lu(const batch_view<T>& A, std::span<std::int32_t> interchanges,
            std::span<std::int32_t> info) {
    part_watch watch;
    device_times times;
    host_batch<Runtime, T> matrices(session_, A, kernels_.layout(), extent_of_use::all);
    host_numbers<Runtime, std::int32_t> rows(session_, interchanges), outcomes(session_, info);
    times.copy_in = watch.lap();
    kernels_.lu(matrices.operand(), interchanges.empty() ? pivoting::none : pivoting::partial,
                rows.get(), outcomes.get());
    finish(matrices, rows, outcomes);
    times.run = watch.lap();
    matrices.copy_back();
    if (!interchanges.empty()) rows.copy_back();
    outcomes.copy_back();
    return ended(times, watch);
  }
  /// B := A⁻¹·B for each matrix whose info is 0, as `how` specifies; how.exchanges and how.all_good
  /// are set from the arguments.
  status solve(solve_how how, const batch_view<const T>& factors,
               std::span<const std::int32_t> interchanges, std::span<const std::int32_t> info,
               const batch_view<T>& B) {
    part_watch watch;
    device_times times;
    host_batch<Runtime, const T> matrices(session_, factors, kernels_.layout(),
                                          part_of_factor(how));
    host_batch<Runtime, T> sides(session_, B, kernels_.layout(), extent_of_use::all);
    host_numbers<Runtime, const std::int32_t> rows(session_, interchanges),
        outcomes(session_, info);
    times.copy_in = watch.lap();
    how.exchanges = !interchanges.empty();
    how.all_good = is_success(info);
    kernels_.solve(how, matrices.operand(), rows.get(), outcomes.get(), sides.operand());
    finish(matrices, rows, outcomes, sides);
    times.run = watch.lap();
    sides.copy_back();
    return ended(times, watch);
  }
  /// A = L·Lᴴ or P·A = L·U of each matrix, in place, and B := A⁻¹·B if that succeeded; copies each
  /// matrix once. LU without interchanges if `interchanges` is empty.
  status factor_and_solve(solve_how how, const batch_view<T>& A,
                          std::span<std::int32_t> interchanges, std::span<std::int32_t> info,
                          const batch_view<T>& B) {
    part_watch watch;
    device_times times;
    host_batch<Runtime, T> matrices(session_, A, kernels_.layout(), part_of_factor(how));
    host_batch<Runtime, T> sides(session_, B, kernels_.layout(), extent_of_use::all);
    host_numbers<Runtime, std::int32_t> rows(session_, interchanges), outcomes(session_, info);
    times.copy_in = watch.lap();
    how.exchanges = !interchanges.empty();
    // The other triangle of a copy may be overwritten: the second substitution reads it by columns.
    how.mirrored =
        how.factor == solve_how::with::cholesky && kernels_.in_groups() && matrices.is_copy();
    kernels_.factor_and_solve(how, matrices.operand(), rows.get(), outcomes.get(), sides.operand());
    finish(matrices, rows, outcomes, sides);
    times.run = watch.lap();
    matrices.copy_back();
    sides.copy_back();
    if (how.exchanges) rows.copy_back();
    outcomes.copy_back();
    return ended(times, watch);
  }

 private:
  static extent_of_use part_of_factor(const solve_how& how) {
    using with = solve_how::with;
    return how.factor == with::cholesky || how.factor == with::lower ||
                   how.factor == with::unit_lower
               ? extent_of_use::lower_triangle
               : extent_of_use::all;
  }
  static bool is_success(std::span<const std::int32_t> info) {
    for (const std::int32_t i : info)
      if (i != 0) return false;
    return true;
  }
  /// Waits once for everything that the kernels worked on.
  template <class... Memory>
  void finish(Memory&... memory) {
    (memory.give_back(), ...);
    session_.runtime.finish();
  }
  status ended(device_times& times, part_watch& watch) {
    times.copy_out = watch.lap();
    session_.set_times(times);
    session_.runtime.save_programs();
    return {};
  }

  session<Runtime>& session_;
  batch_launches<Runtime, T> kernels_;
};

}  // namespace TRIFAC_ABI
}  // namespace trifac::device
