#pragma once
// From the arguments to the loop nest of an LU variant: checks, memory, backend.

#include <span>

#include "trifac/engine/call/call.hpp"
#include "trifac/engine/call/workspace.hpp"
#include "trifac/engine/lu/blocked.hpp"
#include "trifac/engine/lu/check_finite.hpp"
#include "trifac/engine/lu/factor.hpp"
#include "trifac/engine/lu/four_block.hpp"
#include "trifac/engine/lu/known_order.hpp"
#include "trifac/engine/lu/plan.hpp"
#include "trifac/engine/lu/unblocked.hpp"
#include "trifac/engine/panel/packed_lu.hpp"
#include "trifac/engine/panel/plain_lu.hpp"
#include "trifac/engine/panel/recursive_lu.hpp"
#include "trifac/engine/panel/watched.hpp"
#include "trifac/engine/simd/lu/small.hpp"
#include "trifac/pivots.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// The chooser. V and the options decide the nest and how a panel is factored.
template <variant V, class On, class View, class Tournament>
void run_lu(On& on, View A, std::span<index_t> interchanges, index_t block, pivoting how,
            index_t base, const Tournament& t) {
  if constexpr (V == variant::unblocked) {
    lu_unblocked(on, A);
  } else if constexpr (V == variant::four_block) {
    lu_four_block(on, A, block);
  } else if constexpr (V == variant::recursive) {
    lu_recursive(on, A, 0, A.cols(), interchanges, base);
  } else if (how == pivoting::none) {  // a type or backend without packed panels
    lu_four_block(on, A, block);
  } else {
    const auto* const rounds = how == pivoting::tournament ? &t : nullptr;
    lu_blocked(on, plain_lu_panel(A, interchanges, block, base, rounds));
  }
}

constexpr simd::pivot_choice pivot_choice_of(const lu_options& options) {
  return options.pivoting == pivoting::none ? simd::pivot_choice::diagonal
                                            : simd::pivot_choice::largest;
}

/// lu_blocked over packed panels, in `memory` or, where that is null, on the stack.
template <Backend B, class T>
void run_lu_packed(const B& backend, status& outcome, const lu_plan& plan, const matrix_view<T>& A,
                   std::span<index_t> interchanges, const lu_options& options, std::byte* given) {
  const index_t m = A.rows();
  const auto factor = [&](std::byte* memory, const simd::packed_tournament<T>* rounds) {
    const simd::packed_lu_panel<T> first(simd::active_isa(), A, interchanges, plan.block, memory,
                                         rounds, nullptr, pivot_choice_of(options));
    run(backend, outcome, plan.flops, [&](auto& on) {
      if (options.progress)
        lu_blocked(on, watched_panel(first, m, A.cols(), options.progress));
      else
        lu_blocked(on, first);
    });
  };
  const auto factor_in = [&](std::byte* memory) {
    if (plan.slots == 0) return factor(memory, nullptr);
    std::byte* rest = memory + simd::lu_panels_bytes<T>(m, A.cols(), plan.block);
    const auto numbers = static_cast<std::size_t>(2 * m);
    auto t = tournament_of<T>(options);
    t.rows = {simd::panel_memory::take<index_t>(rest, 2 * m), numbers};
    t.order = {simd::panel_memory::take<index_t>(rest, 2 * m), numbers};
    const simd::packed_tournament<T> rounds = {
        t, simd::tournament_memory<T>(plan.slots, plan.group_rows, plan.width, rest)};
    factor(memory, &rounds);
  };
  if (given) return factor_in(given);
  alignas(workspace_alignment) std::byte small[lu_bytes_on_stack];
  factor_in(small);
}

/// A nest on views, by block operations.
template <variant V, Backend B, class T>
void run_lu_on_views(const B& backend, status& outcome, const lu_plan& plan,
                     const matrix_view<T>& A, std::span<index_t> interchanges,
                     const lu_options& options, workspace& memory) {
  const index_t m = A.rows(), b = plan.block;
  const bool rounds = options.pivoting == pivoting::tournament;
  const auto copies = memory.take<T>(rounds ? m * b : 0), root = memory.take<T>(rounds ? b * b : 0);
  const auto rows = memory.take<index_t>(rounds ? 2 * m : 0),
             order = memory.take<index_t>(rounds ? 2 * m : 0);
  const auto scales =
      memory.take<real_t<T>>(rounds && options.selection == selection::scaled ? m : 0);
  auto t = tournament_of<T>(options);
  t.copies = column_major(copies.data(), m, b, m);
  t.root = column_major(root.data(), b, b);
  t.rows = rows.span();
  t.order = order.span();
  t.scales = scales.span();
  run(backend, outcome, plan.flops,
      [&](auto& on) { run_lu<V>(on, A, interchanges, b, options.pivoting, lu_panel_base, t); });
}

/// Runs V as planned on a backend that runs our nests.
template <variant V, Backend B, class T>
status run_lu_plan(const B& backend, const matrix_view<T>& A, std::span<index_t> interchanges,
                   const lu_options& options) {
  const auto plan = plan_lu<T, V>(A.rows(), A.cols(), options, facts_of<B>);
  if constexpr (packs_lu<V, T> && SmallPathBackend<B>)
    if (plan.path == lu_path::small)
      return simd::factor_small_lu(A, interchanges, pivot_choice_of(options));
  workspace memory(options.workspace, plan.bytes);
  if (!memory.ok()) return no_workspace(options.workspace);
  status outcome;
  if constexpr (packs_lu<V, T> && PackingBackend<B>)
    if (plan.path == lu_path::packed) {
      std::byte* const panels = plan.bytes > 0 ? memory.take_bytes(plan.bytes) : nullptr;
      run_lu_packed(backend, outcome, plan, A, interchanges, options, panels);
      return outcome;
    }
  run_lu_on_views<V>(backend, outcome, plan, A, interchanges, options, memory);
  return outcome;
}

/// Checks the arguments and factors; p receives min(m, n) interchanges.
template <variant V, Backend B, class T>
status factor_lu(const B& backend, const matrix_view<T>& A, pivots& p, const lu_options& options) {
  static_assert(is_lu_variant(V), "this variant is one of Cholesky");
  if (const status s = check_lu_arguments(A, V, options); !s) return s;
  if (const status s = check_backend(backend); !s) return s;
  if (!supports(backend, V)) return status::argument("variant", "is not supported by this backend");
  if (LibraryBackend<B, T> && options.pivoting != pivoting::partial)
    return status::argument("options.pivoting", "must be partial for this backend");
  return with_new_pivots(p, detail::min(A.rows(), A.cols()), [&](std::span<index_t> interchanges) {
    if (A.empty()) return status();
    if constexpr (LibraryBackend<B, T>)
      return check_finite(A, getrf(backend, A, interchanges), options.block);
    else if constexpr (DeviceBackend<B>)
      return check_finite(A, backend.template lu<V>(A, interchanges, options), options.block);
    else if constexpr (TaskBackend<B> && LapackScalar<T>)
      return check_finite(A, backend.template start_lu<V>(A, interchanges, options).wait(),
                          options.block);
    else
      return check_finite(A, run_lu_plan<V>(backend, A, interchanges, options), options.block);
  });
}

/// P·A = L·U of a plain n×n matrix with n ≤ simd::small_lu by its kernel.
template <Backend B, class T>
status factor_small_lu(const B&, T* A, index_t n, index_t down, index_t along,
                       index_t* interchanges) {
  return simd::factor_small_lu(matrix_view<T>(A, n, n, down, along),
                               std::span(interchanges, as_size(n)));
}

/// factor_lu on the backend that a choosing one chooses, with what the profile says.
template <variant V, Backend B, class T>
status choose_and_factor(const B& backend, matrix_view<T> A, pivots& p, lu_options options) {
  const index_t n = detail::min(A.rows(), A.cols());
  if constexpr (ChoosingBackend<B>) {
    if (options.profile == nullptr) options.profile = &backend.profile();
    return backend.template choose<T>(factorization::lu, n, [&](const auto& chosen) {
      return choose_and_factor<V>(chosen, A, p, options);
    });
  } else {
    return factor_lu<V>(backend, A, p, tuned<T, V == variant::best, factorization::lu>(options, n));
  }
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
