#pragma once
// The command line of `trifac tune`.

#include <string>
#include <string_view>
#include <vector>

#include "bench/tune/combinations.hpp"
#include "options.hpp"

namespace program {

struct tune_options {
  std::vector<trifac::batch_operation> operations = {trifac::batch_operation::cholesky,
                                                     trifac::batch_operation::lu,
                                                     trifac::batch_operation::solve};
  std::vector<scalar> types = {scalar::real_double};
  std::vector<trifac::index_t> orders = {4, 6, 8, 12, 16, 24, 32, 48, 64};
  std::vector<trifac::batch_place> places = {trifac::batch_place::chunked,
                                             trifac::batch_place::strided};
  std::vector<std::string> backends;  ///< empty: serial and every device
  std::string device = "any";
  int threads = 0;
  trifac::index_t batch = 10000, rhs = 1;

  // Levels that take the place of the tuner's; empty: its own.
  tune::levels levels = {.kernel = {}, .tile = {}, .looking = {}, .chunk = {}, .outer = {}};
  bool all = false;

  double minutes = 10;
  int rounds = 9;
  std::string profile = "trifac.profile", header;
  bool again = false, help = false;
};

/// The words behind `tune`. Throws usage_error.
tune_options parse_tune_options(const std::vector<std::string_view>& arguments);

/// What `trifac tune --help` prints.
std::string tune_help_text();

}  // namespace program
