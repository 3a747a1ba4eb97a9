#pragma once
// The definitions of the inverses of calls<T, B>: memory, backend, nest.

#include "trifac/backend.hpp"
#include "trifac/engine/blas/copy.hpp"
#include "trifac/engine/blas/swap_rows.hpp"
#include "trifac/engine/call/call.hpp"
#include "trifac/engine/call/overlap.hpp"
#include "trifac/engine/call/workspace.hpp"
#include "trifac/engine/calls/calls.hpp"
#include "trifac/engine/calls/defined.hpp"
#include "trifac/engine/cpu/run.hpp"
#include "trifac/engine/inverse/cholesky.hpp"
#include "trifac/engine/inverse/lu.hpp"
#include "trifac/engine/inverse/small.hpp"
#include "trifac/engine/panel/small_pieces.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// Columns per step. Small if the triangle of a step is a large part of the work: with 24 columns
/// an inverse takes 0.87 of the time with 64 at n = 50, 0.9 (Cholesky) and 0.97 (LU) at n = 200.
constexpr index_t inverse_block(index_t n) {
  return min<index_t>(n, n < 256 ? 24 : n < 512 ? 64 : 128);
}

/// Copies the factor to X unless it is X (in column j the rows from(j) and below), then calls
/// nest(on, P, D, E) with scratch: P n×b, D and E b×b. out_of_memory, with X unchanged, if the
/// scratch cannot be allocated.
template <Backend B, class T, class From, class Nest>
status run_inverse_nest(const B& backend, const matrix_view<const T>& factor,
                        const matrix_view<T>& X, double flops, From from, Nest nest) {
  const index_t n = X.rows(), b = inverse_block(n);
  workspace memory({}, scratch_bytes<T>(n * b) + 2 * scratch_bytes<T>(b * b));
  if (!memory.ok()) return no_workspace();
  if (!is_same_view(factor, X))
    for (index_t j = 0; j < n; ++j)
      for (index_t i = from(j); i < n; ++i) X(i, j) = factor(i, j);
  const auto P = memory.take<T>(n * b), D = memory.take<T>(b * b), E = memory.take<T>(b * b);
  status outcome;
  run(backend, outcome, flops, [&](auto& on) {
    nest(on, column_major(P.data(), n, b), column_major(D.data(), b, b),
         column_major(E.data(), b, b));
  });
  return outcome;
}

/// columns(Y, j) for each piece of a small inverse, then copied(Y); Y: n×n scratch. False, with
/// nothing done, if the order is too large or memory runs out. Both are generic, so they are
/// compiled only where called: they use kernels that not every T has.
template <class T, Backend B, class Columns, class Copied>
bool run_small_inverse(const B& backend, index_t n, double flops, Columns columns, Copied copied) {
  if constexpr (PackingBackend<B> && simd::has_kernels<T>) {
    if (n > small_inverse_rows) return false;
    workspace memory({}, scratch_bytes<T>(n * n));
    if (!memory.ok()) return false;
    const auto Y = column_major(memory.take<T>(n * n).data(), n, n);
    run_small_pieces(backend, n, flops, [&](index_t j) { columns(Y, j); });
    copied(Y);
    return true;
  }
  return false;
}

}  // namespace detail
}  // namespace TRIFAC_ABI

inline namespace TRIFAC_CALLS {

template <class T, class B>
status calls<T, B>::cholesky_inverse(const B& backend, const const_view& L,
                                     const view& X) noexcept {
  TRIFAC_TRY {
    const double n = static_cast<double>(X.rows()), flops = 2 * n * n * n / 3;
    const auto columns = [&](const auto& Y, index_t j) {
      detail::invert_columns_of_cholesky(L, Y, j);
    };
    const auto copied = [&](const auto& Y) {
      for (index_t j = 0; j < Y.cols(); ++j) {
        X(j, j) = T(detail::real_part(Y(j, j)));  // rounded, it is not quite real
        for (index_t i = j + 1; i < Y.rows(); ++i) X(i, j) = Y(i, j);
      }
    };
    if (detail::run_small_inverse<T>(backend, X.rows(), flops, columns, copied)) return {};
    return detail::run_inverse_nest(
        backend, L, X, flops, [](index_t j) { return j; },
        [&](auto& on, const view& P, const view& D, const view& E) {
          trifac::cholesky_inverse(on, X, P, D, E);
        });
  }
  TRIFAC_CATCH
}

template <class T, class B>
status calls<T, B>::lu_inverse(const B& backend, const const_view& LU, rows interchanges,
                               const view& X) noexcept {
  TRIFAC_TRY {
    const double n = static_cast<double>(X.rows()), flops = 4 * n * n * n / 3;
    const auto columns = [&](const auto& Y, index_t j) { detail::invert_columns_of_lu(LU, Y, j); };
    const auto copied = [&](const auto& Y) {
      blas::copy(const_view(Y), X);
      blas::swap_rows_back(X.transposed(), 0, X.rows(), interchanges);  // X = U⁻¹·L⁻¹·P
    };
    if (detail::run_small_inverse<T>(backend, X.rows(), flops, columns, copied)) return {};
    return detail::run_inverse_nest(
        backend, LU, X, flops, [](index_t) { return index_t(0); },
        [&](auto& on, const view& W, const view& D, const view&) {
          trifac::lu_inverse(on, X, interchanges, W, D);
        });
  }
  TRIFAC_CATCH
}

}  // namespace TRIFAC_CALLS
}  // namespace trifac
