#pragma once
// The order in which the tasks of a factorization ran: as text, and drawn.

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "trifac/matrix_view.hpp"

namespace trifac {
namespace backend {

/// The steps of a factorization that are tasks.
enum class starpu_step {
  factor,       ///< panel k: LU, or Cholesky and the rows below
  update,       ///< panel k to the block column j: interchanges, triangular solve, product
  interchange,  ///< later interchanges to the block column j
  // With starpu_steps::separate an update is three tasks.
  solve,     ///< interchanges and triangular solve
  product,   ///< of L21 and the solved rows
  subtract,  ///< of that product
};
inline constexpr starpu_step starpu_steps_in_order[] = {
    starpu_step::factor, starpu_step::update,  starpu_step::interchange,
    starpu_step::solve,  starpu_step::product, starpu_step::subtract};

constexpr std::string_view to_string(starpu_step s) {
  constexpr std::string_view names[] = {"factor", "update",  "interchange",
                                        "solve",  "product", "subtract"};
  return names[static_cast<int>(s)];
}

/// One task: which, where, when.
struct starpu_task_record {
  starpu_step step;
  index_t panel;   ///< k; of interchange the last one
  index_t column;  ///< j, the block column that is written
  int worker;
  double begin, end;  ///< seconds from the start of the call
};

/// Data that a task reads and that another memory than its worker's has.
struct starpu_transfer {
  static constexpr int host = -1;  ///< in place of a worker: before the first task, after the last
  int from, to;                    ///< the worker that wrote them last, and the one that reads them
  double bytes;
  double ready, needed;  ///< seconds: when they were written, and when the task began
};

/// The tasks of a call in the order in which they started.
struct starpu_timeline {
  std::vector<std::string> workers;  ///< their names
  std::vector<starpu_task_record> tasks;
  /// That this order asks for; none where all are CPU workers.
  std::vector<starpu_transfer> transfers = {};
  double seconds = 0;  ///< of the call, from the first task's submission to the last one's end
};

inline namespace TRIFAC_ABI {

/// A heading, then one line for each task: " 0.001234  0.000456       0  update 3 -> 5"; at last,
/// where there are any, the number of transfers and their MB.
inline std::string to_text(const starpu_timeline& t) {
  std::string text = "    begin  duration  worker  task\n";
  for (const starpu_task_record& task : t.tasks) {
    char line[160];
    std::snprintf(line, sizeof line, "%9.6f %9.6f  %6d  %.*s %ld -> %ld\n", task.begin,
                  task.end - task.begin, task.worker, static_cast<int>(to_string(task.step).size()),
                  to_string(task.step).data(), static_cast<long>(task.panel),
                  static_cast<long>(task.column));
    text += line;
  }
  if (t.transfers.empty()) return text;
  double bytes = 0;
  for (const starpu_transfer& moved : t.transfers) bytes += moved.bytes;
  char line[80];
  std::snprintf(line, sizeof line, "%zu transfers, %.3f MB\n", t.transfers.size(), 1e-6 * bytes);
  return text + line;
}

/// Text as part of XML.
inline std::string escaped(std::string_view text) {
  std::string xml;
  for (const char c : text) {
    const std::string_view name = c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : "";
    name.empty() ? xml += c : xml += name;
  }
  return xml;
}

/// A drawing: one row for each worker, time to the right, a rectangle for each task; pointing at a
/// task or a worker shows its whole name. A line for each transfer, from the task that wrote to the
/// one that reads; from above the rows and to above them for what the host had, and has at the end.
inline std::string to_svg(const starpu_timeline& t) {
  constexpr double left = 90, width = 1100, row = 34, top = 34;
  constexpr std::string_view colours[] = {"#c0392b", "#2e86c1", "#7d8c8d",
                                          "#8e44ad", "#2e86c1", "#27ae60"};
  const double scale = t.seconds > 0 ? width / t.seconds : 0;
  char piece[400];
  std::string svg;
  const auto add = [&](const char* format, auto... values) {
    std::snprintf(piece, sizeof piece, format, values...);
    svg += piece;
  };
  const double right = left + width + 20,
               bottom = top + row * static_cast<double>(t.workers.size()) + 30;
  add("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
      "viewBox=\"0 0 %.0f %.0f\" font-family=\"sans-serif\" font-size=\"12\">\n<rect "
      "width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
      right, bottom, right, bottom);
  double legend = left;
  for (const starpu_step s : starpu_steps_in_order) {
    const bool here = std::any_of(t.tasks.begin(), t.tasks.end(),
                                  [&](const starpu_task_record& task) { return task.step == s; });
    if (!here) continue;
    add("<rect x=\"%.0f\" y=\"10\" width=\"12\" height=\"12\" fill=\"%s\"/><text x=\"%.0f\" "
        "y=\"20\">%s</text>\n",
        legend, colours[static_cast<int>(s)].data(), legend + 18, to_string(s).data());
    legend += 110;
  }
  for (std::size_t w = 0; w < t.workers.size(); ++w) {
    add("<text x=\"8\" y=\"%.1f\">", top + row * static_cast<double>(w) + 20);
    // Of "OpenCL 0 (its device's name)" there is room for the first part.
    const std::string_view name = t.workers[w], seen = name.substr(0, name.find(" ("));
    svg += escaped(seen);
    if (seen != name) svg += "<title>" + escaped(name) + "</title>";
    svg += "</text>\n";
  }
  for (const starpu_task_record& task : t.tasks)
    add("<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\" fill=\"%s\" stroke=\"white\" "
        "stroke-width=\"0.2\"><title>%s %ld -> %ld: %.0f µs</title></rect>\n",
        left + scale * task.begin, top + row * task.worker, scale * (task.end - task.begin),
        row - 6, colours[static_cast<int>(task.step)].data(), to_string(task.step).data(),
        static_cast<long>(task.panel), static_cast<long>(task.column),
        1e6 * (task.end - task.begin));
  const auto height = [&](int worker) { return worker < 0 ? top - 6 : top + row * worker + 14; };
  for (const starpu_transfer& moved : t.transfers)
    add("<path d=\"M%.2f %.1f L%.2f %.1f\" stroke=\"black\" stroke-opacity=\"0.5\">"
        "<title>%.3f MB</title></path>\n",
        left + scale * moved.ready, height(moved.from), left + scale * moved.needed,
        height(moved.to), 1e-6 * moved.bytes);
  add("<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"end\">%.3f ms</text>\n</svg>\n", left + width,
      top + row * static_cast<double>(t.workers.size()) + 16, 1e3 * t.seconds);
  return svg;
}

}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac
