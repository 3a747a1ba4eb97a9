#pragma once
// From checked arguments to the tasks of a factorization.

#include <span>
#include <string>
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

/// Who does the updates where there are devices; CPU workers have the panels in any case.
enum class starpu_placement {
  round_robin,  ///< block columns are dealt to the devices in turn
  dynamic       ///< the scheduler's choice, CPU workers among them
};

inline namespace TRIFAC_ABI {
namespace starpu_tasks {

#if TRIFAC_USE_KERNELS
template <class T>
using tasks_of = linked::task_calls<T>;
#else
template <class T>
using tasks_of = panel_tasks<T>;
#endif

/// How a call is run.
struct call {
  starpu_timeline* timeline = nullptr;
  starpu_placement placement = starpu_placement::dynamic;
};

/// The workers to which the updates of block columns are dealt in turn; none: as the scheduler likes.
template <class Devices>
std::vector<int> device_workers(const call& how) {
  if constexpr (Devices::any)
    if (how.placement == starpu_placement::round_robin) return Devices::workers();
  return {};
}

/// submit(session, workers) with a StarPU that has workers; its status, or that there is none.
template <class Devices, class Submit>
status with_session(Submit submit) {
  session here(Devices::any);
  if (!here.ready())
    return status::failure(status_kind::backend_failure,
                           "StarPU did not start or has no worker on the CPU");
  if constexpr (Devices::any)
    if (Devices::workers().empty())
      return status::failure(status_kind::backend_failure, Devices::without_workers);
  return submit(here, starpu_worker_get_count());
}

/// Columns of a panel of Cholesky, whose bits do not depend on it; `best`: all of them where one
/// thread is better, up to the order at which LU has one panel, too. Eight columns give two workers
/// enough to choose from; not measured with more.
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
  return on.failed() ? status::failure(status_kind::backend_failure,
                                       "StarPU refused a task, or a device failed in one")
                     : found;
}

/// P·A = L·U of checked arguments.
template <variant V, class Devices, class T>
status factor_lu(const matrix_view<T>& A, std::span<index_t> interchanges,
                 const lu_options& options, const call& how) {
  if (how.timeline) *how.timeline = {};
  const auto plan = tasks_of<T>::plan_lu(A.rows(), A.cols(), options);
  const block_columns blocks = {A.rows(), A.cols(), plan.block};
  if (options.pivoting == pivoting::none || plan.packed == 0 || plan.block >= A.cols() ||
      !handle::fits(A) || !handle::fits(plan.packed) || !session::may_wait()) {
    pivots p;
    const status s = trifac::detail::choose_and_factor<V>(serial{}, A, p, options);
    if (s.of_the_matrix()) std::copy_n(p.span().data(), interchanges.size(), interchanges.data());
    return s;
  }
  return with_session<Devices>([&](session& here, unsigned workers) {
    using flow = lu_flow<T, tasks_of<T>, Devices>;
    trifac::detail::workspace memory({}, flow::bytes(blocks, plan, workers));
    if (!memory.ok()) return no_memory();
    flow f(A, blocks, plan, options, workers, memory.take_bytes(0));
    const index_t columns = blocks.count(), panels = blocks.panels();
    task_queue on(here, columns, trifac::detail::as_size(panels * (columns + 2)),
                  device_workers<Devices>(how));
    lu_blocked(on, lu_task_panel(f));
    on.wait();
    const status found = f.finish(interchanges.data());
    return outcome_of(on, here, found, how.timeline);
  });
}

/// A = L·Lᴴ of checked arguments, in place or with the lower triangle of A copied to L.
template <variant V, class Devices, class T>
status factor_cholesky(const matrix_view<const T>& A, const matrix_view<T>& L,
                       const cholesky_options& options, const call& how) {
  if (how.timeline) *how.timeline = {};
  const index_t n = A.rows();
  cholesky_options by_tasks = options;
  if (options.block == 0) by_tasks.block = cholesky_task_block(n, V == variant::best);
  const auto plan = tasks_of<T>::plan_cholesky(n, by_tasks);
  const block_columns blocks = {n, n, plan.block};
  if (plan.packed == 0 || blocks.count() < 2 || !handle::fits(L) || !handle::fits(plan.packed) ||
      !session::may_wait()) {
    cholesky_options lower = options;  // A and L are oriented
    lower.part = triangle::lower;
    return trifac::detail::choose_and_factor<V>(serial{}, A, L, lower);
  }
  return with_session<Devices>([&](session& here, unsigned) {
    using flow = cholesky_flow<T, tasks_of<T>, Devices>;
    trifac::detail::workspace memory({}, flow::bytes(blocks, plan));
    if (!memory.ok()) return no_memory();
    flow f(L, blocks, plan, memory.take_bytes(0));
    const index_t columns = blocks.count();
    task_queue on(here, columns, trifac::detail::as_size(columns * (columns + 1)),
                  device_workers<Devices>(how));
    if (A.data() != L.data()) blas::copy_lower<T>(A, L);
    cholesky_blocked(on, cholesky_task_panel(f));
    on.wait();
    const status found = f.finish();
    return outcome_of(on, here, found, how.timeline);
  });
}

}  // namespace starpu_tasks
}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac
