#pragma once
// The executor of a nest whose steps are tasks.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <utility>
#include <vector>

#include "trifac/backend/starpu/data.hpp"
#include "trifac/backend/starpu/library.hpp"
#include "trifac/backend/starpu/placement.hpp"
#include "trifac/backend/starpu/session.hpp"
#include "trifac/backend/starpu/timeline.hpp"
#include "trifac/matrix_view.hpp"

namespace trifac {
namespace backend {
inline namespace TRIFAC_ABI {
namespace starpu_tasks {

/// The end of a call's tasks. Its last worker sends all to rest before it wakes the calling thread,
/// which would else wait for a core for up to 3 ms (two cores). One end for all: to wait for handle
/// after handle wakes that thread as often, 2 ms more at order 1000.
class completion {
 public:
  explicit completion(session& here) : here_(here) {}

  void one_more() { ++left_; }
  void one_less() {
    if (--left_ > 0) return;
    here_.rest();  // before anyone may end the session
    done_ = true;
    done_.notify_all();
  }
  /// After the last task was submitted.
  void close() { one_less(); }
  bool done() const { return done_; }
  void wait() const { done_.wait(false); }

 private:
  session& here_;
  std::atomic<std::size_t> left_ = 1;  // tasks that have not run, and their submission
  std::atomic<bool> done_ = false;
};

/// One task: what it belongs to, and when it ran.
struct task {
  using clock = std::chrono::steady_clock;

  completion* all;
  const void* flow;
  starpu_step step;
  index_t panel, column;
  int worker = -1;
  mutable bool failed = false;
  clock::time_point begin = {}, end = {};
};

/// The function of a task: Body(buffers, the task's flow, the task), and its times.
template <class Flow, void Body(void**, const Flow&, const task&)>
void run_task(void* buffers[], void* argument) {
  task& here = *static_cast<task*>(argument);
  here.begin = task::clock::now();
  here.worker = starpu_worker_get_id();
  Body(buffers, *static_cast<const Flow*>(here.flow), here);
  here.end = task::clock::now();
  here.all->one_less();
}

/// Its codelet.
template <class Flow, void Body(void**, const Flow&, const task&)>
starpu_codelet codelet_of(const char* name, std::initializer_list<starpu_data_access_mode> modes) {
  starpu_codelet c;
  starpu_codelet_init(&c);
  c.name = name;
  c.where = STARPU_CPU;
  c.cpu_funcs[0] = run_task<Flow, Body>;
  c.nbuffers = static_cast<int>(modes.size());
  std::copy(modes.begin(), modes.end(), c.modes);
  return c;
}

/// A StarPU whose workers are on the CPU only.
struct no_devices {
  static constexpr bool any = false;
};

/// A device's function for a codelet whose buffers but the matrix's columns stay on the host: `local`
/// says which are columns.
template <class Flow, void Body(void**, const Flow&, const task&)>
void add_device(starpu_codelet& c, std::initializer_list<bool> local) {
  c.where |= STARPU_OPENCL;
  c.opencl_funcs[0] = run_task<Flow, Body>;
  c.specific_nodes = 1;
  std::transform(local.begin(), local.end(), c.nodes, [](bool is_column) {
    return is_column ? STARPU_SPECIFIC_NODE_LOCAL : STARPU_SPECIFIC_NODE_CPU;
  });
}

/// A codelet for devices alone; buffer `host` stays on the host.
template <class Flow, void Body(void**, const Flow&, const task&)>
starpu_codelet device_codelet(const char* name,
                              std::initializer_list<starpu_data_access_mode> modes,
                              std::size_t host) {
  starpu_codelet c = codelet_of<Flow, Body>(name, modes);
  c.where = STARPU_OPENCL;
  c.cpu_funcs[0] = nullptr;
  c.opencl_funcs[0] = run_task<Flow, Body>;
  c.specific_nodes = 1;
  std::fill_n(c.nodes, modes.size(), STARPU_SPECIFIC_NODE_LOCAL);
  c.nodes[host] = STARPU_SPECIFIC_NODE_CPU;
  return c;
}

/// For the scheduler's choice: how long an update takes. Handles keep their size while the work shrinks, so a model of its time
/// counts the rows that are left.
template <class Flow>
void add_model(starpu_codelet& c, starpu_perfmodel& model) {
  model.type = STARPU_HISTORY_BASED;
  model.symbol = c.name;
  model.footprint = [](starpu_task* t) {
    const task& here = *static_cast<const task*>(t->cl_arg);
    const auto [rows, cols, depth] = static_cast<const Flow*>(here.flow)->size_of(here);
    const std::uint32_t shape =
        starpu_hash_crc32c_be(static_cast<std::uint32_t>(rows), static_cast<std::uint32_t>(cols));
    return starpu_hash_crc32c_be(static_cast<std::uint32_t>(depth), shape);
  };
  c.model = &model;
}

/// The sizes of an update: C −= A·B with C rows × cols, A rows × depth.
struct update_size {
  index_t rows, cols, depth;
};

/// Who does what: updates of column j go to workers[j mod their number], and so does all else where
/// `placement` says so. Without workers the scheduler chooses for updates.
struct dealing {
  starpu_placement placement = starpu_placement::dynamic;
  std::vector<int> workers;

  bool deals(starpu_step step) const {
    return !workers.empty() &&
           (step == starpu_step::update || placement == starpu_placement::device_only);
  }
  int worker(index_t column) const {
    return workers[static_cast<std::size_t>(column) % workers.size()];
  }
};

/// What a nest runs on: each step of its panels becomes tasks, and StarPU orders them by the data that
/// they read and write, as if they ran in the order of their submission.
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
    tasks_.push_back({.all = &all_, .flow = flow, .step = step, .panel = panel, .column = column});
    all_.one_more();
    starpu_task* const t = starpu_task_create();
    t->cl = &codelet;
    t->cl_arg = &tasks_.back();
    std::copy(data.begin(), data.end(), t->handles);
    t->priority = priority(step, panel, column);
    if (!devices_.deals(step)) {
      if (step != starpu_step::update) t->where = STARPU_CPU;
    } else if (devices_.workers.size() == 1) {
      t->where = STARPU_OPENCL;  // a worker's own queue would take no notice of priorities
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
    for (const task& here : tasks_) {
      t.tasks.push_back(
          {here.step, here.panel, here.column, here.worker, since(here.begin), since(here.end)});
      t.seconds = std::max(t.seconds, since(here.end));
    }
    std::stable_sort(t.tasks.begin(), t.tasks.end(),
                     [](const auto& a, const auto& b) { return a.begin < b.begin; });
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
