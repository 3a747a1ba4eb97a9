#pragma once
// The definition of calls<T, B>::partial_cholesky: memory, backend, nest.

#include "trifac/engine/blas/lower_is_finite.hpp"
#include "trifac/engine/cholesky/calls.hpp"
#include "trifac/engine/panel/few_columns.hpp"

namespace trifac {
inline namespace TRIFAC_CALLS {

template <class T, class B>
status calls<T, B>::partial_cholesky(const B& backend, const view& A, index_t columns,
                                     const cholesky_options& options) noexcept {
  TRIFAC_TRY {
    const index_t n = A.rows();
    auto plan = detail::plan_cholesky<T, variant::packed>(
        n, options, {.packs_panels = PackingBackend<B>, .has_small_path = false});
    const double all = static_cast<double>(n), kept = static_cast<double>(n - columns);
    plan.flops = (all * all * all - kept * kept * kept) / 3;
    status outcome;
    if constexpr (simd::has_kernels<T> && PackingBackend<B>) {
      const index_t few = columns % simd::panel_unit, packed = columns - few;
      if (packed == 0) {
        const std::size_t needed = simd::most_panel_bytes<T>(n, few);
        plan.bytes =
            needed <= simd::panel_bytes_on_stack ? 0 : needed + detail::workspace_alignment;
      }
      detail::workspace memory(options.workspace, plan.bytes);
      if (!memory.ok()) return detail::no_workspace(options.workspace);
      detail::run_cholesky_packed(
          backend, outcome, plan, A, packed, few, options.progress, memory.take_bytes(plan.bytes),
          [&](auto& on, std::byte* panel) {
            if (few == 0) return;
            simd::factor_few_columns(on, A.trailing(packed), few, packed, panel);
            if (packed > 0 && options.progress)
              on.once(nest_step::tell_progress, [&] { options.progress(1); });
          });
    } else {
      run(backend, outcome, plan.flops, [&](auto& on) {
        cholesky_blocked(on, plain_cholesky_panel(A, columns, detail::cholesky_block(n, options)));
      });
    }
    // No pivot has met the elements of S.
    if (outcome && !detail::lower_is_finite<T>(A.trailing(columns)))
      return status::at(status_kind::not_finite, columns);
    return outcome;
  }
  TRIFAC_CATCH
}

}  // namespace TRIFAC_CALLS
}  // namespace trifac
