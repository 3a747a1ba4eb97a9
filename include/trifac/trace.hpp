#pragma once
// The trace of A⁻¹·B from the factors of A, without forming the inverse or the product.

#include "trifac/engine/base/min_max.hpp"
#include "trifac/engine/blas/copy.hpp"
#include "trifac/engine/call/lower_operand.hpp"
#include "trifac/pivots.hpp"
#include "trifac/triangular_solve.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// Columns that are solved for at a time.
inline constexpr index_t trace_block = 256;

/// X := columns k … of B; of a Hermitian B one triangle is read.
template <class T>
void copy_block(const matrix_view<const T>& B, index_t k, const matrix_view<T>& X) {
  blas::copy(B.block(0, k, B.rows(), X.cols()), X);
}
/// lower: the view whose lower triangle is that of B, or of conj(B).
template <class T>
void copy_block(const operand<T>& lower, index_t k, const matrix_view<T>& X) {
  for (index_t j = 0; j < X.cols(); ++j) {
    for (index_t i = 0; i < k + j; ++i) X(i, j) = conjugate(lower(k + j, i));
    X(k + j, j) = T(real_part(lower(k + j, k + j)));
    for (index_t i = k + j + 1; i < X.rows(); ++i) X(i, j) = lower(i, k + j);
  }
}

/// X := L⁻¹·X, or L⁻¹·P·X, and then the rows from k on := those of A⁻¹·B, which need no others.
template <Backend B, class T>
status solve_from_row(const B& backend, const cholesky_factor<T>& f, index_t k,
                      const matrix_view<T>& X) {
  const auto L = f.L();
  const index_t rest = X.rows() - k;
  if (const status s = try_solve(backend, L, X); !s) return s;
  return try_solve(backend, triangular_view<T>(L.elements().block(k, k, rest, rest), L.part()),
                   X.block(k, 0, rest, X.cols()), operation::adjoint);
}
template <Backend B, class T>
status solve_from_row(const B& backend, const lu_factor<T>& f, index_t k, const matrix_view<T>& X) {
  const auto U = f.U();
  const index_t rest = X.rows() - k;
  apply_interchanges(f.interchanges(), X);
  if (const status s = try_solve(backend, f.L(), X); !s) return s;
  return try_solve(backend, triangular_view<T>(U.elements().block(k, k, rest, rest), U.part()),
                   X.block(k, 0, rest, X.cols()));
}

/// source(k, X) writes the columns of B from k on to X.
template <Backend B, class F, class Source, class T = typename F::value_type>
status sum_diagonal(const B& backend, const F& f, const Source& source, T& value) {
  const index_t n = f.rows();
  matrix<T> columns(n, min(n, trace_block));
  T sum(0);
  for (index_t k = 0; k < n; k += trace_block) {
    //         | done |
    // A⁻¹·B = |      X1      |    X1: the columns k …, from row k on; its diagonal is summed
    //         |      X2      |
    const matrix_view<T> X = columns.view().block(0, 0, n, min(trace_block, n - k));
    copy_block(source, k, X);
    if (const status s = solve_from_row(backend, f, k, X); !s) return s;
    for (index_t j = 0; j < X.cols(); ++j) sum = sum + X(k + j, j);
  }
  if (!is_finite(sum)) return status::failure(status_kind::not_finite, "too large");
  value = sum;
  return {};
}

template <Backend B, class F, class T>
status trace_checked(const B& backend, const F& f, const matrix_view<const T>& right,
                     const triangle* part, T& value) noexcept {
  if (const status s = check_invertible(f); !s) return s;
  if (const status s = check_view(right, "B"); !s) return s;
  if (right.rows() != f.rows() || right.cols() != f.rows())
    return status::argument("B", "has not the size of the factored matrix");
  if (part && !is_one_of(*part)) return status::argument("part", "is not one of its enumeration");
  if (const status s = check_backend(backend); !s) return s;
  const status s = without_exceptions([&] {
    return part ? sum_diagonal(backend, f, lower_operand<T>(right, *part), value)
                : sum_diagonal(backend, f, right, value);
  });
  return s.kind() == status_kind::not_finite ? status::failure(s.kind(), "too large") : s;
}

}  // namespace detail

/// value := the trace of A⁻¹·B with the factors of A, such as that of a covariance A and its
/// derivative B in the gradient of a Gaussian process' likelihood. B: n×n, only read; with `part`
/// it is Hermitian, only that triangle is read, and of the diagonal the real parts. Does not throw.
/// @return  errors as try_solve: the factor's status, invalid_argument, out_of_memory; not_finite,
///          without an index, where B has a NaN or infinity or L⁻¹·B, the trace, or an element of
///          A⁻¹·B from its diagonal block down overflows. `value` is then unchanged.
/// 4n³/3 flops: for each block of columns of B a forward substitution, and a backward one with the
/// rows from its diagonal block on; memory for 256n elements. On serial, threads and openmp.
template <Backend B, Factor F, MatrixLike M>
requires NestBackend<B, typename F::value_type> status try_trace_of_inverse(
    const B& backend, const F& factor, const M& right, typename F::value_type& value)
noexcept {
  return detail::trace_checked<B, F, typename F::value_type>(backend, factor, view_of(right),
                                                             nullptr, value);
}
template <Factor F, MatrixLike M>
status try_trace_of_inverse(const F& factor, const M& right,
                            typename F::value_type& value) noexcept {
  return try_trace_of_inverse(backend::serial{}, factor, right, value);
}
template <Backend B, Factor F, MatrixLike M>
requires NestBackend<B, typename F::value_type> status try_trace_of_inverse(
    const B& backend, const F& factor, const M& right, triangle part, typename F::value_type& value)
noexcept {
  return detail::trace_checked<B, F, typename F::value_type>(backend, factor, view_of(right), &part,
                                                             value);
}
template <Factor F, MatrixLike M>
status try_trace_of_inverse(const F& factor, const M& right, triangle part,
                            typename F::value_type& value) noexcept {
  return try_trace_of_inverse(backend::serial{}, factor, right, part, value);
}

#if TRIFAC_EXCEPTIONS
/// try_trace_of_inverse that returns the value or throws the exception of its status.
template <Backend B, Factor F, MatrixLike M>
[[nodiscard]] auto trace_of_inverse(const B& backend, const F& factor, const M& right) {
  typename F::value_type value(0);
  detail::throw_unless_ok(try_trace_of_inverse(backend, factor, right, value));
  return value;
}
template <Factor F, MatrixLike M>
[[nodiscard]] auto trace_of_inverse(const F& factor, const M& right) {
  return trace_of_inverse(backend::serial{}, factor, right);
}
template <Backend B, Factor F, MatrixLike M>
[[nodiscard]] auto trace_of_inverse(const B& backend, const F& factor, const M& right,
                                    triangle part) {
  typename F::value_type value(0);
  detail::throw_unless_ok(try_trace_of_inverse(backend, factor, right, part, value));
  return value;
}
template <Factor F, MatrixLike M>
[[nodiscard]] auto trace_of_inverse(const F& factor, const M& right, triangle part) {
  return trace_of_inverse(backend::serial{}, factor, right, part);
}
#endif

}  // namespace TRIFAC_ABI
}  // namespace trifac
