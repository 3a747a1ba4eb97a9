#pragma once
// The last columns of a partial Cholesky factorization, fewer than a panel's unit.

#include "trifac/engine/panel/nest_step.hpp"
#include "trifac/engine/panel/packed_cholesky.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace simd {

#if TRIFAC_SIMD

/// The first k columns of A, fewer than panel_unit, as one panel of all rows; then A22 −= A21·A21ᴴ.
/// A22 starts within a micro-panel: the product packs A21 anew.
template <class On, class T>
void factor_few_columns(On& on, const matrix_view<T>& A, index_t k, index_t first,
                        std::byte* memory) {
  const auto [A11, A12, A21, A22] = A.split(k, k);
  on.once(nest_step::factor_packed, [&] {
    const index_t bad = with_isa([&](auto target) {
      return factor_panel(target, place_panel(target, A, k, memory), A.rows());
    });
    on.record(blas::status_of_pivot(A, bad), first);
  });
  on.update_lower(A22, A21);
}

#else

// has_kernels<T> is false: named, but never called.
template <class On, class T>
void factor_few_columns(On&, const matrix_view<T>&, index_t, index_t, std::byte*) {}

#endif

}  // namespace simd
}  // namespace TRIFAC_ABI
}  // namespace trifac
