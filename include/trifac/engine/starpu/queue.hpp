#pragma once
// The executor of a nest whose steps are tasks.

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include "trifac/engine/starpu/placement.hpp"
#include "trifac/engine/starpu/task.hpp"
#include "trifac/engine/starpu/transfers.hpp"
#include "trifac/matrix_view.hpp"

namespace trifac {
namespace backend {
inline namespace TRIFAC_ABI {
namespace starpu_tasks {

/// Assignment of tasks to workers: updates of column j to workers[j mod their number]; with
/// device_only, all other tasks, too. Without workers the scheduler assigns updates.
struct dealing {
  starpu_placement placement = starpu_placement::dynamic;
  std::vector<int> workers;
  std::uint32_t kind = 0;  // of the workers: STARPU_OPENCL, STARPU_CUDA

  bool deals(starpu_step step) const {
    return !workers.empty() &&
           (step == starpu_step::update || placement == starpu_placement::device_only);
  }
  int worker(index_t column) const {
    return workers[static_cast<std::size_t>(column) % workers.size()];
  }
};

/// The executor of a nest: each step of its panels becomes tasks, which StarPU orders by the data
/// that they read and write, equivalent to running them in submission order.
class task_queue {
 public:
  /// Reserves memory for all tasks, since they are submitted by address.
  task_queue(session& workers, index_t columns, std::size_t most_tasks, dealing devices)
      : columns_(columns), devices_(std::move(devices)), all_(workers) {
    tasks_.reserve(most_tasks);
  }

  /// Always false: the status is unknown at submission; tasks after a fatal status do nothing.
  bool stopped() const { return false; }

  void submit(starpu_codelet& codelet, const void* flow, starpu_step step, index_t panel,
              index_t column, std::initializer_list<starpu_data_handle_t> data) {
    if (failed_) return;
    tasks_.push_back({.all = &all_,
                      .flow = flow,
                      .step = step,
                      .panel = panel,
                      .column = column,
                      .codelet = &codelet});
    std::copy(data.begin(), data.end(), tasks_.back().data);
    std::transform(data.begin(), data.end(), tasks_.back().bytes, starpu_data_get_size);
    all_.one_more();
    starpu_task* const t = starpu_task_create();
    t->cl = &codelet;
    t->cl_arg = &tasks_.back();
    std::copy(data.begin(), data.end(), t->handles);
    t->priority = priority(step, panel, column);
    if (!devices_.deals(step)) {
      if (step != starpu_step::update) t->where = STARPU_CPU;
    } else if (devices_.workers.size() == 1) {
      t->where =
          static_cast<std::int32_t>(devices_.kind);  // a worker's own queue would ignore priorities
    } else {
      t->execute_on_a_specific_worker = 1;
      t->workerid = static_cast<unsigned>(devices_.worker(column));
    }
    if (starpu_task_submit(t) == 0) return;
    failed_ = true;
    all_.one_less();
    tasks_.pop_back();
    t->destroy = 0;
    starpu_task_destroy(t);
  }
  /// Call after the last task.
  void close() { all_.close(); }
  /// True if all tasks have run.
  bool done() const { return all_.done(); }
  void wait() const { all_.wait(); }
  /// True if a task was refused or failed.
  bool failed() const {
    return failed_ ||
           std::any_of(tasks_.begin(), tasks_.end(), [](const task& t) { return t.failed; });
  }

  /// Call after all tasks have run: tasks in starting order.
  starpu_timeline timeline(std::vector<std::string> workers) const {
    starpu_timeline t;
    t.workers = std::move(workers);
    const auto since = [&](task::clock::time_point p) {
      return std::chrono::duration<double>(p - start_).count();
    };
    std::vector<const task*> in_order;
    for (const task& one : tasks_) in_order.push_back(&one);
    std::stable_sort(in_order.begin(), in_order.end(),
                     [](const task* a, const task* b) { return a->begin < b->begin; });
    for (const task* one : in_order) {
      t.tasks.push_back(
          {one->step, one->panel, one->column, one->worker, since(one->begin), since(one->end)});
      t.seconds = std::max(t.seconds, since(one->end));
    }
    t.transfers = transfers_of(in_order, start_);
    return t;
  }

 private:
  /// Priorities: panels, then updates of the next panel, then earlier iterations, then columns
  /// further left; interchanges of earlier columns last. This gives look-ahead. A scheduler with
  /// two priorities applies the first two rules.
  int priority(starpu_step step, index_t panel, index_t column) const {
    const std::int64_t high = starpu_sched_get_max_priority(),
                       low = starpu_sched_get_min_priority();
    const bool leads = column == panel + 1;  // an update, or a part of one
    const std::int64_t place = step == starpu_step::factor        ? 0
                               : leads                            ? 1
                               : step == starpu_step::interchange ? most_places
                                                                  : 2 + panel * columns_ + column;
    if (high - low < most_places) return static_cast<int>(place < 2 ? high : low);
    return static_cast<int>(high - std::min(place, most_places));
  }
  static constexpr std::int64_t most_places = 1 << 30;

  index_t columns_;
  dealing devices_;
  std::vector<task> tasks_;
  completion all_;
  bool failed_ = false;
  task::clock::time_point start_ = task::clock::now();
};

}  // namespace starpu_tasks
}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac
