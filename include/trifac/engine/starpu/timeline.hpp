#pragma once
// The timeline of a factorization's tasks: as text and as a drawing.

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <initializer_list>
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

/// Text escaped for XML.
inline std::string escaped(std::string_view text) {
  std::string xml;
  for (const char c : text) {
    const std::string_view name = c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : "";
    name.empty() ? xml += c : xml += name;
  }
  return xml;
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

/// A drawing: one row per worker, time to the right, a rectangle per task; hovering over a task or
/// worker shows its full name. A line per transfer from the writing to the reading task; data of
/// the host enter from above the rows and leave to above them.
inline std::string to_svg(const starpu_timeline& t) {
  using trifac::detail::decimal;
  constexpr double left = 90, width = 1100, row = 34, top = 34;
  constexpr std::string_view colours[] = {"#c0392b", "#2e86c1", "#7d8c8d",
                                          "#8e44ad", "#2e86c1", "#27ae60"};
  const double scale = t.seconds > 0 ? width / t.seconds : 0;
  const auto colour = [&](starpu_step s) { return colours[static_cast<int>(s)]; };
  std::string svg;
  const auto add = [&](std::initializer_list<std::string_view> pieces) {
    for (const std::string_view piece : pieces) svg += piece;
  };
  const double below = top + row * static_cast<double>(t.workers.size());
  const std::string right = decimal(left + width + 20, 0), bottom = decimal(below + 30, 0);
  add({"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", right, "\" height=\"", bottom,
       "\" viewBox=\"0 0 ", right, " ", bottom,
       "\" font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" "
       "fill=\"white\"/>\n"});
  double legend = left;
  for (const starpu_step s : starpu_steps_in_order) {
    const bool occurs = std::any_of(t.tasks.begin(), t.tasks.end(),
                                    [&](const starpu_task_record& task) { return task.step == s; });
    if (!occurs) continue;
    add({"<rect x=\"", decimal(legend, 0), "\" y=\"10\" width=\"12\" height=\"12\" fill=\"",
         colour(s), "\"/><text x=\"", decimal(legend + 18, 0), "\" y=\"20\">", to_string(s),
         "</text>\n"});
    legend += 110;
  }
  for (std::size_t w = 0; w < t.workers.size(); ++w) {
    add({"<text x=\"8\" y=\"", decimal(top + row * static_cast<double>(w) + 20, 1), "\">"});
    // "OpenCL 0 (its device's name)": there is room for the first part.
    const std::string_view name = t.workers[w], seen = name.substr(0, name.find(" ("));
    svg += escaped(seen);
    if (seen != name) svg += "<title>" + escaped(name) + "</title>";
    svg += "</text>\n";
  }
  for (const starpu_task_record& task : t.tasks)
    add({"<rect x=\"", decimal(left + scale * task.begin, 2), "\" y=\"",
         decimal(top + row * task.worker, 1), "\" width=\"",
         decimal(scale * (task.end - task.begin), 2), "\" height=\"", decimal(row - 6, 1),
         "\" fill=\"", colour(task.step), "\" stroke=\"white\" stroke-width=\"0.2\"><title>",
         to_string(task), ": ", decimal(1e6 * (task.end - task.begin), 0), " µs</title></rect>\n"});
  const auto height = [&](int worker) { return worker < 0 ? top - 6 : top + row * worker + 14; };
  for (const starpu_transfer& moved : t.transfers)
    add({"<path d=\"M", decimal(left + scale * moved.ready, 2), " ", decimal(height(moved.from), 1),
         " L", decimal(left + scale * moved.needed, 2), " ", decimal(height(moved.to), 1),
         "\" stroke=\"black\" stroke-opacity=\"0.5\"><title>", decimal(1e-6 * moved.bytes, 3),
         " MB</title></path>\n"});
  add({"<text x=\"", decimal(left + width, 0), "\" y=\"", decimal(below + 16, 0),
       "\" text-anchor=\"end\">", decimal(1e3 * t.seconds, 3), " ms</text>\n</svg>\n"});
  return svg;
}

}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac
