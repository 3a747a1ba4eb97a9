#pragma once
// Cholesky on a device: selection of the loop nest, and calls on host matrices.

#include "trifac/engine/cholesky/blocked.hpp"
#include "trifac/engine/cholesky/plan.hpp"
#include "trifac/engine/device/cholesky_executor.hpp"
#include "trifac/engine/device/host_matrix.hpp"
#include "trifac/engine/device/panel_cholesky.hpp"

namespace trifac::device {
inline namespace TRIFAC_ABI {

/// A published variant, of variants/device/nests.hpp, which trifac/variants.hpp brings.
template <variant V, class On, class View>
void run_published_cholesky(On& on, const View& S, const View& L, const cholesky_options& options);

/// Runs V on matrices in device memory; variants by elements read S; L is overwritten.
template <variant V, class On, class View>
void run_cholesky(On& on, const View& S, const View& L, const cholesky_options& options) {
  if constexpr (V == variant::best || V == variant::packed) {
    const index_t block = options.block > 0 ? options.block : on.panel_width(L.rows());
    const index_t width = std::min(block, L.rows());
    const leading_columns<View> first = {L, width};
    if (on.uses_two_queues()) return cholesky_blocked(on, two_queue_cholesky_panel<View>{first});
    cholesky_blocked(on, device_cholesky_panel<View>{first});
  } else {
    run_published_cholesky<V>(on, S, L, options);
  }
}

/// A = L·Lᴴ of a matrix in host memory; both views are lower triangles. Waits for the result.
template <variant V, class Runtime, class T>
status cholesky_of_host(session<Runtime>& s, const device_settings& settings,
                        matrix_view<const T> A, matrix_view<T> L, const cholesky_options& options) {
  return guarded([&] {
    device_times times;
    part_watch watch;
    cholesky_executor<Runtime, T> on(s, settings);
    const bool reads_both = trifac::detail::is_by_elements(V) && A.data() != L.data();
    host_matrix<Runtime, T> to(s, L, extent_of_use::lower_triangle,
                               reads_both ? matrix_view<const T>(L) : A);
    std::optional<host_matrix<Runtime, T>> from;
    if (reads_both) from.emplace(s, writable(A), extent_of_use::lower_triangle);
    times.copy_in = watch.lap();

    run_cholesky<V>(on, from ? from->view() : to.view(), to.view(), options);
    if (from) from->give_back();
    to.give_back();
    const status outcome = on.finish();
    times.run = watch.lap();

    to.copy_back();
    times.copy_out = watch.lap();
    s.set_times(times);
    return outcome;
  });
}

/// X := (K·Kᴴ)⁻¹·X in device memory, or with conj(K); K: a lower factor.
template <class On, class View>
void solve_with_cholesky(On& on, const View& K, bool conjugated, const View& X) {
  using T = typename View::value_type;
  using operand = typename On::operand;
  on.solve_both(operand(K, conjugated), operand(K.transposed(), is_complex<T> && !conjugated), X);
}

/// The same with K and X in host memory. Waits for the result.
template <class Runtime, class T>
status solve_with_cholesky_of_host(session<Runtime>& s, const device_settings& settings,
                                   const trifac::operand<T>& K, matrix_view<T> X) {
  return guarded([&] {
    cholesky_executor<Runtime, T> on(s, settings);
    return solve_of_host(on, s, K.view, extent_of_use::lower_triangle, X,
                         [&](const auto& factor, const auto& B) {
                           solve_with_cholesky(on, factor, K.conjugated, B);
                         });
  });
}

}  // namespace TRIFAC_ABI
}  // namespace trifac::device
