#pragma once
// The names of the steps of a factorization, for whoever times them.

#include <array>
#include <cstddef>
#include <string_view>

namespace trifac {

/// Block operations of backend.hpp, steps of packed panels, pieces of a batch, and the whole
/// factorizations and solves of a backend that brings its own.
enum class nest_step {
  factor_diagonal,
  factor_column,
  factor_row,
  factor_block,
  factor_block_lu,
  factor_panel,
  swap_rows,
  swap_rows_back,
  solve_lower,
  solve_upper,
  solve_right_upper,
  update,
  update_lower,
  copy,
  local_lu,
  interchanges_from_candidates,
  check_growth,
  factor_packed,
  solve_packed,
  update_packed,
  eliminate_packed,
  interchange_left_packed,
  local_lu_packed,
  start_packed,
  solve_left_packed,
  finish_packed,
  tell_progress,
  batch_piece,
  potrf,
  potrs,
  getrf,
  getrs,
};

inline constexpr std::array<std::string_view, 32> nest_step_names = {
    // by elements
    "factor_diagonal", "factor_column", "factor_row",
    // by blocks
    "factor_block", "factor_block_lu", "factor_panel", "swap_rows", "swap_rows_back", "solve_lower",
    "solve_upper", "solve_right_upper", "update", "update_lower", "copy",
    // tournaments
    "local_lu", "interchanges_from_candidates", "check_growth",
    // on packed panels
    "factor_packed", "solve_packed", "update_packed", "eliminate_packed", "interchange_left_packed",
    "local_lu_packed", "start_packed", "solve_left_packed", "finish_packed", "tell_progress",
    // pieces of a batch
    "batch_piece",
    // whole
    "potrf", "potrs", "getrf", "getrs"};
static_assert(nest_step_names.size() == static_cast<std::size_t>(nest_step::getrs) + 1 &&
              !nest_step_names.back().empty());

constexpr std::string_view to_string(nest_step s) {
  return nest_step_names[static_cast<std::size_t>(s)];
}

}  // namespace trifac
