#pragma once
// What the command line of trifac-bench says besides Google Benchmark's own flags.

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "trifac/engine/base/variant.hpp"
#include "trifac/matrix_view.hpp"

namespace bench {

struct options {
  int threads = 0;            ///< of the backends with threads; 0: OpenMP's default
  trifac::index_t block = 0;  ///< 0: the library's choice
  std::vector<trifac::index_t> sizes = {16, 32, 64, 128, 256, 512, 1024, 2048, 4096};
  std::vector<std::string> types = {"float", "double", "complex_float", "complex_double"};
  std::vector<trifac::index_t> right_hand_sides = {1, 32};
};

/// A wrong word; what() says which.
class usage_error : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Takes our flags out of the arguments. Throws usage_error.
options take_options(std::vector<std::string_view>& arguments);

extern const std::string_view help_text;

}  // namespace bench
