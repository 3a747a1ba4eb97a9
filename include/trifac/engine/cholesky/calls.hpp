#pragma once
// The definitions of calls<T, B>::cholesky: memory, backend, nest.

#include "trifac/engine/blas/copy.hpp"
#include "trifac/engine/call/call.hpp"
#include "trifac/engine/call/overlap.hpp"
#include "trifac/engine/call/workspace.hpp"
#include "trifac/engine/calls/calls.hpp"
#include "trifac/engine/calls/defined.hpp"
#include "trifac/engine/cholesky/blocked.hpp"
#include "trifac/engine/cholesky/known_order.hpp"
#include "trifac/engine/cholesky/plan.hpp"
#include "trifac/engine/cpu/run.hpp"
#include "trifac/engine/panel/packed_cholesky.hpp"
#include "trifac/engine/panel/plain_cholesky.hpp"
#include "trifac/engine/panel/watched.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// cholesky_blocked over packed panels of `columns`, all or a multiple of panel_unit, in `memory`
/// or, where that is null, on the stack; then rest(on, memory), which factors `after` more.
template <class B, class T, class Rest>
void run_cholesky_packed(const B& backend, status& outcome, const cholesky_plan& plan,
                         matrix_view<T> L, index_t columns, index_t after,
                         const progress_ref& progress, std::byte* memory, const Rest& rest) {
  using panel = simd::packed_cholesky_panel<T>;
  const simd::isa set = simd::active_isa();
  const index_t n = L.rows();
  alignas(workspace_alignment) std::byte small[simd::panel_bytes_on_stack];
  std::byte* const first = memory ? memory : small;
  run(backend, outcome, plan.flops, [&](auto& on) {
    const bool team = on.is_team();
    const index_t block = team ? plan.team_block : plan.block;
    std::byte* const second =
        team && columns > 0 && block < n ? first + panel::bytes(set, n, block) : first;
    const panel whole(set, L, columns, block, first, second);
    cholesky_blocked(on, watched_panel(whole, n, n, progress, n - columns - after, after));
    rest(on, first);
  });
}

}  // namespace detail
}  // namespace TRIFAC_ABI

inline namespace TRIFAC_CALLS {

template <class T, class B>
status calls<T, B>::cholesky(variant v, const B& backend, const const_view& A, const view& L,
                             const cholesky_options& options) noexcept {
  TRIFAC_TRY {
    const bool small = v == variant::best && detail::takes_small_path(backend);
    auto plan = detail::plan_cholesky<T, variant::best>(
        A.rows(), options, {.packs_panels = PackingBackend<B>, .has_small_path = small});
    if (v == variant::packed) plan.flops = threads_as_asked;
    detail::workspace memory(options.workspace, plan.bytes);
    if (!memory.ok()) return detail::no_workspace(options.workspace);
    if (!detail::is_same_view(A, L)) blas::copy_lower<T>(A, L);
    if constexpr (simd::has_kernels<T>)
      if (plan.kernel < simd::cholesky_kernel::panels)
        return simd::factor_small_cholesky(plan.kernel, L);
    status outcome;
    if constexpr (simd::has_kernels<T> && PackingBackend<B>)
      detail::run_cholesky_packed(backend, outcome, plan, L, L.rows(), 0, options.progress,
                                  memory.take_bytes(plan.bytes), [](auto&, std::byte*) {});
    else
      run(backend, outcome, plan.flops, [&](auto& on) {
        const index_t n = L.rows();
        cholesky_blocked(on, plain_cholesky_panel(L, n, detail::cholesky_block(n, options)));
      });
    return outcome;
  }
  TRIFAC_CATCH
}

template <class T, class B>
std::size_t calls<T, B>::cholesky_workspace_bytes(variant v, index_t n,
                                                  const cholesky_options& options) noexcept {
  const auto bytes = [&]<variant V>() {
    return trifac::cholesky_workspace_bytes<T, V>(n, options);
  };
#define TRIFAC_VARIANT(name, role) \
  if (v == variant::name) return bytes.template operator()<variant::name>();
#include "trifac/engine/base/variants.inl"
  return 0;
}

template <class T, class B>
index_t calls<T, B>::small_cholesky(T* A, index_t n, index_t down, index_t along) noexcept {
  const simd::cholesky_kernel best = simd::best_cholesky_kernel<T>(n);
  return best < simd::cholesky_kernel::panels ? simd::factor_small_at(best, A, n, down, along)
                                              : detail::not_small;
}

}  // namespace TRIFAC_CALLS
}  // namespace trifac
