// Runner of trifac's batches. Arguments: threads (one means backend::serial), chunked|canonical.

#include <cstdlib>
#include <cstring>

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
  constexpr std::size_t bytes = std::size_t{128} << 20;
  std::vector<double> zeros(bytes / sizeof(double));
  bandwidths best;
  const auto rate_of = [](std::size_t moved, const auto& pass) {
    const double begin = bench::thread_seconds();
    pass();
    return static_cast<double>(moved) / (bench::thread_seconds() - begin);
  };
  for (int i = 0; i < 5; ++i) {
    best.update = std::max(best.update, rate_of(2 * bytes, [&] {
                             for (double& x : zeros) x *= 0.999;
                           }));
    // The C library's search for a byte that is not there reads with the widest vectors.
    best.read = std::max(best.read, rate_of(bytes, [&] {
                           if (std::memchr(zeros.data(), 1, bytes) != nullptr) std::abort();
                         }));
  }
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
  const std::string layout = argc > 2 ? argv[2] : "chunked";
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
