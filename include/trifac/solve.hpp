#pragma once
// solve(): B := op(A)⁻¹·B with the factors of A.

#include <span>

#include "trifac/backend/serial.hpp"
#include "trifac/cholesky/factor.hpp"
#include "trifac/detail/argument_types.hpp"
#include "trifac/detail/call.hpp"
#include "trifac/detail/overlap.hpp"
#include "trifac/lu/factor.hpp"
#include "trifac/profile.hpp"
#include "trifac/simd/core/few_right_hand_sides.hpp"
#include "trifac/solve/substitution.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

inline constexpr index_t solve_block = 64;

template <class Factor, class T>
status check_solve(const Factor& f, matrix_view<T> B) {
  const status& outcome = f.status();
  if (outcome.kind() == status_kind::empty) return status::argument("factor", outcome.what());
  if (!outcome.ok()) return outcome;
  if (f.matrix().rows() != f.matrix().cols()) return status::argument("factor", "is not square");
  if (const status s = check_view(B, "B"); !s) return s;
  if (B.rows() != f.rows())
    return status::argument("B", "has not as many rows as the factored matrix");
  if constexpr (requires { f.interchanges_fit(); })
    if (!f.interchanges_fit())
      return status::argument("factor", "has row interchanges that are not those of its matrix");
  if (overlaps_factor(f, B)) return status::argument("B", "overlaps the factored matrix");
  return {};
}

/// A = K·Kᴴ with K the lower factor as the view gives it: for an upper factor the view is
/// transposed, and the matrix it stands for is Aᵀ = conj(A). op(A) is A or conj(A), so one flag
/// covers triangle and operation.
template <class On, class T>
void solve_with_cholesky(On& on, operand<T> K, matrix_view<T> B, index_t block) {
  const operand<T> K_adjoint(K.view.transposed(), is_complex<T> && !K.conjugated);
  forward_substitution(on, K, B, diagonal::general, block);           // B = K⁻¹·B
  backward_substitution(on, K_adjoint, B, diagonal::general, block);  // B = K⁻ᴴ·B
}

/// P·A = L·U:  A⁻¹ = U⁻¹·L⁻¹·P,  A⁻ᵀ = Pᵀ·L⁻ᵀ·U⁻ᵀ.
template <class On, class T>
void solve_with_lu(On& on, matrix_view<const T> LU, std::span<const index_t> interchanges,
                   operation op, matrix_view<T> B, index_t block) {
  if (op == operation::none) {
    on.swap_rows(B, 0, B.rows(), interchanges);                              // B = P·B
    forward_substitution(on, operand<T>(LU), B, diagonal::unit, block);      // B = L⁻¹·B
    backward_substitution(on, operand<T>(LU), B, diagonal::general, block);  // B = U⁻¹·B
    return;
  }
  const operand<T> transposed(LU.transposed(), is_complex<T> && op == operation::adjoint);
  forward_substitution(on, transposed, B, diagonal::general, block);  // B = U⁻ᵀ·B
  backward_substitution(on, transposed, B, diagonal::unit, block);    // B = L⁻ᵀ·B
  on.swap_rows_back(B, 0, B.rows(), interchanges);                    // B = Pᵀ·B
}

/// The block operations of a solve with few right-hand sides in one block: kernels on the calling
/// thread. What takes time is reading the factor, which each of them does once and in order.
struct few_right_hand_sides_executor {
  template <class T>
  void swap_rows(const matrix_view<T>& B, index_t from, index_t to,
                 std::span<const index_t> interchanges) const {
    blas::swap_rows(B, from, to, interchanges);
  }
  template <class T>
  void swap_rows_back(const matrix_view<T>& B, index_t from, index_t to,
                      std::span<const index_t> interchanges) const {
    blas::swap_rows_back(B, from, to, interchanges);
  }
  template <class T>
  void solve_lower(const operand<T>& A, const matrix_view<T>& B, diagonal diag) const {
    simd::solve_few_right_hand_sides<simd::substitution::forward>(A, B, diag);
  }
  template <class T>
  void solve_upper(const operand<T>& A, const matrix_view<T>& B, diagonal diag) const {
    simd::solve_few_right_hand_sides<simd::substitution::backward>(A, B, diag);
  }
  template <class T>
  void update(const matrix_view<T>&, const operand<T>&, const operand<T>&) const {}  // of nothing
};

/// nest(on, block) on a backend that runs our nests; A: the factor as the nest reads it.
template <Backend B, class T, class Nest>
status run_solve_nest(const B& backend, const operand<T>& A, const matrix_view<T>& X, Nest nest) {
  if constexpr (SmallPathBackend<B> && simd::has_kernels<T>)
    if (simd::are_few_right_hand_sides(A, X)) {
      few_right_hand_sides_executor on;
      nest(on, X.rows());
      return {};
    }
  const double n = static_cast<double>(X.rows());
  status outcome;
  run(backend, outcome, 2 * n * n * static_cast<double>(X.cols()),
      [&](auto& on) { nest(on, solve_block); });
  return outcome;
}

template <Backend B, class T>
status run_solve(const B& backend, const cholesky_factor<T>& f, matrix_view<T> X, operation op) {
  const bool upper = f.part() == triangle::upper;
  const auto lower = upper ? f.matrix().transposed() : f.matrix();
  const bool conjugated = upper != (op == operation::transpose);
  const operand<T> K(lower, is_complex<T> && conjugated);
  if constexpr (ChoosingBackend<B>)
    return backend.template choose<T>(factorization::cholesky, f.rows(), [&](const auto& chosen) {
      return run_solve(chosen, f, X, op);
    });
  else if constexpr (LibraryBackend<B, T>)
    return potrs(backend, lower, conjugated ? operation::transpose : operation::none, X);
  else if constexpr (DeviceBackend<B>)
    return backend.solve_with_cholesky(K, X);
  else
    return run_solve_nest(backend, K, X,
                          [&](auto& on, index_t block) { solve_with_cholesky(on, K, X, block); });
}

template <Backend B, class T>
status run_solve(const B& backend, const lu_factor<T>& f, matrix_view<T> X, operation op) {
  const auto LU = f.matrix();
  const auto interchanges = f.interchanges().span();
  if constexpr (ChoosingBackend<B>)
    return backend.template choose<T>(factorization::lu, f.rows(), [&](const auto& chosen) {
      return run_solve(chosen, f, X, op);
    });
  else if constexpr (LibraryBackend<B, T>)
    return getrs(backend, LU, interchanges, op, X);
  else if constexpr (DeviceBackend<B>)
    return backend.solve_with_lu(LU, interchanges, op, X);
  else
    return run_solve_nest(backend, operand<T>(LU), X, [&](auto& on, index_t block) {
      solve_with_lu(on, LU, interchanges, op, X, block);
    });
}

template <Backend B, class Factor, class T>
status solve_checked(const B& backend, const Factor& f, matrix_view<T> X, operation op) noexcept {
  for (const status& s : {check_solve(f, X), check_operation(op), check_backend(backend)})
    if (!s) return s;
  if (X.empty()) return {};
  return without_exceptions([&] { return run_solve(backend, f, X, op); });
}

}  // namespace detail

/// Right-hand sides: a matrix, or a vector as one column.
template <class M>
concept RightHandSides = MatrixLike<M> || VectorLike<M>;

/// What cholesky() and lu() return.
template <class F>
concept Factor = std::same_as<F, cholesky_factor<typename F::value_type>> ||
    std::same_as<F, lu_factor<typename F::value_type>>;

/// B := op(A)⁻¹·B in place, with A = L·Lᴴ, A = Uᴴ·U or P·A = L·U, whichever the factor holds; B:
/// n×r, any number of right-hand sides; no temporary that owns its elements, as the solution would
/// be lost. No exception leaves it.
/// @return  the factor's own status, kind and index, where the factorization failed;
///          invalid_argument where the factor is empty or not square, or has row interchanges that
///          are not those of its matrix (their number and range are looked at), and where B does
///          not fit or has elements among those of the factor that are read. At all these B is
///          unchanged.
/// Factors of one backend may be solved with on another. 2n²·r flops. Up to six right-hand sides
/// need no workspace and are the calling thread's work, which is reading the factor once; for more
/// of them blocks of the factor are packed in memory that each thread keeps (workspace_cache.hpp).
/// LAPACK: potrs, getrs.
template <Backend B, Factor F, RightHandSides M>
status try_solve(const B& backend, const F& factor, M&& X,
                 operation op = operation::none) noexcept {
  using T = typename F::value_type;
  detail::check_solved<T, M>();
  if constexpr (detail::can_be_solved<T, M>)
    return detail::solve_checked(backend, factor, detail::right_hand_sides(X), op);
  else
    return {};
}
template <Factor F, RightHandSides M>
status try_solve(const F& factor, M&& X, operation op = operation::none) noexcept {
  return try_solve(backend::serial{}, factor, std::forward<M>(X), op);
}

#if TRIFAC_EXCEPTIONS
/// try_solve that throws what belongs to its status: numerical_error with the factor's own status
/// where the factorization failed, argument_error, backend_error or std::bad_alloc.
template <Backend B, Factor F, RightHandSides M>
void solve(const B& backend, const F& factor, M&& X, operation op = operation::none) {
  if (const status s = try_solve(backend, factor, std::forward<M>(X), op); !s)
    detail::throw_status(s);
}
template <Factor F, RightHandSides M>
void solve(const F& factor, M&& X, operation op = operation::none) {
  solve(backend::serial{}, factor, std::forward<M>(X), op);
}
#endif

}  // namespace TRIFAC_ABI
}  // namespace trifac
