#pragma once
// Calls on matrices in CUDA device memory, recorded as a graph and replayed with a single launch.

#include <cuda_runtime_api.h>

#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "trifac/backend/cuda.hpp"

namespace trifac {
namespace backend {
inline namespace TRIFAC_ABI {

/// The commands that `calls` enqueues, for matrices of fixed size and address:
///
///   device_matrix D(gpu, A.view());
///   cuda_graph graph(gpu, [&] { return cholesky(D); });
///   D.assign(another.view());
///   graph.launch();                  // enqueues and returns
///   if (!graph.status()) …           // waits
///
/// `calls` returns a factor; it may enqueue solves, too. It is called several times: until programs
/// and memory are available, then once for the recording, whose result is kept. It must not wait
/// for anything. Matrices and streams must outlive the graph. The status of the recorded factor is
/// meaningless before a launch. While the graph is recorded, no other thread may use the session:
/// its commands would be recorded, too, and its allocations would throw.
template <class Calls>
class cuda_graph {
 public:
  using result_type = std::invoke_result_t<Calls&>;

  /// Throws backend_error if `calls` contains something that cannot be recorded.
  cuda_graph(const cuda& on, Calls calls) : on_(on) {
    auto& runtime = on_.session().runtime;
    const device::cuda_device_scope current(runtime.device());
    // Warms up until the session has all memory that they need: a recording must not allocate.
    constexpr int most_runs = 8;
    auto before = runtime.allocations() + 1;
    for (int run = 0; before != runtime.allocations(); ++run) {
      if (run == most_runs)
        throw backend_error("CUDA: the calls to record allocate memory whenever they are made");
      before = runtime.allocations();
      const result_type first = calls();
      runtime.finish();
    }
    const owned<cudaGraph_t> graph = record(calls);
    cudaGraphExec_t made = nullptr;
    // Kernels keep the priority of their stream, so the next panel precedes the rest of an update.
    device::check_cuda(
        cudaGraphInstantiate(&made, graph.get(), cudaGraphInstantiateFlagUseNodePriority),
        "cudaGraphInstantiate");
    graph_.reset(made);
  }

  /// Enqueues the whole graph. Discards the status of the previous launch in result().
  void launch() {
    auto& runtime = on_.session().runtime;
    const device::cuda_device_scope current(runtime.device());
    device::check_cuda(cudaGraphLaunch(graph_.get(), runtime.stream()), "cudaGraphLaunch");
    result_->renew();
    // The whole graph runs in the first stream. Memory of the second stream is freed in that
    // stream's order, so the second stream must wait for the graph, too.
    device::cuda_runtime::second_queue behind(runtime);
    behind.join();
  }
  /// The outcome of the last launch's factorization; waits for it.
  trifac::status status() const { return result_->status(); }
  /// The factor returned by `calls` when recorded; its status and, for LU, its interchanges are
  /// those of the last launch.
  const result_type& result() const { return *result_; }

 private:
  struct destroy {
    void operator()(cudaGraph_t g) const { cudaGraphDestroy(g); }
    void operator()(cudaGraphExec_t g) const { cudaGraphExecDestroy(g); }
  };
  template <class Graph>
  using owned = std::unique_ptr<std::remove_pointer_t<Graph>, destroy>;

  /// Records the commands of `calls`; stores its result in result_, and the scratch memory it uses
  /// in memory_.
  owned<cudaGraph_t> record(Calls& calls) {
    auto& runtime = on_.session().runtime;
    const cudaStream_t stream = runtime.stream();
    cudaGraph_t graph = nullptr;
    device::check_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal),
                       "cudaStreamBeginCapture");
    runtime.begin_recording();
    try {
      result_.emplace(calls());
    } catch (...) {
      cudaStreamEndCapture(stream, &graph);
      if (graph) cudaGraphDestroy(graph);
      static_cast<void>(cudaGetLastError());
      runtime.end_recording();  // frees now, since the recording has ended
      throw;
    }
    const cudaError_t code = cudaStreamEndCapture(stream, &graph);
    owned<cudaGraph_t> recorded(graph);
    memory_ = runtime.end_recording();
    device::check_cuda(code, "cudaStreamEndCapture");
    for (auto& [piece, bytes] : on_.session().take_free()) memory_.push_back(std::move(piece));
    return recorded;
  }

  cuda on_;
  // Scratch memory that the graph refers to: must neither be reused nor freed.
  std::vector<device::cuda_memory> memory_;
  std::optional<result_type> result_;
  owned<cudaGraphExec_t> graph_;
};

}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac
