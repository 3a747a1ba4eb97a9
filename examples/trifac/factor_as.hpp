#pragma once
// `trifac factor` for one scalar type: all backends and methods, the table.

#include <fstream>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "backends.hpp"
#include "choice.hpp"
#include "factor.hpp"
#include "measure.hpp"
#include "random_matrix.hpp"
#include "report.hpp"
#include "trifac/io/read_matrix.hpp"

namespace program {

/// The methods that a name means: one of the list, or all of it.
template <class Methods, class NameOf>
auto methods_named(const Methods& methods, const std::string& name, const NameOf& name_of) {
  std::vector<typename Methods::value_type> chosen;
  std::string known = "all";
  for (const auto& m : methods) {
    if (name == "all" || name == name_of(m)) chosen.push_back(m);
    (known += ", ") += name_of(m);
  }
  if (chosen.empty()) throw usage_error("--variant takes " + known + ", not \"" + name + "\"");
  return chosen;
}

/// Measures every method on every backend that was asked for. measure(backend, method) gives one
/// line of the table; stop(line) says whether to go no further. A backend that does not have the
/// method is passed over, unless the command line names it and asks for one method: then its line
/// says so.
template <class Methods, class NameOf, class Measure, class Stop>
std::vector<measurement> measure_all(const Methods& methods, const options& o,
                                     const NameOf& name_of, const Measure& measure,
                                     const Stop& stop) {
  std::vector<measurement> lines;
  const bool asked_for = !o.backends.empty() && o.variant != "all";
  std::string refused;
  bool stopped = false, has_run = false;
  for_each_backend(words_of(o), [&](const auto& given, int threads) {
    if (!is_wanted(o, given.name) || !given.available()) return;
    const auto backend = configured(given, o.settings);
    for (const auto& method : methods) {
      if (stopped) return;
      measurement line = measure(backend, method);
      line.backend = backend.name;
      line.method = name_of(method);
      if (line.threads == 0) line.threads = threads;
      if (line.outcome.kind() == trifac::status_kind::invalid_argument) {
        if (refused.empty())
          refused = line.backend + " with variant " + line.method + ": " + line.outcome.message();
        if (!asked_for) continue;
      } else {
        has_run = true;
      }
      stopped = stop(line);
      lines.push_back(std::move(line));
    }
  });
  if (!has_run) throw usage_error(refused);
  return lines;
}

template <class T>
std::vector<measurement> measure_all_lu(const problem<T>& p, const options& o) {
  const auto name_of = [](const trifac::lu_method& m) { return std::string(m.name); };
  auto methods = methods_named(trifac::lu_methods, o.variant, name_of);
  if (o.variant == "all") std::erase_if(methods, [&](const auto& m) { return !fits(m, o); });
  return measure_all(
      methods, o, name_of,
      [&](const auto& backend, const trifac::lu_method& m) { return measure_lu(p, backend, m, o); },
      [](const measurement&) { return false; });
}

template <class T>
std::vector<measurement> measure_all_cholesky(const problem<T>& p, const options& o) {
  const auto name_of = [](const trifac::cholesky_method& m) { return std::string(m.name); };
  return measure_all(
      methods_named(trifac::cholesky_methods, o.variant, name_of), o, name_of,
      [&](const auto& backend, const trifac::cholesky_method& m) {
        return measure_cholesky(p, backend, m, o);
      },
      [&](const measurement& line) {
        return may_go_on(o) && line.outcome.kind() == trifac::status_kind::not_positive_definite;
      });
}

template <class T>
matrix<T> load(const options& o, const matrix_source& source) {
  return o.random ? random_matrix<T>(*o.random, o.n, o.seed)
                  : trifac::io::parse_matrix<T>(source.bytes, source.name);
}

/// Writes the tasks of the last call on StarPU.
inline void write_timeline([[maybe_unused]] const std::string& name) {
#if TRIFAC_EXPECT_STARPU
  std::ofstream file(name);
  file << (name.ends_with(".svg") ? bench::to_svg(recorded_tasks()) : to_text(recorded_tasks()));
  if (!file.flush()) throw usage_error("--timeline: " + name + " cannot be written");
#endif
}

template <class T>
int factor_as(const options& o, const matrix_source& source) {
  problem<T> p{load<T>(o, source), {}};
  if (p.A.rows() == p.A.cols()) {
    random_numbers random(o.seed + 1);
    p.B = right_hand_sides<T>(p.A, o.rhs, random);
  }

  choice chosen = choose(p.A, o);
  print_choice(std::cout, chosen.algorithm, chosen.reason);
  std::vector<measurement> lines;
  if (chosen.algorithm == algorithm::cholesky) {
    lines = measure_all_cholesky(p, o);
    const auto& last = lines.back();
    if (last.outcome.kind() == trifac::status_kind::not_positive_definite && may_go_on(o)) {
      chosen = {algorithm::lu,
                "Cholesky (" + last.backend + ") found the matrix " + last.outcome.message()};
      print_choice(std::cout, chosen.algorithm, chosen.reason);
      options again = o;
      again.variant = "best";
      lines = measure_all_lu(p, again);
    }
  } else {
    lines = measure_all_lu(p, o);
  }
  if (!o.timeline.empty()) write_timeline(o.timeline);
  return print_table(std::cout, chosen.algorithm, lines, o);
}

}  // namespace program
