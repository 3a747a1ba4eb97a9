// Memory with guards around it, and streams that run in a random order.

#include "machine.hpp"

#include <pthread.h>

#include <algorithm>
#include <cstring>

namespace cuda_double {

namespace {

constexpr std::size_t guard = 256;
constexpr std::byte guard_byte{0xA5}, fresh_byte{0xFF};

}  // namespace

machine& machine::instance() {
  static machine& only = *new machine;  // never destroyed: OpenCL may be gone before
  return only;
}

machine::machine() {
  streams[nullptr] = std::make_unique<stream>();
}

void machine::complain(const std::string& what) {
  if (complaints.find(what) == std::string::npos) complaints += what + '\n';
}

cudaError_t machine::enter() {
  if (devices == 0) return cudaErrorNoDevice;
  if (sticky_error == cudaSuccess && strikes(due.lost)) sticky_error = cudaErrorDevicesUnavailable;
  return sticky_error;
}

engine& machine::compute() {
  if (engine_.queue) return engine_;
  // The threads that OpenCL starts have the registers of all items of a cluster on their stack.
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, std::size_t{64} << 20);
  pthread_setattr_default_np(&attributes);
  pthread_attr_destroy(&attributes);
  cl_platform_id platforms[8];
  cl_uint count = 0;
  clGetPlatformIDs(8, platforms, &count);
  for (cl_uint k = 0; k < count && !engine_.device; ++k) {
    cl_device_svm_capabilities shared = 0;
    if (clGetDeviceIDs(platforms[k], CL_DEVICE_TYPE_CPU, 1, &engine_.device, nullptr) ||
        clGetDeviceInfo(engine_.device, CL_DEVICE_SVM_CAPABILITIES, sizeof shared, &shared,
                        nullptr) ||
        !(shared & CL_DEVICE_SVM_FINE_GRAIN_BUFFER))
      engine_.device = nullptr;
  }
  if (!engine_.device) {
    std::fprintf(stderr, "the double of CUDA needs an OpenCL device with shared virtual memory\n");
    std::abort();
  }
  cl_int code = CL_SUCCESS;
  engine_.context = clCreateContext(nullptr, 1, &engine_.device, nullptr, nullptr, &code);
  engine_.queue =
      clCreateCommandQueueWithProperties(engine_.context, engine_.device, nullptr, &code);
  return engine_;
}

cudaError_t machine::allocate(void** data, std::size_t bytes, int device, cudaMemPool_t from) {
  ++seen.allocations;
  if (has_no_memory()) return cudaErrorMemoryAllocation;
  auto* base = static_cast<std::byte*>(clSVMAlloc(
      compute().context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, bytes + 2 * guard, 0));
  if (!base) return cudaErrorMemoryAllocation;
  std::memset(base, static_cast<int>(guard_byte), guard);
  std::memset(base + guard, static_cast<int>(fresh_byte), bytes);
  std::memset(base + guard + bytes, static_cast<int>(guard_byte), guard);
  *data = base + guard;
  memory_[reinterpret_cast<std::uintptr_t>(*data)] = {bytes, device, base, from};
  pool& p = *pools.at(from);
  p.free -= std::min(p.free, bytes);
  ++seen.live_allocations;
  return cudaSuccess;
}

void machine::check_guards(std::uintptr_t at, const allocation& a) {
  const auto* data = reinterpret_cast<const std::byte*>(at);
  for (std::size_t k = 0; k < guard; ++k)
    if (a.base[k] != guard_byte || data[a.bytes + k] != guard_byte) {
      complain("somebody wrote outside of an allocation of " + std::to_string(a.bytes) + " bytes");
      return;
    }
}

cudaError_t machine::release(void* data) {
  const auto at = reinterpret_cast<std::uintptr_t>(data);
  const auto it = memory_.find(at);
  if (it == memory_.end()) return cudaErrorInvalidValue;
  check_guards(at, it->second);
  std::memset(data, static_cast<int>(fresh_byte), it->second.bytes);
  clSVMFree(compute().context, it->second.base);
  if (const auto from = pools.find(it->second.from); from != pools.end())
    from->second->free += it->second.bytes;
  memory_.erase(it);
  --seen.live_allocations;
  return cudaSuccess;
}

const std::pair<const std::uintptr_t, machine::allocation>* machine::find(const void* data) const {
  const auto at = reinterpret_cast<std::uintptr_t>(data);
  auto it = memory_.upper_bound(at);
  if (it == memory_.begin()) return nullptr;
  --it;
  return at <= it->first + it->second.bytes ? &*it : nullptr;
}
bool machine::is_valid(const void* data, std::size_t bytes) const {
  const auto* found = find(data);
  return found &&
         reinterpret_cast<std::uintptr_t>(data) + bytes <= found->first + found->second.bytes;
}
bool machine::is_open_to(const void* data, int device) const {
  const auto* found = find(data);
  if (!found) return false;
  const auto from = pools.find(found->second.from);
  return from != pools.end() && from->second->open_to.count(device) > 0;
}
bool machine::is_device_pointer(const void* data) const {
  return find(data) != nullptr;
}

int machine::device_of(const void* data) const {
  const auto* found = find(data);
  return found ? found->second.device : -1;
}

bool machine::knows(cudaStream_t s) const {
  return streams.count(s) > 0;
}
stream& machine::of(cudaStream_t s) {
  return *streams.at(s);
}

cudaError_t machine::enqueue(cudaStream_t s, body run, std::vector<const kernel*> kernels) {
  if (!knows(s) || (s && of(s).device != current_device)) return cudaErrorInvalidResourceHandle;
  stream& to = of(s);
  if (to.capturing) {
    capture& c = *to.capturing;
    c.nodes.push_back({std::move(run), std::move(kernels), to.tails, to.priority});
    to.tails = {c.nodes.size() - 1};
    return cudaSuccess;
  }
  to.commands.push_back({.run = std::move(run), .kernels = std::move(kernels)});
  run_some();
  return cudaSuccess;
}

bool machine::step() {
  std::vector<stream*> ready;
  for (auto& [handle, s] : streams)
    if (!s->commands.empty() && (!s->commands.front().after || s->commands.front().after->done))
      ready.push_back(s.get());
  if (ready.empty()) return false;
  stream& chosen = *ready[random() % ready.size()];
  const command next = std::move(chosen.commands.front());
  chosen.commands.pop_front();
  // After a failure nothing runs, but what was enqueued is gone.
  if (next.run && (next.always || sticky_error == cudaSuccess))
    if (const cudaError_t code = next.run(); code != cudaSuccess) sticky_error = code;
  if (next.marks) next.marks->done = true;
  return true;
}

void machine::run_some() {
  for (auto steps = random() % 4 == 0 ? random() % 8 : 0; steps > 0 && step(); --steps) {
  }
}

cudaError_t machine::wait_for(cudaStream_t s) {
  if (!knows(s)) return cudaErrorInvalidResourceHandle;
  if (of(s).capturing) {
    of(s).capturing->broken = true;
    return cudaErrorStreamCaptureUnsupported;
  }
  while (!of(s).commands.empty())
    if (!step()) {
      complain("a stream waits for an event that never comes");
      return cudaErrorUnknown;
    }
  for (const auto& [at, a] : memory_) check_guards(at, a);
  for (const auto& [handle, p] : pools)
    if (p->free > p->kept) {
      ++seen.trims;
      p->free = p->kept;
    }
  return sticky_error;
}
cudaError_t machine::wait_for(const std::shared_ptr<occurrence>& o) {
  while (o && !o->done)
    if (!step()) {
      complain("the host waits for an event that never comes");
      return cudaErrorUnknown;
    }
  return sticky_error;
}
cudaError_t machine::wait_for_all() {
  while (step()) {
  }
  return sticky_error;
}

void reset() {
  machine& m = machine::instance();
  const std::scoped_lock lock(m.lock);
  m.wait_for_all();
  m.due = {};
  m.last_error = m.sticky_error = cudaSuccess;
  const counts now = m.seen;
  m.seen = {};
  m.seen.live_allocations = now.live_allocations;
  m.seen.live_objects = now.live_objects;
  m.complaints.clear();
  m.devices = 1;
  m.cluster = most_blocks;
}
void inject(const faults& f) {
  machine& m = machine::instance();
  const std::scoped_lock lock(m.lock);
  m.due = f;
}
void seed(std::uint64_t s) {
  machine& m = machine::instance();
  const std::scoped_lock lock(m.lock);
  m.random.seed(s);
}
counts seen() {
  machine& m = machine::instance();
  const std::scoped_lock lock(m.lock);
  return m.seen;
}
void set_devices(int count) {
  machine& m = machine::instance();
  const std::scoped_lock lock(m.lock);
  m.devices = count;
}
void set_cluster(int most) {
  machine& m = machine::instance();
  const std::scoped_lock lock(m.lock);
  m.cluster = most;
}
std::string complaints() {
  machine& m = machine::instance();
  const std::scoped_lock lock(m.lock);
  return m.complaints;
}

}  // namespace cuda_double
