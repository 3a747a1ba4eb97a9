#pragma once
// The drawing of a timeline of StarPU's tasks.

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

#include "trifac/engine/starpu/timeline.hpp"

namespace bench {

/// Text escaped for XML.
inline std::string escaped(std::string_view text) {
  std::string xml;
  for (const char c : text) {
    const std::string_view name = c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : "";
    name.empty() ? xml += c : xml += name;
  }
  return xml;
}

/// A drawing: one row per worker, time to the right, a rectangle per task; hovering over a task or
/// worker shows its full name. A line per transfer from the writing to the reading task; data of
/// the host enter from above the rows and leave to above them.
inline std::string to_svg(const trifac::backend::starpu_timeline& t) {
  using trifac::backend::starpu_step, trifac::detail::decimal;
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
  for (const starpu_step s : trifac::backend::starpu_steps_in_order) {
    const bool occurs = std::any_of(
        t.tasks.begin(), t.tasks.end(),
        [&](const trifac::backend::starpu_task_record& task) { return task.step == s; });
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
  for (const trifac::backend::starpu_task_record& task : t.tasks)
    add({"<rect x=\"", decimal(left + scale * task.begin, 2), "\" y=\"",
         decimal(top + row * task.worker, 1), "\" width=\"",
         decimal(scale * (task.end - task.begin), 2), "\" height=\"", decimal(row - 6, 1),
         "\" fill=\"", colour(task.step), "\" stroke=\"white\" stroke-width=\"0.2\"><title>",
         to_string(task), ": ", decimal(1e6 * (task.end - task.begin), 0), " µs</title></rect>\n"});
  const auto height = [&](int worker) { return worker < 0 ? top - 6 : top + row * worker + 14; };
  for (const trifac::backend::starpu_transfer& moved : t.transfers)
    add({"<path d=\"M", decimal(left + scale * moved.ready, 2), " ", decimal(height(moved.from), 1),
         " L", decimal(left + scale * moved.needed, 2), " ", decimal(height(moved.to), 1),
         "\" stroke=\"black\" stroke-opacity=\"0.5\"><title>", decimal(1e-6 * moved.bytes, 3),
         " MB</title></path>\n"});
  add({"<text x=\"", decimal(left + width, 0), "\" y=\"", decimal(below + 16, 0),
       "\" text-anchor=\"end\">", decimal(1e3 * t.seconds, 3), " ms</text>\n</svg>\n"});
  return svg;
}

}  // namespace bench
