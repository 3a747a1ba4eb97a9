#pragma once
// partial_cholesky(): the first k columns of A = L·Lᴴ, and the Schur complement of the others.

#include <type_traits>
#include <utility>

#include "trifac/cholesky.hpp"
#include "trifac/engine/cholesky/partial_factor.hpp"
#include "trifac/engine/solve/triangle.hpp"
#include "trifac/solve.hpp"
#include TRIFAC_DEFINITIONS(cholesky, partial_calls)
#include TRIFAC_DEFINITIONS(refine, calls)

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

template <Backend B, class T>
status partial_checked(const B& backend, const matrix_view<T>& A, index_t columns,
                       const cholesky_options& given) noexcept {
  TRIFAC_TRY {
    const auto options = tuned<T, true, factorization::cholesky>(given, A.rows());
    if (const status s = check_cholesky<variant::best, B, T>(backend, A, A, options); !s) return s;
    if (options.norm) return status::argument("options.norm", "is for cholesky()");
    if (columns < 0 || columns > A.rows())
      return status::argument("columns", "must be between 0 and the order of A");
    if (A.empty()) return {};
    return calls_on<B, T>::partial_cholesky(nest_backend<T>(backend), lower_view(A, options.part),
                                            columns, options);
  }
  TRIFAC_CATCH
}

/// X1 := L11⁻¹·X1, X2 := X2 − L21·X1.
template <Backend B, class T>
status solve_forward(const B& backend, const partial_cholesky_factor<T>& f,
                     const matrix_view<T>& X1, const matrix_view<T>& X2) {
  if (X1.empty()) return {};
  const status s = substitute(backend, f.L11().elements(), triangle::lower, diagonal::non_unit, X1);
  if (!s || X2.empty()) return s;
  return calls_on<B, T>::subtract_product(nest_backend<T>(backend), f.L21(), X1, X2);
}

/// X1 := L11⁻ᴴ·(X1 − L21ᴴ·X2).
template <Backend B, class T>
status solve_backward(const B& backend, const partial_cholesky_factor<T>& f,
                      const matrix_view<T>& X1, const matrix_view<T>& X2) {
  if (X1.empty()) return {};
  const auto adjoint_of = [](const operand<T>& A) {
    return operand<T>(A.view.transposed(), is_complex<T> && !A.conjugated);
  };
  const operand<T> U11 = adjoint_of(f.L11().elements()), U12 = adjoint_of(f.L21());
  if (!X2.empty())
    if (const status s = calls_on<B, T>::subtract_product(nest_backend<T>(backend), U12, X2, X1);
        !s)
      return s;
  return substitute(backend, U11, triangle::upper, diagonal::non_unit, X1);
}

/// half(X1, X2) with the first k rows of X and those below.
template <class M, Backend B, class T, class Half>
status partial_solve_checked(const B& backend, const partial_cholesky_factor<T>& f,
                             std::remove_reference_t<M>& sides, const Half& half) noexcept {
  check_solved<T, M>();
  if constexpr (can_be_solved<T, M>) {
    const matrix_view<T> X = right_hand_sides(sides);
    for (const status& s : {check_solve(f, X), check_backend(backend)})
      if (!s) return s;
    const index_t k = f.columns();
    TRIFAC_TRY {
      return half(X.block(0, 0, k, X.cols()), X.block(k, 0, X.rows() - k, X.cols()));
    }
    TRIFAC_CATCH
  } else {
    return {};
  }
}

}  // namespace detail

/// The first `columns` = k columns of A = L·Lᴴ (options.part = lower) or rows of A = Uᴴ·U (upper),
/// in place: L11 and L21 in their place, and the Schur complement S = A22 − A21·A11⁻¹·A21ᴴ in that
/// of A22 (see partial_cholesky_factor). k variables are eliminated, the others are kept: a front
/// of a multifrontal method, landmarks in bundle adjustment, marginal distributions. No exception
/// leaves it. On serial, threads and openmp.
/// @param A  n×n Hermitian; the named triangle is read and overwritten, the other one neither read
///           nor written. Only A11 needs to be positive definite. The result owns a matrix passed
///           as a temporary or moved in, as for cholesky().
/// @param columns  k, 0 to n
/// @param options  part, block, workspace, profile, progress as for cholesky(); norm and jitter are
///           argument errors
/// @return   not_positive_definite or not_finite with the index of the first bad pivot, below k:
///           then the leading block before it holds its factor, the rest of the triangle is
///           unspecified. not_finite with index k where S has a NaN or an infinity. cancelled by
///           options.progress: A is overwritten, and no factor. All other kinds: see status_kind; A
///           is unchanged.
/// (n³ − (n−k)³)/3 flops; workspace: at most cholesky_workspace_bytes. LAPACK: none; the first
/// steps of potrf. Source: Duff, Reid, TOMS 9(3), 1983.
template <Backend B, MatrixLike M>
[[nodiscard]] auto try_partial_cholesky(const B& backend, M&& A, index_t columns,
                                        const cholesky_options& options = {}) noexcept {
  using T = detail::scalar_or_double<M>;
  using factor = partial_cholesky_factor<T>;
  detail::check_factored<M>();
  if constexpr (detail::can_be_factored<M> && NestBackend<B, T>) {
    matrix<T> copy;
    status s;
    auto&& kept = detail::factored_in<M>(A, "A", copy, s);
    if (!s) return factor(matrix_view<T>(), options.part, 0, s);
    s = detail::partial_checked(backend, matrix_view<T>(view_of(kept)), columns, options);
    return detail::make_factor<factor>(kept, s, options.part, columns, s);
  } else {
    static_assert(NestBackend<B, T>, "partial_cholesky runs on serial, threads and openmp");
    return factor();
  }
}
template <MatrixLike M>
[[nodiscard]] auto try_partial_cholesky(M&& A, index_t columns,
                                        const cholesky_options& options = {}) noexcept {
  return try_partial_cholesky(backend::serial{}, std::forward<M>(A), columns, options);
}

/// The factor of A from that of its first columns: S := its Cholesky factor. The matrix, or the
/// reference to it, is the result's; f is empty then. With the bits of cholesky(A) where k is a
/// multiple of 16 and T is float, double or complex of both. Where S was written to before, it is
/// the factor of that matrix.
/// @return  as try_cholesky, indices counting from the first row of A; of a failed f its status.
///          invalid_argument, out_of_memory: f is unchanged, the result is empty.
template <Backend B, class T>
requires NestBackend<B, T>
[[nodiscard]] cholesky_factor<T> try_finish(const B& backend,
                                            partial_cholesky_factor<T>&& f) noexcept {
  auto& state = detail::factor_access::state(f);
  status s = f.status();
  if (s.kind() == status_kind::empty) s = status::argument("factor", s.what());
  if (s) {
    const index_t k = f.columns();
    const matrix_view<T> S = f.schur();
    TRIFAC_TRY {
      s = detail::factor_cholesky<variant::best, B, T>(backend, S, S, {.part = f.part()});
    }
    TRIFAC_CATCH_TO(s)
    if (!s && s.of_the_matrix()) s = status::at(s.kind(), k + s.index());
  }
  if (!s.of_the_matrix()) return cholesky_factor<T>(matrix_view<T>(), f.part(), s);
  auto whole = state.owns ? cholesky_factor<T>(std::move(state.owned), f.part(), s)
                          : cholesky_factor<T>(state.writable_view(), f.part(), s);
  f = {};
  return whole;
}
template <class T>
[[nodiscard]] cholesky_factor<T> try_finish(partial_cholesky_factor<T>&& f) noexcept {
  return try_finish(backend::serial{}, std::move(f));
}

/// The first half of a solve with the factored columns, B = [B1; B2]: n×r, B1: k×r, in place:
/// B1 := L11⁻¹·B1, B2 := B2 − L21·B1. Then S·X2 = B2 is the system of the variables that are kept.
/// @return  the status of f where it failed; invalid_argument where f is empty or B does not fit or
///          overlaps the factored matrix: B is unchanged. out_of_memory: B may be half done.
/// k·(2n − k)·r flops.
template <Backend B, class T, RightHandSides M>
requires NestBackend<B, T> status try_forward_solve(const B& backend,
                                                    const partial_cholesky_factor<T>& f, M&& X)
noexcept {
  return detail::partial_solve_checked<M>(backend, f, X, [&](const auto& X1, const auto& X2) {
    return detail::solve_forward(backend, f, X1, X2);
  });
}
template <class T, RightHandSides M>
status try_forward_solve(const partial_cholesky_factor<T>& f, M&& X) noexcept {
  return try_forward_solve(backend::serial{}, f, std::forward<M>(X));
}

/// The second half, with the solution X2 of S·X2 = B2 in the rows of B2: B1 := L11⁻ᴴ·(B1 −
/// L21ᴴ·X2). B is then the solution of A·X = B. Status and flops as above.
template <Backend B, class T, RightHandSides M>
requires NestBackend<B, T> status try_backward_solve(const B& backend,
                                                     const partial_cholesky_factor<T>& f, M&& X)
noexcept {
  return detail::partial_solve_checked<M>(backend, f, X, [&](const auto& X1, const auto& X2) {
    return detail::solve_backward(backend, f, X1, X2);
  });
}
template <class T, RightHandSides M>
status try_backward_solve(const partial_cholesky_factor<T>& f, M&& X) noexcept {
  return try_backward_solve(backend::serial{}, f, std::forward<M>(X));
}

#if TRIFAC_EXCEPTIONS
/// The calls above that throw: the factorizations where the matrix is not to blame, the solves what
/// belongs to their status.
template <Backend B, MatrixLike M>
[[nodiscard]] auto partial_cholesky(const B& backend, M&& A, index_t columns,
                                    const cholesky_options& options = {}) {
  auto factor = try_partial_cholesky(backend, std::forward<M>(A), columns, options);
  detail::throw_unless_numerical(factor.status());
  return factor;
}
template <MatrixLike M>
[[nodiscard]] auto partial_cholesky(M&& A, index_t columns, const cholesky_options& options = {}) {
  return partial_cholesky(backend::serial{}, std::forward<M>(A), columns, options);
}
template <Backend B, class T>
requires NestBackend<B, T>
[[nodiscard]] cholesky_factor<T> finish(const B& backend, partial_cholesky_factor<T>&& f) {
  auto factor = try_finish(backend, std::move(f));
  detail::throw_unless_numerical(factor.status());
  return factor;
}
template <class T>
[[nodiscard]] cholesky_factor<T> finish(partial_cholesky_factor<T>&& f) {
  return finish(backend::serial{}, std::move(f));
}
template <Backend B, class T, RightHandSides M>
requires NestBackend<B, T>
void forward_solve(const B& backend, const partial_cholesky_factor<T>& f, M&& X) {
  detail::throw_unless_ok(try_forward_solve(backend, f, std::forward<M>(X)));
}
template <class T, RightHandSides M>
void forward_solve(const partial_cholesky_factor<T>& f, M&& X) {
  forward_solve(backend::serial{}, f, std::forward<M>(X));
}
template <Backend B, class T, RightHandSides M>
requires NestBackend<B, T>
void backward_solve(const B& backend, const partial_cholesky_factor<T>& f, M&& X) {
  detail::throw_unless_ok(try_backward_solve(backend, f, std::forward<M>(X)));
}
template <class T, RightHandSides M>
void backward_solve(const partial_cholesky_factor<T>& f, M&& X) {
  backward_solve(backend::serial{}, f, std::forward<M>(X));
}
#endif

}  // namespace TRIFAC_ABI
}  // namespace trifac
