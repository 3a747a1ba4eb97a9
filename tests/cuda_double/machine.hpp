#pragma once
// The inside of the double: memory, streams of commands, events, capture, faults. One lock guards
// all of it.

#include <CL/cl.h>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "cuda_double.hpp"

namespace cuda_double {

/// A command that runs when its turn comes; answers cudaSuccess or the error that ends it all.
using body = std::function<cudaError_t()>;

/// Whether a recorded event has come to pass; one of these for each record.
struct occurrence {
  bool done = false;
};

struct kernel;
struct command {
  body run = nullptr;
  std::vector<const kernel*> kernels = {};      ///< that it launches
  std::shared_ptr<occurrence> after = nullptr;  ///< not before this
  bool always = false;                          ///< after a failure too
  std::shared_ptr<occurrence> marks = nullptr;  ///< what has come to pass when this is done
};

/// A node of a captured graph: a body and the nodes before it.
struct node {
  body run;
  std::vector<const kernel*> kernels;
  std::vector<std::size_t> before;
  int priority = 0;  ///< of the stream in which it was captured
};
struct capture {
  std::vector<node> nodes;
  bool broken = false;
};

struct stream {
  int device = 0, priority = 0;
  std::deque<command> commands;
  std::shared_ptr<capture> capturing;
  bool origin = false;             ///< the stream on which the capture began
  std::vector<std::size_t> tails;  ///< of the capture in this stream
};
struct event {
  std::shared_ptr<occurrence> last;
  std::shared_ptr<capture> captured;
  std::vector<std::size_t> nodes;
};

/// A pool: what was given back to it and not taken again stays up to a limit when somebody waits.
struct pool {
  std::size_t kept = 0, free = 0;
  std::set<int> open_to;  ///< other devices with access
};

/// An OpenCL device of the CPU with one queue.
struct engine {
  cl_device_id device = nullptr;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
};

/// Shared memory of a block: without being asked for more, and at most.
inline constexpr std::size_t static_shared_bytes = 48 << 10, most_shared_bytes = 227 << 10;

/// Of a cluster (CLUSTER_MOST).
inline constexpr int most_blocks = 16;

/// A compiled kernel: its parameters as the OpenCL compiler has read them.
struct parameter {
  bool is_pointer = false;
  std::size_t size = 0;
};
struct kernel {
  cl_kernel handle = nullptr;
  std::string name;
  std::vector<parameter> parameters;
  /// Shared memory that it declares, that a launch must give, and that a launch may give.
  std::size_t declared = 0, with_launch = 0, most_with_launch = 0;
  int blocks = 1;               ///< of a cluster, at most
  bool large_clusters = false;  ///< of more than 8 blocks are allowed
};

class machine {
 public:
  static machine& instance();
  std::recursive_mutex lock;

  /// Every call begins here: the error that stays, or a fault that is due.
  cudaError_t enter();
  engine& compute();

  // Memory.
  cudaError_t allocate(void** data, std::size_t bytes, int device, cudaMemPool_t from);
  cudaError_t release(void* data);
  /// Whether these bytes lie in one live allocation.
  bool is_valid(const void* data, std::size_t bytes) const;
  bool is_device_pointer(const void* data) const;
  /// -1 for memory of the host.
  int device_of(const void* data) const;
  /// Whether another device has access to the pool that it is from.
  bool is_open_to(const void* data, int device) const;

  // Streams.
  stream& of(cudaStream_t s);
  bool knows(cudaStream_t s) const;
  cudaError_t enqueue(cudaStream_t s, body run, std::vector<const kernel*> kernels = {});
  cudaError_t wait_for(cudaStream_t s);
  cudaError_t wait_for(const std::shared_ptr<occurrence>& o);
  cudaError_t wait_for_all();

  int current_device = 0, devices = 1;
  int cluster = most_blocks;               ///< blocks
  cudaError_t last_error = cudaSuccess;    ///< for cudaGetLastError
  cudaError_t sticky_error = cudaSuccess;  ///< the context is dead
  faults due;
  counts seen;
  std::mt19937_64 random{1};
  std::string complaints;
  std::map<cudaStream_t, std::unique_ptr<stream>> streams;
  std::map<cudaEvent_t, std::unique_ptr<event>> events;
  std::map<cudaMemPool_t, std::unique_ptr<pool>> pools;

  /// Counts a fault down; true when it is due now.
  static bool strikes(int& countdown) { return countdown >= 0 && countdown-- == 0; }
  /// Of the allocation in hand.
  bool has_no_memory() {
    if (due.memory > 0)
      --due.memory;
    else if (due.memory == 0)
      return true;
    return strikes(due.allocation);
  }
  void complain(const std::string& what);

 private:
  struct allocation {
    std::size_t bytes;
    int device;
    std::byte* base;  ///< with what guards it
    cudaMemPool_t from;
  };
  machine();
  const std::pair<const std::uintptr_t, allocation>* find(const void* data) const;
  void check_guards(std::uintptr_t at, const allocation& a);
  /// Runs one command of some stream; false where none can run.
  bool step();
  void run_some();

  engine engine_;
  std::map<std::uintptr_t, allocation> memory_;
};

/// Locks the machine and tells what stands against a call.
#define CUDA_DOUBLE_ENTER()                                            \
  auto& m = ::cuda_double::machine::instance();                        \
  const std::scoped_lock cuda_double_lock(m.lock);                     \
  if (const cudaError_t entered = m.enter(); entered != cudaSuccess) { \
    m.last_error = entered;                                            \
    return entered;                                                    \
  }

}  // namespace cuda_double
