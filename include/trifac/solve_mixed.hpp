#pragma once
// solve_mixed(): X = A⁻¹·B, factored in low precision and refined to full precision.

#include <type_traits>
#include <utility>

#include "trifac/engine/call/overlap.hpp"
#include "trifac/engine/mixed/run.hpp"
#include "trifac/solve.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

template <class T>
status check_mixed(const matrix_view<const T>& A, const matrix_view<const T>& B,
                   const matrix_view<T>& X, const mixed_factor<T>& f, const mixed_options& o) {
  if (const status s = check_view(A, "A"); !s) return s;
  if (A.rows() != A.cols()) return status::argument("A", "is not square");
  if (const status s = check_view(B, "B"); !s) return s;
  if (const status s = check_view(X, "X"); !s) return s;
  if (B.rows() != A.rows()) return status::argument("B", "must have as many rows as A");
  if (X.rows() != B.rows() || X.cols() != B.cols())
    return status::argument("X", "has not the size of B");
  if (overlap(A, part_in_use::whole, X, part_in_use::whole) ||
      overlap(B, part_in_use::whole, X, part_in_use::whole))
    return status::argument("X", "overlaps A or B");
  if (o.factor != factorization::cholesky && o.factor != factorization::lu)
    return status::argument("options.factor", "is not one of its enumeration");
  if (!is_one_of(o.part)) return status::argument("options.part", "is not one of its enumeration");
  const bool fits = f.visit(
      [&]<class F>(const F& factor) {
        return factor.rows() == A.rows() && HasTriangle<F> == (o.factor == factorization::cholesky);
      },
      true);
  if (!f.empty() && !fits)
    return status::argument("f", "is not empty, and of another order or another options.factor");
  if (o.most_steps < 0) return status::argument("options.most_steps", "is negative");
  if (o.gmres_steps < 0) return status::argument("options.gmres_steps", "is negative");
  return {};
}

}  // namespace detail

/// X := A⁻¹·B: factors a copy of A in float and refines the solution by residuals in double until
/// ‖b − A·x‖∞ ≤ √n·u·‖A‖∞·‖x‖∞, u = 2⁻⁵³, for each right-hand side, as a solve in double does;
/// corrections aim at half of it, and it is measured at the end. If the residual no longer halves,
/// GMRES continues, preconditioned by the float factors; if that does not suffice, or if A is too
/// large, too small or singular for float, a copy in double is factored. options.equilibrate scales
/// the copy in float, so that rows and columns of any size fit its range; the bound then applies to
/// the scaled system, so that unknowns of any size are fully accurate. The report names the method
/// used, why it was not float, and the residual of A, which is always measured.
/// @param A  n×n of double or complex<double>, only read; with options.factor = cholesky Hermitian
///           positive definite, of which one triangle is read. B: n×r, only read. X: n×r, written
///           on success.
/// @param f  empty: receives the factors that the call ended with. Those of an earlier call with
///           this A: the same steps without a factorization, except that f becomes a factor in
///           double where float no longer suffices for these right-hand sides.
/// @return   status of the factorization in double if that failed, f is empty then; not_finite with
///           the index of a right-hand side that is not finite, or whose solution is not;
///           invalid_argument, out_of_memory: X is unchanged; after out_of_memory f may be empty.
/// Does not throw. On serial, threads and openmp. 2n³/3 flops in float (n³/3 with Cholesky) and
/// some 4n²·r per step; memory for n² floats, or n² doubles after a fallback to double. LAPACK:
/// dsgesv, dsposv, zcgesv, zcposv. Source: Carson, Higham, SIAM J. Sci. Comput. 40(2), 2018.
template <Backend B, MatrixLike M, RightHandSides N, RightHandSides P, class T>
[[nodiscard]] mixed_report<real_t<T>> try_solve_mixed(const B& backend, const M& A, const N& right,
                                                      P&& X, mixed_factor<T>& f,
                                                      const mixed_options& options = {}) noexcept {
  static_assert(std::is_same_v<T, scalar_t<M>>, "f: mixed_factor<T> has another T than A");
  static_assert(NestBackend<B, T>, "backend: solve_mixed runs on serial, threads and openmp");
  constexpr bool same = std::is_same_v<std::remove_const_t<detail::right_hand_side_t<const N>>, T>;
  static_assert(same,
                "B has another scalar type than A: copy it into a matrix or vector of that type");
  mixed_report<real_t<T>> report;
  if constexpr (same) detail::check_solved<T, P>();
  if constexpr (NestBackend<B, T> && same && detail::can_be_solved<T, P>) {
    report.outcome = detail::without_exceptions([&] {
      const matrix_view<const T> whole = view_of(A), of_B = detail::right_hand_sides(right);
      const matrix_view<T> of_X = detail::right_hand_sides(X);
      for (const status& s :
           {detail::check_mixed(whole, of_B, of_X, f, options), detail::check_backend(backend)})
        if (!s) return s;
      if (whole.empty()) return status();
      auto& state = detail::factor_access::state(f);
      const auto solve = [&]<factorization How>() {
        return detail::mixed_run<How, B, T>(backend, whole, of_B, options, state, report)
            .solve(of_X);
      };
      return options.factor == factorization::cholesky
                 ? solve.template operator()<factorization::cholesky>()
                 : solve.template operator()<factorization::lu>();
    });
    if (f.empty()) f = {};  // also the memory of a failed factorization
  }
  return report;
}
template <MatrixLike M, RightHandSides N, RightHandSides P, class T>
[[nodiscard]] auto try_solve_mixed(const M& A, const N& right, P&& X, mixed_factor<T>& f,
                                   const mixed_options& options = {}) noexcept {
  return try_solve_mixed(backend::serial{}, A, right, std::forward<P>(X), f, options);
}
/// The same without the factors.
template <Backend B, MatrixLike M, RightHandSides N, RightHandSides P>
[[nodiscard]] auto try_solve_mixed(const B& backend, const M& A, const N& right, P&& X,
                                   const mixed_options& options = {}) noexcept {
  using T = scalar_t<M>;
  static_assert(detail::HasLowPrecision<T>,
                "A: solve_mixed takes double and complex<double>, which have a lower precision");
  if constexpr (detail::HasLowPrecision<T>) {
    mixed_factor<T> f;
    return try_solve_mixed(backend, A, right, std::forward<P>(X), f, options);
  } else {
    return mixed_report<real_t<T>>();
  }
}
template <MatrixLike M, RightHandSides N, RightHandSides P>
[[nodiscard]] auto try_solve_mixed(const M& A, const N& right, P&& X,
                                   const mixed_options& options = {}) noexcept {
  return try_solve_mixed(backend::serial{}, A, right, std::forward<P>(X), options);
}

#if TRIFAC_EXCEPTIONS
/// try_solve_mixed that throws the exception of its status.
template <Backend B, MatrixLike M, RightHandSides N, RightHandSides P, class T>
[[nodiscard]] auto solve_mixed(const B& backend, const M& A, const N& right, P&& X,
                               mixed_factor<T>& f, const mixed_options& options = {}) {
  return try_solve_mixed(backend, A, right, std::forward<P>(X), f, options).or_throw();
}
template <MatrixLike M, RightHandSides N, RightHandSides P, class T>
[[nodiscard]] auto solve_mixed(const M& A, const N& right, P&& X, mixed_factor<T>& f,
                               const mixed_options& options = {}) {
  return solve_mixed(backend::serial{}, A, right, std::forward<P>(X), f, options);
}
template <Backend B, MatrixLike M, RightHandSides N, RightHandSides P>
[[nodiscard]] auto solve_mixed(const B& backend, const M& A, const N& right, P&& X,
                               const mixed_options& options = {}) {
  return try_solve_mixed(backend, A, right, std::forward<P>(X), options).or_throw();
}
template <MatrixLike M, RightHandSides N, RightHandSides P>
[[nodiscard]] auto solve_mixed(const M& A, const N& right, P&& X,
                               const mixed_options& options = {}) {
  return solve_mixed(backend::serial{}, A, right, std::forward<P>(X), options);
}
#endif

}  // namespace TRIFAC_ABI
}  // namespace trifac
