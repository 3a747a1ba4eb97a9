#pragma once
// The StarPU backend with devices, shared by OpenCL and CUDA.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trifac/backend/starpu.hpp"

namespace trifac {
namespace backend {
inline namespace TRIFAC_ABI {

/// backend::starpu with device workers; aliases: starpu_opencl.hpp and starpu_cuda.hpp.
template <class Devices>
struct starpu_with_devices {
  static constexpr std::string_view name = Devices::name;

  starpu_placement placement = starpu_placement::dynamic;
  starpu_timeline* timeline = nullptr;          ///< as in starpu
  starpu_steps steps = starpu_steps::together;  ///< of an update of LU; `separate` requires
                                                ///< device_only

  availability available() const noexcept { return {true, ""}; }
  /// Checks the policy's own values.
  status check() const {
    if (steps == starpu_steps::separate && placement != starpu_placement::device_only)
      return status::argument("backend.steps", "separate is for placement device_only");
    return {};
  }
  static constexpr bool has_small_path = true;  ///< see SmallPathBackend
  friend constexpr bool supports(const starpu_with_devices&, variant v) {
    return supports(starpu{}, v);
  }
  static constexpr serial on_host() { return {}; }
  /// The names of starpu's workers and the devices'.
  static std::vector<std::string> workers() {
    if (!starpu_tasks::session::may_wait()) return {};
    return starpu_tasks::session(Devices::where).workers();
  }

  /// With checked arguments; see TaskBackend.
  template <variant V, LapackScalar T>
  trifac::detail::in_flight start_lu(const matrix_view<T>& A, std::span<index_t> interchanges,
                                     const lu_options& options) const {
    return starpu_tasks::start_lu<V, Devices>(A, interchanges, options, how());
  }
  template <variant V, LapackScalar T>
  trifac::detail::in_flight start_cholesky(const matrix_view<const T>& A, const matrix_view<T>& L,
                                           const cholesky_options& options) const {
    return starpu_tasks::start_cholesky<V, Devices>(A, L, options, how());
  }

 private:
  starpu_tasks::call how() const {
    return {.timeline = timeline, .placement = placement, .steps = steps};
  }
};

/// As for starpu.
template <class Devices, class Nest>
void run(const starpu_with_devices<Devices>&, status& outcome, double flops, Nest nest) {
  run(serial{}, outcome, flops, nest);
}

}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac
