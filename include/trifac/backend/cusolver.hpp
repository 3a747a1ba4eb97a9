#pragma once
// The cuSOLVER backend: potrf, potrs, getrf, getrs of NVIDIA's library through its 64-bit interface.
// A reference, one more backend. Link with trifac::cusolver (CMake) or -lcusolver -lcudart.

#include <cusolverDn.h>

#include <algorithm>
#include <complex>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trifac/backend/host_matrix.hpp"
#include "trifac/backend/runtime_cuda.hpp"
#include "trifac/backend/whole_factor.hpp"

namespace trifac {
namespace device {
inline namespace TRIFAC_ABI {

/// Throws device_error with the call's name.
inline void check_cusolver(cusolverStatus_t code, const char* call) {
  if (code == CUSOLVER_STATUS_SUCCESS) return;
  throw_library_error(code == CUSOLVER_STATUS_ALLOC_FAILED       ? device_fault::out_of_memory
                      : code == CUSOLVER_STATUS_EXECUTION_FAILED ? device_fault::launch_failed
                                                                 : device_fault::other,
                      std::string("cuSOLVER: ") + call + " failed with status " +
                          std::to_string(static_cast<int>(code)));
}

/// cuSOLVER on a stream of its own: handles, and the workspace, which is kept from call to call.
class cusolver_session {
 public:
  using scratch = session<cuda_runtime>::scratch;

  explicit cusolver_session(int device) : cuda(device) {
    const cuda_device_scope here(cuda.runtime.device());
    cusolverDnHandle_t h = nullptr;
    check_cusolver(cusolverDnCreate(&h), "cusolverDnCreate");
    handle_.reset(h);
    check_cusolver(cusolverDnSetStream(h, cuda.runtime.stream()), "cusolverDnSetStream");
    cusolverDnParams_t p = nullptr;
    check_cusolver(cusolverDnCreateParams(&p), "cusolverDnCreateParams");
    params_.reset(p);
  }

  /// potrf of the lower triangle: 0, or the order of the first leading minor that is not positive.
  template <class T>
  index_t potrf(const device_view<T, void*>& A) {
    constexpr auto type = cuda_type<T>();
    const index_t n = A.rows(), ld = A.col_stride();
    std::size_t on_device = 0, on_host = 0;
    check_cusolver(cusolverDnXpotrf_bufferSize(handle_.get(), params_.get(), CUBLAS_FILL_MODE_LOWER,
                                               n, type, A.memory(), ld, type, &on_device, &on_host),
                   "cusolverDnXpotrf_bufferSize");
    return with_workspace(on_device, on_host, [&](void* d, void* h, int* info) {
      check_cusolver(cusolverDnXpotrf(handle_.get(), params_.get(), CUBLAS_FILL_MODE_LOWER, n, type,
                                      A.memory(), ld, type, d, on_device, h, on_host, info),
                     "cusolverDnXpotrf");
    });
  }
  /// getrf, rows counted from 1 in `pivots`: 0, or the place of the first zero pivot.
  template <class T>
  index_t getrf(const device_view<T, void*>& A, index_t* pivots) {
    constexpr auto type = cuda_type<T>();
    const index_t m = A.rows(), n = A.cols(), ld = A.col_stride();
    std::size_t on_device = 0, on_host = 0;
    check_cusolver(cusolverDnXgetrf_bufferSize(handle_.get(), params_.get(), m, n, type, A.memory(),
                                               ld, type, &on_device, &on_host),
                   "cusolverDnXgetrf_bufferSize");
    return with_workspace(on_device, on_host, [&](void* d, void* h, int* info) {
      check_cusolver(cusolverDnXgetrf(handle_.get(), params_.get(), m, n, type, A.memory(), ld,
                                      pivots, type, d, on_device, h, on_host, info),
                     "cusolverDnXgetrf");
    });
  }
  template <class T>
  void potrs(const device_view<T, void*>& A, const device_view<T, void*>& B) {
    constexpr auto type = cuda_type<T>();
    with_workspace(0, 0, [&](void*, void*, int* info) {
      check_cusolver(cusolverDnXpotrs(handle_.get(), params_.get(), CUBLAS_FILL_MODE_LOWER,
                                      A.rows(), B.cols(), type, A.memory(), A.col_stride(), type,
                                      B.memory(), B.col_stride(), info),
                     "cusolverDnXpotrs");
    });
  }
  template <class T>
  void getrs(const device_view<T, void*>& A, const index_t* pivots, operation op,
             const device_view<T, void*>& B) {
    constexpr auto type = cuda_type<T>();
    const auto trans = op == operation::none        ? CUBLAS_OP_N
                       : op == operation::transpose ? CUBLAS_OP_T
                                                    : CUBLAS_OP_C;
    with_workspace(0, 0, [&](void*, void*, int* info) {
      check_cusolver(cusolverDnXgetrs(handle_.get(), params_.get(), trans, A.rows(), B.cols(), type,
                                      A.memory(), A.col_stride(), pivots, type, B.memory(),
                                      B.col_stride(), info),
                     "cusolverDnXgetrs");
    });
  }

  session<cuda_runtime> cuda;
  std::mutex mutex;  ///< one call at a time has the workspace

 private:
  /// Runs the call and answers what it says in `info`; waits.
  template <class Call>
  index_t with_workspace(std::size_t on_device, std::size_t on_host, Call call) {
    const cuda_device_scope here(cuda.runtime.device());
    if (device_work_.bytes() < on_device) device_work_ = cuda.borrow(on_device);
    if (host_work_.size() < on_host) host_work_.resize(on_host);
    if (info_.bytes() == 0) info_ = cuda.borrow(sizeof(int));
    call(device_work_.get(), host_work_.data(), static_cast<int*>(info_.get()));
    int info = 0;
    cuda.runtime.read(info_.get(), 0, &info, sizeof info);
    if (info < 0) throw backend_error("cuSOLVER: argument " + std::to_string(-info) + " is wrong");
    return info;
  }

  struct destroy {
    void operator()(cusolverDnHandle_t h) const { cusolverDnDestroy(h); }
    void operator()(cusolverDnParams_t p) const { cusolverDnDestroyParams(p); }
  };
  std::unique_ptr<cusolverDnContext, destroy> handle_;
  std::unique_ptr<cusolverDnParams, destroy> params_;
  std::vector<std::byte> host_work_;
  scratch device_work_, info_;
};

}  // namespace TRIFAC_ABI
}  // namespace device

namespace backend {
inline namespace TRIFAC_ABI {

/// Whole factorizations by cuSOLVER, for float, double and complex of both. Matrices of the host
/// are copied to the device and back; times() tells how long the call took without that. Copies
/// share handles, stream and workspace; several threads may use it, one after another.
class cusolver {
 public:
  static constexpr std::string_view name = "cusolver";

  /// No device: available() says so.
  cusolver() = default;
  /// The first device, and the one of that index; neither throws.
  static cusolver first() noexcept { return at(0); }
  static cusolver at(int index) noexcept {
    cusolver made;
    try {
      made.reason_ = std::make_shared<std::string>();
      int count = 0;
      device::check_cuda(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
      if (index < 0 || index >= count)
        throw backend_error("CUDA: there is no device " + std::to_string(index));
      made.session_ = std::make_shared<device::cusolver_session>(index);
    } catch (const std::exception& e) {
      if (made.reason_) *made.reason_ = device::text_of(e);
    }
    return made;
  }

  availability available() const noexcept {
    if (!reason_) return {false, "no CUDA device was chosen"};
    return {session_ != nullptr, *reason_};
  }
  friend bool supports(const cusolver&, variant v) { return v == variant::best; }
  /// The parts of the last call.
  device::device_times times() const { return session_->cuda.times(); }
  device::cusolver_session& session() const { return *session_; }

 private:
  std::shared_ptr<std::string> reason_;
  std::shared_ptr<device::cusolver_session> session_;
};

namespace cusolver_calls {

/// Runs body(matrix on the device) between copies of A to the device and back, with times; answers
/// the status that finish(what the body said) makes when A is back.
template <class T, class Body, class Finish>
status on_device(const cusolver& on, matrix_view<T> A, device::extent_of_use use, Body body,
                 Finish finish) {
  device::cusolver_session& s = on.session();
  const std::scoped_lock lock(s.mutex);
  return device::guarded(s.cuda, [&] {
    device::device_times times;
    const device::stopwatch copying_in;
    device::host_matrix<device::cuda_runtime, T> there(s.cuda, A, use);
    times.copy_in = copying_in.seconds();
    const device::stopwatch running;
    const index_t info = body(s, there.view());
    times.run = running.seconds();
    const device::stopwatch copying_out;
    there.copy_back();
    times.copy_out = copying_out.seconds();
    s.cuda.set_times(times);
    return finish(info);
  });
}

inline std::uint64_t bytes_of(std::size_t count) {
  return count * sizeof(index_t);
}

}  // namespace cusolver_calls

/// Lower triangle of A := L with A = L·Lᴴ. LAPACK: potrf.
template <LapackScalar T>
status potrf(const cusolver& on, matrix_view<T> A) {
  if (A.empty()) return {};
  return cusolver_calls::on_device(
      on, A, device::extent_of_use::lower_triangle,
      [](auto& s, const auto& there) { return s.potrf(there); },
      [&](index_t info) {
        return detail::status_of_factor(A, info, status_kind::not_positive_definite);
      });
}

/// B := op(A)⁻¹·B with the factor in the lower triangle of A. LAPACK: potrs.
template <LapackScalar T>
status potrs(const cusolver& on, matrix_view<const T> A, operation op, matrix_view<T> B) {
  if (A.empty() || B.empty()) return {};
  // Aᵀ of a Hermitian matrix is its conjugate.
  const bool conjugated = is_complex<T> && op == operation::transpose;
  if (conjugated) detail::conjugate_in_place(B);
  const status outcome = cusolver_calls::on_device(
      on, B, device::extent_of_use::all,
      [&](auto& s, const auto& there) {
        const device::host_matrix<device::cuda_runtime, T> factor(
            s.cuda, device::writable(A), device::extent_of_use::lower_triangle);
        s.potrs(factor.view(), there);
        return index_t(0);
      },
      [](index_t) { return status{}; });
  if (conjugated) detail::conjugate_in_place(B);
  return outcome;
}

/// P·A = L·U; A: m×n, min(m, n) interchanges. LAPACK: getrf.
template <LapackScalar T>
status getrf(const cusolver& on, matrix_view<T> A, std::span<index_t> interchanges) {
  if (A.empty()) return {};
  return cusolver_calls::on_device(
      on, A, device::extent_of_use::all,
      [&](auto& s, const auto& there) {
        const auto bytes = cusolver_calls::bytes_of(interchanges.size());
        const auto rows = s.cuda.borrow(bytes);
        const index_t info = s.getrf(there, static_cast<index_t*>(rows.get()));
        s.cuda.runtime.read(rows.get(), 0, interchanges.data(), bytes);
        return info;
      },
      [&](index_t info) {
        // Rows from 1; with NaN in the matrix they may be any.
        for (std::size_t k = 0; k < interchanges.size(); ++k)
          interchanges[k] =
              std::clamp<index_t>(interchanges[k] - 1, static_cast<index_t>(k), A.rows() - 1);
        return detail::status_of_factor(A, info, status_kind::singular);
      });
}

/// B := op(A)⁻¹·B with A = Pᵀ·L·U. LAPACK: getrs.
template <LapackScalar T>
status getrs(const cusolver& on, matrix_view<const T> A, std::span<const index_t> interchanges,
             operation op, matrix_view<T> B) {
  if (A.empty() || B.empty()) return {};
  return cusolver_calls::on_device(
      on, B, device::extent_of_use::all,
      [&](auto& s, const auto& there) {
        const device::host_matrix<device::cuda_runtime, T> factor(s.cuda, device::writable(A),
                                                                  device::extent_of_use::all);
        std::vector<index_t> from_one(interchanges.begin(), interchanges.end());
        for (index_t& row : from_one) ++row;
        const auto bytes = cusolver_calls::bytes_of(from_one.size());
        const auto rows = s.cuda.borrow(bytes);
        s.cuda.runtime.write(rows.get(), 0, from_one.data(), bytes);
        s.getrs(factor.view(), static_cast<const index_t*>(rows.get()), op, there);
        return index_t(0);
      },
      [](index_t) { return status{}; });
}

}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac
