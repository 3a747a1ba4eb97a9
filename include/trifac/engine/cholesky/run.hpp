#pragma once
// From checked arguments to the loop nest of a Cholesky variant: orientation, memory, backend.

#include <type_traits>

#include "trifac/engine/blas/copy.hpp"
#include "trifac/engine/call/call.hpp"
#include "trifac/engine/call/lower_operand.hpp"
#include "trifac/engine/call/workspace.hpp"
#include "trifac/engine/cholesky/blocked.hpp"
#include "trifac/engine/cholesky/check.hpp"
#include "trifac/engine/cholesky/elements.hpp"
#include "trifac/engine/cholesky/known_order.hpp"
#include "trifac/engine/cholesky/left_looking.hpp"
#include "trifac/engine/cholesky/plan.hpp"
#include "trifac/engine/cholesky/recursive.hpp"
#include "trifac/engine/cholesky/top_looking.hpp"
#include "trifac/engine/panel/packed_cholesky.hpp"
#include "trifac/engine/panel/plain_cholesky.hpp"
#include "trifac/engine/panel/watched.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// The chooser. S is the source, L the destination, both lower triangles; for the blocked variants
/// S has been copied to L.
template <variant V, class On, class Source, class View, class R>
void run_cholesky(On& on, const Source& S, const View& L, const cholesky_options& options,
                  R* sums) {
  const index_t block = cholesky_block(L.rows(), options);
  if constexpr (V == variant::banachiewicz)
    cholesky_banachiewicz(on, S, L);
  else if constexpr (V == variant::crout)
    cholesky_crout(on, S, L, options.cutoff);
  else if constexpr (V == variant::crout_distributed_sum)
    cholesky_crout_distributed_sum(on, S, L, options.cutoff, sums);
  else if constexpr (V == variant::left_looking)
    cholesky_left_looking(on, L, block);
  else if constexpr (V == variant::top_looking)
    cholesky_top_looking(on, L, block);
  else if constexpr (V == variant::recursive)
    cholesky_recursive(on, L, 0, block);
  else
    cholesky_blocked(on, plain_cholesky_panel(L, block));
}

/// cholesky_blocked over packed panels, in `memory` or, where that is null, on the stack.
template <class B, class T>
void run_cholesky_packed(const B& backend, status& outcome, const cholesky_plan& plan,
                         matrix_view<T> L, const cholesky_options& options, std::byte* memory) {
  using panel = simd::packed_cholesky_panel<T>;
  const simd::isa set = simd::active_isa();
  const index_t n = L.rows();
  const auto factor = [&](std::byte* first) {
    run(backend, outcome, plan.flops, [&](auto& on) {
      constexpr bool team = std::remove_reference_t<decltype(on)>::is_team;
      const index_t block = team ? plan.team_block : plan.block;
      std::byte* const second = team && block < n ? first + panel::bytes(set, n, block) : first;
      const panel whole(set, L, block, first, second);
      if (options.progress)
        cholesky_blocked(on, watched_panel(whole, n, n, options.progress));
      else
        cholesky_blocked(on, whole);
    });
  };
  if (memory) return factor(memory);
  alignas(workspace_alignment) std::byte small[simd::panel_bytes_on_stack];
  factor(small);
}

/// Checks the arguments, orients the triangle and runs V. In place where A and L are the same
/// elements. Else L is not written before all memory is there.
template <variant V, Backend B, class T>
status factor_cholesky(const B& backend, const matrix_view<const T>& given_A,
                       const matrix_view<T>& given_L, const cholesky_options& options) {
  static_assert(is_cholesky_variant(V), "this variant is one of LU");
  if (const status s = check_cholesky<V>(backend, given_A, given_L, options); !s) return s;
  // A = Uᴴ·U: Uᵀ is the lower factor of Aᵀ.
  const auto A = lower_view(given_A, options.part);
  const auto L = lower_view(given_L, options.part);
  if (A.empty()) return {};

  const bool in_place = is_same_view(A, L);
  if constexpr (LibraryBackend<B, T>) {
    return potrf(backend, A, L);
  } else if constexpr (DeviceBackend<B>) {
    return backend.template cholesky<V>(A, L, options);
  } else if constexpr (TaskBackend<B> && LapackScalar<T>) {
    return backend.template start_cholesky<V>(A, L, options).wait();
  } else {
    const auto plan = plan_cholesky<T, V>(A.rows(), options, facts_of<B>);
    workspace memory(options.workspace, plan.bytes);
    if (!memory.ok()) return no_workspace(options.workspace);
    if (!in_place && plan.path != cholesky_path::elements) blas::copy_lower<T>(A, L);
    status outcome;
    if constexpr (packs_cholesky<V, T> && SmallPathBackend<B>)
      if (plan.path == cholesky_path::small) return simd::factor_small_cholesky(L);
    if constexpr (packs_cholesky<V, T> && PackingBackend<B>) {
      run_cholesky_packed(backend, outcome, plan, L, options,
                          plan.bytes > 0 ? memory.take_bytes(plan.bytes) : nullptr);
    } else {
      const auto sums = memory.take<real_t<T>>(V == variant::crout_distributed_sum ? A.rows() : 0);
      run(backend, outcome, plan.flops,
          [&](auto& on) { run_cholesky<V>(on, A, L, options, sums.data()); });
    }
    return outcome;
  }
}

/// Lower triangle of the n×n matrix at A := L by its kernel: all_good, the index of a bad pivot, or
/// not_small.
template <Backend B, class T>
index_t factor_small(const B&, T* A, index_t n, index_t down, index_t along) {
  constexpr cholesky_options usual;
  if (is_small_cholesky<T, variant::best>(n, usual, facts_of<B>))
    return simd::factor_small_at(A, n, down, along);
  return not_small;
}

/// factor_cholesky on the backend that a choosing one chooses, with what the profile says.
template <variant V, Backend B, class T>
status choose_and_factor(const B& backend, matrix_view<const T> A, matrix_view<T> L,
                         cholesky_options options) {
  const index_t n = A.rows();
  if constexpr (ChoosingBackend<B>) {
    if (options.profile == nullptr) options.profile = &backend.profile();
    return backend.template choose<T>(factorization::cholesky, n, [&](const auto& chosen) {
      return choose_and_factor<V>(chosen, A, L, options);
    });
  } else {
    constexpr bool is_best = V == variant::best;
    return factor_cholesky<V>(backend, A, L,
                              tuned<T, is_best, factorization::cholesky>(options, n));
  }
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
