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

/// One clear line, and the exit status of bad usage and bad files.
int refuse(std::string_view what) {
  std::cerr << "trifac: " << what << '\n';
  return 2;
}

/// Does what the options say; returns the exit status.
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
  return refuse("there is not enough memory for this matrix");
} catch (const std::exception& error) {
  return refuse(error.what());
}
