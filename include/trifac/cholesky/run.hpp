#pragma once
// From checked arguments to the loop nest of a Cholesky variant: orientation, memory, backend.

#include <type_traits>

#include "trifac/blas/copy.hpp"
#include "trifac/cholesky/blocked.hpp"
#include "trifac/cholesky/elements.hpp"
#include "trifac/cholesky/left_looking.hpp"
#include "trifac/cholesky/plan.hpp"
#include "trifac/cholesky/recursive.hpp"
#include "trifac/cholesky/top_looking.hpp"
#include "trifac/detail/call.hpp"
#include "trifac/detail/overlap.hpp"
#include "trifac/detail/workspace.hpp"
#include "trifac/panel/packed_cholesky.hpp"
#include "trifac/panel/plain_cholesky.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// The chooser. S is the source, L the destination, both lower triangles; for the blocked variants
/// S has been copied to L.
template <variant V, class On, class Source, class View, class R>
void run_cholesky(On& on, const Source& S, const View& L, const cholesky_options& options,
                  R* sums) {
  const index_t block =
      detail::min(options.block > 0 ? options.block : default_cholesky_block, L.rows());
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

/// The packed variant, its panels in `memory` or, where that is null, on the stack.
template <class B, class T>
void run_cholesky_packed(const B& backend, status& outcome, double flops, matrix_view<T> L,
                         const cholesky_options& options, std::byte* memory) {
  using panel = simd::packed_cholesky_panel<T>;
  const simd::isa set = simd::active_isa();
  const bool parts = L.row_stride() != 1 && panel::splits_lines(set);
  const auto factor = [&](std::byte* at) {
    run(backend, outcome, flops, [&](auto& on) {
      constexpr bool looks_ahead = std::remove_reference_t<decltype(on)>::is_team;
      const panel_use use = {.looks_ahead = looks_ahead, .parts_of_lines = parts};
      const index_t n = L.rows(), block = packed_cholesky_block(n, options, use);
      std::byte* const other = looks_ahead && block < n ? at + panel::bytes(set, n, block) : at;
      cholesky_blocked(on, panel(set, L, block, at, other));
    });
  };
  if (memory) return factor(memory);
  alignas(workspace_alignment) std::byte small[simd::panel_bytes_on_stack];
  factor(small);
}

/// The view in which the triangle is the lower one, number by number: see check_view.
template <class T>
constexpr matrix_view<T> lower_view(const matrix_view<T>& A, bool upper) {
  return {A.data(), upper ? A.cols() : A.rows(), upper ? A.rows() : A.cols(),
          upper ? A.col_stride() : A.row_stride(), upper ? A.row_stride() : A.col_stride()};
}

constexpr bool is_by_elements(variant v) {
  return v == variant::banachiewicz || v == variant::crout || v == variant::crout_distributed_sum;
}

inline status check_cholesky_options(const cholesky_options& options) {
  if (!is_one_of(options.part))
    return status::argument("options.part", "is not one of its enumeration");
  if (options.block < 0) return status::argument("options.block", "is negative");
  if (options.cutoff < 0) return status::argument("options.cutoff", "is negative");
  return {};
}

/// Checks the arguments, orients the triangle and runs V. In place where A and L are the same
/// elements. Else L is not written before all memory is there.
template <variant V, Backend B, class T>
status factor_cholesky(const B& backend, const matrix_view<const T>& given_A,
                       const matrix_view<T>& given_L, const cholesky_options& options) {
  static_assert(is_cholesky_variant(V), "this variant is one of LU");
  if (const status s = check_view(given_A, "A"); !s) return s;
  if (const status s = check_view(given_L, "L"); !s) return s;
  if (const status s = check_backend(backend); !s) return s;
  if (const status s = check_cholesky_options(options); !s) return s;
  // A = Uᴴ·U: Uᵀ is the lower factor of Aᵀ.
  const bool upper = options.part == triangle::upper;
  const auto A = lower_view(given_A, upper);
  const auto L = lower_view(given_L, upper);
  if (A.rows() != A.cols()) return status::argument("A", "is not square");
  if (L.rows() != A.rows() || L.cols() != A.cols())
    return status::argument("L", "is not of the size of A");
  if (!supports(backend, V)) return status::argument("variant", "is not supported by this backend");
  if (A.empty()) return {};

  const bool in_place =
      A.data() == L.data() &&
      (A.rows() == 1 || (A.row_stride() == L.row_stride() && A.col_stride() == L.col_stride()));
  if (!in_place && overlap(A, part_in_use::lower, L, part_in_use::lower))
    return status::argument("L", "overlaps A without being the same view");
  const auto start_from_copy = [&] {
    if (!in_place && !is_by_elements(V)) blas::copy_lower<T>(A, L);
  };

  if constexpr (V == variant::best && packs_cholesky<V, T> && SmallPathBackend<B>)
    if (options.block == 0 && L.rows() <= simd::small_cholesky<T>) {
      start_from_copy();
      return simd::factor_small_cholesky(L);  // the one panel of cholesky_packed
    }

  status outcome;
  if constexpr (LibraryBackend<B, T>) {
    outcome = potrf(backend, A, L);
  } else if constexpr (DeviceBackend<B>) {
    outcome = backend.template cholesky<V>(A, L, options);
  } else {
    constexpr bool packs = packs_cholesky<V, T> && PackingBackend<B>;
    constexpr variant nest = packs_cholesky<V, T> && !packs ? variant::right_looking : V;
    const std::size_t bytes = cholesky_workspace_bytes<T, nest>(A.rows(), options);
    workspace memory(options.workspace, bytes);
    if (!memory.ok())
      return options.workspace.empty() ? status::failure(status_kind::out_of_memory, "workspace")
                                       : status::argument("options.workspace", "is too small");
    start_from_copy();
    const double n = static_cast<double>(A.rows());
    const double flops = V == variant::best ? n * n * n / 3 : threads_as_asked;
    if constexpr (packs) {
      std::byte* const panels = bytes > 0 ? memory.take_bytes(bytes) : nullptr;
      const bool one_panel =
          V == variant::best &&
          packed_cholesky_block(A.rows(), options, {.looks_ahead = true}) >= A.rows();
      run_cholesky_packed(backend, outcome, one_panel ? 0 : flops, L, options, panels);
    } else {
      const auto sums = memory.take<real_t<T>>(V == variant::crout_distributed_sum ? A.rows() : 0);
      run(backend, outcome, flops,
          [&](auto& on) { run_cholesky<V>(on, A, L, options, sums.data()); });
    }
  }
  return outcome;
}

/// What try_small says besides the index of a bad pivot.
inline constexpr index_t all_good = -1, not_small = -2;

/// Factors A at once where choose_and_factor<variant::best> would find nothing to object to and end
/// in factor_small_cholesky: the way there takes an eighth of the time of order 16.
template <Backend B, class T>
index_t try_small(const B& backend, matrix_view<T> A, const cholesky_options& options) {
  const bool plain = options.block == 0 && options.cutoff == 0 && options.profile == nullptr &&
                     is_one_of(options.part);
  if (A.rows() > simd::small_cholesky<T> || A.rows() != A.cols() || !is_plain(A) || !plain ||
      !supports(backend, variant::best) || !backend.available().ok)
    return not_small;
  const bool upper = options.part == triangle::upper;
  return simd::factor_small_at(A.data(), A.rows(), upper ? A.col_stride() : A.row_stride(),
                               upper ? A.row_stride() : A.col_stride());
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
