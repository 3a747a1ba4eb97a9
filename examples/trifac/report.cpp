// What `trifac factor` prints around its measurements.

#include "report.hpp"

#include <algorithm>

#include "table.hpp"
#include "trifac/io/error.hpp"

namespace program {

namespace {

std::string verdict(const measurement& line) {
  if (!line.complete()) return line.outcome.message();
  if (!(line.factor_ratio < good_ratio)) return "BAD factor";
  if (!line.good()) return "BAD solution";
  return line.outcome.ok() ? "good" : "good (" + line.outcome.message() + ")";
}

std::string number_or_dash(double x, int precision) {
  return x == x ? digits(x, precision) : "-";
}

}  // namespace

scalar natural_type(const trifac::io::matrix_file& about) {
  if (about.field == trifac::io::field::complex)
    return about.single_precision ? scalar::complex_single : scalar::complex_double;
  return about.single_precision ? scalar::real_single : scalar::real_double;
}

void print_file(std::ostream& out, const std::string& name, const trifac::io::matrix_file& about,
                scalar type) {
  out << trifac::io::printable(name, 4096) << ": " << about.rows << " x " << about.cols << ", "
      << to_string(about.layout) << ' ' << to_string(about.field) << ' '
      << to_string(about.symmetry) << ", as " << to_string(type) << std::endl;
}

void print_choice(std::ostream& out, algorithm which, const std::string& reason) {
  out << (which == algorithm::cholesky ? "Cholesky: " : "LU: ") << reason << std::endl;
}

int print_table(std::ostream& out, algorithm which, const std::vector<measurement>& lines,
                const options& o) {
  std::vector<std::string> titles = {"backend", "variant",      "threads",    "time/ms",
                                     "GFLOP/s", "factor error", "solve error"};
  std::vector<bool> is_number = {false, false, true, true, true, true, true};
  if (o.growth) titles.push_back("growth"), is_number.push_back(true);
  titles.push_back("verdict"), is_number.push_back(false);

  table t(titles);
  for (const measurement& line : lines) {
    std::vector<std::string> row = {line.backend,
                                    line.method,
                                    line.threads > 0 ? std::to_string(line.threads) : "own",
                                    number_or_dash(line.seconds * 1e3, 4),
                                    number_or_dash(line.flops / line.seconds * 1e-9, 4),
                                    number_or_dash(line.factor_ratio, 3),
                                    number_or_dash(line.solve_ratio, 3)};
    if (o.growth) row.push_back(number_or_dash(line.growth, 3));
    row.push_back(verdict(line));
    t.add(std::move(row));
  }
  t.print(out, is_number);

  out << "factor error: " << (which == algorithm::cholesky ? "||A - L L^H||_1" : "||P A - L U||_1")
      << " / (n ||A||_1 eps); solve error: ||b - A x|| / ((||A|| ||x|| + ||b||) n eps), max norms; "
         "good "
         "below "
      << good_ratio << ". Best of " << o.repeat << (o.repeat == 1 ? " run.\n" : " runs.\n");
  const bool all_good =
      std::all_of(lines.begin(), lines.end(), [](const measurement& m) { return m.good(); });
  return all_good ? 0 : 1;
}

}  // namespace program
