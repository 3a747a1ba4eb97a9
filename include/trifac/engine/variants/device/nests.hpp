#pragma once
// The published variants on a device: their nests, with the kernels that `best` does not use.

#include <span>

#include "trifac/engine/device/cholesky.hpp"
#include "trifac/engine/device/lu.hpp"
#include "trifac/engine/variants/device/cholesky_elements.hpp"
#include "trifac/engine/variants/device/four_block.hpp"
#include "trifac/engine/variants/nests.hpp"

namespace trifac::device {
inline namespace TRIFAC_ABI {

template <variant V, class On, class View>
void run_published_cholesky(On& on, const View& S, const View& L, const cholesky_options& options) {
  using T = typename View::value_type;
  real_t<T>* const no_sums = nullptr;  // `elements` has them on the device
  if constexpr (trifac::detail::is_by_elements(V)) {
    cholesky_elements elements(on, V);
    trifac::detail::run_cholesky<V>(elements, S, L, options, no_sums);
  } else {
    trifac::detail::run_cholesky<V>(on, S, L, options, no_sums);
  }
}

template <variant V, class On, class View, class Tournament>
void run_published_lu(On& on, View A, std::span<index_t> interchanges, index_t block, pivoting how,
                      const Tournament& t) {
  trifac::detail::run_lu<V>(on, A, interchanges, block, how, block, t);
}

template <variant V, class Runtime, class T>
status lu_by_source_of_host(session<Runtime>& s, const device_settings& settings, matrix_view<T> A,
                            const lu_options& options) {
  const index_t most = block_executor<Runtime, T>::most_block(settings.blocks);
  index_t block = trifac::detail::lu_block(A.rows(), A.cols(), options);
  if (most > 0 && block > most) {
    if (options.block > 0)
      return status::argument("options.block", "is too large for three blocks in local memory");
    block = most;
  }
  return on_copy_of_host(s, A, [&](host_matrix<Runtime, T>& on_device) {
    block_executor<Runtime, T> on(s, settings, block);
    if constexpr (V == variant::unblocked)
      lu_unblocked(on, on_device.view());
    else if constexpr (V == variant::four_block)
      lu_four_block(on, on_device.view(), block);
    else
      static_assert(V == variant::best, "this variant of LU has no nest here");
    on_device.give_back();
    return on.finish();
  });
}

}  // namespace TRIFAC_ABI
}  // namespace trifac::device
