#pragma once
// A double of CUDA for tests on machines without a GPU: the calls of the CUDA runtime, NVRTC,
// cuBLAS and cuSOLVER that trifac makes, linked in place of NVIDIA's libraries. It is no CUDA: it
// shows that our calls fit together, not how fast or how exact a GPU is.
//
// Kernels run on an OpenCL device of the CPU (PoCL), from the same text with the other prelude;
// device pointers are shared virtual memory. A stream is a queue of commands that run only when
// somebody waits, and now and then before, in an order that keeps to streams and events and is
// otherwise random: what is not ordered by the program comes out in any order.
//
// This header is for tests: faults, and what the double has seen.

#include <cstdint>
#include <string>

namespace cuda_double {

/// Faults to come, counted from now; -1: none.
struct faults {
  int memory = -1;      ///< from this allocation on there is none
  int allocation = -1;  ///< this allocation alone finds none
  int launch = -1;      ///< this kernel launch is refused
  int kernel = -1;      ///< this kernel fails while it runs, as the next wait tells
  int lost = -1;        ///< with this call the device is lost: all calls fail from then on
  int cluster = -1;     ///< this launch of a cluster is refused for its size
  int wait = -1;        ///< this wait of a stream for an event is forgotten
};

/// What the double has seen since reset().
struct counts {
  int allocations = 0, launches = 0, clusters = 0, waits = 0, graph_launches = 0, library_calls = 0;
  int trims = 0;             ///< waits at which a pool gave free memory back to the driver
  int urgent_nodes = 0;      ///< of graphs: those that keep a priority before that of other streams
  int live_allocations = 0;  ///< now
  int live_objects = 0;      ///< streams, events, graphs, libraries and handles, now
};

/// A device as new: no faults, no error. Allocations, streams and what else there is stay.
void reset();
void inject(const faults& f);
/// The seed of the order in which streams run.
void seed(std::uint64_t s);
counts seen();
/// How many devices there are; 0 acts like a machine without a GPU.
void set_devices(int count);
/// Blocks of the largest cluster for which there is room; 0: devices know no clusters.
void set_cluster(int most);

/// What the double has found wrong and no error code tells: a write beyond the end of an
/// allocation, a kernel that uses more shared memory than it has, a program unloaded while its
/// kernels run, a handle of a library destroyed on another device than its own, memory that cuBLAS
/// takes while a stream records, a copy to a device without access. Empty where all is well.
std::string complaints();

}  // namespace cuda_double
