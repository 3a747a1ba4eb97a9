// Runner of trifac's batches. Arguments: threads (one means backend::serial), interleaved|canonical.

#include <cstdlib>
#include <numeric>

#include "../peak.hpp"
#include "batched_trifac.hpp"
#include "trifac/backend/openmp.hpp"

namespace {

/// Bytes per second of one thread's processor time, the best of several passes over memory of the
/// size that batches from memory have.
struct bandwidths {
  double update = 0;  ///< read and written back, as a batch that is factored in place
  double read = 0;
};

bandwidths measured_bandwidths() {
  constexpr std::size_t bytes = std::size_t{128} << 20, step = 8;
  std::vector<double> all(bytes / sizeof(double), 1);
  bandwidths best;
  double sums[step] = {};
  const auto rate_of = [&](std::size_t moved, const auto& pass) {
    const double begin = bench::thread_seconds();
    for (std::size_t k = 0; k < all.size(); k += step) pass(&all[k]);
    return static_cast<double>(moved) / (bench::thread_seconds() - begin);
  };
  for (int i = 0; i < 5; ++i) {
    best.update = std::max(best.update, rate_of(2 * bytes, [](double* x) {
                             for (std::size_t l = 0; l < step; ++l) x[l] *= 0.999;
                           }));
    best.read = std::max(best.read, rate_of(bytes, [&](const double* x) {
                           for (std::size_t l = 0; l < step; ++l) sums[l] += x[l];
                         }));
  }
  all[0] = std::accumulate(sums, sums + step, 0.0);
  static_cast<void>(static_cast<volatile double&>(all[0]));  // so that nothing is left out
  return best;
}

std::string number(double x) {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text << x;
  return text.str();
}

}  // namespace

int main(int argc, char** argv) {
  const int threads = argc > 1 ? std::atoi(argv[1]) : 1;
  const std::string layout = argc > 2 ? argv[2] : "interleaved";
  const bandwidths memory = measured_bandwidths();
  bench::introduce({{"core", std::string(to_string(trifac::simd::active_isa()))},
                    {"config", layout + ", header-only, -O2, no -march"},
                    {"update_bandwidth", number(memory.update)},
                    {"read_bandwidth", number(memory.read)},
                    {"peak_double", number(bench::multiply_add_peak<double>())},
                    {"peak_float", number(bench::multiply_add_peak<float>())}});
  if (threads > 1)
    bench::serve_trifac_batches(trifac::backend::openmp{.threads = threads}, layout == "canonical");
  else
    bench::serve_trifac_batches(trifac::backend::serial{}, layout == "canonical");
}
