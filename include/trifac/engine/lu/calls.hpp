#pragma once
// The definitions of calls<T, B>::lu: memory, backend, nest.

#include <optional>
#include <span>

#include "trifac/engine/call/call.hpp"
#include "trifac/engine/call/workspace.hpp"
#include "trifac/engine/calls/calls.hpp"
#include "trifac/engine/calls/defined.hpp"
#include "trifac/engine/cpu/run.hpp"
#include "trifac/engine/lu/blocked.hpp"
#include "trifac/engine/lu/on_views.hpp"
#include "trifac/engine/lu/plan.hpp"
#include "trifac/engine/panel/packed_lu.hpp"
#include "trifac/engine/panel/watched.hpp"
#include "trifac/engine/simd/lu/small.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

constexpr simd::pivot_choice pivot_choice_of(const lu_options& options) {
  return options.pivoting == pivoting::none ? simd::pivot_choice::diagonal
                                            : simd::pivot_choice::largest;
}

/// The tournament of packed panels, in what `memory` has behind the panels.
template <class T>
simd::packed_tournament<T> packed_tournament_in(std::byte* memory, const lu_plan& plan, index_t m,
                                                index_t n, const lu_options& options) {
  std::byte* rest = memory + simd::lu_panels_bytes<T>(m, n, plan.block);
  const auto numbers = static_cast<std::size_t>(2 * m);
  auto t = tournament_of<T>(options);
  t.rows = {simd::memory_pieces::take<index_t>(rest, 2 * m), numbers};
  t.order = {simd::memory_pieces::take<index_t>(rest, 2 * m), numbers};
  return {t, simd::tournament_memory<T>(plan.slots, plan.group_rows, plan.width, rest)};
}

/// lu_blocked over packed panels, in `given` or, where that is null, on the stack. With pivoting, a
/// pivot that is NaN or infinite does not end it.
template <Backend B, class T>
void run_lu_packed(const B& backend, status& outcome, const lu_plan& plan, const matrix_view<T>& A,
                   std::span<index_t> interchanges, const lu_options& options, std::byte* given) {
  const index_t m = A.rows(), n = A.cols();
  alignas(workspace_alignment) std::byte small[lu_bytes_on_stack];
  std::byte* const memory = given ? given : small;
  std::optional<simd::packed_tournament<T>> by_tournament;
  if (plan.slots > 0) by_tournament = packed_tournament_in<T>(memory, plan, m, n, options);
  index_t not_finite = -1;
  const simd::packed_lu_panel<T> first(simd::active_isa(), A, interchanges, plan.block, memory,
                                       {.choice = pivot_choice_of(options),
                                        .by_tournament = by_tournament ? &*by_tournament : nullptr,
                                        .not_finite = &not_finite});
  run(backend, outcome, plan.flops,
      [&](auto& on) { lu_blocked(on, watched_panel(first, m, n, options.progress)); });
  if (not_finite >= 0 && outcome.completed())
    outcome = status::at(status_kind::not_finite, not_finite);
}

/// nest(on, t) with the memory of a tournament t where the options ask for one.
template <Backend B, class T, class Nest>
status run_lu_on_views(const B& backend, const lu_plan& plan, const matrix_view<T>& A,
                       const lu_options& options, workspace& memory, const Nest& nest) {
  const index_t m = A.rows(), b = plan.block;
  const bool is_tournament = options.pivoting == pivoting::tournament;
  const auto copies = memory.take<T>(is_tournament ? m * b : 0),
             root = memory.take<T>(is_tournament ? b * b : 0);
  const auto rows = memory.take<index_t>(is_tournament ? 2 * m : 0),
             order = memory.take<index_t>(is_tournament ? 2 * m : 0);
  const auto scales =
      memory.take<real_t<T>>(is_tournament && options.selection == selection::scaled ? m : 0);
  auto t = tournament_of<T>(options);
  t.copies = column_major(copies.data(), m, b, m);
  t.root = column_major(root.data(), b, b);
  t.rows = rows.span();
  t.order = order.span();
  t.scales = scales.span();
  status outcome;
  run(backend, outcome, plan.flops, [&](auto& on) { nest(on, t); });
  return outcome;
}

}  // namespace detail
}  // namespace TRIFAC_ABI

inline namespace TRIFAC_CALLS {

template <class T, class B>
status calls<T, B>::lu(variant v, const B& backend, const view& A, index_t* interchanges,
                       const lu_options& options) noexcept {
  TRIFAC_TRY {
    const index_t m = A.rows(), n = A.cols();
    const std::span exchanged(interchanges, detail::as_size(detail::min(m, n)));
    constexpr bool packs = simd::has_kernels<T> && PackingBackend<B>;
    const bool small = v == variant::best && detail::takes_small_path(backend);
    const simd::isa set = simd::active_isa();
    auto plan = detail::plan_lu<T, variant::best>(
        m, n, options, {.packs_panels = PackingBackend<B>, .has_small_path = small}, set);
    if (v == variant::packed && plan.flops != one_thread) plan.flops = threads_as_asked;
    if constexpr (simd::has_kernels<T>)
      if (plan.kernel < simd::lu_kernel::panels)
        return simd::factor_small_lu(plan.kernel, set, A, exchanged,
                                     detail::pivot_choice_of(options));
    detail::workspace memory(options.workspace, plan.bytes);
    if (!memory.ok()) return detail::no_workspace(options.workspace);
    if constexpr (packs) {
      status outcome;
      detail::run_lu_packed(backend, outcome, plan, A, exchanged, options,
                            memory.take_bytes(plan.bytes));
      return outcome;
    } else {
      return detail::run_lu_on_views(
          backend, plan, A, options, memory, [&](auto& on, const auto& t) {
            detail::lu_on_views(on, A, exchanged, plan.block, options.pivoting,
                                detail::lu_panel_base, t);
          });
    }
  }
  TRIFAC_CATCH
}

template <class T, class B>
status calls<T, B>::small_lu(T* A, index_t n, index_t down, index_t along,
                             index_t* interchanges) noexcept {
  const simd::isa set = simd::active_isa();
  return simd::factor_small_lu(simd::best_lu_kernel<T>(set, n, n), set, view(A, n, n, down, along),
                               std::span(interchanges, detail::as_size(n)));
}

}  // namespace TRIFAC_CALLS
}  // namespace trifac
