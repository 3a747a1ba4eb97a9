#pragma once
// The OpenCL backend: CPUs, GPUs and accelerators through the OpenCL loader, the only dependency.
// Link with trifac::opencl (CMake) or -lOpenCL.

#include <algorithm>
#include <atomic>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trifac/backend/device_cholesky.hpp"
#include "trifac/backend/device_lu.hpp"
#include "trifac/backend/runtime_opencl.hpp"
#include "trifac/solve.hpp"

namespace trifac {
namespace backend {

inline namespace TRIFAC_ABI {

/// Kinds of OpenCL devices.
enum class device_kind { any, cpu, gpu, accelerator };

/// What the copies of one opencl value share: a session with a device, or the reason why there is
/// none.
class opencl_link {
 public:
  using session_type = device::session<device::opencl_runtime>;

  std::optional<session_type> session;
  std::string reason;
  std::atomic<int> users{1};
};

/// A device, its queue, its programs and its scratch memory; copies share them and are cheap. It
/// may be used from several threads at once; their calls share one in-order queue.
///
/// Matrices of the host are copied to the device and back; a CPU device works on the host's memory
/// itself. device_matrix.hpp keeps matrices on the device.
class opencl {
 public:
  static constexpr std::string_view name = "opencl";
  using runtime = device::opencl_runtime;
  using session_type = device::session<runtime>;

  /// No device: available() says so. Devices come from the functions below, none of which throws.
  constexpr opencl() = default;

  /// The first device of a kind, in the order of devices().
  static opencl first(device_kind kind = device_kind::any) noexcept {
    return open([&]() -> cl_device_id {
      for (const entry& e : list())
        if (kind == device_kind::any || (type_of(e.id) & flag_of(kind))) return e.id;
      throw backend_error("OpenCL: there is no device of this kind");
    });
  }
  static opencl first_gpu() noexcept { return first(device_kind::gpu); }
  static opencl first_cpu() noexcept { return first(device_kind::cpu); }
  /// The device at a place in devices().
  static opencl at(int index) noexcept {
    return open([&] {
      const auto all = list();
      if (index < 0 || index >= static_cast<int>(all.size()))
        throw backend_error("OpenCL: there is no device " + std::to_string(index) + "; there are " +
                            std::to_string(all.size()));
      return all[static_cast<std::size_t>(index)].id;
    });
  }
  /// The first device whose name contains a text.
  static opencl named(std::string_view part) noexcept {
    return open([&]() -> cl_device_id {
      for (const entry& e : list())
        if (e.name.find(part) != std::string::npos) return e.id;
      throw backend_error("OpenCL: no device's name contains \"" + std::string(part) + "\"");
    });
  }
  /// Any device, a sub-device too, with a context of its own.
  static opencl on(cl_device_id device) noexcept {
    return open([&] { return device; });
  }
  /// The caller's context and in-order queue; they are retained as long as the backend lives.
  static opencl on(cl_context context, cl_command_queue queue) noexcept {
    return linked([&](opencl_link& l) { l.session.emplace(context, queue); });
  }

  /// Names of all devices, platform after platform; empty where there is none or no loader works.
  static std::vector<std::string> devices() {
    std::vector<std::string> names;
    try {
      for (const entry& e : list()) names.push_back(e.name);
    } catch (const backend_error&) {
    }
    return names;
  }

  constexpr opencl(const opencl& other) : settings_(other.settings_), link_(other.link_) {
    if (link_) ++link_->users;
  }
  constexpr opencl(opencl&& other) noexcept
      : settings_(other.settings_), link_(std::exchange(other.link_, nullptr)) {}
  constexpr opencl& operator=(opencl other) noexcept {
    std::swap(settings_, other.settings_);
    std::swap(link_, other.link_);
    return *this;
  }
  constexpr ~opencl() {
    if (link_) leave();
  }

  /// The same device with other settings.
  opencl with(const device::device_settings& settings) const {
    opencl copy = *this;
    copy.settings_ = settings;
    return copy;
  }
  const device::device_settings& settings() const { return settings_; }

  availability available() const noexcept {
    if (!link_) return {false, "no OpenCL device was chosen"};
    return {link_->session.has_value(), link_->reason};
  }
  friend constexpr bool supports(const opencl&, variant) { return true; }

  /// What is known about the device; only where available().
  const device::device_facts& facts() const { return link_->session->runtime.facts(); }
  /// The parts of the last call on host memory.
  device::device_times times() const { return link_->session->times(); }
  session_type& session() const { return *link_->session; }

  /// Has the programs of Cholesky, LU and their solves ready for element type T, by doing small
  /// ones: later calls compile nothing. Throws backend_error.
  template <LapackScalar T>
  void warmup() const;

  /// Called by cholesky() with checked arguments: both views are lower triangles.
  template <variant V, class T>
  status cholesky(matrix_view<const T> A, matrix_view<T> L, const cholesky_options& options) const {
    return device::cholesky_of_host<V>(session(), settings_, A, L, options);
  }
  /// Called by solve() with checked arguments; K is a lower factor.
  template <class T>
  status solve_with_cholesky(const operand<T>& K, matrix_view<T> X) const {
    return device::solve_with_cholesky_of_host(session(), settings_, K, X);
  }
  /// Called by lu() with checked arguments.
  template <variant V, class T>
  status lu(matrix_view<T> A, std::span<index_t> interchanges, const lu_options& options) const {
    return device::lu_of_host<V>(session(), settings_, A, interchanges, options);
  }
  /// Called by solve() with checked arguments.
  template <class T>
  status solve_with_lu(matrix_view<const T> LU, std::span<const index_t> interchanges, operation op,
                       matrix_view<T> X) const {
    return device::solve_with_lu_of_host(session(), settings_, LU, interchanges, op, X);
  }

 private:
  struct entry {
    cl_device_id id;
    std::string name;
  };

  static cl_device_type type_of(cl_device_id device) {
    cl_device_type type = 0;
    device::check_opencl(clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, nullptr),
                         "clGetDeviceInfo");
    return type;
  }
  static constexpr cl_device_type flag_of(device_kind kind) {
    return kind == device_kind::cpu   ? CL_DEVICE_TYPE_CPU
           : kind == device_kind::gpu ? CL_DEVICE_TYPE_GPU
                                      : CL_DEVICE_TYPE_ACCELERATOR;
  }
  // Every device of every platform. Throws backend_error where there is none.
  static std::vector<entry> list() {
    cl_uint count = 0;
    if (clGetPlatformIDs(0, nullptr, &count) != CL_SUCCESS || count == 0)
      throw backend_error("OpenCL: no platform is installed (Debian: pocl-opencl-icd)");
    std::vector<cl_platform_id> platforms(count);
    device::check_opencl(clGetPlatformIDs(count, platforms.data(), nullptr), "clGetPlatformIDs");
    std::vector<entry> all;
    for (cl_platform_id p : platforms) {
      if (clGetDeviceIDs(p, CL_DEVICE_TYPE_ALL, 0, nullptr, &count) != CL_SUCCESS) continue;
      std::vector<cl_device_id> ids(count);
      device::check_opencl(clGetDeviceIDs(p, CL_DEVICE_TYPE_ALL, count, ids.data(), nullptr),
                           "clGetDeviceIDs");
      for (cl_device_id id : ids) {
        char text[256] = "";
        clGetDeviceInfo(id, CL_DEVICE_NAME, sizeof text - 1, text, nullptr);
        all.push_back({id, text});
      }
    }
    if (all.empty()) throw backend_error("OpenCL: no platform has a device");
    return all;
  }

  template <class Choose>
  static opencl open(Choose choose) noexcept {
    return linked([&](opencl_link& l) { l.session.emplace(choose()); });
  }
  // A value whose link was filled by connect(link), or holds the reason why that failed.
  template <class Connect>
  static opencl linked(Connect connect) noexcept {
    opencl made;
    try {
      made.link_ = new opencl_link;
      connect(*made.link_);
    } catch (const std::exception& e) {
      if (made.link_) made.link_->reason = device::text_of(e);
    }
    return made;
  }
  void leave() {
    if (--link_->users == 0) delete link_;
  }

  device::device_settings settings_;
  opencl_link* link_ = nullptr;
};

template <LapackScalar T>
void opencl::warmup() const {
  const index_t n = 24, block = 8;  // three panels: every kernel of a factorization runs
  for (triangle part : {triangle::lower, triangle::upper}) {
    matrix<T> A(n, n), B(n, 1);
    for (index_t k = 0; k < n; ++k) A(k, k) = T(1);
    const auto f = trifac::cholesky(*this, A, {.part = part, .block = block});
    trifac::solve(*this, f, B);
  }
  matrix<T> A(n, n), B(n, 1);
  for (index_t k = 0; k < n; ++k) A(k, k) = T(1);
  const auto f = trifac::lu(*this, A, {.block = block});
  trifac::solve(*this, f, B);
}

}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac
