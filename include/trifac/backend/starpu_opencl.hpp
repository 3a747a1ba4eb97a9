#pragma once
// The StarPU backend with OpenCL devices: panels on the CPU, updates on devices too. Link with
// trifac::starpu and trifac::opencl (CMake), or starpu-1.3 and -lOpenCL.

#include <span>
#include <string_view>

#include "trifac/backend/starpu.hpp"
#include "trifac/backend/starpu/opencl_workers.hpp"

namespace trifac {
namespace backend {
inline namespace TRIFAC_ABI {

/// backend::starpu with OpenCL workers. Where trifac starts StarPU, all OpenCL devices have one, and
/// the scheduler is dmdas, which measures each kind of task ten times, keeps the times in STARPU_HOME,
/// and then gives a task to whom it ends first. STARPU_OPENCL_ON_CPUS=1 makes CPU devices workers, too.
///
/// Devices round in an order of their own: the same bits from run to run where block columns are
/// dealt, not with `dynamic`.
struct starpu_opencl {
  static constexpr std::string_view name = "starpu_opencl";

  starpu_placement placement = starpu_placement::dynamic;
  starpu_timeline* timeline = nullptr;          ///< as that of starpu
  starpu_steps steps = starpu_steps::together;  ///< of an update of LU; separate: with device_only

  availability available() const noexcept { return {true, ""}; }
  /// Of the policy's own values.
  status check() const {
    if (steps == starpu_steps::separate && placement != starpu_placement::device_only)
      return status::argument("backend.steps", "separate is for placement device_only");
    return {};
  }
  static constexpr bool has_small_path = true;  ///< see SmallPathBackend
  friend constexpr bool supports(const starpu_opencl&, variant v) { return supports(starpu{}, v); }
  static constexpr serial on_host() { return {}; }

  template <variant V, LapackScalar T>
  status lu(const matrix_view<T>& A, std::span<index_t> interchanges,
            const lu_options& options) const {
    return start_lu<V>(A, interchanges, options).wait();
  }
  template <variant V, LapackScalar T>
  status cholesky(const matrix_view<const T>& A, const matrix_view<T>& L,
                  const cholesky_options& options) const {
    return start_cholesky<V>(A, L, options).wait();
  }
  template <variant V, LapackScalar T>
  trifac::detail::in_flight start_lu(const matrix_view<T>& A, std::span<index_t> interchanges,
                                     const lu_options& options) const {
    return starpu_tasks::start_lu<V, starpu_tasks::opencl_workers>(A, interchanges, options, how());
  }
  template <variant V, LapackScalar T>
  trifac::detail::in_flight start_cholesky(const matrix_view<const T>& A, const matrix_view<T>& L,
                                           const cholesky_options& options) const {
    return starpu_tasks::start_cholesky<V, starpu_tasks::opencl_workers>(A, L, options, how());
  }

 private:
  starpu_tasks::call how() const {
    return {.timeline = timeline, .placement = placement, .steps = steps};
  }
};

/// As that of starpu.
template <class Nest>
void run(const starpu_opencl&, status& outcome, double flops, Nest nest) {
  run(serial{}, outcome, flops, nest);
}

}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac
