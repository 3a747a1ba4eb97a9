#pragma once
// The definitions of the solves of calls<T, B>: by a kernel, or by substitutions by blocks.

#include <span>

#include "trifac/backend.hpp"
#include "trifac/engine/base/min_max.hpp"
#include "trifac/engine/blas/swap_rows.hpp"
#include "trifac/engine/call/call.hpp"
#include "trifac/engine/calls/calls.hpp"
#include "trifac/engine/calls/defined.hpp"
#include "trifac/engine/cpu/run.hpp"
#include "trifac/engine/panel/small_pieces.hpp"
#include "trifac/engine/simd/core/few_right_hand_sides.hpp"
#include "trifac/engine/simd/core/small_kernels.hpp"
#include "trifac/engine/simd/core/small_solve.hpp"
#include "trifac/engine/solve/substitution.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

inline constexpr index_t solve_block = 64;

/// B := op(A)⁻¹·B with op(A) = K·Kᴴ, K the lower factor (lower_operand).
template <class On, class T>
void solve_with_cholesky(On& on, operand<T> K, matrix_view<T> B, index_t block) {
  const operand<T> K_adjoint(K.view.transposed(), is_complex<T> && !K.conjugated);
  forward_substitution(on, K, B, diagonal::non_unit, block);           // B = K⁻¹·B
  backward_substitution(on, K_adjoint, B, diagonal::non_unit, block);  // B = K⁻ᴴ·B
}

/// P·A = L·U:  A⁻¹ = U⁻¹·L⁻¹·P,  A⁻ᵀ = Pᵀ·L⁻ᵀ·U⁻ᵀ. No interchanges: P = I.
template <class On, class T>
void solve_with_lu(On& on, matrix_view<const T> LU, std::span<const index_t> interchanges,
                   operation op, matrix_view<T> B, index_t block) {
  const auto steps = static_cast<index_t>(interchanges.size());
  if (op == operation::none) {
    on.swap_rows(B, 0, steps, interchanges);                                  // B = P·B
    forward_substitution(on, operand<T>(LU), B, diagonal::unit, block);       // B = L⁻¹·B
    backward_substitution(on, operand<T>(LU), B, diagonal::non_unit, block);  // B = U⁻¹·B
    return;
  }
  const operand<T> transposed(LU.transposed(), is_complex<T> && op == operation::adjoint);
  forward_substitution(on, transposed, B, diagonal::non_unit, block);  // B = U⁻ᵀ·B
  backward_substitution(on, transposed, B, diagonal::unit, block);     // B = L⁻ᵀ·B
  on.swap_rows_back(B, 0, steps, interchanges);                        // B = Pᵀ·B
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

/// The plan of a solve with the factor A and r right-hand sides; by_scalars as in
/// best_solve_kernel.
template <class T>
constexpr simd::solve_kernel plan_solve(const operand<T>& A, index_t r,
                                        const simd::largest_order& by_scalars,
                                        const backend_facts& facts) {
  using simd::solve_kernel;
  const bool contiguous = A.view.row_stride() == 1 || A.view.col_stride() == 1;
  const auto best = simd::best_solve_kernel<T>(A.rows(), r, by_scalars);
  if (best == solve_kernel::few_sides)
    return facts.has_small_path && contiguous ? best : solve_kernel::blocks;
  if (best <= solve_kernel::at_once && facts.has_small_path) return best;
  return best <= solve_kernel::pieces && facts.packs_panels ? solve_kernel::pieces
                                                            : solve_kernel::blocks;
}

/// A planned solve: small(columns) with up to small_solve_columns of X, or nest(on, block).
template <Backend B, class T, class Small, class Nest>
status run_solve(const B& backend, simd::solve_kernel kernel, const matrix_view<T>& X,
                 int substitutions, const Small& small, const Nest& nest) {
  using simd::solve_kernel;
  const index_t n = X.rows(), r = X.cols();
  const double order = static_cast<double>(n);
  const double flops = substitutions * order * order * static_cast<double>(r);
  if constexpr (simd::has_kernels<T>) {
    if (kernel <= solve_kernel::at_once) {
      small(X);
      return {};
    }
    if constexpr (PackingBackend<B>)
      if (kernel == solve_kernel::pieces) {
        run_small_pieces(backend, r, flops, [&](index_t j) {
          small(X.block(0, j, n, min(small_piece_columns, r - j)));
        });
        return {};
      }
    if constexpr (SmallPathBackend<B>)
      if (kernel == solve_kernel::few_sides) {
        few_right_hand_sides_executor on;
        nest(on, n);
        return {};
      }
  }
  status outcome;
  run(backend, outcome, flops, [&](auto& on) { nest(on, solve_block); });
  return outcome;
}

}  // namespace detail
}  // namespace TRIFAC_ABI

inline namespace TRIFAC_CALLS {

template <class T, class B>
status calls<T, B>::solve_cholesky(const B& backend, const operand<T>& K, const view& X) noexcept {
  TRIFAC_TRY {
    const auto kernel =
        detail::plan_solve(K, X.cols(), simd::cholesky_by_scalars, detail::facts_for(backend));
    return detail::run_solve(
        backend, kernel, X, 2, [&](const auto& columns) { simd::solve_small_cholesky(K, columns); },
        [&](auto& on, index_t block) { detail::solve_with_cholesky(on, K, X, block); });
  }
  TRIFAC_CATCH
}

template <class T, class B>
status calls<T, B>::solve_lu(const B& backend, const const_view& LU, rows interchanges,
                             const view& X, operation op) noexcept {
  TRIFAC_TRY {
    const auto kernel = detail::plan_solve(operand<T>(LU), X.cols(), simd::lu_by_scalars,
                                           detail::facts_for(backend));
    return detail::run_solve(
        backend, kernel, X, 2,
        [&](const auto& columns) { simd::solve_small_lu(LU, interchanges.data(), op, columns); },
        [&](auto& on, index_t block) {
          detail::solve_with_lu(on, LU, interchanges, op, X, block);
        });
  }
  TRIFAC_CATCH
}

template <class T, class B>
status calls<T, B>::substitute(const B& backend, const operand<T>& A, triangle part, diagonal diag,
                               const view& X) noexcept {
  TRIFAC_TRY {
    const auto kernel = detail::plan_solve(A, X.cols(), {}, detail::facts_for(backend));
    return detail::run_solve(
        backend, kernel, X, 1,
        [&](const auto& columns) { simd::solve_small_triangle(A, part, diag, columns); },
        [&](auto& on, index_t block) {
          if (part == triangle::lower)
            forward_substitution(on, A, X, diag, block);
          else
            backward_substitution(on, A, X, diag, block);
        });
  }
  TRIFAC_CATCH
}

template <class T, class B>
bool calls<T, B>::small_solve_cholesky(const T* L, index_t down, index_t along, bool conjugated,
                                       const view& X) noexcept {
  const index_t n = X.rows();
  if (simd::best_solve_kernel<T>(n, X.cols(), simd::cholesky_by_scalars) >
      simd::solve_kernel::at_once)
    return false;
  simd::solve_small_cholesky(operand<T>(const_view(L, n, n, down, along), conjugated), X);
  return true;
}

template <class T, class B>
bool calls<T, B>::small_solve_lu(const T* LU, index_t down, index_t along,
                                 const index_t* interchanges, operation op,
                                 const view& X) noexcept {
  const index_t n = X.rows();
  if (simd::best_solve_kernel<T>(n, X.cols(), simd::lu_by_scalars) > simd::solve_kernel::at_once)
    return false;
  simd::solve_small_lu(const_view(LU, n, n, down, along), interchanges, op, X);
  return true;
}

}  // namespace TRIFAC_CALLS
}  // namespace trifac
