#pragma once
// StarPU in this process: whether trifac started it, and whether its workers are paused.

#include <pthread.h>

#include <atomic>
#include <cstdint>
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
  /// True in a process forked from one with a running StarPU, whoever started it: the child has the
  /// memory but no workers, and a lock may be held for ever.
  std::atomic<bool> lost = false;
};
TRIFAC_SHARED inline constinit state this_process{};

/// Detects every fork since program start.
TRIFAC_SHARED inline const bool watches_forks = ::pthread_atfork(nullptr, nullptr, [] {
                                                  if (starpu_is_initialized())
                                                    this_process.lost = true;
                                                }) == 0;

}  // namespace starpu_process

inline namespace TRIFAC_ABI {
namespace starpu_tasks {

/// Keeps StarPU running for the duration of a call. A StarPU started by the program is used as it
/// is. Otherwise the first call starts one with CPU workers, as the STARPU_… variables specify; it
/// is paused between calls, since idle workers keep their cores busy, and shut down with the
/// process. Such a program must not start its own StarPU later: its workers would be paused.
class session {
 public:
  /// `devices`: if this call starts StarPU, also start workers of this kind (STARPU_OPENCL,
  /// STARPU_CUDA) and a scheduler with performance models.
  explicit session(std::uint32_t devices = 0) {
    starpu_process::state& process = starpu_process::this_process;
    const std::lock_guard lock(process.guard);
    if (!process.started && !starpu_is_initialized()) process.started = start(devices);
    if (!starpu_is_initialized()) return;
    ready_ = starpu_worker_get_count() > 0;
    counted_ = process.started;
    if (counted_ && process.users++ == 0 && process.paused) starpu_resume();
    process.paused = false;
  }
  session(const session&) = delete;
  session& operator=(const session&) = delete;
  ~session() { leave(); }

  /// Call after all tasks have run, from any thread: polling workers would slow down the rest of
  /// the call. Data in other memories still need the workers.
  void rest() {
    if (starpu_memory_nodes_get_count() == 1) leave();
  }

  /// False if StarPU did not start or has no worker.
  bool ready() const { return ready_; }

  /// True if the workers belong to the parent process.
  static bool lost() { return starpu_process::watches_forks && starpu_process::this_process.lost; }

  /// False if tasks would never run: inside a task, and in a child of a process with StarPU.
  static bool may_wait() {
    return !lost() && (!starpu_is_initialized() || starpu_worker_get_id() < 0);
  }

  /// Names of the workers, for example "CPU 0".
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
      // Work in flight, for example in a static object destroyed later, still needs the workers.
      starpu_process::state& process = starpu_process::this_process;
      const std::lock_guard lock(process.guard);
      if (process.users > 0 || !starpu_is_initialized()) return;
      if (process.paused) starpu_resume();
      starpu_shutdown();
    });
    return true;
  }

  void leave() {
    if (!std::exchange(counted_, false) || lost()) return;
    starpu_process::state& process = starpu_process::this_process;
    const std::lock_guard lock(process.guard);
    if (--process.users > 0) return;
    starpu_pause();
    process.paused = true;
  }

  bool ready_ = false, counted_ = false;
};

}  // namespace starpu_tasks
}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac
