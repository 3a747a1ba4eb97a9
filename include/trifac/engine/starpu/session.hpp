#pragma once
// StarPU in this process: who started it, and whether its workers rest.

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "trifac/engine/base/config.hpp"
#include "trifac/engine/starpu/library.hpp"
#include "trifac/status.hpp"

namespace trifac {
namespace backend {

namespace starpu_process {  // not in TRIFAC_ABI: a process has one StarPU, for all flags

struct state {
  std::mutex guard;
  bool started = false;  // by trifac
  bool paused = false;
  int users = 0;  // factorizations in progress
  /// In a process that was forked from one with a StarPU, whoever had started it: it has the memory
  /// but not the workers, and a lock may be held for ever.
  std::atomic<bool> lost = false;
};
TRIFAC_SHARED inline constinit state here{};

/// Sees each fork from the beginning of the program on.
TRIFAC_SHARED inline const bool watches_forks = ::pthread_atfork(nullptr, nullptr, [] {
                                                  if (starpu_is_initialized()) here.lost = true;
                                                }) == 0;

}  // namespace starpu_process

inline namespace TRIFAC_ABI {
namespace starpu_tasks {

/// StarPU as long as a call needs it. A StarPU that the program has started is used as it is. Else
/// the first call starts one with workers on the CPU, as the STARPU_… variables say; it sleeps
/// between calls, since idle workers keep their cores busy, and ends with the process. Such a
/// program may not start a StarPU of its own afterwards: its workers would sleep.
class session {
 public:
  /// `devices`: where it is this call that starts it, with workers of this kind (STARPU_OPENCL,
  /// STARPU_CUDA) too, and a scheduler that learns how long tasks take.
  explicit session(std::uint32_t devices = 0) {
    starpu_process::state& here = starpu_process::here;
    const std::lock_guard lock(here.guard);
    if (!here.started && !starpu_is_initialized()) here.started = start(devices);
    if (!starpu_is_initialized()) return;
    ready_ = starpu_worker_get_count() > 0;
    counted_ = here.started;
    if (counted_ && here.users++ == 0 && here.paused) starpu_resume();
    here.paused = false;
  }
  session(const session&) = delete;
  session& operator=(const session&) = delete;
  ~session() { leave(); }

  /// When all tasks have run, from any thread: workers that look for more would take the cores from
  /// what is left to do. Data in another memory still need them.
  void rest() {
    if (starpu_memory_nodes_get_count() == 1) leave();
  }

  /// False where StarPU did not start or has no worker.
  bool ready() const { return ready_; }

  /// The workers are those of a parent process.
  static bool lost() { return starpu_process::watches_forks && starpu_process::here.lost; }

  /// False where tasks would wait for ever: in a task, and in a child of a process with a StarPU.
  static bool may_wait() {
    return !lost() && (!starpu_is_initialized() || starpu_worker_get_id() < 0);
  }

  /// Names of the workers, as "CPU 0".
  std::vector<std::string> workers() const {
    std::vector<std::string> names;
    for (unsigned w = 0; w < starpu_worker_get_count(); ++w) {
      char name[128];
      starpu_worker_get_name(static_cast<int>(w), name, sizeof name);
      names.emplace_back(name);
    }
    return names;
  }

 private:
  static bool start(std::uint32_t devices) {
    starpu_conf conf;
    starpu_conf_init(&conf);
    if (devices != STARPU_CUDA) conf.ncuda = 0;
    if (devices != STARPU_OPENCL) conf.nopencl = 0;
    if (devices != 0) {
      conf.sched_policy_name = "dmdas";
      conf.calibrate = 1;
    }
    conf.catch_signals = 0;
    if (starpu_init(&conf) != 0) return false;
    std::atexit([] {
      if (lost()) return;
      // What is in flight, as in an object of static lifetime that ends later, keeps the workers.
      starpu_process::state& here = starpu_process::here;
      const std::lock_guard lock(here.guard);
      if (here.users > 0 || !starpu_is_initialized()) return;
      if (here.paused) starpu_resume();
      starpu_shutdown();
    });
    return true;
  }

  void leave() {
    if (!std::exchange(counted_, false) || lost()) return;
    starpu_process::state& here = starpu_process::here;
    const std::lock_guard lock(here.guard);
    if (--here.users > 0) return;
    starpu_pause();
    here.paused = true;
  }

  bool ready_ = false, counted_ = false;
};

}  // namespace starpu_tasks
}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac
