// The calls of the CUDA runtime: devices, memory, streams, events.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "machine.hpp"

using cuda_double::machine;

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 0;
  CUDA_DOUBLE_ENTER()
  *count = m.devices;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  CUDA_DOUBLE_ENTER()
  *device = m.current_device;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  CUDA_DOUBLE_ENTER()
  if (device < 0 || device >= m.devices) return cudaErrorInvalidDevice;
  m.current_device = device;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* p, int device) {
  CUDA_DOUBLE_ENTER()
  if (device < 0 || device >= m.devices) return cudaErrorInvalidDevice;
  *p = {};
  std::snprintf(p->name, sizeof p->name, "double of a CUDA device %d", device);
  p->major = 9;
  p->minor = 0;
  p->multiProcessorCount = 4;
  p->maxThreadsPerBlock = 1024;
  p->sharedMemPerBlock = 48 * 1024;
  p->sharedMemPerBlockOptin = cuda_double::most_shared_bytes;
  p->totalGlobalMem = std::size_t{1} << 30;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr what, int device) {
  CUDA_DOUBLE_ENTER()
  if (device < 0 || device >= m.devices) return cudaErrorInvalidDevice;
  if (what != cudaDevAttrMemoryPoolsSupported && what != cudaDevAttrClusterLaunch)
    return cudaErrorNotSupported;
  *value = what == cudaDevAttrMemoryPoolsSupported || m.cluster > 0;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaGetLastError() {
  auto& m = machine::instance();
  const std::scoped_lock lock(m.lock);
  const cudaError_t last = std::exchange(m.last_error, cudaSuccess);
  return m.sticky_error != cudaSuccess ? m.sticky_error : last;
}
const char* cudaGetErrorName(cudaError_t code) {
  switch (code) {
    case cudaErrorMemoryAllocation:
      return "cudaErrorMemoryAllocation";
    case cudaErrorLaunchFailure:
      return "cudaErrorLaunchFailure";
    case cudaErrorDevicesUnavailable:
      return "cudaErrorDevicesUnavailable";
    case cudaErrorNoDevice:
      return "cudaErrorNoDevice";
    default:
      return "an error of CUDA";
  }
}
const char* cudaGetErrorString(cudaError_t code) {
  return code == cudaErrorMemoryAllocation ? "out of memory" : cudaGetErrorName(code);
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* out, const cudaMemPoolProps* p) {
  CUDA_DOUBLE_ENTER()
  if (p->allocType != cudaMemAllocationTypePinned ||
      p->location.type != cudaMemLocationTypeDevice || p->location.id < 0 ||
      p->location.id >= m.devices)
    return m.last_error = cudaErrorInvalidValue;
  auto made = std::make_unique<cuda_double::pool>();
  *out = reinterpret_cast<cudaMemPool_t>(made.get());
  m.pools[*out] = std::move(made);
  ++m.seen.live_objects;
  return cudaSuccess;
}
// What is still allocated stays so.
cudaError_t cudaMemPoolDestroy(cudaMemPool_t p) {
  auto& m = machine::instance();
  const std::scoped_lock lock(m.lock);
  if (!m.pools.erase(p)) return cudaErrorInvalidValue;
  --m.seen.live_objects;
  return cudaSuccess;
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t p, cudaMemPoolAttr what, void* value) {
  CUDA_DOUBLE_ENTER()
  if (!m.pools.count(p) || what != cudaMemPoolAttrReleaseThreshold)
    return m.last_error = cudaErrorInvalidValue;
  m.pools.at(p)->kept = static_cast<std::size_t>(*static_cast<const std::uint64_t*>(value));
  return cudaSuccess;
}
cudaError_t cudaMallocFromPoolAsync(void** data, size_t bytes, cudaMemPool_t p, cudaStream_t s) {
  CUDA_DOUBLE_ENTER()
  if (!m.knows(s) || !m.pools.count(p)) return cudaErrorInvalidResourceHandle;
  // A real capture would make it a part of the graph, which we have no use for.
  if (m.of(s).capturing) {
    m.of(s).capturing->broken = true;
    return m.last_error = cudaErrorStreamCaptureUnsupported;
  }
  return m.last_error = m.allocate(data, bytes, m.current_device, p);
}
// Works after a failure too, so that a test can see what is given back.
cudaError_t cudaFreeAsync(void* data, cudaStream_t s) {
  auto& m = machine::instance();
  const std::scoped_lock lock(m.lock);
  if (!m.is_valid(data, 0)) return cudaErrorInvalidValue;
  if (!m.knows(s)) return cudaErrorInvalidResourceHandle;
  if (m.of(s).capturing) {  // memory that is no graph's
    m.complain("memory is freed in a stream that records");
    m.of(s).capturing->broken = true;
    return cudaErrorStreamCaptureUnsupported;
  }
  // Whichever device is current: the stream names one.
  m.of(s).commands.push_back({.run = [&m, data] { return m.release(data); }, .always = true});
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t s) {
  CUDA_DOUBLE_ENTER()
  const bool to_device = kind != cudaMemcpyDeviceToHost;
  const bool from_device = kind != cudaMemcpyHostToDevice;
  if (m.is_device_pointer(to) != to_device || m.is_device_pointer(from) != from_device ||
      (to_device && !m.is_valid(to, bytes)) || (from_device && !m.is_valid(from, bytes)))
    return m.last_error = cudaErrorInvalidValue;
  return m.enqueue(s, [&m, to, from, bytes, to_device, from_device] {
    if ((to_device && !m.is_valid(to, bytes)) || (from_device && !m.is_valid(from, bytes)))
      return cudaErrorIllegalAddress;
    std::memcpy(to, from, bytes);
    return cudaSuccess;
  });
}
cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                size_t bytes, cudaStream_t s) {
  CUDA_DOUBLE_ENTER()
  if (m.device_of(to) != to_device || m.device_of(from) != from_device || !m.is_valid(to, bytes) ||
      !m.is_valid(from, bytes))
    return m.last_error = cudaErrorInvalidValue;
  if (from_device != to_device && !m.is_open_to(from, to_device))
    m.complain("memory goes to another device, which has no access to its pool");
  return m.enqueue(s, [&m, to, from, bytes] {
    if (!m.is_valid(to, bytes) || !m.is_valid(from, bytes)) return cudaErrorIllegalAddress;
    std::memcpy(to, from, bytes);
    return cudaSuccess;
  });
}
cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  CUDA_DOUBLE_ENTER()
  if (device < 0 || device >= m.devices || peer < 0 || peer >= m.devices || device == peer)
    return cudaErrorInvalidDevice;
  *can = 1;
  return cudaSuccess;
}
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t p, const cudaMemAccessDesc* access, size_t count) {
  CUDA_DOUBLE_ENTER()
  if (!m.pools.count(p) || count != 1 || access->location.type != cudaMemLocationTypeDevice ||
      access->location.id < 0 || access->location.id >= m.devices)
    return m.last_error = cudaErrorInvalidValue;
  if (access->flags == cudaMemAccessFlagsProtReadWrite)
    m.pools.at(p)->open_to.insert(access->location.id);
  return cudaSuccess;
}
// Memory of the host that a device copies by itself.
cudaError_t cudaMallocHost(void** data, size_t bytes) {
  CUDA_DOUBLE_ENTER()
  ++m.seen.allocations;
  if (m.has_no_memory()) return m.last_error = cudaErrorMemoryAllocation;
  *data = std::malloc(bytes);
  ++m.seen.live_objects;
  return *data ? cudaSuccess : cudaErrorMemoryAllocation;
}
cudaError_t cudaFreeHost(void* data) {
  auto& m = machine::instance();
  const std::scoped_lock lock(m.lock);
  if (data) --m.seen.live_objects;
  std::free(data);
  return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* data, int value, size_t bytes, cudaStream_t s) {
  CUDA_DOUBLE_ENTER()
  if (!m.is_valid(data, bytes)) return m.last_error = cudaErrorInvalidValue;
  return m.enqueue(s, [&m, data, value, bytes] {
    if (!m.is_valid(data, bytes)) return cudaErrorIllegalAddress;
    std::memset(data, value, bytes);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* s, unsigned) {
  CUDA_DOUBLE_ENTER()
  auto made = std::make_unique<cuda_double::stream>();
  made->device = m.current_device;
  *s = reinterpret_cast<cudaStream_t>(made.get());
  m.streams[*s] = std::move(made);
  ++m.seen.live_objects;
  return cudaSuccess;
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* s, unsigned flags, int priority) {
  const cudaError_t code = cudaStreamCreateWithFlags(s, flags);
  if (code == cudaSuccess) machine::instance().of(*s).priority = priority;
  return code;
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = 0;
  *greatest = -1;
  return cudaSuccess;
}
// What is in the stream runs to its end, as CUDA has it.
cudaError_t cudaStreamDestroy(cudaStream_t s) {
  auto& m = machine::instance();
  const std::scoped_lock lock(m.lock);
  if (!s || !m.knows(s)) return cudaErrorInvalidResourceHandle;
  const cudaError_t code = m.wait_for(s);
  m.streams.erase(s);
  --m.seen.live_objects;
  return code;
}
cudaError_t cudaStreamGetDevice(cudaStream_t s, int* device) {
  CUDA_DOUBLE_ENTER()
  if (!m.knows(s)) return cudaErrorInvalidResourceHandle;
  *device = s ? m.of(s).device : m.current_device;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t s) {
  CUDA_DOUBLE_ENTER()
  return m.last_error = m.wait_for(s);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* e, unsigned) {
  CUDA_DOUBLE_ENTER()
  auto made = std::make_unique<cuda_double::event>();
  *e = reinterpret_cast<cudaEvent_t>(made.get());
  m.events[*e] = std::move(made);
  ++m.seen.live_objects;
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t e) {
  auto& m = machine::instance();
  const std::scoped_lock lock(m.lock);
  if (!m.events.erase(e)) return cudaErrorInvalidResourceHandle;
  --m.seen.live_objects;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t s) {
  CUDA_DOUBLE_ENTER()
  if (!m.knows(s) || !m.events.count(e)) return cudaErrorInvalidResourceHandle;
  auto& on = m.of(s);
  auto& it = *m.events.at(e);
  it.captured = on.capturing;
  it.nodes = on.tails;
  it.last = nullptr;
  if (on.capturing) return cudaSuccess;
  it.last = std::make_shared<cuda_double::occurrence>();
  on.commands.push_back({.run = nullptr, .marks = it.last});
  return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t e) {
  CUDA_DOUBLE_ENTER()
  if (!m.events.count(e)) return cudaErrorInvalidResourceHandle;
  return m.last_error = m.wait_for(m.events.at(e)->last);
}
cudaError_t cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t e, unsigned) {
  CUDA_DOUBLE_ENTER()
  if (!m.knows(s) || !m.events.count(e)) return cudaErrorInvalidResourceHandle;
  auto& on = m.of(s);
  const auto& it = *m.events.at(e);
  ++m.seen.waits;
  if (machine::strikes(m.due.wait)) {
    if (it.captured && !on.capturing) on.capturing = it.captured;
    return cudaSuccess;
  }
  if (it.captured) {
    if (on.capturing && on.capturing != it.captured) return cudaErrorStreamCaptureIsolation;
    on.capturing = it.captured;
    on.tails.insert(on.tails.end(), it.nodes.begin(), it.nodes.end());
    return cudaSuccess;
  }
  if (on.capturing) return cudaErrorStreamCaptureIsolation;
  if (it.last) on.commands.push_back({.run = nullptr, .after = it.last});
  return cudaSuccess;
}

}  // extern "C"
