#pragma once
// Calls on matrices in a CUDA device's memory, recorded once as a graph and replayed for as little
// as one launch.

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

/// What `calls` enqueues, for matrices of fixed size and place:
///
///   device_matrix D(gpu, A.view());
///   cuda_graph graph(gpu, [&] { return cholesky(D); });
///   D.assign(another.view());
///   graph.launch();                  // enqueues and returns
///   if (!graph.status()) …           // waits
///
/// `calls` returns a factor; it may enqueue solves, too. It is called several times: it runs until
/// programs and memory are there, then it is recorded, and what it makes is kept. It must wait for
/// nothing. Matrices and streams must outlive the graph. The status of the factor itself, asked
/// before a launch, means nothing. While the graph is made, no other thread may use the session:
/// its commands would be recorded, too, and its allocations would throw.
template <class Calls>
class cuda_graph {
 public:
  using result_type = std::invoke_result_t<Calls&>;

  /// Throws backend_error where something in `calls` cannot be recorded.
  cuda_graph(const cuda& on, Calls calls) : on_(on) {
    auto& runtime = on_.session().runtime;
    const device::cuda_device_scope here(runtime.device());
    // Until the session has all the memory they want: a recording must not allocate.
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
    // Each kernel keeps the priority of its stream: the next panel goes before the rest of an
    // update.
    device::check_cuda(
        cudaGraphInstantiate(&made, graph.get(), cudaGraphInstantiateFlagUseNodePriority),
        "cudaGraphInstantiate");
    graph_.reset(made);
  }

  /// Enqueues all of it. What result() has told about the launch before is forgotten.
  void launch() {
    auto& runtime = on_.session().runtime;
    const device::cuda_device_scope here(runtime.device());
    device::check_cuda(cudaGraphLaunch(graph_.get(), runtime.stream()), "cudaGraphLaunch");
    result_->renew();
    // The graph runs in the first stream as a whole. Its memory of the second stream goes back in
    // that stream's order, so this must be behind the graph, too.
    device::cuda_runtime::second_queue behind(runtime);
    behind.join();
  }
  /// How the factorization of the last launch ended; waits for it.
  trifac::status status() const { return result_->status(); }
  /// What `calls` answered when it was recorded; its status and, of LU, its interchanges are those
  /// of the last launch.
  const result_type& result() const { return *result_; }

 private:
  struct destroy {
    void operator()(cudaGraph_t g) const { cudaGraphDestroy(g); }
    void operator()(cudaGraphExec_t g) const { cudaGraphExecDestroy(g); }
  };
  template <class Graph>
  using owned = std::unique_ptr<std::remove_pointer_t<Graph>, destroy>;

  /// What `calls` enqueues; it returns result_, and the scratch memory it uses is memory_ then.
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
      runtime.end_recording();  // frees, as nothing records any more
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
  // Scratch memory that the graph refers to: nobody else may have it, nor give it back.
  std::vector<device::cuda_memory> memory_;
  std::optional<result_type> result_;
  owned<cudaGraphExec_t> graph_;
};

}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac
