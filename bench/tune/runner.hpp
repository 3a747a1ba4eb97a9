#pragma once
// A batch that can be worked on with any parameters, and the backends that have batches.

#include <chrono>
#include <complex>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "combinations.hpp"

namespace tune {

using clock = std::chrono::steady_clock;

/// What the first run of a combination showed.
struct first_run {
  std::string problem = "";  ///< why it did not run; empty where it did
  double ratio = 0;          ///< the worst residual ratio
};
/// A ratio from here on, or NaN, is a wrong result: the bound of LAPACK's test programs.
inline constexpr double wrong_from = 30;

/// Seconds of a factorization and of the solve with it, and how good the solutions are.
struct both_seconds {
  double factor = 0, solve = 0, ratio = 0;
  double forward = 0, backward = 0;  ///< each by itself; 0 for LU
};

class runner {
 public:
  virtual ~runner() = default;
  /// Called right before and after each timed call, where they are set; not timed.
  std::function<void()> before = {}, after = {};
  /// Compiles, runs and checks.
  virtual first_run check(const batch_tuning& t) = 0;
  /// Seconds of one call; the inputs are restored before it. On a device with memory of its own
  /// without the copies, which are the same for all and longer than the work.
  virtual double seconds(const batch_tuning& t) = 0;
  /// Of a factorization with the parameters t and a solve after it with those of `solve`; copies as
  /// above.
  virtual both_seconds seconds_of_both(const batch_tuning& t, const batch_tuning& solve) = 0;
};

/// Which backends are asked for.
struct backend_choice {
  std::vector<std::string> names = {};  ///< empty: serial and every device
  std::string device = "any";           ///< of OpenCL
  int threads = 0;                      ///< of openmp
};

/// A backend that batches of one type run on.
struct tunable {
  std::string backend = "";
  std::string device = "";  ///< as trifac::profile_device says it
  device_sort sort = device_sort::host;
  std::string problem = "";  ///< why it cannot be tuned; empty where it can
  can_run can = agrees;
  std::function<std::unique_ptr<runner>(const subject&)> make = {};
};

/// Those that are asked for. An instance for each type, in files of their own.
template <class T>
std::vector<tunable> tunables(const backend_choice& c);

extern template std::vector<tunable> tunables<float>(const backend_choice&);
extern template std::vector<tunable> tunables<double>(const backend_choice&);
extern template std::vector<tunable> tunables<std::complex<float>>(const backend_choice&);
extern template std::vector<tunable> tunables<std::complex<double>>(const backend_choice&);

/// The same by LAPACK's letter.
inline std::vector<tunable> tunables_of(char type, const backend_choice& c) {
  return type == 's'   ? tunables<float>(c)
         : type == 'd' ? tunables<double>(c)
         : type == 'c' ? tunables<std::complex<float>>(c)
                       : tunables<std::complex<double>>(c);
}

}  // namespace tune
