// The calls of cuBLAS, in plain loops.

#include <cublas_v2.h>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "machine.hpp"
#include "substitution.hpp"

using cuda_double::machine;

struct cublasContext {
  int device = 0;
  cudaStream_t stream = nullptr;
  bool has_workspace = false;
};

namespace cuda_double {
namespace {

using std::int64_t;

/// op(A), whose element (i, j) is at(i, j).
template <class T>
struct operand {
  const T* data;
  int64_t pitch;
  cublasOperation_t op;
  T at(int64_t i, int64_t j) const {
    if (op == CUBLAS_OP_N) return data[i + j * pitch];
    const T x = data[j + i * pitch];
    return op == CUBLAS_OP_C ? conjugate(x) : x;
  }
};

template <class T>
bool lies_there(const T* a, int64_t rows, int64_t cols, int64_t pitch) {
  if (pitch < std::max<int64_t>(1, rows)) return false;
  return rows == 0 || cols == 0 ||
         machine::instance().is_valid(
             a, static_cast<std::size_t>(pitch * (cols - 1) + rows) * sizeof(T));
}
template <class T>
bool lies_there(const operand<T>& a, int64_t rows, int64_t cols) {
  return a.op == CUBLAS_OP_N ? lies_there(a.data, rows, cols, a.pitch)
                             : lies_there(a.data, cols, rows, a.pitch);
}

cublasStatus_t enqueue(cublasHandle_t h, body run) {
  machine& m = machine::instance();
  ++m.seen.library_calls;
  if (m.knows(h->stream) && m.of(h->stream).capturing && !h->has_workspace)
    m.complain("cuBLAS allocates memory while a stream records");
  return m.enqueue(h->stream, std::move(run)) == cudaSuccess ? CUBLAS_STATUS_SUCCESS
                                                             : CUBLAS_STATUS_EXECUTION_FAILED;
}

/// C := beta·C + alpha·op(A)·op(B), all of C or one triangle.
template <class T>
cublasStatus_t multiply(cublasHandle_t h, int64_t m, int64_t n, int64_t k, T alpha, operand<T> a,
                        operand<T> b, T beta, T* c, int64_t pitch, int part) {
  machine& all = machine::instance();
  const std::scoped_lock lock(all.lock);
  if (all.enter() != cudaSuccess) return CUBLAS_STATUS_EXECUTION_FAILED;
  if (!lies_there(a, m, k) || !lies_there(b, k, n) || !lies_there(c, m, n, pitch))
    return CUBLAS_STATUS_INVALID_VALUE;
  return enqueue(h, [=] {
    for (int64_t j = 0; j < n; ++j)
      for (int64_t i = part == CUBLAS_FILL_MODE_LOWER ? j : 0;
           i < (part == CUBLAS_FILL_MODE_UPPER ? j + 1 : m); ++i) {
        T sum(0);
        for (int64_t p = 0; p < k; ++p) sum += a.at(i, p) * b.at(p, j);
        c[i + j * pitch] = beta * c[i + j * pitch] + alpha * sum;
      }
    return cudaSuccess;
  });
}
constexpr int whole = -1;

template <class T, class R>
cublasStatus_t herk(cublasHandle_t h, cublasFillMode_t part, cublasOperation_t op, int64_t n,
                    int64_t k, const R* alpha, const T* a, int64_t lda, const R* beta, T* c,
                    int64_t ldc) {
  constexpr auto adjoint = std::is_floating_point_v<T> ? CUBLAS_OP_T : CUBLAS_OP_C;
  if (op != CUBLAS_OP_N && op != adjoint) return CUBLAS_STATUS_INVALID_VALUE;
  const operand<T> left{a, lda, op}, right{a, lda, op == CUBLAS_OP_N ? adjoint : CUBLAS_OP_N};
  return multiply(h, n, n, k, T(*alpha), left, right, T(*beta), c, ldc, part);
}

/// B := alpha·op(A)⁻¹·B.
template <class T>
cublasStatus_t trsm(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t part,
                    cublasOperation_t op, cublasDiagType_t diag, int64_t m, int64_t n,
                    const T* alpha, const T* data, int64_t lda, T* b, int64_t ldb) {
  machine& all = machine::instance();
  const std::scoped_lock lock(all.lock);
  if (all.enter() != cudaSuccess) return CUBLAS_STATUS_EXECUTION_FAILED;
  const operand<T> a{data, lda, op};
  const bool left = side == CUBLAS_SIDE_LEFT;
  const int64_t order = left ? m : n;
  if (*alpha != T(1) || !lies_there(a, order, order) || !lies_there(b, m, n, ldb))
    return CUBLAS_STATUS_INVALID_VALUE;
  const bool lower = (part == CUBLAS_FILL_MODE_LOWER) == (op == CUBLAS_OP_N);
  const bool unit = diag == CUBLAS_DIAG_UNIT;
  return enqueue(h, [=] {
    std::vector<T> row(static_cast<std::size_t>(left ? 0 : n));
    for (int64_t i = 0; i < (left ? 0 : m); ++i) {  // X*A = B by rows: A^T*X^T = B^T
      for (int64_t j = 0; j < n; ++j) row[static_cast<std::size_t>(j)] = b[i + j * ldb];
      substitute(n, row.data(), !lower, unit, [&](int64_t r, int64_t k) { return a.at(k, r); });
      for (int64_t j = 0; j < n; ++j) b[i + j * ldb] = row[static_cast<std::size_t>(j)];
    }
    if (!left) return cudaSuccess;
    for (int64_t j = 0; j < n; ++j)
      substitute(m, b + j * ldb, lower, unit, [&](int64_t i, int64_t k) { return a.at(i, k); });
    return cudaSuccess;
  });
}

template <class T>
cublasStatus_t gemm(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int64_t m,
                    int64_t n, int64_t k, const void* alpha, const void* a, int64_t lda,
                    const void* b, int64_t ldb, const void* beta, void* c, int64_t ldc) {
  return multiply(h, m, n, k, *static_cast<const T*>(alpha),
                  operand<T>{static_cast<const T*>(a), lda, ta},
                  operand<T>{static_cast<const T*>(b), ldb, tb}, *static_cast<const T*>(beta),
                  static_cast<T*>(c), ldc, whole);
}

}  // namespace
}  // namespace cuda_double

extern "C" {

cublasStatus_t cublasCreate_v2(cublasHandle_t* h) {
  auto& m = machine::instance();
  const std::scoped_lock lock(m.lock);
  if (m.enter() != cudaSuccess) return CUBLAS_STATUS_NOT_INITIALIZED;
  *h = new cublasContext{.device = m.current_device};
  ++m.seen.live_objects;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy_v2(cublasHandle_t h) {
  auto& m = machine::instance();
  const std::scoped_lock lock(m.lock);
  if (m.current_device != h->device) m.complain("cublasDestroy on another device");
  delete h;
  --m.seen.live_objects;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetStream_v2(cublasHandle_t h, cudaStream_t s) {
  h->stream = s;
  h->has_workspace = false;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t h, void* data, size_t bytes) {
  if (!machine::instance().is_valid(data, bytes)) return CUBLAS_STATUS_INVALID_VALUE;
  h->has_workspace = true;
  return CUBLAS_STATUS_SUCCESS;
}
const char* cublasGetStatusString(cublasStatus_t code) {
  return code == CUBLAS_STATUS_EXECUTION_FAILED ? "execution failed" : "an error of cuBLAS";
}

cublasStatus_t cublasGemmEx_64(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb,
                               int64_t m, int64_t n, int64_t k, const void* alpha, const void* a,
                               cudaDataType type_a, int64_t lda, const void* b, cudaDataType type_b,
                               int64_t ldb, const void* beta, void* c, cudaDataType type_c,
                               int64_t ldc, cublasComputeType_t compute, cublasGemmAlgo_t) {
  const bool is_double = type_c == CUDA_R_64F || type_c == CUDA_C_64F;
  if (type_a != type_c || type_b != type_c ||
      compute != (is_double ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F))
    return CUBLAS_STATUS_INVALID_VALUE;
  const auto call = [&](auto routine) {
    return routine(h, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  };
  switch (type_c) {
    case CUDA_R_32F:
      return call(cuda_double::gemm<float>);
    case CUDA_R_64F:
      return call(cuda_double::gemm<double>);
    case CUDA_C_32F:
      return call(cuda_double::gemm<std::complex<float>>);
    case CUDA_C_64F:
      return call(cuda_double::gemm<std::complex<double>>);
    default:
      return CUBLAS_STATUS_INVALID_VALUE;
  }
}

cublasStatus_t cublasSsyrk_v2_64(cublasHandle_t h, cublasFillMode_t part, cublasOperation_t op,
                                 int64_t n, int64_t k, const float* alpha, const float* a,
                                 int64_t lda, const float* beta, float* c, int64_t ldc) {
  return cuda_double::herk(h, part, op, n, k, alpha, a, lda, beta, c, ldc);
}
cublasStatus_t cublasDsyrk_v2_64(cublasHandle_t h, cublasFillMode_t part, cublasOperation_t op,
                                 int64_t n, int64_t k, const double* alpha, const double* a,
                                 int64_t lda, const double* beta, double* c, int64_t ldc) {
  return cuda_double::herk(h, part, op, n, k, alpha, a, lda, beta, c, ldc);
}
cublasStatus_t cublasCherk_v2_64(cublasHandle_t h, cublasFillMode_t part, cublasOperation_t op,
                                 int64_t n, int64_t k, const float* alpha, const cuComplex* a,
                                 int64_t lda, const float* beta, cuComplex* c, int64_t ldc) {
  using T = std::complex<float>;
  return cuda_double::herk(h, part, op, n, k, alpha, reinterpret_cast<const T*>(a), lda, beta,
                           reinterpret_cast<T*>(c), ldc);
}
cublasStatus_t cublasZherk_v2_64(cublasHandle_t h, cublasFillMode_t part, cublasOperation_t op,
                                 int64_t n, int64_t k, const double* alpha,
                                 const cuDoubleComplex* a, int64_t lda, const double* beta,
                                 cuDoubleComplex* c, int64_t ldc) {
  using T = std::complex<double>;
  return cuda_double::herk(h, part, op, n, k, alpha, reinterpret_cast<const T*>(a), lda, beta,
                           reinterpret_cast<T*>(c), ldc);
}

cublasStatus_t cublasStrsm_v2_64(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t part,
                                 cublasOperation_t op, cublasDiagType_t diag, int64_t m, int64_t n,
                                 const float* alpha, const float* a, int64_t lda, float* b,
                                 int64_t ldb) {
  return cuda_double::trsm(h, side, part, op, diag, m, n, alpha, a, lda, b, ldb);
}
cublasStatus_t cublasDtrsm_v2_64(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t part,
                                 cublasOperation_t op, cublasDiagType_t diag, int64_t m, int64_t n,
                                 const double* alpha, const double* a, int64_t lda, double* b,
                                 int64_t ldb) {
  return cuda_double::trsm(h, side, part, op, diag, m, n, alpha, a, lda, b, ldb);
}
cublasStatus_t cublasCtrsm_v2_64(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t part,
                                 cublasOperation_t op, cublasDiagType_t diag, int64_t m, int64_t n,
                                 const cuComplex* alpha, const cuComplex* a, int64_t lda,
                                 cuComplex* b, int64_t ldb) {
  using T = std::complex<float>;
  return cuda_double::trsm(h, side, part, op, diag, m, n, reinterpret_cast<const T*>(alpha),
                           reinterpret_cast<const T*>(a), lda, reinterpret_cast<T*>(b), ldb);
}
cublasStatus_t cublasZtrsm_v2_64(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t part,
                                 cublasOperation_t op, cublasDiagType_t diag, int64_t m, int64_t n,
                                 const cuDoubleComplex* alpha, const cuDoubleComplex* a,
                                 int64_t lda, cuDoubleComplex* b, int64_t ldb) {
  using T = std::complex<double>;
  return cuda_double::trsm(h, side, part, op, diag, m, n, reinterpret_cast<const T*>(alpha),
                           reinterpret_cast<const T*>(a), lda, reinterpret_cast<T*>(b), ldb);
}

}  // extern "C"
