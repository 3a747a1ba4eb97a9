#pragma once
// cholesky(): A = L·Lᴴ. The public calls and the choice of the loop nest.

#include <algorithm>
#include <utility>

#include "trifac/algorithm/cholesky_elements.hpp"
#include "trifac/algorithm/cholesky_fused.hpp"
#include "trifac/algorithm/cholesky_left_looking.hpp"
#include "trifac/algorithm/cholesky_recursive.hpp"
#include "trifac/algorithm/cholesky_right_looking.hpp"
#include "trifac/algorithm/cholesky_top_looking.hpp"
#include "trifac/backend/serial.hpp"
#include "trifac/cholesky_factor.hpp"
#include "trifac/detail/call.hpp"
#include "trifac/detail/workspace.hpp"
#include "trifac/simd/packed_panel.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {

namespace detail {

inline constexpr index_t default_cholesky_block = 64;

/// Variants that pack panels: on the types with kernels `best` is `fused`.
template <variant V, class T>
inline constexpr bool is_fused =
    (V == variant::best || V == variant::fused) && simd::has_kernels<T>;

/// Smallest order that is divided into panels at all: two of half its columns need no more memory
/// than one of all.
inline constexpr index_t divided_order = 256;

/// What the width of fused panels depends on besides the order. The factor has the same bits for
/// every width.
struct panel_use {
  int threads = 1;
  bool parts_of_lines = false;  ///< a tile takes only a part of a cache line from each row
};

/// Columns of a fused panel. A team: a third, since each panel is handed over between cores, but no
/// more than nobody waits long for. One thread: all while they fit a second-level cache, else 256;
/// at most 128 where lines are needed again for the next tile.
constexpr index_t fused_block(index_t n, const cholesky_options& options, panel_use use = {}) {
  const index_t unit = simd::panel_unit;
  if (options.block > 0) return (options.block + unit - 1) / unit * unit;
  if (n < divided_order) return std::max(n, unit);
  if (use.threads > 1) return std::clamp<index_t>(n / 3 / 32 * 32, 64, n < 1280 ? 192 : 256);
  if (n <= 512) return use.parts_of_lines ? 128 : n;
  return 256;
}

/// Bytes for the panels of cholesky_fused, two where one is not all, for any use.
template <class T>
constexpr std::size_t fused_bytes(index_t n, const cholesky_options& options) {
  const auto bytes = [&](panel_use use) {
    const index_t block = fused_block(n, options, use);
    const std::size_t panel = simd::most_panel_bytes<T>(n, std::min(block, n));
    return block >= n ? panel : 2 * panel;
  };
  return std::max({bytes({}), bytes({.threads = 2}), bytes({.parts_of_lines = true})});
}

}  // namespace detail

/// Bytes of workspace that cholesky<V> needs for order n with these options; 0 where it needs none.
/// The fused variant, which `best` is for s, d, c, z: about n² elements up to n = 512, then 512·n,
/// and none as long as 144 KiB on the stack suffice (n ≤ 128 for double).
template <class T, variant V = variant::best>
constexpr std::size_t cholesky_workspace_bytes(index_t n, const cholesky_options& given = {}) {
  if (n <= 0) return 0;
  const auto options = detail::tuned<T, V == variant::best, factorization::cholesky>(given, n);
  if constexpr (detail::is_fused<V, T>) {
    const std::size_t bytes = detail::fused_bytes<T>(n, options);
    return bytes <= simd::panel_bytes_on_stack ? 0 : bytes + detail::workspace_alignment;
  }
  return V == variant::crout_distributed_sum
             ? detail::scratch_bytes<real_t<T>>(n) + detail::workspace_alignment
             : 0;
}

namespace detail {

/// The chooser. S is the source, L the destination, both lower triangles; for the blocked variants
/// S has been copied to L.
template <variant V, class On, class Source, class View, class R>
void run_cholesky(On& on, const Source& S, const View& L, const cholesky_options& options,
                  R* sums) {
  const index_t block = options.block > 0 ? options.block : default_cholesky_block;
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
    cholesky_right_looking(on, L, block);
}

/// The fused variant, its panels in `memory` or, where that is null, on the stack.
template <class B, class T>
void run_fused(const B& backend, status& outcome, double flops, matrix_view<T> L,
               const cholesky_options& options, std::byte* memory) {
  const simd::packed_panels<T> panels;
  const bool parts = L.row_stride() != 1 && panels.splits_lines();
  const auto factor = [&](std::byte* at) {
    run(backend, outcome, flops, [&](auto& on) {
      const panel_use use = {.threads = on.threads(), .parts_of_lines = parts};
      cholesky_fused(on, panels, L, fused_block(L.rows(), options, use), at);
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

/// Checks the arguments, orients the triangle and runs V. In place where A and L are the same
/// elements.
template <variant V, Backend B, class T>
status factor_cholesky(const B& backend, const matrix_view<const T>& given_A,
                       const matrix_view<T>& given_L, const cholesky_options& options) {
  static_assert(is_cholesky_variant(V), "this variant is one of LU");
  if (const status s = check_view(given_A, "A"); !s) return s;
  if (const status s = check_view(given_L, "L"); !s) return s;
  if (const status s = check_backend(backend); !s) return s;
  // A = Uᴴ·U: Uᵀ is the lower factor of Aᵀ.
  const bool upper = options.part == triangle::upper;
  const auto A = lower_view(given_A, upper);
  const auto L = lower_view(given_L, upper);
  if (A.rows() != A.cols()) return status::argument("A", "is not square");
  if (L.rows() != A.rows() || L.cols() != A.cols())
    return status::argument("L", "is not of the size of A");
  if (options.block < 0) return status::argument("options.block", "is negative");
  if (options.cutoff < 0) return status::argument("options.cutoff", "is negative");
  if (!supports(backend, V)) return status::argument("variant", "is not supported by this backend");
  if (A.empty()) return {};

  const bool in_place = A.data() == L.data();
  if (in_place && (A.row_stride() != L.row_stride() || A.col_stride() != L.col_stride()))
    return status::argument("L", "overlaps A without being the same view");
  if (!in_place && !is_by_elements(V)) verb::copy_lower<T>(A, L);

  if constexpr (V == variant::best && is_fused<V, T> && DirectBackend<B>)
    if (options.block == 0 && L.rows() <= simd::small_cholesky<T>)
      return simd::factor_small_cholesky(L);  // the one panel of cholesky_fused

  status outcome;
  if constexpr (WholeBackend<B, T>) {
    outcome = potrf(backend, L);
  } else if constexpr (DeviceBackend<B>) {
    outcome = backend.template cholesky<V>(A, L, options);
  } else {
    const std::size_t bytes = cholesky_workspace_bytes<T, V>(A.rows(), options);
    workspace memory(options.workspace, bytes);
    if (!memory.ok())
      return options.workspace.empty() ? status::failure(status_kind::out_of_memory, "workspace")
                                       : status::argument("options.workspace", "is too small");
    const double n = static_cast<double>(A.rows());
    const double flops = V == variant::best ? n * n * n / 3 : threads_as_asked;
    if constexpr (is_fused<V, T> && PackingBackend<B>) {
      std::byte* const panels = bytes > 0 ? memory.take_bytes(bytes) : nullptr;
      const bool one_panel =
          V == variant::best && fused_block(A.rows(), options, {.threads = 2}) >= A.rows();
      run_fused(backend, outcome, one_panel ? 0 : flops, L, options, panels);
    } else {
      const auto sums = memory.take<real_t<T>>(V == variant::crout_distributed_sum ? A.rows() : 0);
      run(backend, outcome, flops,
          [&](auto& on) { run_cholesky<V>(on, A, L, options, sums.data()); });
    }
  }
  return outcome;
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

template <variant V, Backend B, class M>
auto cholesky_in_place(const B& backend, M&& A, const cholesky_options& options) noexcept {
  using T = scalar_t<M>;
  static_assert(!std::is_const_v<typename decltype(view_of(A))::element_type>,
                "the matrix is overwritten");
  const matrix_view<T> view = view_of(A);
  const status s = without_exceptions(
      [&] { return choose_and_factor<V>(backend, matrix_view<const T>(view), view, options); });
  if constexpr (std::is_same_v<M, matrix<T>>)  // a temporary or moved-in matrix: the factor owns it
    return cholesky_factor<T>(std::move(A), options.part, s);
  else if (s.ok())
    return cholesky_factor<T>(view, options.part, status());  // need not wait for a copy of s
  else
    return cholesky_factor<T>(view, options.part, s);
}

}  // namespace detail

/// A := L with A = L·Lᴴ (options.part = lower) or U with A = Uᴴ·U (upper), in place. No exception
/// leaves it: the status tells everything, wrong arguments too.
/// @param backend  where it runs; without it backend::serial
/// @param A  n×n Hermitian (symmetric); the named triangle is read and overwritten by the factor,
///           the other one neither read nor written. Any MatrixLike, any strides; a moved-in
///           matrix<T> is owned by the result.
/// @return   status not_positive_definite or not_finite with the 0-based index k of the first bad
///           pivot: then the leading k×k block holds its factor and the rest of the named triangle
///           is unspecified.
/// Cost n³/3 flops (four times as many real ones for complex types); workspace:
/// cholesky_workspace_bytes. LAPACK: potrf.
template <variant V = variant::best, Backend B, MatrixLike M>
auto try_cholesky(const B& backend, M&& A, const cholesky_options& options = {}) noexcept {
  return detail::cholesky_in_place<V>(backend, std::forward<M>(A), options);
}
template <variant V = variant::best, MatrixLike M>
auto try_cholesky(M&& A, const cholesky_options& options = {}) noexcept {
  return try_cholesky<V>(backend::serial{}, std::forward<M>(A), options);
}

/// L with A = L·Lᴴ (lower) or U with A = Uᴴ·U (upper), out of place: the named triangle of L is
/// written, its other triangle is left as it was, A is only read. The variants by elements read A
/// as they go; the others start from a copy of the triangle. Everything else as above.
template <variant V = variant::best, Backend B, MatrixLike M, MatrixLike N>
auto try_cholesky(const B& backend, const M& A, N&& L,
                  const cholesky_options& options = {}) noexcept {
  using T = scalar_t<M>;
  const matrix_view<T> destination = view_of(L);
  const status s = detail::without_exceptions([&] {
    return detail::choose_and_factor<V>(backend, matrix_view<const T>(view_of(A)), destination,
                                        options);
  });
  return cholesky_factor<T>(destination, options.part, s);
}
template <variant V = variant::best, MatrixLike M, MatrixLike N>
auto try_cholesky(const M& A, N&& L, const cholesky_options& options = {}) noexcept {
  return try_cholesky<V>(backend::serial{}, A, std::forward<N>(L), options);
}

#if TRIFAC_EXCEPTIONS
/// try_cholesky that throws argument_error, backend_error or std::bad_alloc where the matrix is not
/// to blame; a matrix that is not positive definite still comes back in the status (or_throw()
/// throws it).
template <variant V = variant::best, Backend B, MatrixLike M>
auto cholesky(const B& backend, M&& A, const cholesky_options& options = {}) {
  auto factor = try_cholesky<V>(backend, std::forward<M>(A), options);
  detail::throw_unless_numerical(factor.status());
  return factor;
}
template <variant V = variant::best, MatrixLike M>
auto cholesky(M&& A, const cholesky_options& options = {}) {
  return cholesky<V>(backend::serial{}, std::forward<M>(A), options);
}
template <variant V = variant::best, Backend B, MatrixLike M, MatrixLike N>
auto cholesky(const B& backend, const M& A, N&& L, const cholesky_options& options = {}) {
  auto factor = try_cholesky<V>(backend, A, std::forward<N>(L), options);
  detail::throw_unless_numerical(factor.status());
  return factor;
}
template <variant V = variant::best, MatrixLike M, MatrixLike N>
auto cholesky(const M& A, N&& L, const cholesky_options& options = {}) {
  return cholesky<V>(backend::serial{}, A, std::forward<N>(L), options);
}
#endif

}  // namespace TRIFAC_ABI
}  // namespace trifac
