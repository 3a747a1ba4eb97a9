#pragma once
// The timeline of a factorization's tasks, which to_text() prints.

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "trifac/matrix_view.hpp"

namespace trifac {

inline namespace TRIFAC_ABI {
namespace detail {

/// x with `digits` decimals, independent of the locale, unlike printf.
inline std::string decimal(double x, int digits) {
  char text[400];  // the largest double has 309 digits before its point
  const auto [end, error] =
      std::to_chars(text, text + sizeof text, x, std::chars_format::fixed, digits);
  return {text, error == std::errc() ? end : text};
}

/// A number, right-aligned in a column.
inline std::string at_right(const std::string& number, std::size_t width) {
  return std::string(width - std::min(width, number.size()), ' ') + number;
}

}  // namespace detail
}  // namespace TRIFAC_ABI

namespace backend {

/// The steps of a factorization that become tasks.
enum class starpu_step {
  factor,       ///< panel k: LU, or Cholesky and the rows below
  update,       ///< panel k to the block column j: interchanges, triangular solve, product
  interchange,  ///< later interchanges to the block column j
  // With starpu_steps::separate, an update is three tasks.
  solve,     ///< interchanges and triangular solve
  product,   ///< L21 times the solved rows
  subtract,  ///< subtraction of that product
};
inline constexpr starpu_step starpu_steps_in_order[] = {
    starpu_step::factor, starpu_step::update,  starpu_step::interchange,
    starpu_step::solve,  starpu_step::product, starpu_step::subtract};

constexpr std::string_view to_string(starpu_step s) {
  constexpr std::string_view names[] = {"factor", "update",  "interchange",
                                        "solve",  "product", "subtract"};
  return names[static_cast<int>(s)];
}

/// One task: step, worker, times.
struct starpu_task_record {
  starpu_step step;
  index_t panel;   ///< k; for interchange the last panel
  index_t column;  ///< j, the block column written
  int worker;
  double begin, end;  ///< seconds from the start of the call
};

/// Data that a task reads from another memory than its worker's.
struct starpu_transfer {
  static constexpr int host = -1;  ///< instead of a worker: before the first task, after the last
  int from, to;                    ///< the last writer and the reader
  double bytes;
  double ready, needed;  ///< seconds: when written, and when the reading task began
};

/// The tasks of a call in the order in which they started.
struct starpu_timeline {
  std::vector<std::string> workers;  ///< their names
  std::vector<starpu_task_record> tasks;
  /// The transfers that this order requires; none if all workers are CPUs.
  std::vector<starpu_transfer> transfers = {};
  double seconds = 0;  ///< from submission of the first task to the end of the last
};

inline namespace TRIFAC_ABI {
/// "update 3 -> 5".
inline std::string to_string(const starpu_task_record& task) {
  return std::string(to_string(task.step)) + ' ' + std::to_string(task.panel) + " -> " +
         std::to_string(task.column);
}

/// A heading, then one line per task: " 0.001234  0.000456       0  update 3 -> 5"; then, if any,
/// the number of transfers and their MB.
inline std::string to_text(const starpu_timeline& t) {
  using trifac::detail::at_right, trifac::detail::decimal;
  std::string text = "    begin  duration  worker  task\n";
  for (const starpu_task_record& task : t.tasks)
    text += at_right(decimal(task.begin, 6), 9) + ' ' +
            at_right(decimal(task.end - task.begin, 6), 9) + "  " +
            at_right(std::to_string(task.worker), 6) + "  " + to_string(task) + '\n';
  if (t.transfers.empty()) return text;
  double bytes = 0;
  for (const starpu_transfer& moved : t.transfers) bytes += moved.bytes;
  return text + std::to_string(t.transfers.size()) + " transfers, " + decimal(1e-6 * bytes, 3) +
         " MB\n";
}

}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac
