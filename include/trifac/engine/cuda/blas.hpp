#pragma once
// cuBLAS for large products and triangular solves of matrices in CUDA device memory, through the
// 64-bit interface.

#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include <complex>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "trifac/backend.hpp"
#include "trifac/engine/cuda/error.hpp"
#include "trifac/engine/cuda/pool.hpp"
#include "trifac/engine/device/view.hpp"

namespace trifac::device {
inline namespace TRIFAC_ABI {

/// Throws device_error with the call's name.
inline void check_cublas(cublasStatus_t code, const char* call) {
  if (code == CUBLAS_STATUS_SUCCESS) return;
  throw_library_error(fault_of(code, CUBLAS_STATUS_ALLOC_FAILED, CUBLAS_STATUS_EXECUTION_FAILED),
                      std::string("cuBLAS: ") + call + " failed: " + cublasGetStatusString(code));
}

template <class T>
constexpr cudaDataType cuda_type() {
  if constexpr (std::is_same_v<T, float>) return CUDA_R_32F;
  if constexpr (std::is_same_v<T, double>) return CUDA_R_64F;
  if constexpr (std::is_same_v<T, std::complex<float>>) return CUDA_C_32F;
  return CUDA_C_64F;
}

// The four types of a routine under one name.
inline cublasStatus_t cublas_herk(cublasHandle_t h, cublasFillMode_t part, cublasOperation_t op,
                                  std::int64_t n, std::int64_t k, float alpha, const float* a,
                                  std::int64_t lda, float beta, float* c, std::int64_t ldc) {
  return cublasSsyrk_64(h, part, op, n, k, &alpha, a, lda, &beta, c, ldc);
}
inline cublasStatus_t cublas_herk(cublasHandle_t h, cublasFillMode_t part, cublasOperation_t op,
                                  std::int64_t n, std::int64_t k, double alpha, const double* a,
                                  std::int64_t lda, double beta, double* c, std::int64_t ldc) {
  return cublasDsyrk_64(h, part, op, n, k, &alpha, a, lda, &beta, c, ldc);
}
inline cublasStatus_t cublas_herk(cublasHandle_t h, cublasFillMode_t part, cublasOperation_t op,
                                  std::int64_t n, std::int64_t k, float alpha,
                                  const std::complex<float>* a, std::int64_t lda, float beta,
                                  std::complex<float>* c, std::int64_t ldc) {
  return cublasCherk_64(h, part, op, n, k, &alpha, reinterpret_cast<const cuComplex*>(a), lda,
                        &beta, reinterpret_cast<cuComplex*>(c), ldc);
}
inline cublasStatus_t cublas_herk(cublasHandle_t h, cublasFillMode_t part, cublasOperation_t op,
                                  std::int64_t n, std::int64_t k, double alpha,
                                  const std::complex<double>* a, std::int64_t lda, double beta,
                                  std::complex<double>* c, std::int64_t ldc) {
  return cublasZherk_64(h, part, op, n, k, &alpha, reinterpret_cast<const cuDoubleComplex*>(a), lda,
                        &beta, reinterpret_cast<cuDoubleComplex*>(c), ldc);
}

inline cublasStatus_t cublas_trsm(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t part,
                                  cublasOperation_t op, cublasDiagType_t diag, std::int64_t m,
                                  std::int64_t n, const float* a, std::int64_t lda, float* b,
                                  std::int64_t ldb) {
  const float one(1);
  return cublasStrsm_64(h, side, part, op, diag, m, n, &one, a, lda, b, ldb);
}
inline cublasStatus_t cublas_trsm(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t part,
                                  cublasOperation_t op, cublasDiagType_t diag, std::int64_t m,
                                  std::int64_t n, const double* a, std::int64_t lda, double* b,
                                  std::int64_t ldb) {
  const double one(1);
  return cublasDtrsm_64(h, side, part, op, diag, m, n, &one, a, lda, b, ldb);
}
inline cublasStatus_t cublas_trsm(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t part,
                                  cublasOperation_t op, cublasDiagType_t diag, std::int64_t m,
                                  std::int64_t n, const std::complex<float>* a, std::int64_t lda,
                                  std::complex<float>* b, std::int64_t ldb) {
  const std::complex<float> one(1);
  return cublasCtrsm_64(h, side, part, op, diag, m, n, reinterpret_cast<const cuComplex*>(&one),
                        reinterpret_cast<const cuComplex*>(a), lda, reinterpret_cast<cuComplex*>(b),
                        ldb);
}
inline cublasStatus_t cublas_trsm(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t part,
                                  cublasOperation_t op, cublasDiagType_t diag, std::int64_t m,
                                  std::int64_t n, const std::complex<double>* a, std::int64_t lda,
                                  std::complex<double>* b, std::int64_t ldb) {
  const std::complex<double> one(1);
  return cublasZtrsm_64(
      h, side, part, op, diag, m, n, reinterpret_cast<const cuDoubleComplex*>(&one),
      reinterpret_cast<const cuDoubleComplex*>(a), lda, reinterpret_cast<cuDoubleComplex*>(b), ldb);
}

/// cuBLAS on one stream of a device. Operands are column-major and not conjugated, or row-major.
/// Calls that cuBLAS cannot express return false and do nothing.
class cuda_blas {
 public:
  /// The workspace that NVIDIA recommends.
  static constexpr std::uint64_t workspace_bytes(int capability) {
    return std::uint64_t{capability >= 90 ? 32u : 4u} << 20;
  }

  /// Keeps the workspace: cuBLAS then allocates nothing, which is required while a graph is
  /// recorded.
  cuda_blas(int device, cudaStream_t stream, cuda_memory workspace, std::uint64_t bytes)
      : device_(device), workspace_(std::move(workspace)), handle_(nullptr, destroy{device}) {
    const cuda_device_scope current(device_);
    cublasHandle_t h = nullptr;
    check_cublas(cublasCreate(&h), "cublasCreate");
    handle_.reset(h);
    check_cublas(cublasSetStream(h, stream), "cublasSetStream");  // resets the workspace
    check_cublas(cublasSetWorkspace(h, workspace_.get(), static_cast<std::size_t>(bytes)),
                 "cublasSetWorkspace");
  }

  /// C := C − A·B; C column-major.
  template <class T>
  bool update(const device_view<T, void*>& C, const device_operand<T, void*>& A,
              const device_operand<T, void*>& B) const {
    const form a(A), b(B);
    if (!a.known || !b.known || C.row_stride() != 1) return false;
    const cuda_device_scope current(device_);
    const T minus(-1), one(1);
    check_cublas(cublasGemmEx_64(handle_.get(), a.op, b.op, C.rows(), C.cols(), A.cols(), &minus,
                                 first(A.view), cuda_type<T>(), a.pitch, first(B.view),
                                 cuda_type<T>(), b.pitch, &one, first(C), cuda_type<T>(),
                                 C.col_stride(), precision<T>(), CUBLAS_GEMM_DEFAULT),
                 "cublasGemmEx");
    return true;
  }
  /// Lower or upper triangle of C := C − A·Aᴴ; both column-major.
  template <class T>
  bool update_triangle(const device_view<T, void*>& C, const device_operand<T, void*>& A,
                       triangle part) const {
    using R = real_t<T>;
    const form a(A);
    if (!a.known || C.row_stride() != 1) return false;
    if (is_complex<T> && a.op == CUBLAS_OP_T) return false;
    const bool lower = part == triangle::lower;
    const cuda_device_scope current(device_);
    check_cublas(cublas_herk(handle_.get(), lower ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER,
                             a.op, C.rows(), A.cols(), R(-1), first(A.view), a.pitch, R(1),
                             first(C), C.col_stride()),
                 "cublas herk");
    return true;
  }
  /// B := A⁻¹·B with one triangle of A; a row-major B as Bᵀ := Bᵀ·A⁻ᵀ.
  template <class T>
  bool solve(device_operand<T, void*> A, device_view<T, void*> B, triangle part,
             diagonal diag) const {
    const bool along_rows = B.runs_along_rows();
    if (along_rows) {
      A = A.transposed();
      B = B.transposed();
      part = part == triangle::lower ? triangle::upper : triangle::lower;
    }
    const form a(A);
    if (!a.known || B.row_stride() != 1) return false;
    // If cuBLAS reads the transpose, it needs the other triangle.
    const bool lower = (part == triangle::lower) == (a.op == CUBLAS_OP_N);
    const cuda_device_scope current(device_);
    check_cublas(cublas_trsm(handle_.get(), along_rows ? CUBLAS_SIDE_RIGHT : CUBLAS_SIDE_LEFT,
                             lower ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER, a.op,
                             diag == diagonal::unit ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT,
                             B.rows(), B.cols(), first(A.view), a.pitch, first(B), B.col_stride()),
                 "cublas trsm");
    return true;
  }

 private:
  /// A matrix in the form that cuBLAS accepts.
  struct form {
    template <class T>
    explicit form(const device_operand<T, void*>& A) {
      const auto& V = A.view;
      if (V.row_stride() == 1 && V.col_stride() >= V.rows() && !A.conjugated) {
        pitch = V.col_stride();
        known = true;
      } else if (V.col_stride() == 1 && V.row_stride() >= V.cols()) {
        op = A.conjugated ? CUBLAS_OP_C : CUBLAS_OP_T;
        pitch = V.row_stride();
        known = true;
      }
    }
    cublasOperation_t op = CUBLAS_OP_N;
    std::int64_t pitch = 1;
    bool known = false;
  };
  template <class T>
  static T* first(const device_view<T, void*>& A) {
    return static_cast<T*>(A.memory()) + A.offset();
  }
  template <class T>
  static constexpr cublasComputeType_t precision() {
    return std::is_same_v<real_t<T>, double> ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F;
  }

  struct destroy {
    int device;
    void operator()(cublasHandle_t h) const {
      end_on_device(device, [&] { cublasDestroy(h); });
    }
  };
  int device_;
  cuda_memory workspace_;
  std::unique_ptr<std::remove_pointer_t<cublasHandle_t>, destroy> handle_;
};

}  // namespace TRIFAC_ABI
}  // namespace trifac::device
