#pragma once
// The copies between memories that the order of a factorization's tasks requires.

#include <cstdint>
#include <map>
#include <vector>

#include "trifac/engine/starpu/task.hpp"

namespace trifac {
namespace backend {
inline namespace TRIFAC_ABI {
namespace starpu_tasks {

/// `in_order`: sorted by start. A task that reads data missing in its worker's memory gets them
/// from the last writer; written data become invalid in all other memories; finally the host
/// receives all columns. A lower bound of StarPU's copies: it copies more if a memory is full, or
/// if data were fetched for a task that another worker took.
inline std::vector<starpu_transfer> transfers_of(const std::vector<const task*>& in_order,
                                                 task::clock::time_point start) {
  struct copies {
    /// Bit mask of memories with the newest version.
    std::uint64_t memories = std::uint64_t{1} << STARPU_MAIN_RAM;
    int writer = starpu_transfer::host;
    double written = 0, bytes = 0;
    bool goes_back = false;  // false for products, which are temporary: written, never updated
  };
  const auto since = [&](task::clock::time_point p) {
    return std::chrono::duration<double>(p - start).count();
  };
  std::map<starpu_data_handle_t, copies> data;
  std::vector<starpu_transfer> found;
  double end = 0;
  for (const task* t : in_order) {
    if (t->worker < 0) continue;
    end = std::max(end, since(t->end));
    const auto memory = std::uint64_t{1}
                        << starpu_worker_get_memory_node(static_cast<unsigned>(t->worker));
    for (int i = 0; i < t->codelet->nbuffers; ++i) {
      if (t->codelet->nodes[i] != STARPU_SPECIFIC_NODE_LOCAL) continue;
      copies& c = data[t->data[i]];
      const auto mode = t->codelet->modes[i];
      c.bytes = static_cast<double>(t->bytes[i]);
      if ((mode & STARPU_R) != 0 && (c.memories & memory) == 0) {
        found.push_back({c.writer, t->worker, c.bytes, c.written, since(t->begin)});
        c.memories |= memory;
      }
      if ((mode & STARPU_W) == 0) continue;
      c = {memory, t->worker, since(t->end), c.bytes, mode == STARPU_RW};
    }
  }
  for (const auto& [handle, c] : data)
    if (c.goes_back && (c.memories >> STARPU_MAIN_RAM & 1) == 0)
      found.push_back({c.writer, starpu_transfer::host, c.bytes, c.written, end});
  return found;
}

}  // namespace starpu_tasks
}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac
