#pragma once
// `--backend starpu[:WORKERS]` of the program `trifac`.

#include <cstdlib>
#include <span>
#include <string_view>

#include "bench/starpu_svg.hpp"
#include "trifac/backend/starpu.hpp"
#if TRIFAC_EXPECT_OPENCL
  #include "trifac/backend/starpu_opencl.hpp"
#endif

namespace program {

/// The tasks of the last call on StarPU.
inline trifac::backend::starpu_timeline& recorded_tasks() {
  static trifac::backend::starpu_timeline tasks;
  return tasks;
}

/// StarPU with the workers of the command line; one type for all, so that the program has its
/// methods once.
struct starpu_workers : trifac::backend::starpu {
#if TRIFAC_EXPECT_OPENCL
  trifac::backend::starpu_opencl devices = {};
  bool has_devices = false;

  template <trifac::variant V, trifac::LapackScalar T>
  auto start_lu(const trifac::matrix_view<T>& A, std::span<trifac::index_t> interchanges,
                const trifac::lu_options& options) const {
    return has_devices ? devices.template start_lu<V>(A, interchanges, options)
                       : trifac::backend::starpu::start_lu<V>(A, interchanges, options);
  }
  template <trifac::variant V, trifac::LapackScalar T>
  auto start_cholesky(const trifac::matrix_view<const T>& A, const trifac::matrix_view<T>& L,
                      const trifac::cholesky_options& options) const {
    return has_devices ? devices.template start_cholesky<V>(A, L, options)
                       : trifac::backend::starpu::start_cholesky<V>(A, L, options);
  }
#endif
};

/// words: one of starpu_workers_names. Unless STARPU_NOPENCL says how many OpenCL workers there
/// are, "cpu+2opencl" has two.
inline starpu_workers starpu_with([[maybe_unused]] std::string_view words) {
  starpu_workers on = {{.timeline = &recorded_tasks()}};
#if TRIFAC_EXPECT_OPENCL
  using trifac::backend::starpu_placement;
  on.devices.timeline = on.timeline;
  on.has_devices = words != "cpu";
  if (words == "cpu+2opencl") ::setenv("STARPU_NOPENCL", "2", 0);
  if (words == "opencl") on.devices.placement = starpu_placement::device_only;
#endif
  return on;
}

}  // namespace program
