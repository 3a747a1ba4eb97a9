#pragma once
// Solves with a triangle on a device.

#include "trifac/engine/device/cholesky_executor.hpp"
#include "trifac/engine/device/host_matrix.hpp"

namespace trifac::device {
inline namespace TRIFAC_ABI {

/// X := A⁻¹·X in device memory; A: the triangle `part` of a square view.
template <class On, class View>
void solve_with_triangle(On& on, const typename On::operand& A, triangle part, diagonal diag,
                         const View& X) {
  if (part == triangle::lower)
    on.solve_lower(A, X, diag);
  else
    on.solve_upper(A, X, diag);
}

/// The same with A and X in host memory. Waits for the result.
template <class Runtime, class T>
status solve_with_triangle_of_host(session<Runtime>& s, const device_settings& settings,
                                   const trifac::operand<T>& A, triangle part, diagonal diag,
                                   matrix_view<T> X) {
  return guarded([&] {
    using operand = typename cholesky_executor<Runtime, T>::operand;
    cholesky_executor<Runtime, T> on(s, settings);
    const bool upper = part == triangle::upper;
    const auto lower = upper ? A.view.transposed() : A.view;
    return solve_of_host(on, s, lower, extent_of_use::lower_triangle, X,
                         [&](const auto& L, const auto& B) {
                           const operand on_device(upper ? L.transposed() : L, A.conjugated);
                           solve_with_triangle(on, on_device, part, diag, B);
                         });
  });
}

}  // namespace TRIFAC_ABI
}  // namespace trifac::device
