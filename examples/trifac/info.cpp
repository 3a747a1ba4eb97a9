// The command `trifac info`: what this program was built with and what it finds on this machine.

#include "info.hpp"

#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <thread>

#include "backends.hpp"
#include "scalar_types.hpp"
#include "table.hpp"
#include "trifac/engine/simd/isa/isa.hpp"
#include "trifac/io/memory.hpp"
#include "trifac/version.hpp"

namespace program {

namespace {

constexpr std::string_view compiler() {
#if defined(__clang__)
  return "Clang " __clang_version__;
#elif defined(__GNUC__)
  return "GCC " __VERSION__;
#elif defined(_MSC_VER)
  return "MSVC";
#else
  return "unknown";
#endif
}

/// The first line of a file, empty where it cannot be read.
std::string first_line(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::string cpu_name() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);)
    if (line.starts_with("model name")) return line.substr(line.find(": ") + 2);
  return "unknown";
}

/// The instruction sets beyond the baseline that matter to dense linear algebra.
std::string instruction_sets() {
  std::string found;
#if TRIFAC_SIMD_X86
  __builtin_cpu_init();
  const auto note = [&found](bool is_there, std::string_view name) {
    if (is_there) (found += found.empty() ? "" : " ") += name;
  };
  note(__builtin_cpu_supports("sse2"), "sse2");
  note(__builtin_cpu_supports("sse4.2"), "sse4.2");
  note(__builtin_cpu_supports("avx"), "avx");
  note(__builtin_cpu_supports("avx2"), "avx2");
  note(__builtin_cpu_supports("fma"), "fma");
  note(__builtin_cpu_supports("bmi"), "bmi");
  note(__builtin_cpu_supports("bmi2"), "bmi2");
  note(__builtin_cpu_supports("avx512f"), "avx512f");
  note(__builtin_cpu_supports("avx512dq"), "avx512dq");
  note(__builtin_cpu_supports("avx512bw"), "avx512bw");
  note(__builtin_cpu_supports("avx512vl"), "avx512vl");
#elif defined(__ARM_NEON)
  found = "neon";
#endif
  return found.empty() ? "unknown" : found;
}

/// "L1 Data 32K, L2 Unified 1024K", as Linux lists the caches of the first core.
std::string caches() {
  const std::filesystem::path folder = "/sys/devices/system/cpu/cpu0/cache";
  std::string found;
  for (int k = 0; k < 8; ++k) {
    const auto cache = folder / ("index" + std::to_string(k));
    const std::string size = first_line(cache / "size");
    if (size.empty()) break;
    found += (found.empty() ? "L" : ", L") + first_line(cache / "level") + ' ' +
             first_line(cache / "type") + ' ' + size;
  }
  return found.empty() ? "unknown" : found;
}

template <class T>
void print_scalar(std::ostream& out) {
  const double eps = std::numeric_limits<trifac::real_t<T>>::epsilon() / 2;
  out << "  " << trifac::lapack_letter<T> << "  " << to_string(scalar_of<T>) << ": " << sizeof(T)
      << " bytes, unit roundoff " << digits(eps, 3) << '\n';
}

/// The device of a backend that has one: "AMD EPYC … (OpenCL 3.0 …), 2 units, 6.3 GB".
template <class Backend>
void print_device(std::ostream& out, const Backend& backend) {
  if constexpr (requires { backend.facts(); }) {
    const auto& f = backend.facts();
    out << ", " << f.name << " (" << f.driver << "), " << f.units << " units, "
        << digits(static_cast<double>(f.all_bytes) / 1e9, 3) << " GB, at most "
        << digits(static_cast<double>(f.most_bytes) / 1e9, 3) << " GB in one piece"
        << (f.has_double ? "" : ", no double");
  } else if constexpr (requires { Backend::workers(); }) {
    const auto names = Backend::workers();
    out << ", " << names.size() << (names.size() == 1 ? " worker" : " workers");
    for (std::size_t w = 0; w < names.size(); ++w) out << (w == 0 ? ": " : ", ") << names[w];
  } else {
    out << ", the library chooses its threads";
  }
}

/// The devices that for_each_backend leaves out.
void print_other_devices(std::ostream& out) {
#if TRIFAC_EXPECT_OPENCL
  const auto names = trifac::backend::opencl::devices();
  for (std::size_t k = 1; k < names.size(); ++k)
    out << "  opencl, device " << k << ": " << names[k] << " (--device " << k << ")\n";
#else
  static_cast<void>(out);
#endif
}

}  // namespace

void print_info(std::ostream& out) {
  out << "trifac " TRIFAC_VERSION_STRING "\ncompiler: " << compiler() << ", C++ " << __cplusplus
      << "\nCPU: " << cpu_name() << "\ninstruction sets: " << instruction_sets()
      << "\nkernels: " << to_string(trifac::simd::active_isa())
      << " (TRIFAC_ISA lowers it; best here " << to_string(trifac::simd::detected_isa())
      << ")\ncaches: " << caches() << "\ncores: " << std::thread::hardware_concurrency()
      << "\nmemory available: "
      << digits(static_cast<double>(trifac::io::available_memory()) / 1e9, 3) << " GB\nbackends:\n";
  for_each_backend({}, [&](const auto& backend, int threads) {
    const trifac::availability here = backend.available();
    out << "  " << backend.name << ": " << (here ? "yes" : "no, ") << here.reason;
    if (here && threads > 0) out << ", threads " << threads;
    if (here && threads == 0) print_device(out, backend);
    out << '\n';
  });
  for (const missing_backend& b : missing_backends())
    out << "  " << b.name << ": no, " << b.reason << '\n';
  print_other_devices(out);
  out << "scalar types:\n";
  types_of_program::for_each([&]<class T>(T) { print_scalar<T>(out); });
}

}  // namespace program
