#pragma once
// One task of a factorization, and StarPU's codelets.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <thread>

#include "trifac/engine/starpu/library.hpp"
#include "trifac/engine/starpu/session.hpp"
#include "trifac/engine/starpu/timeline.hpp"
#include "trifac/matrix_view.hpp"

namespace trifac {
namespace backend {
inline namespace TRIFAC_ABI {
namespace starpu_tasks {

/// Completion of a call's tasks. The last worker pauses all workers before it wakes the calling
/// thread, which would otherwise wait up to 3 ms for a core (two cores). One wait for all tasks:
/// waiting for each handle wakes that thread as often, 2 ms more at order 1000.
class completion {
 public:
  explicit completion(session& workers) : session_(workers) {}

  void one_more() { ++left_; }
  void one_less() {
    if (--left_ > 0) return;
    session_.rest();  // before any thread may end the session
    done_ = true;
    done_.notify_all();
    notified_ = true;  // the waiting thread may now destroy this object
  }
  /// Call after submitting the last task.
  void close() { one_less(); }
  bool done() const { return notified_; }
  void wait() const {
    done_.wait(false);
    while (!notified_) std::this_thread::yield();
  }

 private:
  session& session_;
  std::atomic<std::size_t> left_ = 1;  // tasks not yet run, plus one until close()
  std::atomic<bool> done_ = false, notified_ = false;
};

/// One task: its factorization, its data and its times.
struct task {
  using clock = std::chrono::steady_clock;
  static constexpr int most_buffers = 4;

  completion* all;
  const void* flow;
  starpu_step step;
  index_t panel, column;
  const starpu_codelet* codelet;
  starpu_data_handle_t data[most_buffers] = {};
  std::size_t bytes[most_buffers] = {};
  int worker = -1;
  mutable bool failed = false;
  clock::time_point begin = {}, end = {};
};

/// A buffer of a task. Block columns and their products are in the worker's memory, everything else
/// is in host memory.
struct buffer {
  starpu_data_access_mode mode;
  bool local;
};
inline constexpr buffer column_r = {STARPU_R, true}, column_rw = {STARPU_RW, true},
                        column_w = {STARPU_W, true}, host_r = {STARPU_R, false},
                        host_w = {STARPU_W, false};

/// The function of a task: calls Body(buffers, flow, task) and records times.
template <class Flow, void Body(void**, const Flow&, const task&)>
void run_task(void* buffers[], void* argument) {
  task& of_call = *static_cast<task*>(argument);
  of_call.begin = task::clock::now();
  of_call.worker = starpu_worker_get_id();
  Body(buffers, *static_cast<const Flow*>(of_call.flow), of_call);
  of_call.end = task::clock::now();
  of_call.all->one_less();
}

/// A codelet without functions.
template <class Devices>
starpu_codelet codelet_of(const char* name, std::initializer_list<buffer> buffers) {
  starpu_codelet c;
  starpu_codelet_init(&c);
  c.name = name;
  c.where = 0;
  c.nbuffers = static_cast<int>(buffers.size());
  std::transform(buffers.begin(), buffers.end(), c.modes, [](buffer b) { return b.mode; });
  c.specific_nodes = Devices::any;
  std::transform(buffers.begin(), buffers.end(), c.nodes, [](buffer b) {
    return b.local ? STARPU_SPECIFIC_NODE_LOCAL : STARPU_SPECIFIC_NODE_CPU;
  });
  return c;
}
/// Adds the function for CPU workers.
template <class Flow, void Body(void**, const Flow&, const task&)>
void add_cpu(starpu_codelet& c) {
  c.where |= STARPU_CPU;
  c.cpu_funcs[0] = run_task<Flow, Body>;
}
/// Adds the function for device workers.
template <class Devices, class Flow, void Body(void**, const Flow&, const task&)>
void add_device(starpu_codelet& c) {
  c.where |= Devices::where;
  Devices::function_of(c) = run_task<Flow, Body>;
}

/// StarPU with CPU workers only.
struct no_devices {
  static constexpr bool any = false;
  static constexpr std::uint32_t where = 0;
};

/// The sizes of an update: C −= A·B with C rows × cols, A rows × depth.
struct update_size {
  index_t rows, cols, depth;
};

/// A performance model for the scheduler: StarPU records the time of updates by codelet name,
/// scalar type and sizes. Handles keep their size while the work shrinks, so the model counts the
/// remaining rows.
template <class Flow>
void add_model(starpu_codelet& c, char type) {
  // Never freed: StarPU reads both at the end of the process.
  c.name = (new std::string(std::string(c.name) + '_' + type))->c_str();
  c.model = new starpu_perfmodel{};
  c.model->type = STARPU_HISTORY_BASED;
  c.model->symbol = c.name;
  c.model->footprint = [](starpu_task* t) {
    const task& of_call = *static_cast<const task*>(t->cl_arg);
    const auto [rows, cols, depth] = static_cast<const Flow*>(of_call.flow)->size_of(of_call);
    const std::uint32_t shape =
        starpu_hash_crc32c_be(static_cast<std::uint32_t>(rows), static_cast<std::uint32_t>(cols));
    return starpu_hash_crc32c_be(static_cast<std::uint32_t>(depth), shape);
  };
}

}  // namespace starpu_tasks
}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac
