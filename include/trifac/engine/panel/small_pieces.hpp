#pragma once
// A small solve with many right-hand sides, and a small inverse: pieces of columns, each a call of
// the kernel for small solves.

#include "trifac/backend.hpp"
#include "trifac/engine/panel/nest_step.hpp"
#include "trifac/engine/simd/core/small_solve.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// Columns of a piece: half of what the kernel takes.
inline constexpr index_t small_piece_columns = simd::small_solve_columns / 2;

/// piece(j) for the first column j of each piece of a matrix with `cols` columns, shared among the
/// threads that so many flops are worth. Timed as solve_lower, whichever substitutions it does.
template <PackingBackend B, class Piece>
void run_small_pieces(const B& backend, index_t cols, double flops, const Piece& piece) {
  status outcome;
  run(backend, outcome, flops, [&](auto& on) {
    on.pieces(nest_step::solve_lower, (cols + small_piece_columns - 1) / small_piece_columns,
              [&](index_t i) { piece(i * small_piece_columns); });
  });
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
