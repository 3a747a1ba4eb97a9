#pragma once
// reciprocal_condition() and trace_of_inverse() from the factors of a matrix, without forming its
// inverse.

#include "trifac/determinant.hpp"
#include "trifac/engine/call/lower_operand.hpp"
#include "trifac/engine/condition/norm_estimate.hpp"
#include "trifac/norm.hpp"
#include "trifac/triangular_solve.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// value := about ‖σ·A⁻¹‖ from valid factors of A.
template <Backend B, class F, class R>
status estimate_inverse_norm(const B& backend, const F& f, norm_kind kind, const R& scale,
                             R& value) {
  using T = typename F::value_type;
  const auto solves = [&](operation op) {
    return [&backend, &f, op](matrix_view<T> X) { return try_solve(backend, f, X, op); };
  };
  const auto plain = solves(operation::none), adjoint = solves(operation::adjoint);
  norm_estimate<T> estimate(f.rows());  // ‖A⁻¹‖∞ = ‖A⁻ᴴ‖₁
  return kind == norm_kind::one ? estimate.of(plain, adjoint, scale, value)
                                : estimate.of(adjoint, plain, scale, value);
}

/// The trace of A⁻¹ by blocks of columns: solve(k, X) replaces the first columns of the identity by
/// the columns from k on of A⁻¹, or of L⁻¹ from row k on; add(k, X) adds their contribution.
template <class T, class Solve, class Add>
status add_inverse_columns(index_t n, Solve solve, Add add) {
  constexpr index_t block = 64;
  matrix<T> columns(n, min(n, block));
  for (index_t k = 0; k < n; k += block) {
    const matrix_view<T> X = columns.view().block(0, 0, n, min(block, n - k));
    for (index_t j = 0; j < X.cols(); ++j)
      for (index_t i = 0; i < n; ++i) X(i, j) = T(i == j ? 1 : 0);
    if (const status s = solve(k, X); !s) return s;
    add(k, X);
  }
  return {};
}

/// ‖L⁻¹‖²_F, column by column: columns from k on are zero above row k.
template <Backend B, class T>
status run_trace_of_inverse(const B& backend, const cholesky_factor<T>& f, real_t<T>& value) {
  const index_t n = f.rows();
  const matrix_view<const T> L = lower_view(f.matrix(), f.part());
  real_t<T> sum(0);
  const status s = add_inverse_columns<T>(
      n,
      [&](index_t k, const matrix_view<T>& X) {
        return try_solve(backend, triangular_view<T>(L.trailing(k), triangle::lower),
                         X.block(0, 0, n - k, X.cols()));
      },
      [&](index_t k, const matrix_view<T>& X) {
        for (index_t j = 0; j < X.cols(); ++j)
          for (index_t i = j; i < n - k; ++i) sum = sum + squared_abs(X(i, j));
      });
  if (s) value = sum;
  return s;
}
template <Backend B, class T>
status run_trace_of_inverse(const B& backend, const lu_factor<T>& f, T& value) {
  T sum(0);
  const status s = add_inverse_columns<T>(
      f.rows(),
      [&](index_t k, const matrix_view<T>& X) {
        for (index_t j = 0; j < X.cols() && k > 0; ++j) {
          X(j, j) = T(0);
          X(k + j, j) = T(1);
        }
        return try_solve(backend, f, X);
      },
      [&](index_t k, const matrix_view<T>& X) {
        for (index_t j = 0; j < X.cols(); ++j) sum = sum + X(k + j, j);
      });
  if (s) value = sum;
  return s;
}

}  // namespace detail

/// value := about 1 / (‖A‖·‖A⁻¹‖) from the factors of A and norm_of_A = norm(A, kind), computed
/// before A was factored; between 0 (A is singular to working precision) and 1. The estimate of
/// ‖A⁻¹‖ is rarely too small by more than a factor 3, and never too large except for rounding, for
/// A of any scale. 0 for a singular factor, 1 for an empty matrix. Does not throw.
/// @return  the factor's status if the factorization stopped; invalid_argument if the factor is
///          empty or not square, norm_of_A is negative, infinite or NaN, or kind is neither one nor
///          infinity; out_of_memory, backend_failure. `value` is then unchanged.
/// Up to 9 solves with two right-hand sides; memory for 6n elements. LAPACK: gecon, pocon. Source:
/// Higham, Tisseur, SIMAX 21(4), 2000.
template <Backend B, Factor F>
status try_reciprocal_condition(const B& backend, const F& factor,
                                const real_t<typename F::value_type>& norm_of_A, norm_kind kind,
                                real_t<typename F::value_type>& value) noexcept {
  using R = real_t<typename F::value_type>;
  if (const status s = detail::check_completed(factor); !s) return s;
  if (!detail::has_condition(kind)) return status::argument("kind", "is neither one nor infinity");
  if (!detail::is_finite(norm_of_A) || !(norm_of_A >= R(0)))
    return status::argument("norm_of_A", "is negative or not finite, or was not asked for");
  if (const status s = detail::check_backend(backend); !s) return s;
  if (factor.rows() == 0) {
    value = R(1);
    return {};
  }
  if (!factor.ok() || norm_of_A == R(0)) {
    value = R(0);
    return {};
  }
  return detail::without_exceptions([&] {
    R of_inverse(0);  // scaled by σ: the unscaled norm overflows if A is small
    const R scale = detail::root_scale(norm_of_A);
    const status s = detail::estimate_inverse_norm(backend, factor, kind, scale, of_inverse);
    if (s) value = detail::min(R(1), R(1) / of_inverse / (norm_of_A / scale));
    return s;
  });
}
template <Factor F>
status try_reciprocal_condition(const F& factor, const real_t<typename F::value_type>& norm_of_A,
                                norm_kind kind, real_t<typename F::value_type>& value) noexcept {
  return try_reciprocal_condition(backend::serial{}, factor, norm_of_A, kind, value);
}

/// value := the trace of A⁻¹, real for a Cholesky factor. Cholesky: ‖L⁻¹‖²_F in n³/3 flops, on
/// serial, threads and openmp; LU: 2n³. Memory for 64n elements. Errors as try_solve; not_finite,
/// without an index, if the trace or, for LU, an element of A⁻¹ on or below the diagonal overflows.
/// `value` is then unchanged. Does not throw.
template <Backend B, Factor F>
requires NestBackend<B, typename F::value_type> status try_trace_of_inverse(const B& backend,
                                                                            const F& factor,
                                                                            determinant_t<F>& value)
noexcept {
  if (const status s = detail::check_completed(factor); !s) return s;
  if (!factor.ok()) return factor.status();
  return detail::without_exceptions([&]() -> status {
    determinant_t<F> sum(0);
    const status s = detail::run_trace_of_inverse(backend, factor, sum);
    if (s.ok() ? !detail::is_finite(sum) : s.kind() == status_kind::not_finite)
      return status::failure(status_kind::not_finite, "too large");
    if (!s) return s;
    value = sum;
    return {};
  });
}
template <Factor F>
status try_trace_of_inverse(const F& factor, determinant_t<F>& value) noexcept {
  return try_trace_of_inverse(backend::serial{}, factor, value);
}

#if TRIFAC_EXCEPTIONS
/// try_reciprocal_condition that returns the value or throws the exception of its status.
template <Backend B, Factor F>
[[nodiscard]] auto reciprocal_condition(const B& backend, const F& factor,
                                        const real_t<typename F::value_type>& norm_of_A,
                                        norm_kind kind = norm_kind::one) {
  real_t<typename F::value_type> value(0);
  detail::throw_unless_ok(try_reciprocal_condition(backend, factor, norm_of_A, kind, value));
  return value;
}
template <Factor F>
[[nodiscard]] auto reciprocal_condition(const F& factor,
                                        const real_t<typename F::value_type>& norm_of_A,
                                        norm_kind kind = norm_kind::one) {
  return reciprocal_condition(backend::serial{}, factor, norm_of_A, kind);
}

/// The same with the norm computed by the factorization with options.norm = true; argument_error
/// without it.
template <Backend B, Factor F>
[[nodiscard]] auto reciprocal_condition(const B& backend, const F& factor,
                                        norm_kind kind = norm_kind::one) {
  return reciprocal_condition(backend, factor, factor.norm(kind), kind);
}
template <Factor F>
[[nodiscard]] auto reciprocal_condition(const F& factor, norm_kind kind = norm_kind::one) {
  return reciprocal_condition(backend::serial{}, factor, kind);
}

/// try_trace_of_inverse that returns the value or throws the exception of its status.
template <Backend B, Factor F>
[[nodiscard]] auto trace_of_inverse(const B& backend, const F& factor) {
  determinant_t<F> value(0);
  detail::throw_unless_ok(try_trace_of_inverse(backend, factor, value));
  return value;
}
template <Factor F>
[[nodiscard]] auto trace_of_inverse(const F& factor) {
  return trace_of_inverse(backend::serial{}, factor);
}
#endif

}  // namespace TRIFAC_ABI
}  // namespace trifac
