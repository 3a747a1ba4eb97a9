#pragma once
// From checked arguments to the tasks of a factorization.

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "trifac/engine/call/call.hpp"
#include "trifac/engine/call/in_flight.hpp"
#include "trifac/engine/call/workspace.hpp"
#include "trifac/engine/calls/calls.hpp"
#include "trifac/engine/calls/task_calls.hpp"
#include "trifac/engine/cholesky/factorization.hpp"
#include "trifac/engine/cpu/serial_policy.hpp"
#include "trifac/engine/lu/factorization.hpp"
#include "trifac/engine/starpu/cholesky.hpp"
#include "trifac/engine/starpu/lu.hpp"
#include "trifac/engine/starpu/placement.hpp"
#include "trifac/engine/starpu/session.hpp"
#include "trifac/pivots.hpp"
#include TRIFAC_DEFINITIONS(cholesky, calls)
#include TRIFAC_DEFINITIONS(lu, calls)
#include TRIFAC_DEFINITIONS(starpu, calls)

namespace trifac {
namespace backend {

inline namespace TRIFAC_ABI {
namespace starpu_tasks {

/// How a call is run.
struct call {
  starpu_timeline* timeline = nullptr;
  starpu_placement placement = starpu_placement::dynamic;
  starpu_steps steps = starpu_steps::together;
};

template <class Devices>
dealing dealt(const call& how) {
  if constexpr (Devices::any)
    if (how.placement != starpu_placement::dynamic)
      return {how.placement, Devices::workers(), Devices::where};
  return {};
}

/// Block columns of Cholesky; the bits of L do not depend on it. Up to order 448 `best` uses one
/// panel, hence no tasks: one thread is faster there. Otherwise eight block columns, enough
/// parallelism for two workers; not measured with more.
template <variant V>
constexpr index_t cholesky_task_block(index_t n) {
  if (V == variant::best && n <= 448) return n;
  return trifac::detail::clamp<index_t>(n / 8 / 32 * 32, 64, 256);
}

/// A factorization whose tasks have been submitted to StarPU.
template <class T, class Flow, class Devices>
class job final : public trifac::detail::pending_work {
 public:
  explicit job(const call& how) : how_(how), session_(Devices::where) {}
  ~job() override { static_cast<void>(job::wait()); }

  /// Submits the tasks; on failure there is nothing to wait for.
  status begin(const matrix_view<T>& A, const block_columns& blocks, const task_plan& plan,
               const typename Flow::request& request) {
    const bool needs_cpu = how_.placement != starpu_placement::device_only;
    if (!session_.ready() || (needs_cpu && starpu_cpu_worker_get_count() == 0))
      return status::failure(status_kind::backend_failure,
                             "StarPU did not start or has no worker on the CPU");
    if constexpr (Devices::any)
      if (Devices::workers().empty())
        return status::failure(status_kind::backend_failure, Devices::missing);
    memory_.emplace(std::span<std::byte>(), Flow::bytes(blocks, plan, starpu_worker_get_count()));
    if (!memory_->ok()) return status::failure(status_kind::out_of_memory, "workspace");
    flow_.emplace(A, blocks, plan, request, memory_->take_bytes(0));
    static_cast<void>(Flow::update_codelet());  // allocates its model, before tasks are in flight
    queue_.emplace(session_, blocks.count(), Flow::most_tasks(blocks, request),
                   dealt<Devices>(how_));
    flow_->submit(*queue_);
    queue_->close();
    return {};
  }

  bool done() const noexcept override { return !queue_ || queue_->done(); }

  status wait() noexcept override {
    if (!queue_) return {};
    if (session::lost())
      return status::failure(status_kind::backend_failure, "its tasks are the parent process's");
    queue_->wait();
    const status found = flow_->finish();
    const bool failed = queue_->failed();
    if (how_.timeline)  // stays empty if memory runs out
      static_cast<void>(trifac::detail::without_exceptions([&] {
        *how_.timeline = queue_->timeline(session_.workers());
        return status();
      }));
    queue_.reset();
    return failed ? status::failure(status_kind::backend_failure,
                                    "StarPU refused a task, or a device failed in one")
                  : found;
  }

 private:
  call how_;
  session session_;
  std::optional<trifac::detail::workspace> memory_;
  std::optional<Flow> flow_;
  std::optional<task_queue> queue_;
};

template <class Flow, class Devices, class T>
trifac::detail::in_flight start(const matrix_view<T>& A, const block_columns& blocks,
                                const task_plan& plan, const typename Flow::request& request,
                                const call& how) {
  using trifac::detail::in_flight;
  auto begun = std::make_unique<job<T, Flow, Devices>>(how);
  const status s = begun->begin(A, blocks, plan, request);
  return s ? in_flight(std::move(begun)) : in_flight(s);
}

/// Starts P·A = L·U with checked arguments; runs it on the calling thread if there are no tasks.
template <variant V, class Devices, class T>
trifac::detail::in_flight start_lu(const matrix_view<T>& A, std::span<index_t> interchanges,
                                   const lu_options& options, const call& how) {
  if (how.timeline) *how.timeline = {};
  const auto plan = task_calls<T>::plan_lu(A.rows(), A.cols(), options);
  if (options.pivoting == pivoting::none || plan.packed == 0 || plan.block >= A.cols() ||
      !handle::fits(A) || !handle::fits(plan.packed) || !session::may_wait()) {
    pivots p;
    const status s = trifac::detail::factor_lu<V>(serial{}, A, p, options);
    if (s.of_the_matrix()) std::copy_n(p.span().data(), interchanges.size(), interchanges.data());
    return trifac::detail::in_flight(s);
  }
  using flow = lu_flow<T, task_calls<T>, Devices>;
  lu_options by_tasks = options;
  if (!plan.has_tournaments) by_tasks.pivoting = pivoting::partial;
  return start<flow, Devices>(A, {A.rows(), A.cols(), plan.block}, plan,
                              {by_tasks, interchanges.data(), how.steps}, how);
}

/// Starts A = L·Lᴴ with checked arguments, in place or with the lower triangle of A copied to L;
/// otherwise like start_lu.
template <variant V, class Devices, class T>
trifac::detail::in_flight start_cholesky(const matrix_view<const T>& A, const matrix_view<T>& L,
                                         const cholesky_options& options, const call& how) {
  if (how.timeline) *how.timeline = {};
  const index_t n = A.rows();
  cholesky_options by_tasks = options;
  if (options.block == 0) by_tasks.block = cholesky_task_block<V>(n);
  const auto plan = task_calls<T>::plan_cholesky(n, by_tasks);
  const block_columns blocks = {n, n, plan.block};
  if (plan.packed == 0 || blocks.count() < 2 || !handle::fits(L) || !handle::fits(plan.packed) ||
      !session::may_wait()) {
    cholesky_options lower = options;  // A and L are already views of lower triangles
    lower.part = triangle::lower;
    return trifac::detail::in_flight(trifac::detail::factor_cholesky<V>(serial{}, A, L, lower));
  }
  return start<cholesky_flow<T, task_calls<T>, Devices>, Devices>(L, blocks, plan, {A}, how);
}

}  // namespace starpu_tasks
}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac
