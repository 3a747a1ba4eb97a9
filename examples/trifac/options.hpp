#pragma once
// The command line of the program `trifac`.

#include <cstdint>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bench/study/names.hpp"

namespace program {

enum class command { factor, info, names, version, help };
enum class algorithm { cholesky, lu };
enum class scalar { real_single, real_double, complex_single, complex_double };
enum class random_kind { spd, general, dominant };

std::string_view to_string(scalar type);

/// What the command line asks for.
struct options {
  command what = command::help;

  // The matrix: a file, or a random one.
  std::string file;
  std::optional<random_kind> random;
  trifac::index_t n = 0;
  std::uint64_t seed = 1;
  std::optional<scalar> type;

  // The factorization.
  std::optional<program::algorithm> algorithm;
  std::string variant = "best";
  std::vector<std::string> backends;   ///< empty: all available
  std::string starpu_workers = "cpu";  ///< of --backend starpu:WORKERS
  int threads = 0;
  trifac::index_t block = 0;
  std::optional<trifac::pivoting> pivoting;
  std::optional<trifac::selection> selection;
  bool growth = false;
  bool upper = false;
  trifac::index_t cutoff = 0, leaves = 0, arity = 0;
  trifac::lu_layout layout = trifac::lu_layout::column_major;

  // Settings of devices; device: the OpenCL device, a kind or its index in `trifac info`.
  std::string device = "any";
  trifac::device::device_settings settings;

  // A system: the files of B and, unless empty, of X.
  std::string rhs_file, out;

  // The measurement.
  trifac::index_t rhs = 1;
  int repeat = 3;
  std::string timeline;  ///< the file for the tasks of starpu; empty: none

  std::set<std::string_view> given;  ///< the options of the command line
};

/// Whether the options name this backend, or none.
bool is_wanted(const options& o, std::string_view backend);

/// Whether the command line names this algorithm: by --algorithm, a variant or an option.
bool asks_for(algorithm which, const options& o);

/// A wrong command line; what() is one line.
class usage_error : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The arguments without the program's name. Throws usage_error.
options parse_options(const std::vector<std::string_view>& arguments);

/// What --help prints.
std::string help_text();

/// What `trifac names` prints: every choice of bench/study/names.hpp, one on each line.
std::string names_text();

}  // namespace program
