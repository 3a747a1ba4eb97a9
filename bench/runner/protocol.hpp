#pragma once
// How bench/compare talks to a runner, one process for each library: it writes a request in one
// line to standard input,
//
//   cholesky|lu  lower|upper  s|d|c|z  N  LD  SECONDS
//
// and gets one line of JSON. A runner says first, in such a line, what it is and what it chose.

#include <cmath>
#include <cstdio>
#include <iostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "measurement.hpp"

namespace bench {

/// text with what JSON wants escaped; control characters become blanks.
inline std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return result + '"';
}

/// The first line: properties of the library.
inline void introduce(const std::vector<std::pair<std::string, std::string>>& properties) {
  std::string line = "{";
  for (const auto& [key, value] : properties)
    line += (line.size() > 1 ? ", " : "") + quoted(key) + ": " + quoted(value);
  std::puts((line + "}").c_str());
  std::fflush(stdout);
}

/// x as Python reads it in JSON, where printf's nan and inf are errors.
inline std::string json_number(double x) {
  if (std::isnan(x)) return "NaN";
  if (std::isinf(x)) return "Infinity";
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", x);
  return text;
}

inline void answer(const measurement& m) {
  std::printf(
      "{\"wall\": %.9g, \"wall_median\": %.9g, \"cpu\": %.9g, \"batches\": %d, "
      "\"ratio\": %s, \"failures\": %d}\n",
      m.wall, m.wall_median, m.cpu, m.batches, json_number(m.ratio).c_str(), m.failures);
  std::fflush(stdout);
}
inline void refuse(const std::string& reason) {
  std::puts(("{\"error\": " + quoted(reason) + "}").c_str());
  std::fflush(stdout);
}

template <class Library, class T>
void serve_type(Library& library, const request& r) {
  if (r.algorithm == "cholesky" && library.template has_cholesky<T>())
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
template <class Library>
void serve(Library& library) {
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    request r;
    std::string part;
    char type = 0;
    words >> r.algorithm >> part >> type >> r.n >> r.ld >> r.seconds;
    if (!words || r.n < 1 || r.ld < r.n) {
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
