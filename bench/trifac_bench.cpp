// trifac-bench: registers the benchmarks of this build's backends and hands over to Google
// Benchmark.

#include <dlfcn.h>

#include <cstdio>
#include <exception>

#include "backends.hpp"
#include "measure.hpp"
#include "register.hpp"

namespace {

#if TRIFAC_EXPECT_LAPACK
/// What an OpenBLAS behind LAPACKE says about itself, or "unknown".
std::string lapack_configuration() {
  if (void* symbol = dlsym(RTLD_DEFAULT, "openblas_get_config"))
    return reinterpret_cast<const char* (*)()>(symbol)();
  return "unknown";
}
#endif

std::string gigaflops(double flops) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f GFLOP/s", flops * 1e-9);
  return text;
}

void describe_machine() {
  benchmark::AddCustomContext("instruction set",
                              std::string(to_string(trifac::simd::active_isa())));
  benchmark::AddCustomContext("multiply-add peak of one core, float",
                              gigaflops(bench::peak_of_one_core<float>()));
  benchmark::AddCustomContext("multiply-add peak of one core, double",
                              gigaflops(bench::peak_of_one_core<double>()));
#if TRIFAC_EXPECT_LAPACK
  benchmark::AddCustomContext("lapack", lapack_configuration());
#endif
  // Sorted by name: the last line above Google Benchmark's warning.
  benchmark::AddCustomContext(
      "warning of a DEBUG library",
      "Debian's libbenchmark is one; harmless, as trifac-bench takes the times");
}

int run(int argc, char** argv) {
  std::vector<std::string_view> arguments(argv + 1, argv + argc);
  if (std::find(arguments.begin(), arguments.end(), "--help") != arguments.end()) {
    std::fputs(bench::help_text.data(), stdout);
    return 0;
  }
  const bench::options o = bench::take_options(arguments);

  // What is left are Google Benchmark's own flags.
  std::vector<char*> others = {argv[0]};
  for (const std::string_view argument : arguments)
    others.push_back(const_cast<char*>(argument.data()));
  int count = static_cast<int>(others.size());
  others.push_back(nullptr);
  benchmark::Initialize(&count, others.data());
  if (benchmark::ReportUnrecognizedArguments(count, others.data())) return 2;

  describe_machine();
  bench::register_cholesky(o);
  bench::register_lu(o);
  bench::register_solve(o);
  bench::register_operations(o);
  const bool found = benchmark::RunSpecifiedBenchmarks() > 0;
  return found && bench::failures == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) try { return run(argc, argv); } catch (const std::exception& e) {
  std::fprintf(stderr, "trifac-bench: %s\n", e.what());
  return 2;
}
