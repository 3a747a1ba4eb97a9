// The program `trifac`: factors a matrix from a file with every backend and checks the result. See
// `trifac --help`.

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

}  // namespace

int main(int argc, char** argv) try {
  const int status = run(program::parse_options({argv + 1, argv + argc}));
  return std::cout.flush() ? status : refuse("standard output cannot be written");
} catch (const program::usage_error& error) {
  return refuse(error.what() + std::string(" (see trifac --help)"));
} catch (const std::bad_alloc&) {
  return refuse("not enough memory for this matrix");
} catch (const std::exception& error) {
  return refuse(error.what());
}
