#pragma once
// What the order of a factorization's tasks asks to be copied between memories.

#include <cstdint>
#include <map>
#include <vector>

#include "trifac/engine/starpu/task.hpp"

namespace trifac {
namespace backend {
inline namespace TRIFAC_ABI {
namespace starpu_tasks {

/// `in_order`: as the tasks began. A task that reads what the memory of its worker does not have
/// receives it from the last one that wrote it; what a task writes is nowhere else afterwards; at
/// the end the host has all columns. StarPU copies no less; more where a memory is full, or where
/// data were fetched for a task that another worker has taken.
inline std::vector<starpu_transfer> transfers_of(const std::vector<const task*>& in_order,
                                                 task::clock::time_point start) {
  struct copies {
    std::uint64_t memories = std::uint64_t{1} << STARPU_MAIN_RAM;  // that have the newest
    int writer = starpu_transfer::host;
    double written = 0, bytes = 0;
    bool goes_back = false;  // not of products, which are temporary: written, never updated
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
    const auto here = std::uint64_t{1}
                      << starpu_worker_get_memory_node(static_cast<unsigned>(t->worker));
    for (int i = 0; i < t->codelet->nbuffers; ++i) {
      if (t->codelet->nodes[i] != STARPU_SPECIFIC_NODE_LOCAL) continue;
      copies& c = data[t->data[i]];
      const auto mode = t->codelet->modes[i];
      c.bytes = static_cast<double>(t->bytes[i]);
      if ((mode & STARPU_R) != 0 && (c.memories & here) == 0) {
        found.push_back({c.writer, t->worker, c.bytes, c.written, since(t->begin)});
        c.memories |= here;
      }
      if ((mode & STARPU_W) == 0) continue;
      c = {here, t->worker, since(t->end), c.bytes, mode == STARPU_RW};
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
