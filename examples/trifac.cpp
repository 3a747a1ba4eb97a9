// The program `trifac`: factors a matrix from a file with every backend and checks the result, and
// tunes batches. See `trifac --help`.

#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "trifac/factor.hpp"
#include "trifac/info.hpp"
#include "trifac/io/error.hpp"
#include "trifac/options.hpp"
#include "trifac/tune.hpp"
#include "trifac/version.hpp"

namespace {

/// Prints one line; returns the exit status of wrong usage and wrong files. The line may quote the
/// command line, so control characters are escaped.
int refuse(std::string_view what) {
  std::cerr << "trifac: " << trifac::io::printable(what, 4096) << '\n';
  return 2;
}

/// Runs the command; returns the exit status.
int run(const program::options& o) {
  switch (o.what) {
    case program::command::help:
      std::cout << program::help_text();
      return 0;
    case program::command::version:
      std::cout << "trifac " TRIFAC_VERSION_STRING "\n";
      return 0;
    case program::command::names:
      std::cout << program::names_text();
      return 0;
    case program::command::info:
      program::print_info(std::cout);
      return 0;
    case program::command::factor:
      return program::factor(o);
  }
  return 2;
}

int run_tune(const program::tune_options& o) {
  if (!o.help) return program::tune_batches(o, std::cout);
  std::cout << program::tune_help_text();
  return 0;
}

int run(const std::vector<std::string_view>& words) {
  if (!words.empty() && words[0] == "tune")
    return run_tune(program::parse_tune_options({words.begin() + 1, words.end()}));
  return run(program::parse_options(words));
}

}  // namespace

int main(int argc, char** argv) try {
  const int status = run(std::vector<std::string_view>{argv + 1, argv + argc});
  return std::cout.flush() ? status : refuse("standard output cannot be written");
} catch (const program::usage_error& error) {
  return refuse(error.what() + std::string(" (see trifac --help)"));
} catch (const std::bad_alloc&) {
  return refuse("not enough memory for this matrix");
} catch (const std::exception& error) {
  return refuse(error.what());
}
