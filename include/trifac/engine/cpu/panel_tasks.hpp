#pragma once
// What a task of a factorization by tasks computes, on one thread: a panel, or one block column on
// its right, by the kernels of packed panels. The bits are those of the CPU's other backends, but
// for tournaments with scaled selection.

#include <span>

#include "trifac/engine/cholesky/plan.hpp"
#include "trifac/engine/cpu/executor.hpp"
#include "trifac/engine/linked/task_calls.hpp"
#include "trifac/engine/lu/plan.hpp"
#include "trifac/engine/panel/packed_cholesky.hpp"
#include "trifac/engine/panel/packed_lu.hpp"
#include "trifac/engine/panel/plain_lu.hpp"

namespace trifac {
namespace backend {
inline namespace TRIFAC_ABI {

/// Packed panels where each task has views of its own: of the panel's columns and of the block
/// column that it writes, which need not be parts of one matrix in memory.
template <class T>
struct panel_tasks {
  using plan = linked::task_plan;

  /// The panels of an m×n matrix are those of `best` on every CPU, and so are its bits; with scaled
  /// selection those of a tournament with plain selection.
  static plan plan_lu(index_t m, index_t n, lu_options options) noexcept {
    const bool scaled = is_scaled(options);
    options.selection = selection::plain;
    const auto p = detail::plan_lu<T, variant::best>(m, n, options, {});
    plan here{.block = p.block};
    if (p.path == detail::lu_path::small) return here;
    here.work = panel_bytes(m, p.block);
    if (scaled)
      here.work += scaled_bytes(m, p.width);
    else if (p.slots > 0)  // `best` decides for all panels by the first one
      here.work += 2 * detail::scratch_bytes<index_t>(2 * m) +
                   simd::tournament_memory<T>::bytes(1, p.group_rows, p.width);
    here.rounds = scaled || p.slots > 0;
    here.packed = simd::lu_step_bytes<T>(m, p.block);
    here.columns = simd::lu_left_bytes<T>(m);
    return here;
  }

  /// The first min(block, n) columns of A := L\U, the interchanges counted from A's first row; of
  /// A's other columns only the number matters. What they need is left in `packed`.
  static status factor_lu(const matrix_view<T>& A, index_t block, index_t* interchanges,
                          const lu_options& options, std::byte* work, std::byte* packed) noexcept {
    const index_t m = A.rows(), width = detail::min(block, detail::min(m, A.cols()));
    const std::span<index_t> steps(interchanges, static_cast<std::size_t>(width));
    if (is_scaled(options)) return factor_scaled(A, block, width, steps, options, work, packed);
    status outcome;
    cpu_executor<alone> on(outcome);
    const auto factor = [&](const simd::packed_tournament<T>* rounds) {
      simd::packed_lu_panel<T>(simd::active_isa(), A, steps, block, work, rounds, packed)
          .factor(on);
      return outcome;
    };
    auto t = detail::tournament_of<T>(options);
    if (options.pivoting != pivoting::tournament || t.groups(m, width) == 1) return factor(nullptr);
    std::byte* rest = work + panel_bytes(m, block);
    t.rows = take_rows(rest, m);
    t.order = take_rows(rest, m);
    // One local LU after the other, all in the same memory.
    const simd::packed_tournament<T> rounds = {t, simd::tournament_memory<T>(1, m, width, rest)};
    return factor(&rounds);
  }

  /// C: columns on the panel's right, from its first row on: interchanged, solved, updated.
  /// `panel`: the columns that factor_lu has factored.
  static void eliminate(const matrix_view<T>& panel, index_t block, std::byte* packed,
                        const matrix_view<T>& C) noexcept {
    const simd::lu_step<T> step = step_of(panel, block, packed);
    simd::with_isa(simd::active_isa(),
                   [&](auto target) { eliminate_columns(target, step, panel, C); });
  }

  /// Interchanges from … to − 1 of the rows of C.
  static void interchange(const matrix_view<T>& C, const index_t* interchanges, index_t from,
                          index_t to, std::byte* memory) noexcept {
    simd::with_isa(simd::active_isa(), [&](auto target) {
      interchange_columns(target, C, interchanges, from, to, memory);
    });
  }

  static plan plan_cholesky(index_t n, const cholesky_options& options) noexcept {
    const auto p = detail::plan_cholesky<T, variant::best>(n, options, {});
    plan here{.block = p.path == detail::cholesky_path::small ? n : p.team_block};
    if (here.block < n) here.packed = (simd::most_panel_bytes<T>(n, here.block) + 63) / 64 * 64;
    return here;
  }

  /// panel: rows × b, b ≤ rows, from the diagonal on. Its lower part := [L11; L21], packed too.
  static status factor_cholesky(const matrix_view<T>& panel, std::byte* packed) noexcept {
    return simd::with_isa(simd::active_isa(), [&](auto target) {
      const auto placed = simd::place_panel(target, panel, panel.cols(), packed);
      return simd::packed_cholesky_panel<T>::status_of(panel,
                                                       factor_panel(target, placed, panel.rows()));
    });
  }

  /// C: a block column from its diagonal on, the last rows of the panel's. Its lower part −= L2·L1ᴴ
  /// with the panel's rows L2 beside it, of which L1 are the first.
  static void subtract(const matrix_view<T>& panel, std::byte* packed,
                       const matrix_view<T>& C) noexcept {
    const index_t from = panel.rows() - C.rows();
    // As if panel and C were parts of one matrix A, the panel its first columns; only C is touched.
    const matrix_view<T> A(C.data() - from * (C.row_stride() + C.col_stride()), panel.rows(),
                           from + C.cols(), C.row_stride(), C.col_stride());
    simd::with_isa(simd::active_isa(), [&](auto target) {
      update_trailing(target, simd::place_panel(target, panel, panel.cols(), packed), A, from,
                      from + C.cols(), from);
    });
  }

 private:
  using panel_memory = simd::panel_memory;

  static bool is_scaled(const lu_options& options) {
    return options.pivoting == pivoting::tournament && options.selection == selection::scaled;
  }
  static std::size_t panel_bytes(index_t m, index_t block) {
    return panel_memory(m, block, sizeof(T)).bytes;
  }
  static simd::lu_step<T> step_of(const matrix_view<T>& panel, index_t block, std::byte* packed) {
    return simd::place_lu_step<T>(packed, panel.rows(), block, panel.cols(),
                                  !panel.runs_along_rows());
  }
  static std::span<index_t> take_rows(std::byte*& memory, index_t m) {
    return {panel_memory::take<index_t>(memory, 2 * m), static_cast<std::size_t>(2 * m)};
  }

  static std::size_t scaled_bytes(index_t m, index_t b) {
    return panel_memory::padded<T>(m * b) + panel_memory::padded<T>(b * b) +
           2 * panel_memory::padded<index_t>(2 * m) + panel_memory::padded<real_t<T>>(m);
  }

  /// By block operations, then packed as the kernel would have.
  static status factor_scaled(const matrix_view<T>& A, index_t block, index_t width,
                              std::span<index_t> interchanges, const lu_options& options,
                              std::byte* work, std::byte* packed) {
    const index_t m = A.rows();
    std::byte* rest = work + panel_bytes(m, block);
    auto t = detail::tournament_of<T>(options);
    t.copies = column_major(panel_memory::take<T>(rest, m * width), m, width, m);
    t.root = column_major(panel_memory::take<T>(rest, width * width), width, width);
    t.rows = take_rows(rest, m);
    t.order = take_rows(rest, m);
    t.scales = {panel_memory::take<real_t<T>>(rest, m), static_cast<std::size_t>(m)};
    status outcome;
    cpu_executor<alone> on(outcome);
    const auto columns = A.block(0, 0, m, width);
    plain_lu_panel(columns, interchanges, width, detail::lu_panel_base, &t).factor(on);
    if (outcome.completed() && A.cols() > width) {
      const auto step = step_of(columns, block, packed);
      simd::with_isa(simd::active_isa(), [&](auto target) {
        pack_lu_panel(target, columns, interchanges.data(), work, step);
      });
    }
    return outcome;
  }
};

}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac
