#pragma once
// The StarPU backend: LU and Cholesky as tasks on block columns, scheduled by StarPU. Link with
// trifac::starpu (CMake) or with the flags of pkg-config starpu-1.3.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trifac/engine/starpu/factor.hpp"

namespace trifac {
namespace backend {
inline namespace TRIFAC_ABI {

/// Cholesky and LU (partial pivoting, tournaments) of float, double and complex of both, as tasks.
/// The first call starts StarPU, with CPU workers, unless the program has started it (starpu_init):
/// then its scheduler and workers are used. STARPU_NCPU sets the number of workers, STARPU_SCHED
/// the scheduler; the bits of the result do not depend on either and are those of serial, threads
/// and openmp for the same panels.
///
/// The calling thread runs: matrices of one panel, LU without pivoting, matrices without contiguous
/// rows or columns, calls from within a task or in a child of the process that started StarPU, and
/// everything but the two factorizations. Only these use options.workspace.
struct starpu {
  static constexpr std::string_view name = "starpu";

  /// If not null, receives the tasks of each call in execution order when the call ends; empty if
  /// memory runs out, without further effect.
  starpu_timeline* timeline = nullptr;

  availability available() const noexcept { return {true, ""}; }
  static constexpr bool has_small_path = true;  ///< see SmallPathBackend
  friend constexpr bool supports(const starpu&, variant v) {
    return v == variant::best || v == variant::packed;
  }

  /// The names of StarPU's workers, starting StarPU if necessary; empty without workers.
  static std::vector<std::string> workers();

  /// The backend of calls without tasks.
  static constexpr serial on_host() { return {}; }

  /// With checked arguments; see TaskBackend.
  template <variant V, LapackScalar T>
  trifac::detail::in_flight start_lu(const matrix_view<T>& A, std::span<index_t> interchanges,
                                     const lu_options& options) const {
    return starpu_tasks::start_lu<V, starpu_tasks::no_devices>(A, interchanges, options,
                                                               {.timeline = timeline});
  }
  template <variant V, LapackScalar T>
  trifac::detail::in_flight start_cholesky(const matrix_view<const T>& A, const matrix_view<T>& L,
                                           const cholesky_options& options) const {
    return starpu_tasks::start_cholesky<V, starpu_tasks::no_devices>(A, L, options,
                                                                     {.timeline = timeline});
  }
};

/// Nests without tasks run on the calling thread.
template <class Nest>
void run(const starpu&, status& outcome, double flops, Nest nest) {
  run(serial{}, outcome, flops, nest);
}

inline std::vector<std::string> starpu::workers() {
  if (!starpu_tasks::session::may_wait()) return {};
  return starpu_tasks::session().workers();
}

}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac
