#pragma once
// The definitions of task_calls<T>: what a task of a factorization by tasks computes, on one
// thread, by the kernels of packed panels. The bits are those of the CPU's other backends.

#include <span>

#include "trifac/engine/calls/calls.hpp"
#include "trifac/engine/calls/defined.hpp"
#include "trifac/engine/calls/task_calls.hpp"
#include "trifac/engine/cholesky/plan.hpp"
#include "trifac/engine/cpu/executor.hpp"
#include "trifac/engine/lu/plan.hpp"
#include "trifac/engine/panel/packed_cholesky.hpp"
#include "trifac/engine/panel/packed_lu.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

template <class T>
std::size_t task_panel_bytes(index_t m, index_t block) {
  return simd::panel_memory(m, block, sizeof(T)).bytes;
}

inline std::span<index_t> take_rows(std::byte*& memory, index_t m) {
  return {simd::memory_pieces::take<index_t>(memory, 2 * m), static_cast<std::size_t>(2 * m)};
}

}  // namespace detail
}  // namespace TRIFAC_ABI

inline namespace TRIFAC_CALLS {

template <class T>
task_plan task_calls<T>::plan_lu(index_t m, index_t n, const lu_options& options) noexcept {
  const auto p = detail::plan_lu<T, variant::best>(m, n, options, {}, simd::active_isa());
  task_plan here{.block = p.block};
  if (p.kernel < simd::lu_kernel::panels) return here;
  here.work = detail::task_panel_bytes<T>(m, p.block);
  if (p.slots > 0)  // `best` decides for all panels by the first one
    here.work += 2 * detail::scratch_bytes<index_t>(2 * m) +
                 simd::tournament_memory<T>::bytes(1, p.group_rows, p.width);
  here.has_tournaments = p.slots > 0;
  here.packed = simd::lu_step_bytes(m, p.block, sizeof(T));
  here.columns = simd::lu_left_bytes<T>(m);
  return here;
}

template <class T>
status task_calls<T>::factor_lu(const matrix_view<T>& A, index_t block, index_t* interchanges,
                                const lu_options& options, std::byte* work,
                                std::byte* packed) noexcept {
  const index_t m = A.rows(), width = detail::min(block, detail::min(m, A.cols()));
  const std::span<index_t> steps(interchanges, static_cast<std::size_t>(width));
  status outcome;
  backend::cpu_executor on(outcome);
  const auto factor = [&](const simd::packed_tournament<T>* by_tournament) {
    simd::packed_lu_panel<T>(simd::active_isa(), A, steps, block, work,
                             {.by_tournament = by_tournament, .step_memory = packed})
        .factor(on);
    return outcome;
  };
  auto t = detail::tournament_of<T>(options);
  if (options.pivoting != pivoting::tournament || (t.groups(m, width) == 1 && !t.scaled))
    return factor(nullptr);
  std::byte* rest = work + detail::task_panel_bytes<T>(m, block);
  t.rows = detail::take_rows(rest, m);
  t.order = detail::take_rows(rest, m);
  // One local LU after the other, all in the same memory.
  const simd::packed_tournament<T> local = {t, simd::tournament_memory<T>(1, m, width, rest)};
  return factor(&local);
}

template <class T>
void task_calls<T>::eliminate(const matrix_view<T>& panel, index_t block, std::byte* packed,
                              const matrix_view<T>& C) noexcept {
  const auto step = simd::place_lu_step<T>(packed, block, panel.cols());
  simd::with_isa(simd::active_isa(), [&](auto target) { eliminate_columns(target, step, C); });
}

template <class T>
void task_calls<T>::interchange(const matrix_view<T>& C, const index_t* interchanges, index_t from,
                                index_t to, std::byte* memory) noexcept {
  simd::with_isa(simd::active_isa(), [&](auto target) {
    interchange_columns(target, C, interchanges, from, to, memory);
  });
}

template <class T>
task_plan task_calls<T>::plan_cholesky(index_t n, const cholesky_options& options) noexcept {
  const auto p = detail::plan_cholesky<T, variant::best>(n, options, {});
  task_plan here{.block = p.kernel < simd::cholesky_kernel::panels ? n : p.team_block};
  if (here.block < n) here.packed = (simd::most_panel_bytes<T>(n, here.block) + 63) / 64 * 64;
  return here;
}

template <class T>
status task_calls<T>::factor_cholesky(const matrix_view<T>& panel, std::byte* packed) noexcept {
  return simd::with_isa(simd::active_isa(), [&](auto target) {
    const auto placed = simd::place_panel(target, panel, panel.cols(), packed);
    return blas::status_of_pivot(panel, factor_panel(target, placed, panel.rows()));
  });
}

template <class T>
void task_calls<T>::subtract(const matrix_view<T>& panel, std::byte* packed,
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

}  // namespace TRIFAC_CALLS
}  // namespace trifac
