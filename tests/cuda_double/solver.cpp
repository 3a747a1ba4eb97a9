// The calls of cuSOLVER, in plain loops. Sizes of workspaces are made up, so that a caller who
// brings another is found out.

#include <cusolverDn.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <utility>

#include "machine.hpp"
#include "substitution.hpp"

using cuda_double::machine;

struct cusolverDnContext {
  int device = 0;
  cudaStream_t stream = nullptr;
};
struct cusolverDnParams {};

namespace cuda_double {
namespace {

template <class T>
double size_of_pivot(T x) {
  if constexpr (std::is_floating_point_v<T>)
    return std::abs(x);
  else
    return std::abs(x.real()) + std::abs(x.imag());
}

/// Lower triangle of A := L.
template <class T>
int potrf(std::int64_t n, T* a, std::int64_t ld) {
  for (std::int64_t j = 0; j < n; ++j) {
    const auto d = std::real(a[j + j * ld]);
    a[j + j * ld] = std::sqrt(d);  // NaN of a negative pivot, as NVIDIA's leaves it
    if (!(d > 0)) return static_cast<int>(j + 1);
    for (std::int64_t i = j + 1; i < n; ++i) a[i + j * ld] /= a[j + j * ld];
    for (std::int64_t k = j + 1; k < n; ++k)
      for (std::int64_t i = k; i < n; ++i)
        a[i + k * ld] -= a[i + j * ld] * conjugate(a[k + j * ld]);
  }
  return 0;
}
template <class T>
int getrf(std::int64_t m, std::int64_t n, T* a, std::int64_t ld, std::int64_t* pivots) {
  int info = 0;
  for (std::int64_t k = 0; k < std::min(m, n); ++k) {
    std::int64_t best = k;
    for (std::int64_t i = k; i < m; ++i)
      if (size_of_pivot(a[i + k * ld]) > size_of_pivot(a[best + k * ld])) best = i;
    pivots[k] = best + 1;
    for (std::int64_t j = 0; j < n; ++j) std::swap(a[k + j * ld], a[best + j * ld]);
    if (a[k + k * ld] == T(0)) {
      if (info == 0) info = static_cast<int>(k + 1);
      continue;
    }
    for (std::int64_t i = k + 1; i < m; ++i) {
      a[i + k * ld] /= a[k + k * ld];
      for (std::int64_t j = k + 1; j < n; ++j) a[i + j * ld] -= a[i + k * ld] * a[k + j * ld];
    }
  }
  return info;
}

template <class T>
void potrs(std::int64_t n, std::int64_t count, const T* a, std::int64_t ld, T* b,
           std::int64_t ldb) {
  for (std::int64_t c = 0; c < count; ++c) {
    substitute(n, b + c * ldb, true, false, [&](auto i, auto j) { return a[i + j * ld]; });
    substitute(n, b + c * ldb, false, false,
               [&](auto i, auto j) { return conjugate(a[j + i * ld]); });
  }
}
template <class T>
void getrs(cublasOperation_t op, std::int64_t n, std::int64_t count, const T* a, std::int64_t ld,
           const std::int64_t* pivots, T* b, std::int64_t ldb) {
  const auto turned = [&](auto i, auto j) {
    const T x = a[j + i * ld];
    return op == CUBLAS_OP_C ? conjugate(x) : x;
  };
  const auto plain = [&](auto i, auto j) { return a[i + j * ld]; };
  for (std::int64_t c = 0; c < count; ++c) {
    T* x = b + c * ldb;
    if (op == CUBLAS_OP_N) {
      for (std::int64_t k = 0; k < n; ++k) std::swap(x[k], x[pivots[k] - 1]);
      substitute(n, x, true, true, plain);
      substitute(n, x, false, false, plain);
    } else {
      substitute(n, x, true, false, turned);
      substitute(n, x, false, true, turned);
      for (std::int64_t k = n - 1; k >= 0; --k) std::swap(x[k], x[pivots[k] - 1]);
    }
  }
}

/// call(a null pointer of the type)
template <class Call>
cusolverStatus_t of_type(cudaDataType type, Call call) {
  switch (type) {
    case CUDA_R_32F:
      return call(static_cast<float*>(nullptr));
    case CUDA_R_64F:
      return call(static_cast<double*>(nullptr));
    case CUDA_C_32F:
      return call(static_cast<std::complex<float>*>(nullptr));
    case CUDA_C_64F:
      return call(static_cast<std::complex<double>*>(nullptr));
    default:
      return CUSOLVER_STATUS_INVALID_VALUE;
  }
}

std::size_t size_of(cudaDataType type) {
  return type == CUDA_R_32F ? 4 : type == CUDA_C_64F ? 16 : 8;
}
std::size_t device_bytes(std::int64_t n, cudaDataType type) {
  return 64 + static_cast<std::size_t>(n) * size_of(type);
}
constexpr std::size_t host_bytes = 24;

/// Whether a matrix of that size lies in device memory.
bool lies_there(const void* a, std::int64_t rows, std::int64_t cols, std::int64_t ld,
                cudaDataType type) {
  if (ld < std::max<std::int64_t>(1, rows)) return false;
  const auto elements = static_cast<std::size_t>(ld * (cols - 1) + rows);
  return machine::instance().is_valid(a, elements * size_of(type));
}
cusolverStatus_t enqueue(cusolverDnHandle_t h, body run) {
  machine& m = machine::instance();
  ++m.seen.library_calls;
  return m.enqueue(h->stream, std::move(run)) == cudaSuccess ? CUSOLVER_STATUS_SUCCESS
                                                             : CUSOLVER_STATUS_EXECUTION_FAILED;
}

}  // namespace
}  // namespace cuda_double

#define SOLVER_DOUBLE_ENTER()                      \
  auto& m = machine::instance();                   \
  const std::scoped_lock cuda_double_lock(m.lock); \
  if (m.enter() != cudaSuccess) return CUSOLVER_STATUS_EXECUTION_FAILED;

extern "C" {

cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t* h) {
  SOLVER_DOUBLE_ENTER()
  *h = new cusolverDnContext{.device = m.current_device};
  ++m.seen.live_objects;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t h) {
  machine& m = machine::instance();
  const std::scoped_lock lock(m.lock);
  if (m.current_device != h->device) m.complain("cusolverDnDestroy on another device");
  delete h;
  --m.seen.live_objects;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t h, cudaStream_t s) {
  SOLVER_DOUBLE_ENTER()
  if (!m.knows(s)) return CUSOLVER_STATUS_INVALID_VALUE;
  h->stream = s;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnCreateParams(cusolverDnParams_t* p) {
  *p = new cusolverDnParams;
  ++machine::instance().seen.live_objects;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnDestroyParams(cusolverDnParams_t p) {
  delete p;
  --machine::instance().seen.live_objects;
  return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnXpotrf_bufferSize(cusolverDnHandle_t, cusolverDnParams_t,
                                             cublasFillMode_t, int64_t n, cudaDataType type,
                                             const void*, int64_t, cudaDataType, size_t* on_device,
                                             size_t* on_host) {
  *on_device = cuda_double::device_bytes(n, type);
  *on_host = cuda_double::host_bytes;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnXpotrf(cusolverDnHandle_t h, cusolverDnParams_t, cublasFillMode_t part,
                                  int64_t n, cudaDataType type, void* A, int64_t ld,
                                  cudaDataType computed, void* work, size_t bytes, void*,
                                  size_t bytes_on_host, int* info) {
  SOLVER_DOUBLE_ENTER()
  if (part != CUBLAS_FILL_MODE_LOWER || computed != type ||
      !cuda_double::lies_there(A, n, n, ld, type) || bytes != cuda_double::device_bytes(n, type) ||
      bytes_on_host != cuda_double::host_bytes || !m.is_valid(work, bytes) ||
      !m.is_valid(info, sizeof *info))
    return CUSOLVER_STATUS_INVALID_VALUE;
  return cuda_double::of_type(type, [&]<class T>(T*) {
    return cuda_double::enqueue(h, [=] {
      *info = cuda_double::potrf(n, static_cast<T*>(A), ld);
      return cudaSuccess;
    });
  });
}
cusolverStatus_t cusolverDnXpotrs(cusolverDnHandle_t h, cusolverDnParams_t, cublasFillMode_t part,
                                  int64_t n, int64_t count, cudaDataType type, const void* A,
                                  int64_t ld, cudaDataType, void* B, int64_t ldb, int* info) {
  SOLVER_DOUBLE_ENTER()
  if (part != CUBLAS_FILL_MODE_LOWER || !cuda_double::lies_there(A, n, n, ld, type) ||
      !cuda_double::lies_there(B, n, count, ldb, type) || !m.is_valid(info, sizeof *info))
    return CUSOLVER_STATUS_INVALID_VALUE;
  return cuda_double::of_type(type, [&]<class T>(T*) {
    return cuda_double::enqueue(h, [=] {
      cuda_double::potrs(n, count, static_cast<const T*>(A), ld, static_cast<T*>(B), ldb);
      *info = 0;
      return cudaSuccess;
    });
  });
}
cusolverStatus_t cusolverDnXgetrf_bufferSize(cusolverDnHandle_t, cusolverDnParams_t, int64_t,
                                             int64_t n, cudaDataType type, const void*, int64_t,
                                             cudaDataType, size_t* on_device, size_t* on_host) {
  *on_device = cuda_double::device_bytes(n, type);
  *on_host = cuda_double::host_bytes;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnXgetrf(cusolverDnHandle_t h, cusolverDnParams_t, int64_t rows, int64_t n,
                                  cudaDataType type, void* A, int64_t ld, int64_t* pivots,
                                  cudaDataType computed, void* work, size_t bytes, void*,
                                  size_t bytes_on_host, int* info) {
  SOLVER_DOUBLE_ENTER()
  const auto steps = static_cast<std::size_t>(std::min(rows, n));
  if (computed != type || !cuda_double::lies_there(A, rows, n, ld, type) ||
      bytes != cuda_double::device_bytes(n, type) || bytes_on_host != cuda_double::host_bytes ||
      !m.is_valid(work, bytes) || !m.is_valid(pivots, steps * sizeof *pivots) ||
      !m.is_valid(info, sizeof *info))
    return CUSOLVER_STATUS_INVALID_VALUE;
  return cuda_double::of_type(type, [&]<class T>(T*) {
    return cuda_double::enqueue(h, [=] {
      *info = cuda_double::getrf(rows, n, static_cast<T*>(A), ld, pivots);
      return cudaSuccess;
    });
  });
}
cusolverStatus_t cusolverDnXgetrs(cusolverDnHandle_t h, cusolverDnParams_t, cublasOperation_t op,
                                  int64_t n, int64_t count, cudaDataType type, const void* A,
                                  int64_t ld, const int64_t* pivots, cudaDataType, void* B,
                                  int64_t ldb, int* info) {
  SOLVER_DOUBLE_ENTER()
  if (!cuda_double::lies_there(A, n, n, ld, type) ||
      !cuda_double::lies_there(B, n, count, ldb, type) ||
      !m.is_valid(pivots, static_cast<std::size_t>(n) * sizeof *pivots) ||
      !m.is_valid(info, sizeof *info))
    return CUSOLVER_STATUS_INVALID_VALUE;
  return cuda_double::of_type(type, [&]<class T>(T*) {
    return cuda_double::enqueue(h, [=] {
      cuda_double::getrs(op, n, count, static_cast<const T*>(A), ld, pivots, static_cast<T*>(B),
                         ldb);
      *info = 0;
      return cudaSuccess;
    });
  });
}

}  // extern "C"
