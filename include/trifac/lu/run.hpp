#pragma once
// From the arguments to the loop nest of an LU variant: checks, memory, backend.

#include <span>
#include <utility>

#include "trifac/detail/call.hpp"
#include "trifac/detail/workspace.hpp"
#include "trifac/lu/four_block.hpp"
#include "trifac/lu/packed.hpp"
#include "trifac/lu/plan.hpp"
#include "trifac/lu/recursive.hpp"
#include "trifac/lu/right_looking.hpp"
#include "trifac/lu/tournament.hpp"
#include "trifac/lu/unblocked.hpp"
#include "trifac/panel/packed_lu.hpp"
#include "trifac/pivots.hpp"
#include "trifac/simd/lu/small.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// The chooser. V and the options decide the nest and how a panel is factored.
template <variant V, class On, class View, class Games>
void run_lu(On& on, View A, std::span<index_t> interchanges, index_t block, pivoting how,
            const Games& games) {
  if constexpr (V == variant::unblocked) {
    lu_unblocked(on, A);
  } else if constexpr (V == variant::four_block) {
    lu_four_block(on, A, block);
  } else if constexpr (V == variant::recursive) {
    lu_recursive(on, A, 0, A.cols(), interchanges, games.base);
  } else if (how == pivoting::none) {
    lu_four_block(on, A, block);
  } else if (how == pivoting::tournament) {
    lu_right_looking(on, A, interchanges, block, [&](index_t k, index_t b) {
      lu_tournament_panel(on, A, k, b, interchanges, games);
    });
  } else {
    lu_right_looking(on, A, interchanges, block, [&](index_t k, index_t b) {
      lu_recursive(on, A, k, b, interchanges, games.base);
    });
  }
}

// See is_one_of in detail/call.hpp.
constexpr bool is_one_of(pivoting p) {
  return p == pivoting::none || p == pivoting::partial || p == pivoting::tournament;
}
constexpr bool is_one_of(selection s) {
  return s == selection::plain || s == selection::scaled;
}

constexpr bool never_exchanges(variant v) {
  return v == variant::unblocked || v == variant::four_block;
}

template <class T>
status check_lu_arguments(const matrix_view<T>& A, variant v, const lu_options& options) {
  if (const status s = check_view(A, "A"); !s) return s;
  if (!is_one_of(options.pivoting))
    return status::argument("options.pivoting", "is not one of its enumeration");
  if (!is_one_of(options.selection))
    return status::argument("options.selection", "is not one of its enumeration");
  if (options.block < 0) return status::argument("options.block", "is negative");
  if (options.leaves < 0) return status::argument("options.leaves", "is negative");
  if (options.arity < 0 || options.arity == 1)
    return status::argument("options.arity", "must be 0 or at least 2");
  if (!(options.max_l >= 1)) return status::argument("options.max_l", "must be at least 1");
  if (v != variant::best && never_exchanges(v) != (options.pivoting == pivoting::none))
    return status::argument("options.pivoting", never_exchanges(v)
                                                    ? "must be none for this variant"
                                                    : "must not be none for this variant");
  if (v == variant::recursive && options.pivoting != pivoting::partial)
    return status::argument("options.pivoting", "must be partial for this variant");
  return {};
}

/// What no later pivot can show: the last row of U of a wide matrix, and the last column of L of a
/// tall one (without pivoting, or where a library's pivot search lets NaN lose).
template <class T>
status check_edges(const matrix_view<T>& A, const status& outcome) {
  const index_t m = A.rows(), n = A.cols();
  if (!outcome.completed() || A.empty()) return outcome;
  bool finite = true;
  for (index_t j = m; j < n; ++j) finite = finite && is_finite(A(m - 1, j));
  for (index_t i = n; i < m; ++i) finite = finite && is_finite(A(i, n - 1));
  return finite ? outcome : status::at(status_kind::not_finite, detail::min(m, n) - 1);
}

/// The packed nests, their memory `given` or, where that is null, on the stack.
template <variant V, Backend B, class T>
status run_lu_packed(const B& backend, const matrix_view<T>& A, std::span<index_t> interchanges,
                     const lu_options& options, std::byte* given) {
  const index_t m = A.rows(), n = A.cols();
  const packed_lu_layout<T> layout(m, n, options);
  const double work =
      static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(detail::min(m, n));
  // One panel of partial pivoting is one thread's.
  const bool one = layout.block >= n && layout.slots == 0;
  const double flops = one ? 0 : V == variant::best ? work : threads_as_asked;
  status outcome;
  const auto factor = [&](std::byte* memory) {
    const simd::lu_packed_panel<T> first(simd::active_isa(), A, interchanges, layout.block, memory);
    if (layout.slots == 0) {
      run(backend, outcome, flops, [&](auto& on) { lu_packed(on, first); });
      return;
    }
    std::byte* rest = memory + simd::lu_panels_bytes<T>(m, n, layout.block);
    const auto numbers = static_cast<std::size_t>(2 * m);
    index_t* const rows = simd::panel_memory::take<index_t>(rest, 2 * m);
    index_t* const order = simd::panel_memory::take<index_t>(rest, 2 * m);
    const simd::tournament_memory<T> games(layout.slots, layout.game_rows, layout.width, rest);
    tournament<T> t;
    t.leaves = options.leaves;
    t.arity = options.arity;
    t.max_l = options.max_l;
    t.rows = {rows, numbers};
    t.order = {order, numbers};
    run(backend, outcome, flops, [&](auto& on) { lu_packed(on, first, interchanges, t, games); });
  };
  if (given) {
    factor(given);
  } else {
    alignas(workspace_alignment) std::byte small[lu_bytes_on_stack];
    factor(small);
  }
  return outcome;
}

/// Runs V with its workspace on a backend that runs our nests.
template <variant V, Backend B, class T>
status run_lu_nest(const B& backend, const matrix_view<T>& A, std::span<index_t> interchanges,
                   const lu_options& options) {
  if constexpr (V == variant::best && packs_lu<V, T> && SmallPathBackend<B>)
    if (options.pivoting == pivoting::partial && options.block == 0 && simd::is_small_lu(A))
      return simd::factor_small_lu(A, interchanges);  // the one panel of lu_packed

  const index_t m = A.rows(), n = A.cols(), block = lu_block(m, n, options);
  constexpr bool packs = packs_lu<V, T> && PackingBackend<B>;
  constexpr variant nest = packs_lu<V, T> && !packs ? variant::right_looking : V;
  const std::size_t bytes = lu_workspace_bytes<T, nest>(m, n, options);
  workspace memory(options.workspace, bytes);
  if (!memory.ok())
    return options.workspace.empty() ? status::failure(status_kind::out_of_memory, "workspace")
                                     : status::argument("options.workspace", "is too small");
  if constexpr (packs) {
    if (packs_pivoting(options))
      return run_lu_packed<V>(backend, A, interchanges, options,
                              bytes > 0 ? memory.take_bytes(bytes) : nullptr);
  }
  const bool plays = options.pivoting == pivoting::tournament;
  const auto copies = memory.take<T>(plays ? m * block : 0),
             root = memory.take<T>(plays ? block * block : 0);
  const auto rows = memory.take<index_t>(plays ? 2 * m : 0),
             order = memory.take<index_t>(plays ? 2 * m : 0);
  const auto scales =
      memory.take<real_t<T>>(plays && options.selection == selection::scaled ? m : 0);
  const tournament<T> games{.leaves = options.leaves,
                            .arity = options.arity,
                            .max_l = options.max_l,
                            .rule = options.selection,
                            .base = lu_panel_base,
                            .games = column_major(copies.data(), m, block, m),
                            .root = column_major(root.data(), block, block),
                            .rows = rows.span(),
                            .order = order.span(),
                            .scales = scales.span()};
  const double work =
      static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(detail::min(m, n));
  const double flops = V == variant::best ? work : threads_as_asked;
  status outcome;
  run(backend, outcome, flops,
      [&](auto& on) { run_lu<V>(on, A, interchanges, block, options.pivoting, games); });
  return outcome;
}

/// factor(interchanges) with memory for `count` of them, which p receives; it stays as it is where
/// the status says that nothing was touched.
template <class Factor>
status with_new_pivots(pivots& p, index_t count, Factor factor) {
  pivots made(count);
  const status s = factor(made.span());
  if (s.of_the_matrix()) p = std::move(made);
  return s;
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
      return check_edges(A, getrf(backend, A, interchanges));
    else if constexpr (DeviceBackend<B>)
      return check_edges(A, backend.template lu<V>(A, interchanges, options));
    else
      return check_edges(A, run_lu_nest<V>(backend, A, interchanges, options));
  });
}

/// Where choose_and_factor would find nothing to object to and end in factor_small_lu.
template <variant V, Backend B, class T>
bool is_plain_and_small(const B& backend, const matrix_view<T>& A, const lu_options& options) {
  if constexpr (V == variant::best && packs_lu<V, T> && SmallPathBackend<B>)
    return simd::is_small_lu(A) && is_plain(A) && options.pivoting == pivoting::partial &&
           is_one_of(options.selection) && options.block == 0 && options.leaves == 0 &&
           options.arity == 0 && options.max_l >= 1 && options.profile == nullptr &&
           supports(backend, V) && backend.available().ok;
  else
    return false;
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
