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

/// Who does what: updates of column j go to workers[j mod their number], and so does all else where
/// `placement` says so. Without workers the scheduler chooses for updates.
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

/// What a nest runs on: each step of its panels becomes tasks, and StarPU orders them by the data
/// that they read and write, as if they ran in the order of their submission.
class task_queue {
 public:
  /// Tasks are submitted with their addresses: there is room for all of them before the first.
  task_queue(session& here, index_t columns, std::size_t most_tasks, dealing devices)
      : columns_(columns), devices_(std::move(devices)), all_(here) {
    tasks_.reserve(most_tasks);
  }

  /// Nothing is known while tasks are submitted: the tasks that follow a fatal status do nothing.
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
      t->where = static_cast<std::int32_t>(
          devices_.kind);  // a worker's own queue would take no notice of priorities
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
  /// No task follows.
  void close() { all_.close(); }
  /// All tasks have run.
  bool done() const { return all_.done(); }
  void wait() const { all_.wait(); }
  /// A task found no worker, or did not do its work.
  bool failed() const {
    return failed_ ||
           std::any_of(tasks_.begin(), tasks_.end(), [](const task& t) { return t.failed; });
  }

  /// When all tasks have run: in the order in which they began.
  starpu_timeline timeline(std::vector<std::string> workers) const {
    starpu_timeline t;
    t.workers = std::move(workers);
    const auto since = [&](task::clock::time_point p) {
      return std::chrono::duration<double>(p - start_).count();
    };
    std::vector<const task*> in_order;
    for (const task& here : tasks_) in_order.push_back(&here);
    std::stable_sort(in_order.begin(), in_order.end(),
                     [](const task* a, const task* b) { return a->begin < b->begin; });
    for (const task* here : in_order) {
      t.tasks.push_back({here->step, here->panel, here->column, here->worker, since(here->begin),
                         since(here->end)});
      t.seconds = std::max(t.seconds, since(here->end));
    }
    t.transfers = transfers_of(in_order, start_);
    return t;
  }

 private:
  /// A panel first, then what leads to the next panel, then earlier iterations, then the columns
  /// nearer the left; interchanges of earlier columns last. Look-ahead follows. A scheduler of two
  /// priorities has the first two rules.
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
