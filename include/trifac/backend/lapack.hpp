#pragma once
// The LAPACK backend: potrf, potrs, getrf, getrs of the linked LAPACK, through LAPACKE, as a
// reference and as another backend. Link with trifac::lapack (CMake) or -llapacke and a LAPACK.

#include <complex>
#ifndef lapack_complex_float
  #define lapack_complex_float std::complex<float>
  #define lapack_complex_double std::complex<double>
#endif
#include <lapacke.h>

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "trifac/backend.hpp"
#include "trifac/engine/base/as_size.hpp"
#include "trifac/engine/blas/copy.hpp"
#include "trifac/engine/call/library_factor.hpp"
#include "trifac/matrix.hpp"

namespace trifac {
namespace backend {

/// Whole factorizations by LAPACK, for float, double and complex of both; the library manages its
/// threads. Row-major Cholesky uses LAPACK's upper triangle; layouts that LAPACK does not support
/// are copied to a column-major matrix and back.
struct lapack {
  static constexpr std::string_view name = "lapack";
  availability available() const noexcept { return {true, ""}; }
  friend constexpr bool supports(const lapack&, variant v) { return v == variant::best; }
};

inline namespace TRIFAC_ABI {
namespace lapacke {

// The four types of each routine under one name; column-major, lapack_int sizes, LAPACK's info.
inline lapack_int potrf(char uplo, lapack_int n, float* a, lapack_int ld) {
  return LAPACKE_spotrf_work(LAPACK_COL_MAJOR, uplo, n, a, ld);
}
inline lapack_int potrf(char uplo, lapack_int n, double* a, lapack_int ld) {
  return LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, uplo, n, a, ld);
}
inline lapack_int potrf(char uplo, lapack_int n, std::complex<float>* a, lapack_int ld) {
  return LAPACKE_cpotrf_work(LAPACK_COL_MAJOR, uplo, n, a, ld);
}
inline lapack_int potrf(char uplo, lapack_int n, std::complex<double>* a, lapack_int ld) {
  return LAPACKE_zpotrf_work(LAPACK_COL_MAJOR, uplo, n, a, ld);
}

inline lapack_int getrf(lapack_int m, lapack_int n, float* a, lapack_int ld, lapack_int* p) {
  return LAPACKE_sgetrf_work(LAPACK_COL_MAJOR, m, n, a, ld, p);
}
inline lapack_int getrf(lapack_int m, lapack_int n, double* a, lapack_int ld, lapack_int* p) {
  return LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, m, n, a, ld, p);
}
inline lapack_int getrf(lapack_int m, lapack_int n, std::complex<float>* a, lapack_int ld,
                        lapack_int* p) {
  return LAPACKE_cgetrf_work(LAPACK_COL_MAJOR, m, n, a, ld, p);
}
inline lapack_int getrf(lapack_int m, lapack_int n, std::complex<double>* a, lapack_int ld,
                        lapack_int* p) {
  return LAPACKE_zgetrf_work(LAPACK_COL_MAJOR, m, n, a, ld, p);
}

inline lapack_int potrs(char uplo, lapack_int n, lapack_int r, const float* a, lapack_int ld,
                        float* b, lapack_int ldb) {
  return LAPACKE_spotrs_work(LAPACK_COL_MAJOR, uplo, n, r, a, ld, b, ldb);
}
inline lapack_int potrs(char uplo, lapack_int n, lapack_int r, const double* a, lapack_int ld,
                        double* b, lapack_int ldb) {
  return LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, uplo, n, r, a, ld, b, ldb);
}
inline lapack_int potrs(char uplo, lapack_int n, lapack_int r, const std::complex<float>* a,
                        lapack_int ld, std::complex<float>* b, lapack_int ldb) {
  return LAPACKE_cpotrs_work(LAPACK_COL_MAJOR, uplo, n, r, a, ld, b, ldb);
}
inline lapack_int potrs(char uplo, lapack_int n, lapack_int r, const std::complex<double>* a,
                        lapack_int ld, std::complex<double>* b, lapack_int ldb) {
  return LAPACKE_zpotrs_work(LAPACK_COL_MAJOR, uplo, n, r, a, ld, b, ldb);
}

inline lapack_int getrs(char trans, lapack_int n, lapack_int r, const float* a, lapack_int ld,
                        const lapack_int* p, float* b, lapack_int ldb) {
  return LAPACKE_sgetrs_work(LAPACK_COL_MAJOR, trans, n, r, a, ld, p, b, ldb);
}
inline lapack_int getrs(char trans, lapack_int n, lapack_int r, const double* a, lapack_int ld,
                        const lapack_int* p, double* b, lapack_int ldb) {
  return LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, trans, n, r, a, ld, p, b, ldb);
}
inline lapack_int getrs(char trans, lapack_int n, lapack_int r, const std::complex<float>* a,
                        lapack_int ld, const lapack_int* p, std::complex<float>* b,
                        lapack_int ldb) {
  return LAPACKE_cgetrs_work(LAPACK_COL_MAJOR, trans, n, r, a, ld, p, b, ldb);
}
inline lapack_int getrs(char trans, lapack_int n, lapack_int r, const std::complex<double>* a,
                        lapack_int ld, const lapack_int* p, std::complex<double>* b,
                        lapack_int ldb) {
  return LAPACKE_zgetrs_work(LAPACK_COL_MAJOR, trans, n, r, a, ld, p, b, ldb);
}

inline constexpr index_t largest_integer = std::numeric_limits<lapack_int>::max();

/// Column-major with a leading dimension that fits LAPACK's integers; other matrices are copied.
template <class T>
bool is_column_major(matrix_view<T> A) {
  return (A.row_stride() == 1 || A.rows() <= 1) &&
         A.col_stride() >= std::max<index_t>(1, A.rows()) && A.col_stride() <= largest_integer;
}
template <class T>
bool fits(matrix_view<T> A) {
  return A.rows() <= largest_integer && A.cols() <= largest_integer;
}
template <class T>
lapack_int leading_dimension(matrix_view<T> A) {
  return static_cast<lapack_int>(std::max<index_t>(1, A.cols() > 1 ? A.col_stride() : A.rows()));
}
inline status too_large(const char* argument) {
  return status::argument(argument, "is too large for the integers of this LAPACK");
}

/// A in column-major storage: itself or a copy.
template <class T>
class column_major_of {
 public:
  explicit column_major_of(matrix_view<T> A) : source_(A), copied_(!is_column_major(A)) {
    if (copied_) copy_ = matrix<value>(matrix_view<const value>(A));
  }
  matrix_view<T> view() { return copied_ ? matrix_view<T>(copy_.view()) : source_; }
  /// Copies the elements back, if they were copied.
  void write_back() {
    if (copied_) blas::copy<value>(copy_.view(), source_);
  }

 private:
  using value = std::remove_const_t<T>;
  matrix_view<T> source_;
  bool copied_;
  matrix<value> copy_;
};

}  // namespace lapacke

/// Lower triangle of L with A = L·Lᴴ; reads the lower triangle of A; in place if A and L are the
/// same elements. L is not written until memory for a copy is allocated. LAPACK: potrf.
template <LapackScalar T>
status potrf(const lapack&, matrix_view<const T> A, matrix_view<T> L) {
  if (!lapacke::fits(L)) return lapacke::too_large("A");
  const bool upper = !lapacke::is_column_major(L) && lapacke::is_column_major(L.transposed());
  lapacke::column_major_of<T> stored(upper ? L.transposed() : L);
  const auto M = stored.view();
  if (A.data() != L.data()) blas::copy_lower<T>(A, upper ? M.transposed() : M);
  const auto info = lapacke::potrf(upper ? 'U' : 'L', static_cast<lapack_int>(M.rows()), M.data(),
                                   lapacke::leading_dimension(M));
  if (!upper && !lapacke::is_column_major(L)) blas::copy_lower<T>(M, L);
  return trifac::detail::status_of_factor(M, info, status_kind::not_positive_definite);
}

/// B := op(A)⁻¹·B with the factor in the lower triangle of A. LAPACK: potrs.
template <LapackScalar T>
status potrs(const lapack&, matrix_view<const T> A, operation op, matrix_view<T> B) {
  if (!lapacke::fits(A) || !lapacke::fits(B))
    return lapacke::too_large(lapacke::fits(A) ? "B" : "A");
  const bool upper = !lapacke::is_column_major(A) && lapacke::is_column_major(A.transposed());
  lapacke::column_major_of<const T> factor(upper ? A.transposed() : A);
  lapacke::column_major_of<T> rhs(B);
  const auto M = factor.view();
  const auto X = rhs.view();
  // For a Hermitian matrix, the transposed view is its conjugate, as is Aᵀ.
  const bool conjugated = is_complex<T> && upper != (op == operation::transpose);
  if (conjugated) trifac::detail::conjugate_in_place(X);
  lapacke::potrs(upper ? 'U' : 'L', static_cast<lapack_int>(M.rows()),
                 static_cast<lapack_int>(X.cols()), M.data(), lapacke::leading_dimension(M),
                 X.data(), lapacke::leading_dimension(X));
  if (conjugated) trifac::detail::conjugate_in_place(X);
  rhs.write_back();
  return {};
}

/// P·A = L·U; A: m×n, min(m, n) interchanges. LAPACK: getrf.
template <LapackScalar T>
status getrf(const lapack&, matrix_view<T> A, std::span<index_t> interchanges) {
  if (!lapacke::fits(A)) return lapacke::too_large("A");
  lapacke::column_major_of<T> stored(A);
  const auto M = stored.view();
  std::vector<lapack_int> ipiv(interchanges.size());
  const auto info =
      lapacke::getrf(static_cast<lapack_int>(M.rows()), static_cast<lapack_int>(M.cols()), M.data(),
                     lapacke::leading_dimension(M), ipiv.data());
  stored.write_back();
  // If the matrix contains NaN, some libraries return invalid rows.
  for (index_t k = 0; k < static_cast<index_t>(ipiv.size()); ++k)
    interchanges[trifac::detail::as_size(k)] = std::clamp<index_t>(
        static_cast<index_t>(ipiv[trifac::detail::as_size(k)]) - 1, k, M.rows() - 1);
  return trifac::detail::status_of_factor(M, info, status_kind::singular);
}

/// B := op(A)⁻¹·B with A = Pᵀ·L·U. LAPACK: getrs.
template <LapackScalar T>
status getrs(const lapack&, matrix_view<const T> A, std::span<const index_t> interchanges,
             operation op, matrix_view<T> B) {
  if (!lapacke::fits(A) || !lapacke::fits(B))
    return lapacke::too_large(lapacke::fits(A) ? "B" : "A");
  lapacke::column_major_of<const T> factor(A);
  lapacke::column_major_of<T> rhs(B);
  const auto M = factor.view();
  const auto X = rhs.view();
  std::vector<lapack_int> ipiv(interchanges.begin(), interchanges.end());
  for (lapack_int& row : ipiv) ++row;
  const char trans = op == operation::none ? 'N' : op == operation::transpose ? 'T' : 'C';
  lapacke::getrs(trans, static_cast<lapack_int>(M.rows()), static_cast<lapack_int>(X.cols()),
                 M.data(), lapacke::leading_dimension(M), ipiv.data(), X.data(),
                 lapacke::leading_dimension(X));
  rhs.write_back();
  return {};
}

/// LAPACK runs no nests: other scalar types are rejected here.
template <class Nest>
void run(const lapack&, status&, double, Nest) {
  static_assert(
      sizeof(Nest) == 0,
      "backend::lapack is for float, double and complex of both: other scalar types run on "
      "serial, threads and openmp");
}

}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac
