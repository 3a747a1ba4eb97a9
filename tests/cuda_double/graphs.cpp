// Capture of streams in graphs, and their replay: in any order that keeps to the dependences.

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "machine.hpp"

using cuda_double::machine;

namespace cuda_double {
namespace {

using graph = std::vector<node>;

/// Everything before a set of nodes, and they themselves.
std::set<std::size_t> all_before(const graph& nodes, const std::vector<std::size_t>& tails) {
  std::set<std::size_t> found;
  std::vector<std::size_t> open = tails;
  while (!open.empty()) {
    const std::size_t k = open.back();
    open.pop_back();
    if (found.insert(k).second)
      open.insert(open.end(), nodes[k].before.begin(), nodes[k].before.end());
  }
  return found;
}

/// What a cudaGraphExec_t points to: commands that were launched keep it, too.
using executable = std::shared_ptr<const graph>;

cudaError_t replay(machine& m, const graph& nodes) {
  std::vector<bool> done(nodes.size());
  for (std::size_t count = 0; count < nodes.size(); ++count) {
    std::vector<std::size_t> ready;
    for (std::size_t k = 0; k < nodes.size(); ++k)
      if (!done[k] && std::all_of(nodes[k].before.begin(), nodes[k].before.end(),
                                  [&](std::size_t b) { return done[b]; }))
        ready.push_back(k);
    const std::size_t chosen = ready[m.random() % ready.size()];
    done[chosen] = true;
    if (const cudaError_t code = nodes[chosen].run(); code != cudaSuccess) return code;
  }
  return cudaSuccess;
}

/// Ends the object behind a handle.
template <class Object>
cudaError_t destroy(Object* object) {
  auto& m = machine::instance();
  const std::scoped_lock lock(m.lock);
  delete object;
  --m.seen.live_objects;
  return cudaSuccess;
}

}  // namespace
}  // namespace cuda_double

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t s, cudaStreamCaptureMode) {
  CUDA_DOUBLE_ENTER()
  if (!s || !m.knows(s)) return cudaErrorStreamCaptureUnsupported;
  auto& on = m.of(s);
  if (on.capturing) return cudaErrorIllegalState;
  on.capturing = std::make_shared<cuda_double::capture>();
  on.origin = true;
  on.tails.clear();
  return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t s, cudaGraph_t* out) {
  *out = nullptr;
  auto& m = machine::instance();
  const std::scoped_lock lock(m.lock);
  const cudaError_t entered = m.enter();
  if (!m.knows(s) || !m.of(s).capturing || !m.of(s).origin)
    return entered != cudaSuccess ? entered : cudaErrorIllegalState;
  auto& on = m.of(s);
  const auto c = on.capturing;
  const auto tails = on.tails;
  on.origin = false;
  for (auto& [handle, other] : m.streams)
    if (other->capturing == c) {
      other->capturing = nullptr;
      other->tails.clear();
    }
  if (entered != cudaSuccess) return m.last_error = entered;  // the capture is over all the same
  if (c->broken) return m.last_error = cudaErrorStreamCaptureInvalidated;
  // Work of another stream that nobody waits for is an error of CUDA's.
  if (cuda_double::all_before(c->nodes, tails).size() != c->nodes.size())
    return m.last_error = cudaErrorStreamCaptureUnjoined;
  *out = reinterpret_cast<cudaGraph_t>(new cuda_double::graph(c->nodes));
  ++m.seen.live_objects;
  return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t g) {
  return cuda_double::destroy(reinterpret_cast<cuda_double::graph*>(g));
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* out, cudaGraph_t g, unsigned long long flags) {
  CUDA_DOUBLE_ENTER()
  if (flags & cudaGraphInstantiateFlagUseNodePriority)
    for (const auto& n : *reinterpret_cast<cuda_double::graph*>(g))
      m.seen.urgent_nodes += n.priority < 0;
  *out = reinterpret_cast<cudaGraphExec_t>(new cuda_double::executable(
      std::make_shared<const cuda_double::graph>(*reinterpret_cast<cuda_double::graph*>(g))));
  ++m.seen.live_objects;
  return cudaSuccess;
}
/// What was launched runs on: as with CUDA, this waits for nothing.
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t g) {
  return cuda_double::destroy(reinterpret_cast<cuda_double::executable*>(g));
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t g, cudaStream_t s) {
  CUDA_DOUBLE_ENTER()
  ++m.seen.graph_launches;
  const auto launched = *reinterpret_cast<const cuda_double::executable*>(g);
  std::vector<const cuda_double::kernel*> kernels;
  for (const auto& n : *launched) kernels.insert(kernels.end(), n.kernels.begin(), n.kernels.end());
  return m.enqueue(
      s, [&m, launched] { return cuda_double::replay(m, *launched); }, std::move(kernels));
}

}  // extern "C"
