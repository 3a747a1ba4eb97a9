#pragma once
// The record that a timed backend keeps: calls and seconds of every verb.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace trifac {
namespace backend {

/// What can be timed: the verbs of backend.hpp, the steps of the nests on packed panels, and the
/// whole factorizations and solves of a backend that brings its own.
enum class timed_operation {
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
  potrf,
  potrs,
  getrf,
  getrs,
};

inline constexpr std::array<std::string_view, 30> timed_operation_names = {
    // by elements
    "factor_diagonal", "factor_column", "factor_row",
    // by blocks
    "factor_block", "factor_block_lu", "factor_panel", "swap_rows", "swap_rows_back", "solve_lower",
    "solve_upper", "solve_right_upper", "update", "update_lower", "copy",
    // tournaments
    "local_lu", "interchanges_from_candidates", "check_growth",
    // on packed panels
    "factor_packed", "solve_packed", "update_packed", "eliminate_packed", "interchange_left_packed",
    "local_lu_packed", "start_packed", "solve_left_packed", "finish_packed",
    // whole
    "potrf", "potrs", "getrf", "getrs"};

constexpr std::string_view to_string(timed_operation v) {
  return timed_operation_names[static_cast<std::size_t>(v)];
}

/// The record that a timed backend writes: sums over all calls since it was made or cleared. Used
/// by one call of the library at a time.
class operation_times {
 public:
  struct entry {
    std::int64_t calls = 0;
    double seconds = 0;
  };

  const entry& operator[](timed_operation v) const { return entries_[static_cast<std::size_t>(v)]; }
  /// Calls of the library, and their time from the first verb's beginning to the last one's end.
  const entry& all() const { return all_; }
  void clear() { *this = {}; }

  /// One more call of v.
  void add(timed_operation v, double seconds) {
    add(entries_[static_cast<std::size_t>(v)], seconds);
  }
  /// One more call of the library.
  void add_call(double seconds) { add(all_, seconds); }

 private:
  static void add(entry& to, double seconds) {
    ++to.calls;
    to.seconds += seconds;
  }

  std::array<entry, timed_operation_names.size()> entries_ = {};
  entry all_;
};

}  // namespace backend
}  // namespace trifac
