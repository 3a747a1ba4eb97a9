#pragma once
// The StarPU backend: LU and Cholesky as tasks on block columns, which StarPU's workers run in an order
// of their own. Link with trifac::starpu (CMake) or what pkg-config says of starpu-1.3.

#include <concepts>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trifac/backend/starpu/cholesky.hpp"
#include "trifac/backend/starpu/lu.hpp"
#include "trifac/backend/starpu/session.hpp"
#include "trifac/linked/task_calls.hpp"
#include "trifac/pivots.hpp"
#if TRIFAC_USE_KERNELS
  #include "trifac/nests.hpp"
#else
  #include "trifac/backend/cpu/panel_tasks.hpp"
  #include "trifac/backend/serial.hpp"
  #include "trifac/cholesky/run.hpp"
  #include "trifac/lu/run.hpp"
#endif

namespace trifac {
namespace backend {
inline namespace TRIFAC_ABI {

/// Cholesky and LU (partial pivoting, tournaments) of float, double and complex of both, as tasks.
/// StarPU is started by the first call, with workers on the CPU, unless the program has started it
/// (starpu_init): then that one is used, and so are its scheduler and its workers. STARPU_NCPU says how
/// many workers, STARPU_SCHED which scheduler; the bits of the result depend on neither, and are those
/// of serial, threads and openmp for the same panels.
///
/// On the calling thread run: a matrix of one panel, LU without pivoting, a matrix whose rows and
/// columns are both strided, a call from within a task or in a child of the process that started
/// StarPU, and everything but the two factorizations. options.workspace serves these only.
struct starpu {
  static constexpr std::string_view name = "starpu";

  /// Where not null, receives the tasks of each call in the order in which they ran.
  starpu_timeline* timeline = nullptr;

  availability available() const noexcept { return {true, ""}; }
  static constexpr bool has_small_path = true;  ///< see SmallPathBackend
  friend constexpr bool supports(const starpu&, variant v) {
    return v == variant::best || v == variant::packed;
  }

  /// The names of StarPU's workers, which are started for that; empty where there are none.
  static std::vector<std::string> workers();

  /// Who does what is no task here.
  static constexpr serial on_host() { return {}; }

  /// Of checked arguments; see TaskBackend.
  template <variant V, LapackScalar T>
  status lu(const matrix_view<T>& A, std::span<index_t> interchanges,
            const lu_options& options) const;
  template <variant V, LapackScalar T>
  status cholesky(const matrix_view<const T>& A, const matrix_view<T>& L,
                  const cholesky_options& options) const;
};

namespace starpu_tasks {

#if TRIFAC_USE_KERNELS
template <class T>
using tasks_of = linked::task_calls<T>;
#else
template <class T>
using tasks_of = panel_tasks<T>;
#endif

/// submit(session, workers) with a StarPU that has workers; its status, or that there is none.
template <class Submit>
status with_session(Submit submit) {
  session here;
  if (!here.ready())
    return status::failure(status_kind::backend_failure,
                           "StarPU did not start or has no worker on the CPU");
  return submit(here, starpu_worker_get_count());
}

/// Columns of a panel of Cholesky, whose bits do not depend on it; `best`: all of them where one
/// thread is better, up to the order at which LU has one panel, too. Eight columns give two workers
/// enough to choose from.
constexpr index_t cholesky_task_block(index_t n, bool best) {
  if (best && n <= 448) return n;
  return trifac::detail::clamp<index_t>(n / 8 / 32 * 32, 64, 256);
}

inline status no_memory() {
  return status::failure(status_kind::out_of_memory, "workspace");
}

/// What queue and flow have to say in the end.
inline status outcome_of(const task_queue& on, const session& here, const status& found,
                         starpu_timeline* timeline) {
  if (timeline) *timeline = on.timeline(here.workers());
  return on.failed() ? status::failure(status_kind::backend_failure, "StarPU refused a task")
                     : found;
}

}  // namespace starpu_tasks

/// A nest that has no tasks runs on the calling thread.
template <class Nest>
void run(const starpu&, status& outcome, double flops, Nest nest) {
  run(serial{}, outcome, flops, nest);
}

inline std::vector<std::string> starpu::workers() {
  if (!starpu_tasks::session::may_wait()) return {};
  return starpu_tasks::session().workers();
}

template <variant V, LapackScalar T>
status starpu::lu(const matrix_view<T>& A, std::span<index_t> interchanges,
                  const lu_options& options) const {
  using namespace starpu_tasks;
  const auto plan = tasks_of<T>::plan_lu(A.rows(), A.cols(), options);
  const block_columns blocks = {A.rows(), A.cols(), plan.block};
  if (options.pivoting == pivoting::none || plan.packed == 0 || blocks.count() < 2 ||
      !handle::fits(A) || !handle::fits(plan.packed) || !session::may_wait()) {
    pivots p;
    const status s = trifac::detail::choose_and_factor<V>(on_host(), A, p, options);
    if (s.of_the_matrix()) std::copy_n(p.span().data(), interchanges.size(), interchanges.data());
    return s;
  }
  return with_session([&](session& here, unsigned workers) {
    using flow = lu_flow<T, tasks_of<T>>;
    trifac::detail::workspace memory({}, flow::bytes(blocks, plan, workers));
    if (!memory.ok()) return no_memory();
    flow f(A, blocks, plan, options, workers, memory.take_bytes(0));
    const index_t columns = blocks.count(), panels = blocks.panels();
    task_queue on(columns, trifac::detail::as_size(panels * (columns + 2)));
    lu_blocked(on, lu_task_panel(f));
    on.wait();
    here.rest();
    const status found = f.finish(interchanges.data());
    return outcome_of(on, here, found, timeline);
  });
}

template <variant V, LapackScalar T>
status starpu::cholesky(const matrix_view<const T>& A, const matrix_view<T>& L,
                        const cholesky_options& options) const {
  using namespace starpu_tasks;
  const index_t n = A.rows();
  cholesky_options by_tasks = options;
  if (options.block == 0) by_tasks.block = cholesky_task_block(n, V == variant::best);
  const auto plan = tasks_of<T>::plan_cholesky(n, by_tasks);
  const block_columns blocks = {n, n, plan.block};
  if (plan.packed == 0 || blocks.count() < 2 || !handle::fits(L) || !handle::fits(plan.packed) ||
      !session::may_wait()) {
    cholesky_options lower = options;  // A and L are oriented
    lower.part = triangle::lower;
    return trifac::detail::choose_and_factor<V>(on_host(), A, L, lower);
  }
  return with_session([&](session& here, unsigned) {
    using flow = cholesky_flow<T, tasks_of<T>>;
    trifac::detail::workspace memory({}, flow::bytes(blocks, plan));
    if (!memory.ok()) return no_memory();
    flow f(L, blocks, plan, memory.take_bytes(0));
    const index_t columns = blocks.count();
    task_queue on(columns, trifac::detail::as_size(columns * (columns + 1)));
    if (A.data() != L.data()) blas::copy_lower<T>(A, L);
    cholesky_blocked(on, cholesky_task_panel(f));
    on.wait();
    here.rest();
    const status found = f.finish();
    return outcome_of(on, here, found, timeline);
  });
}

}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac
