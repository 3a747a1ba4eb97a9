// trifac-study-worker BACKEND [THREADS [DEVICE]]: runs what bench/trifac-study asks for, on one
// backend. Answers in JSON on standard output; request.hpp has the protocol.
// trifac-study-worker profile FILE: whether the library takes that profile.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <limits>

#include "bench/json.hpp"
#include "bench/peak.hpp"
#include "serve.hpp"
#include "trifac/io/profile_file.hpp"
#include "trifac/version.hpp"

#ifdef __GLIBC__
  #include <malloc.h>
#endif

namespace study {
namespace {

using bench::quoted;

/// A number in JSON; null where it is NaN or infinite.
std::string number(double x) {
  return std::isfinite(x) ? bench::json_number(x) : "null";
}

void put(const std::string& line) {
  std::puts(line.c_str());
  std::fflush(stdout);
}

std::string compiler() {
#if defined(__clang__)
  return "Clang " __clang_version__;
#else
  return "GCC " __VERSION__;
#endif
}

/// Freed memory stays with the process and is found again, as in a program that factors one matrix
/// after another. glibc would give it back after each run, and the page faults of the next
/// workspace make `best` at n = 256 take more than twice as long.
void keep_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the largest that it takes
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
#endif
}

}  // namespace

void introduce(const facts& properties) {
  std::string line = "{";
  for (const auto& [key, value] : properties)
    line += (line.size() > 1 ? ", " : "") + quoted(key) + ": " + quoted(value);
  put(line + "}");
}

void reply(const answer& a) {
  std::string line = "{\"seconds\": " + number(a.seconds) +
                     ", \"batch\": " + std::to_string(a.batch) + ", \"ratio\": " + number(a.ratio) +
                     ", \"status\": " + quoted(a.outcome.message());
  for (const auto& [key, value] : a.more) line += ", " + quoted(key) + ": " + number(value);
  put(line + "}");
}

void refuse(const std::string& reason) {
  put("{\"error\": " + quoted(reason) + "}");
}

void check_profile(const std::string& file) {
  try {
    static_cast<void>(trifac::io::read_profile(file));
    introduce({{"profile", file}});
  } catch (const trifac::io::read_error& e) {
    refuse(e.what());
  }
}

bool next_line(std::string& line) {
  return static_cast<bool>(std::getline(std::cin, line));
}

}  // namespace study

int main(int argc, char** argv) {
  study::keep_freed_memory();
  const std::string backend = argc > 1 ? argv[1] : "";
  if (backend == "profile") {
    study::check_profile(argc > 2 ? argv[2] : "");
    return 0;
  }
  const int threads = argc > 2 ? std::atoi(argv[2]) : 1;
  const std::string device = argc > 3 ? argv[3] : "any";
  study::facts properties = {{"trifac", TRIFAC_VERSION_STRING},
                             {"compiler", study::compiler()},
                             {"machine", trifac::io::this_machine()},
                             {"isa", std::string(to_string(trifac::simd::active_isa()))},
                             {"peak_float", study::number(bench::multiply_add_peak<float>())},
                             {"peak_double", study::number(bench::multiply_add_peak<double>())}};
  study::set_batch_backend(backend, device, threads);
  if (backend == "serial")
    study::serve_serial(properties);
  else if (backend == "openmp")
    study::serve_openmp(threads, properties);
  else if (backend == "lapack")
    study::serve_lapack(properties);
  else if (backend == "opencl")
    study::serve_opencl(device, properties);
  else if (backend == "starpu")
    study::serve_starpu(threads, device, properties);
  else if (backend == "cuda")
    study::serve_cuda(properties);
  else if (backend == "cusolver")
    study::serve_cusolver(properties);
  else
    study::refuse("the worker was built without " + backend);
}
