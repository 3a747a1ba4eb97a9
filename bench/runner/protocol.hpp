#pragma once
// How bench/compare talks to a runner, one process for each library: it writes a request in one
// line to standard input,
//
//   cholesky|lu  lower|upper  s|d|c|z  N  LD  SECONDS  [RIGHT-HAND SIDES]
//
// and gets one line of JSON; with right-hand sides it is about solves with a factor. (Batches have
// an operation in their place.) A runner says first, in such a line, what it is and what it chose.

#include <cstdio>
#include <iostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "../json.hpp"
#include "measurement.hpp"

namespace bench {

/// The first line: properties of the library.
inline void introduce(const std::vector<std::pair<std::string, std::string>>& properties) {
  std::string line = "{";
  for (const auto& [key, value] : properties)
    line += (line.size() > 1 ? ", " : "") + quoted(key) + ": " + quoted(value);
  std::puts((line + "}").c_str());
  std::fflush(stdout);
}

inline void answer(const measurement& m) {
  std::puts(("{\"wall\": " + json_number(m.wall) +
             ", \"wall_median\": " + json_number(m.wall_median) +
             ", \"cpu\": " + json_number(m.cpu) + ", \"batches\": " + std::to_string(m.batches) +
             ", \"ratio\": " + json_number(m.ratio) +
             ", \"failures\": " + std::to_string(m.failures) + "}")
                .c_str());
  std::fflush(stdout);
}
inline void refuse(const std::string& reason) {
  std::puts(("{\"error\": " + quoted(reason) + "}").c_str());
  std::fflush(stdout);
}

template <class Library, class T>
void serve_type(Library& library, const request& r) {
  if (r.sides > 0) {
    if constexpr (requires { library.template has_solves<T>(); })
      if (library.template has_solves<T>()) return answer(measure_solve<T>(r, library));
    refuse("has no such routine");
  } else if (r.algorithm == "cholesky" && library.template has_cholesky<T>())
    answer(measure_cholesky<T>(r, library));
  else if (r.algorithm == "lu" && library.template has_lu<T>())
    answer(measure_lu<T>(r, library));
  else
    refuse("has no such routine");
}

/// Serves requests until standard input ends. A library has, for each T,
///   has_cholesky<T>(), has_lu<T>()                    whether it can
///   cholesky(part, n, T* a, ld) -> bool               A := its factor, true if it succeeded
///   lu(n, T* a, ld, interchanges) -> bool             the same; the interchanges in its own form
///   interchange(interchanges, k) -> row               step k's row, counted from 0
/// and, if it solves,
///   has_solves<T>()
///   solve_cholesky(n, a, ld, b, sides), solve_lu(n, a, ld, interchanges, b, sides) -> bool
///                                                     B := A⁻¹·B, n × sides, with lower triangles
template <class Library>
void serve(Library& library) {
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    request r;
    std::string part;
    char type = 0;
    words >> r.algorithm >> part >> type >> r.n >> r.ld >> r.seconds;
    const bool read = !words.fail();
    if (!(words >> r.sides)) r.sides = 0;
    if (!read || r.n < 1 || r.ld < r.n) {
      refuse("cannot read the request");
      continue;
    }
    r.part = part == "upper" ? trifac::triangle::upper : trifac::triangle::lower;
    if (type == 's')
      serve_type<Library, float>(library, r);
    else if (type == 'd')
      serve_type<Library, double>(library, r);
    else if (type == 'c')
      serve_type<Library, std::complex<float>>(library, r);
    else if (type == 'z')
      serve_type<Library, std::complex<double>>(library, r);
    else
      refuse("does not know the type");
  }
}

}  // namespace bench
