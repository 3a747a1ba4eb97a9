#pragma once
// Calls on matrices in a CUDA device's memory, recorded once as a graph and replayed for as little
// as one launch.

#include <cuda_runtime_api.h>

#include <cstdint>
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
/// `calls` answers a factor; it may enqueue solves, too. It is called several times: it runs until
/// programs and memory are there, then it is recorded, and what it makes is kept. It must wait for
/// nothing. Matrices and streams must outlive the graph. The status of the factor itself, asked
/// before a launch, means nothing.
template <class Calls>
class cuda_graph {
 public:
  using result_type = std::invoke_result_t<Calls&>;

  /// Throws backend_error where something in `calls` cannot be recorded.
  cuda_graph(const cuda& on, Calls calls) : on_(on) {
    auto& runtime = on_.session().runtime;
    const device::cuda_device_scope here(runtime.device());
    // Until the session has all the memory they want: a recording must not allocate.
    for (auto before = runtime.allocations() + 1; before != runtime.allocations();) {
      before = runtime.allocations();
      const result_type first = calls();
      runtime.finish();
    }
    const cudaStream_t stream = runtime.stream();
    device::check_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal),
                       "cudaStreamBeginCapture");
    cudaGraph_t graph = nullptr;
    try {
      result_.emplace(calls());
    } catch (...) {
      cudaStreamEndCapture(stream, &graph);
      if (graph) cudaGraphDestroy(graph);
      static_cast<void>(cudaGetLastError());
      throw;
    }
    device::check_cuda(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
    cudaGraphExec_t made = nullptr;
    const cudaError_t code = cudaGraphInstantiate(&made, graph, 0);
    cudaGraphDestroy(graph);
    device::check_cuda(code, "cudaGraphInstantiate");
    graph_.reset(made);
    memory_ = on_.session().take_free();
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
    void operator()(cudaGraphExec_t g) const { cudaGraphExecDestroy(g); }
  };

  cuda on_;
  // Scratch memory that the graph refers to: nobody else may have it, nor give it back.
  std::vector<std::pair<device::cuda_memory, std::uint64_t>> memory_;
  std::optional<result_type> result_;
  std::unique_ptr<std::remove_pointer_t<cudaGraphExec_t>, destroy> graph_;
};

}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac
