#pragma once
// lu(): P·A = L·U. The public calls and the choice of the loop nest.

#include <algorithm>
#include <utility>

#include "trifac/algorithm/lu_four_block.hpp"
#include "trifac/algorithm/lu_packed.hpp"
#include "trifac/algorithm/lu_recursive.hpp"
#include "trifac/algorithm/lu_right_looking.hpp"
#include "trifac/algorithm/lu_tournament.hpp"
#include "trifac/algorithm/lu_unblocked.hpp"
#include "trifac/backend/serial.hpp"
#include "trifac/detail/call.hpp"
#include "trifac/detail/workspace.hpp"
#include "trifac/lu_factor.hpp"
#include "trifac/simd/lu_packed_panel.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

inline constexpr index_t default_lu_block = 64;
inline constexpr index_t lu_panel_base = 8;

inline index_t lu_block(index_t m, index_t n, const lu_options& options) {
  const index_t block = options.block > 0 ? options.block : default_lu_block;
  return std::max<index_t>(1, std::min({block, m, n}));
}

/// Variants that pack panels, on the types with kernels.
template <variant V, class T>
inline constexpr bool packs_lu =
    (V == variant::best || V == variant::right_looking) && simd::has_kernels<T>;

/// Columns of a packed panel: all of them while the matrix fits a second-level cache or has few,
/// else as many as keep the panel's share of the work small.
constexpr index_t packed_lu_block(index_t m, index_t n, const lu_options& options) {
  constexpr index_t unit = simd::base_columns, widest = simd::widest_block;
  const index_t steps = std::min(m, n), whole = std::max<index_t>(unit, steps / unit * unit);
  if (options.block > 0) return options.block >= n ? n : std::min(options.block, widest);
  // A tournament of one group is partial pivoting to the last bit.
  const bool plays = options.pivoting == pivoting::tournament && options.leaves != 1;
  if (plays && options.leaves > 0) return std::min<index_t>(whole, 64);
  if (n <= 64 || (n <= 448 && m <= 1024)) return n;
  if (plays)  // wide panels play fewer games, and groups of at least four times their width
    return std::min<index_t>(whole, steps < 1280 ? 64 : steps < 3000 ? 256 : 224);
  // Narrow ones where the team would wait for the panel.
  return std::min<index_t>(whole, steps < 1000 ? 64 : steps < 1536 ? 96 : steps < 3000 ? 192 : 256);
}

/// Partial pivoting, and tournaments by size: scaled games run on the plain verbs.
constexpr bool packs_pivoting(const lu_options& options) {
  return options.pivoting == pivoting::partial ||
         (options.pivoting == pivoting::tournament && options.selection == selection::plain);
}

/// The memory of a packed factorization: its panels and, for a tournament, the games, with the rows
/// that play.
template <class T>
struct packed_lu_layout {
  index_t m, n, block, width;  ///< width: of the first panel, not more than m
  index_t slots = 0, game_rows = 0;

  constexpr packed_lu_layout(index_t rows, index_t cols, const lu_options& options)
      : m(rows),
        n(cols),
        block(packed_lu_block(rows, cols, options)),
        width(std::min({block, rows, cols})) {
    if (options.pivoting != pivoting::tournament) return;
    // The first panel has the most groups. Later ones have groups of less than twice the size that
    // groups are meant to have, or of less than 2·width rows.
    const index_t leaf = std::max<index_t>(512, 4 * width);
    const index_t leaves = std::clamp<index_t>(options.leaves > 0 ? options.leaves : m / leaf, 1,
                                               std::max<index_t>(1, m / width));
    const index_t first =
        options.leaves > 0 ? std::max((m + leaves - 1) / leaves, 2 * width) : 2 * leaf;
    const index_t later = width * (options.arity > 0 ? std::min(options.arity, leaves) : leaves);
    game_rows = std::min(m, std::max(first, later));
    slots = leaves > 1 ? std::min(leaves, simd::lu_games<T>::most_slots) : 0;
  }
  constexpr std::size_t bytes() const {
    return simd::lu_panels_bytes<T>(m, n, block) +
           (slots == 0 ? 0
                       : simd::lu_games<T>::bytes(slots, game_rows, width) +
                             2 * scratch_bytes<index_t>(2 * m));
  }
};

/// Panels up to this size are on the stack: n ≤ 128 for double.
inline constexpr std::size_t lu_bytes_on_stack = 192 << 10;

}  // namespace detail

/// Bytes of workspace that lu<V> needs for an m×n matrix with these options: O(m·block), and 0
/// where 192 KiB on the stack suffice (n ≤ 128 for double) or the variant needs none. Products that
/// are not part of a packed panel (recursive, four_block, scaled selection) pack their operands in
/// memory of their own.
template <class T, variant V = variant::best>
constexpr std::size_t lu_workspace_bytes(index_t m, index_t n, const lu_options& given = {}) {
  if (m <= 0 || n <= 0) return 0;
  const auto options =
      detail::tuned<T, V == variant::best, factorization::lu>(given, std::min(m, n));
  if constexpr (detail::packs_lu<V, T>) {
    if (detail::packs_pivoting(options)) {
      const std::size_t bytes = detail::packed_lu_layout<T>(m, n, options).bytes();
      return bytes <= detail::lu_bytes_on_stack ? 0 : bytes + detail::workspace_alignment;
    }
  }
  if (options.pivoting != pivoting::tournament) return 0;
  const index_t b = detail::lu_block(m, n, options);
  const index_t scales = options.selection == selection::scaled ? m : 0;
  return detail::scratch_bytes<T>(m * b) + detail::scratch_bytes<T>(b * b) +
         2 * detail::scratch_bytes<index_t>(2 * m) + detail::scratch_bytes<real_t<T>>(scales) +
         detail::workspace_alignment;
}

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

constexpr bool never_exchanges(variant v) {
  return v == variant::unblocked || v == variant::four_block;
}

template <class T>
status check_lu_arguments(const matrix_view<T>& A, variant v, const lu_options& options) {
  if (const status s = check_view(A, "A"); !s) return s;
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
  return finite ? outcome : status::at(status_kind::not_finite, std::min(m, n) - 1);
}

/// The packed nests, their memory `given` or, where that is null, on the stack.
template <variant V, Backend B, class T>
status run_lu_packed(const B& backend, const matrix_view<T>& A, std::span<index_t> interchanges,
                     const lu_options& options, std::byte* given) {
  const index_t m = A.rows(), n = A.cols();
  const packed_lu_layout<T> layout(m, n, options);
  const double work =
      static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(std::min(m, n));
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
    const simd::lu_games<T> games(layout.slots, layout.game_rows, layout.width, rest);
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
  if constexpr (packs_lu<V, T> && DirectBackend<B>)
    if (options.pivoting == pivoting::partial && options.block == 0 && simd::is_small_lu(A))
      return simd::factor_small_lu(A, interchanges);  // the one panel of lu_packed

  const index_t m = A.rows(), n = A.cols(), block = lu_block(m, n, options);
  const std::size_t bytes = lu_workspace_bytes<T, V>(m, n, options);
  workspace memory(options.workspace, bytes);
  if (!memory.ok())
    return options.workspace.empty() ? status::failure(status_kind::out_of_memory, "workspace")
                                     : status::argument("options.workspace", "is too small");
  if constexpr (packs_lu<V, T> && PackingBackend<B>) {
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
      static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(std::min(m, n));
  const double flops = V == variant::best ? work : threads_as_asked;
  status outcome;
  run(backend, outcome, flops,
      [&](auto& on) { run_lu<V>(on, A, interchanges, block, options.pivoting, games); });
  return outcome;
}

/// Checks the arguments and factors; p receives min(m, n) interchanges.
template <variant V, Backend B, class T>
status factor_lu(const B& backend, const matrix_view<T>& A, pivots& p, const lu_options& options) {
  static_assert(is_lu_variant(V), "this variant is one of Cholesky");
  if (const status s = check_lu_arguments(A, V, options); !s) return s;
  if (const status s = check_backend(backend); !s) return s;
  if (!supports(backend, V)) return status::argument("variant", "is not supported by this backend");
  p.reset(std::min(A.rows(), A.cols()));
  if (A.empty()) return {};
  if constexpr (WholeBackend<B, T>) {
    if (options.pivoting != pivoting::partial)
      return status::argument("options.pivoting", "must be partial for this backend");
    return check_edges(A, getrf(backend, A, p.span()));
  } else if constexpr (DeviceBackend<B>) {
    return check_edges(A, backend.template lu<V>(A, p.span(), options));
  } else {
    return check_edges(A, run_lu_nest<V>(backend, A, p.span(), options));
  }
}

/// factor_lu on the backend that a choosing one chooses, with what the profile says.
template <variant V, Backend B, class T>
status choose_and_factor(const B& backend, matrix_view<T> A, pivots& p, lu_options options) {
  const index_t n = std::min(A.rows(), A.cols());
  if constexpr (ChoosingBackend<B>) {
    if (options.profile == nullptr) options.profile = &backend.profile();
    return backend.template choose<T>(factorization::lu, n, [&](const auto& chosen) {
      return choose_and_factor<V>(chosen, A, p, options);
    });
  } else {
    return factor_lu<V>(backend, A, p, tuned<T, V == variant::best, factorization::lu>(options, n));
  }
}

/// Factors, measures the growth max |u_ij| / max |a_ij| where it is asked for, and hands both to
/// make(status, growth).
template <variant V, Backend B, class T, class Make>
auto lu_with_growth(const B& backend, const matrix_view<T>& A, pivots& p, const lu_options& options,
                    Make make) {
  real_t<T> growth = lu_factor<T>::not_measured;
  const status s = without_exceptions([&] {
    const bool wanted = options.growth && check_view(A, "A");
    const real_t<T> before = wanted ? verb::largest<T>(A) : real_t<T>(0);
    const status outcome = choose_and_factor<V>(backend, A, p, options);
    if (wanted && outcome.completed()) growth = verb::largest_above_diagonal<T>(A) / before;
    return outcome;
  });
  return s.ok() ? make(status(), growth) : make(s, growth);
}

}  // namespace detail

/// A := L\U with P·A = L·U in place, L unit lower triangular. No exception leaves it: the status
/// tells everything, wrong arguments too. The result owns the row interchanges.
/// @param backend  where it runs; without it backend::serial
/// @param A  m×n, any shape, overwritten: U on and above the diagonal, L without its ones below. Any
///           MatrixLike, any strides; a moved-in matrix<T> is owned by the result.
/// @return   status singular with the 0-based index of the first zero on the diagonal of U (the
///           factorization is complete all the same), not_finite with the index of the first pivot
///           that is NaN or infinite, or, without pivoting, zero_pivot. At these two it stops: then,
///           without pivoting, the leading index×index block holds its factors; with pivoting the
///           elements of A are unspecified.
/// Cost mn² − n³/3 flops for m ≥ n (2n³/3 for m = n); workspace: lu_workspace_bytes. LAPACK: getrf.
/// Sources: LAPACK getrf, getrf2; tournament pivoting: Grigori, Demmel, Xiang, SIMAX 32(4), 2011.
template <variant V = variant::best, Backend B, MatrixLike M>
auto try_lu(const B& backend, M&& A, const lu_options& options = {}) noexcept {
  using T = scalar_t<M>;
  const matrix_view<T> view = view_of(A);
  pivots p;
  return detail::lu_with_growth<V>(backend, view, p, options,
                                   [&](const status& s, const auto& growth) {
                                     // A temporary or moved-in matrix: the factor owns it.
                                     if constexpr (std::is_same_v<M, matrix<T>>)
                                       return lu_factor<T>(std::move(A), std::move(p), s, growth);
                                     else
                                       return lu_factor<T>(view, std::move(p), s, growth);
                                   });
}
template <variant V = variant::best, MatrixLike M>
auto try_lu(M&& A, const lu_options& options = {}) noexcept {
  return try_lu<V>(backend::serial{}, std::forward<M>(A), options);
}

/// The same with the caller's pivots: p receives the min(m, n) interchanges, and the result refers
/// to it.
template <variant V = variant::best, Backend B, MatrixLike M>
auto try_lu(const B& backend, M&& A, pivots& p, const lu_options& options = {}) noexcept {
  using T = scalar_t<M>;
  const matrix_view<T> view = view_of(A);
  return detail::lu_with_growth<V>(
      backend, view, p, options,
      [&](const status& s, const auto& growth) { return lu_factor<T>(view, &p, s, growth); });
}
template <variant V = variant::best, MatrixLike M>
auto try_lu(M&& A, pivots& p, const lu_options& options = {}) noexcept {
  return try_lu<V>(backend::serial{}, std::forward<M>(A), p, options);
}

#if TRIFAC_EXCEPTIONS
/// try_lu that throws argument_error, backend_error or std::bad_alloc where the matrix is not to
/// blame; a singular or not finite matrix still comes back in the status (or_throw() throws it).
template <variant V = variant::best, Backend B, MatrixLike M>
auto lu(const B& backend, M&& A, const lu_options& options = {}) {
  auto factor = try_lu<V>(backend, std::forward<M>(A), options);
  detail::throw_unless_numerical(factor.status());
  return factor;
}
template <variant V = variant::best, MatrixLike M>
auto lu(M&& A, const lu_options& options = {}) {
  return lu<V>(backend::serial{}, std::forward<M>(A), options);
}
template <variant V = variant::best, Backend B, MatrixLike M>
auto lu(const B& backend, M&& A, pivots& p, const lu_options& options = {}) {
  auto factor = try_lu<V>(backend, std::forward<M>(A), p, options);
  detail::throw_unless_numerical(factor.status());
  return factor;
}
template <variant V = variant::best, MatrixLike M>
auto lu(M&& A, pivots& p, const lu_options& options = {}) {
  return lu<V>(backend::serial{}, std::forward<M>(A), p, options);
}
#endif

}  // namespace TRIFAC_ABI
}  // namespace trifac
