#pragma once
// Inverses on a device, by block columns of the identity. Each takes part in the substitutions only
// from its first row on, so the flops are those of potri and getri.

#include <span>

#include "trifac/engine/device/cholesky_executor.hpp"
#include "trifac/engine/device/host_matrix.hpp"
#include "trifac/engine/device/lu_executor.hpp"

namespace trifac::device {
inline namespace TRIFAC_ABI {

/// Columns per step: one block of the substitutions.
inline constexpr index_t inverse_block = 256;

/// n×b elements of scratch memory as a matrix.
template <class On>
typename On::view scratch_matrix(On& on, typename On::scratch& memory, index_t n, index_t b) {
  using T = typename On::view::value_type;
  memory = on.template borrow<T>(n * b);
  return {memory.get(), 0, n, b, 1, n};
}

/// Lower triangle of A, L on entry := that of (L·Lᴴ)⁻¹. Each step reads only columns of L from k
/// on. 2n³/3 flops.
template <class On, class View>
void invert_cholesky(On& on, const View& A) {
  const index_t n = A.rows();
  typename On::scratch memory;
  const View P = scratch_matrix(on, memory, n, std::min(inverse_block, n));
  for (index_t k = 0; k < n; k += inverse_block) {
    //     | X00            |    X00, X10, X20: columns of the inverse
    // A = | X10  L11       |    L1 = [L11 0; L21 L22]
    //     | X20  L21  L22  |
    const index_t b = std::min(inverse_block, n - k);
    const View L1 = A.block(k, k, n - k, n - k), P1 = P.block(0, 0, n - k, b);
    on.set_identity(P1, 0);                                       // P1 = [I; 0]
    on.solve_lower(L1, P1, diagonal::non_unit);                   // P1 = L1⁻¹·P1
    on.solve_upper(device::adjoint(L1), P1, diagonal::non_unit);  // P1 = L1⁻ᴴ·P1
    on.copy_lower(P1, A.block(k, k, n - k, b));                   // [X11; X21] = P1
  }
}

/// X := A⁻¹ with P·A = L·U; X must not overlap LU. 4n³/3 flops.
template <class On, class View>
void invert_lu(On& on, const View& LU, std::span<const index_t> interchanges, const View& X) {
  const index_t n = X.rows();
  for (index_t k = 0; k < n; k += inverse_block) {
    const index_t b = std::min(inverse_block, n - k);
    const View X1 = X.block(0, k, n, b);
    on.set_identity(X1, k);  // X1 = [0; I; 0]; L⁻¹ leaves its first k rows zero
    on.solve_lower(LU.block(k, k, n - k, n - k), X1.block(k, 0, n - k, b), diagonal::unit);
    on.solve_upper(LU, X1, diagonal::non_unit);  // X1 = U⁻¹·X1
  }
  on.swap_rows_back(X.transposed(), 0, n, interchanges);  // X = X·P
}

/// The lower triangle of X := (L·Lᴴ)⁻¹ in host memory; L: a lower triangle, X itself or not
/// overlapping it. Waits for the result.
template <class Runtime, class T>
status invert_cholesky_of_host(session<Runtime>& s, const device_settings& settings,
                               matrix_view<const T> L, matrix_view<T> X) {
  return guarded([&] {
    cholesky_executor<Runtime, T> on(s, settings);
    host_matrix<Runtime, T> A(s, X, extent_of_use::lower_triangle, L);
    invert_cholesky(on, A.view());
    A.give_back();
    const status outcome = on.finish();
    A.copy_back();
    return outcome;
  });
}

/// X := A⁻¹ from the factors of A, in host memory; X is LU or does not overlap it. Waits for the
/// result.
template <class Runtime, class T>
status invert_lu_of_host(session<Runtime>& s, const device_settings& settings,
                         matrix_view<const T> LU, std::span<const index_t> interchanges,
                         matrix_view<T> X) {
  return guarded([&] {
    using executor = lu_executor<Runtime, T>;
    executor on(s, settings, static_cast<index_t>(interchanges.size()));
    on.interchanges().write(interchanges);
    typename executor::scratch memory;
    const auto factor = scratch_matrix(on, memory, X.rows(), X.rows());
    host_matrix<Runtime, T> A(s, X, extent_of_use::all, LU);
    on.copy(A.view(), factor);
    invert_lu(on, factor, interchanges, A.view());
    A.give_back();
    const status outcome = on.finish();
    A.copy_back();
    return outcome;
  });
}

}  // namespace TRIFAC_ABI
}  // namespace trifac::device
