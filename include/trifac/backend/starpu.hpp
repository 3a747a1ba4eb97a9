#pragma once
// The StarPU backend: LU and Cholesky as tasks on block columns, which StarPU's workers run in an
// order of their own. Link with trifac::starpu (CMake) or what pkg-config says of starpu-1.3.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trifac/engine/starpu/factor.hpp"

namespace trifac {
namespace backend {
inline namespace TRIFAC_ABI {

/// Cholesky and LU (partial pivoting, tournaments) of float, double and complex of both, as tasks.
/// StarPU is started by the first call, with workers on the CPU, unless the program has started it
/// (starpu_init): then that one is used, and so are its scheduler and its workers. STARPU_NCPU says
/// how many workers, STARPU_SCHED which scheduler; the bits of the result depend on neither, and
/// are those of serial, threads and openmp for the same panels.
///
/// On the calling thread run: a matrix of one panel, LU without pivoting, a matrix whose rows and
/// columns are both strided, a call from within a task or in a child of the process that started
/// StarPU, and everything but the two factorizations. options.workspace serves these only.
struct starpu {
  static constexpr std::string_view name = "starpu";

  /// Where not null, receives the tasks of each call in the order in which they ran, when it ends;
  /// empty where there is no memory for them, which changes nothing else.
  starpu_timeline* timeline = nullptr;

  availability available() const noexcept { return {true, ""}; }
  static constexpr bool has_small_path = true;  ///< see SmallPathBackend
  friend constexpr bool supports(const starpu&, variant v) {
    return v == variant::best || v == variant::packed;
  }

  /// The names of StarPU's workers, which are started for that; empty where there are none.
  static std::vector<std::string> workers();

  /// The backend of calls that have no tasks.
  static constexpr serial on_host() { return {}; }

  /// Of checked arguments; see TaskBackend.
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

/// A nest that has no tasks runs on the calling thread.
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
