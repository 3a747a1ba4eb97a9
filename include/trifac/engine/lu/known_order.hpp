#pragma once
// The ways of LU without a nest: a small matrix at once, by scalars that become part of the caller
// where its order is known at compile time, and plain loops in constant expressions.

#include <type_traits>

#include "trifac/backend.hpp"
#include "trifac/engine/blas/factor_block.hpp"
#include "trifac/engine/blas/factor_panel.hpp"
#include "trifac/engine/blas/largest.hpp"
#include "trifac/engine/blas/scalars.hpp"
#include "trifac/engine/call/call.hpp"
#include "trifac/engine/call/known_order.hpp"
#include "trifac/engine/calls/calls.hpp"
#include "trifac/engine/lu/check.hpp"
#include "trifac/engine/lu/options.hpp"
#include "trifac/engine/simd/core/small_kernels.hpp"
#include "trifac/pivots.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// See known_order; 0 also where A cannot be factored at all.
template <class M, variant V, class B>
constexpr index_t known_lu_order() {
  if constexpr (can_be_factored<M>)
    return known_order<M, V, B>(simd::lu_by_scalars.of<scalar_t<M>>());
  return 0;
}

/// P·A = L·U of a square A by one call of a kernel, with numbers instead of views, options and a
/// plan; p receives the interchanges. N: an order known at compile time, or 0. The status of an
/// empty factor, and A unchanged, for other arguments and orders, and for a pivot of order N that
/// is not ordinary: then call factor_lu.
template <index_t N, variant V, Backend B, class T>
TRIFAC_INLINE constexpr status try_small_lu(const B& backend, const matrix_view<T>& A, pivots& p,
                                            const lu_options& options) {
  if constexpr (V == variant::best && SmallPathBackend<B> && (N > 0 || simd::has_kernels<T>)) {
    // True if the arguments are valid and all options have their defaults.
    const bool plain =
        A.rows() == A.cols() && has_defaults(options) && is_plain(A) && is_ready(backend);
    if constexpr (N > 0) {
      if (plain) {
        p.reset(N);
        if (blas::scalars::factor_lu_in_scalars<int{N}>(A.data(), A.row_stride(), A.col_stride(),
                                                        p.data()))
          return {};
      }
    } else if (plain && A.rows() <= simd::lu_in_one_panel && !std::is_constant_evaluated()) {
      p.reset(A.rows());
      return calls<T>::small_lu(A.data(), A.rows(), A.row_stride(), A.col_stride(), p.data());
    }
  }
  return status::of_empty_factor();
}

/// The same of any size in a constant expression, with the growth where it is asked for.
template <class T>
constexpr status factor_constant_lu(const matrix_view<T>& A, variant v, pivots& p,
                                    const lu_options& options, real_t<T>& growth) {
  if (const status s = check_lu_arguments(A, v, options); !s) return s;
  if (options.pivoting == pivoting::tournament)
    return status::argument("options.pivoting", "must be partial or none in a constant expression");
  if (options.norm)
    return status::argument("options.norm", "is not measured in a constant expression");
  p.reset(A.rows() < A.cols() ? A.rows() : A.cols());
  const real_t<T> before = options.growth ? blas::largest<T>(A) : real_t<T>(0);
  const status s = options.pivoting == pivoting::none ? blas::factor_block_lu(A)
                                                      : blas::factor_panel(A, p.span());
  if (!s.completed()) return s;
  for (index_t j = 0; j < A.cols(); ++j)  // see check_finite
    for (index_t i = 0; i < A.rows(); ++i)
      if (!is_finite(A(i, j))) return status::at(status_kind::not_finite, p.size() - 1);
  if (options.growth) growth = blas::growth_from<T>(before, A);
  return s;
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
