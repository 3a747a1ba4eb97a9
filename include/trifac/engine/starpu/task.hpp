#pragma once
// One task of a factorization, and StarPU's description of what tasks of a kind do.

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
    notified_ = true;  // from here on the waiting thread may end this
  }
  /// After the last task was submitted.
  void close() { one_less(); }
  bool done() const { return notified_; }
  void wait() const {
    done_.wait(false);
    while (!notified_) std::this_thread::yield();
  }

 private:
  session& here_;
  std::atomic<std::size_t> left_ = 1;  // tasks that have not run, and their submission
  std::atomic<bool> done_ = false, notified_ = false;
};

/// One task: what it belongs to, what it reads and writes, and when it ran.
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

/// A buffer of a task. Block columns, and products of them, are in the memory of the worker, all
/// else in the host's.
struct buffer {
  starpu_data_access_mode mode;
  bool local;
};
inline constexpr buffer column_r = {STARPU_R, true}, column_rw = {STARPU_RW, true},
                        column_w = {STARPU_W, true}, host_r = {STARPU_R, false},
                        host_w = {STARPU_W, false};

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
/// Adds what CPU workers do.
template <class Flow, void Body(void**, const Flow&, const task&)>
void add_cpu(starpu_codelet& c) {
  c.where |= STARPU_CPU;
  c.cpu_funcs[0] = run_task<Flow, Body>;
}
/// Adds what the workers of devices do.
template <class Devices, class Flow, void Body(void**, const Flow&, const task&)>
void add_device(starpu_codelet& c) {
  c.where |= Devices::where;
  Devices::function_of(c) = run_task<Flow, Body>;
}

/// A StarPU whose workers are on the CPU only.
struct no_devices {
  static constexpr bool any = false;
  static constexpr std::uint32_t where = 0;
};

/// The sizes of an update: C −= A·B with C rows × cols, A rows × depth.
struct update_size {
  index_t rows, cols, depth;
};

/// For the scheduler's choice: how long an update takes, which StarPU keeps by the codelet's name,
/// a scalar type and the sizes. Handles keep their size while the work shrinks, so the model counts
/// the rows that are left.
template <class Flow>
void add_model(starpu_codelet& c, char type) {
  // StarPU reads both at the end of the process.
  c.name = (new std::string(std::string(c.name) + '_' + type))->c_str();
  c.model = new starpu_perfmodel{};
  c.model->type = STARPU_HISTORY_BASED;
  c.model->symbol = c.name;
  c.model->footprint = [](starpu_task* t) {
    const task& here = *static_cast<const task*>(t->cl_arg);
    const auto [rows, cols, depth] = static_cast<const Flow*>(here.flow)->size_of(here);
    const std::uint32_t shape =
        starpu_hash_crc32c_be(static_cast<std::uint32_t>(rows), static_cast<std::uint32_t>(cols));
    return starpu_hash_crc32c_be(static_cast<std::uint32_t>(depth), shape);
  };
}

}  // namespace starpu_tasks
}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac
