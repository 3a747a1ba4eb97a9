#pragma once
// cuSOLVER's handles, workspace and calls on matrices in device memory.

#include <cusolverDn.h>

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "trifac/engine/cuda/blas.hpp"
#include "trifac/engine/cuda/runtime.hpp"
#include "trifac/engine/device/session.hpp"
#include "trifac/engine/device/view.hpp"

namespace trifac::device {
inline namespace TRIFAC_ABI {

/// Throws device_error with the call's name.
inline void check_cusolver(cusolverStatus_t code, const char* call) {
  if (code == CUSOLVER_STATUS_SUCCESS) return;
  throw_library_error(
      fault_of(code, CUSOLVER_STATUS_ALLOC_FAILED, CUSOLVER_STATUS_EXECUTION_FAILED),
      std::string("cuSOLVER: ") + call + " failed with status " +
          std::to_string(static_cast<int>(code)));
}

/// cuSOLVER on its own stream: handles, and a workspace that is reused between calls.
class cusolver_session {
 public:
  using scratch = session<cuda_runtime>::scratch;

  explicit cusolver_session(int device)
      : cuda(device), handle_(nullptr, destroy{device}), params_(nullptr, destroy{device}) {
    const cuda_device_scope current(cuda.runtime.device());
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
  /// getrf with 1-based rows in `pivots`: 0, or the 1-based index of the first zero pivot.
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
  std::mutex mutex;  ///< serializes the use of the workspace

 private:
  /// Runs the call and returns its `info`; waits.
  template <class Call>
  index_t with_workspace(std::size_t on_device, std::size_t on_host, Call call) {
    const cuda_device_scope current(cuda.runtime.device());
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
    int device;
    void operator()(cusolverDnHandle_t h) const {
      end_on_device(device, [&] { cusolverDnDestroy(h); });
    }
    void operator()(cusolverDnParams_t p) const {
      end_on_device(device, [&] { cusolverDnDestroyParams(p); });
    }
  };
  std::unique_ptr<cusolverDnContext, destroy> handle_;
  std::unique_ptr<cusolverDnParams, destroy> params_;
  std::vector<std::byte> host_work_;
  scratch device_work_, info_;
};

}  // namespace TRIFAC_ABI
}  // namespace trifac::device
