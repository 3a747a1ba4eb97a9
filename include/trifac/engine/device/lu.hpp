#pragma once
// LU on a device: selection of the loop nest, and calls on host matrices.

#include <span>

#include "trifac/engine/device/host_matrix.hpp"
#include "trifac/engine/device/lu_executor.hpp"
#include "trifac/engine/device/lu_rounds.hpp"
#include "trifac/engine/device/panel_lu.hpp"
#include "trifac/engine/lu/on_views.hpp"
#include "trifac/engine/lu/plan.hpp"

namespace trifac::device {
inline namespace TRIFAC_ABI {

/// A published variant, of variants/device/nests.hpp, which trifac/variants.hpp brings.
template <variant V, class On, class View, class Tournament>
void run_published_lu(On& on, View A, std::span<index_t> interchanges, index_t block, pivoting how,
                      const Tournament& t);
/// Without pivoting, by the kernels of the source that settings.blocks names: `four_block` and
/// `unblocked`.
template <variant V, class Runtime, class T>
status lu_by_source_of_host(session<Runtime>& s, const device_settings& settings, matrix_view<T> A,
                            const lu_options& options);

/// P·A = L·U in device memory; asynchronous.
template <variant V, class Runtime, class T>
void run_lu(lu_executor<Runtime, T>& on, session<Runtime>& s,
            device_view<T, typename Runtime::handle> A, std::span<index_t> interchanges,
            const lu_options& options) {
  const index_t m = A.rows(), n = A.cols(), steps = std::min(m, n);
  const index_t block = std::min(options.block > 0 ? options.block : on.panel_width(steps), steps);
  constexpr bool best = V == variant::best;
  if (best && options.pivoting == pivoting::partial && on.look_ahead().fits(A))
    return lu_blocked(on.look_ahead(), ahead_lu_panel(A, block));
  const bool by_tournament = options.pivoting == pivoting::tournament;
  const bool uses_two_queues = best && options.pivoting != pivoting::none && on.uses_two_queues();
  // Columns of a local LU: the requested number, since pivots depend on it.
  const bool is_asked = by_tournament && options.block > 0;
  const index_t base = uses_two_queues && !is_asked ? std::min<index_t>(block, 64) : block;
  const lu_rounds<Runtime, T> rounds(s, on.shape(), by_tournament ? m : 0, base, options);
  if (uses_two_queues)
    return lu_blocked(on, two_queue_lu_panel(A, interchanges, block, base,
                                             by_tournament ? &rounds.get() : nullptr));
  if constexpr (best || V == variant::packed)
    trifac::detail::lu_on_views(on, A, interchanges, block, options.pivoting, block, rounds.get());
  else
    run_published_lu<V>(on, A, interchanges, block, options.pivoting, rounds.get());
}

/// run(view) with a copy of A on the device, and back; returns what it does. Records the times.
template <class Runtime, class T, class Run>
status on_copy_of_host(session<Runtime>& s, matrix_view<T> A, const Run& run) {
  return guarded([&] {
    device_times times;
    part_watch watch;
    host_matrix<Runtime, T> on_device(s, A, extent_of_use::all);
    times.copy_in = watch.lap();
    const status outcome = run(on_device);
    times.run = watch.lap();
    on_device.copy_back();
    times.copy_out = watch.lap();
    s.set_times(times);
    return outcome;
  });
}

/// P·A = L·U of a matrix in host memory. Waits for the result.
template <variant V, class Runtime, class T>
status lu_of_host(session<Runtime>& s, const device_settings& settings, matrix_view<T> A,
                  std::span<index_t> interchanges, const lu_options& options) {
  if constexpr (V == variant::four_block || V == variant::unblocked)
    if (options.pivoting == pivoting::none && settings.blocks != block_kernels::packed)
      return lu_by_source_of_host<V>(s, settings, A, options);
  return on_copy_of_host(s, A, [&](host_matrix<Runtime, T>& on_device) {
    lu_executor<Runtime, T> on(s, settings, static_cast<index_t>(interchanges.size()));
    run_lu<V>(on, s, on_device.view(), interchanges, options);
    on_device.give_back();
    const status outcome = on.finish();
    on.interchanges().read(interchanges);
    return outcome;
  });
}

/// X := op(A)⁻¹·X with A⁻¹ = U⁻¹·L⁻¹·P,  A⁻ᵀ = Pᵀ·L⁻ᵀ·U⁻ᵀ, in device memory.
template <class Runtime, class T, class View>
void solve_with_lu(lu_executor<Runtime, T>& on, View LU, std::span<const index_t> interchanges,
                   operation op, View X) {
  if (op == operation::none) {
    on.swap_rows(X, 0, X.rows(), interchanges);
    on.solve_lower(LU, X, diagonal::unit);
    on.solve_upper(LU, X, diagonal::non_unit);
    return;
  }
  const typename lu_executor<Runtime, T>::operand transposed(
      LU.transposed(), is_complex<T> && op == operation::adjoint);
  on.solve_lower(transposed, X, diagonal::non_unit);
  on.solve_upper(transposed, X, diagonal::unit);
  on.swap_rows_back(X, 0, X.rows(), interchanges);
}

/// X := op(A)⁻¹·X from the factors of A, in host memory. Waits for the result.
template <class Runtime, class T>
status solve_with_lu_of_host(session<Runtime>& s, const device_settings& settings,
                             matrix_view<const T> LU, std::span<const index_t> interchanges,
                             operation op, matrix_view<T> X) {
  return guarded([&] {
    lu_executor<Runtime, T> on(s, settings, static_cast<index_t>(interchanges.size()));
    on.interchanges().write(interchanges);
    return solve_of_host(on, s, LU, extent_of_use::all, X, [&](const auto& A, const auto& B) {
      solve_with_lu(on, A, interchanges, op, B);
    });
  });
}

}  // namespace TRIFAC_ABI
}  // namespace trifac::device
