// The command `trifac factor`: where the matrix comes from, which backends are available, which
// scalar type.

#include "factor.hpp"

#include <iostream>

#include "backends.hpp"
#include "report.hpp"
#include "scalar_types.hpp"
#include "solve.hpp"
#include "table.hpp"
#include "trifac/io/memory.hpp"
#include "trifac/io/read_matrix.hpp"

namespace program {

namespace {

/// Every name in --backend must be an available backend.
void check_backends(const options& o) {
  for (const std::string& name : o.backends) {
    std::string reason = "is not a backend";
    for_each_backend(words_of(o), [&](const auto& backend, int) {
      if (backend.name == name)
        reason = backend.available()
                     ? ""
                     : "is not available: " + std::string(backend.available().reason);
    });
    for (const missing_backend& b : missing_backends())
      if (b.name == name) reason = "is not available: " + std::string(b.reason);
    if (!reason.empty()) throw usage_error("\"" + name + "\" " + reason);
  }
#if !TRIFAC_EXPECT_OPENCL
  if (o.starpu_workers != "cpu")
    throw usage_error("starpu:" + o.starpu_workers + ": this program was built without OpenCL");
#endif
}

/// An option for devices is an error where there is no device.
void check_devices(const options& o) {
  bool found = false;
  std::string reason = "this program was built without one";
  for_each_backend(words_of(o), [&]<class B>(const B& backend, int) {
    if (!HasSettings<B> || !is_wanted(o, backend.name)) return;
    if (backend.available())
      found = true;
    else
      reason = std::string(backend.name) + ": " + std::string(backend.available().reason);
  });
  if (found) return;
  for (const char* option :
       {"--device", "--group", "--columns", "--cutoff-loop", "--arithmetic", "--blocks"})
    if (o.given.contains(option))
      throw usage_error(std::string(option) + " needs a device: " + reason);
}

matrix_source open(const options& o) {
  matrix_source source;
  if (o.random) {
    source.name = "random";
    source.about.rows = source.about.cols = o.n;
    return source;
  }
  source.name = o.file;
  source.bytes = trifac::io::file_contents(o.file);
  source.about = trifac::io::describe_matrix(source.bytes, source.name);
  return source;
}

void print_source(const options& o, const matrix_source& source, scalar type) {
  if (!o.random) return print_file(std::cout, source.name, source.about, type);
  std::cout << source.name << ": " << source.about.rows << " x " << source.about.cols << ", seed "
            << o.seed << ", as " << to_string(type) << std::endl;
}

/// The matrix, its storage for a method (twice out of place), the factor, L and U, the residual; of
/// right-hand sides B, X, B scaled, and the residual.
void check_memory(const options& o, const matrix_source& source, scalar type) {
  const double element = type == scalar::real_single ? 4 : type == scalar::complex_double ? 16 : 8;
  const auto rows = static_cast<double>(source.about.rows);
  const double columns =
      7 * static_cast<double>(source.about.cols) + 4 * static_cast<double>(o.rhs);
  const double bytes = element * rows * columns;
  const auto available = static_cast<double>(trifac::io::available_memory());
  if (bytes > available)
    throw trifac::io::read_error::whole(
        source.name, "factoring and checking " + std::to_string(source.about.rows) + " x " +
                         std::to_string(source.about.cols) + " with " + std::to_string(o.rhs) +
                         " right-hand sides takes " + digits(bytes / 1e9, 3) +
                         " GB, more than the " + digits(available / 1e9, 3) + " GB available");
}

}  // namespace

int factor(const options& o) {
  if (!o.rhs_file.empty()) return solve(o);
  check_backends(o);
  check_devices(o);
  const matrix_source source = open(o);
  const scalar type = o.type.value_or(natural_type(source.about));
  types_of_program::check(type);
  check_memory(o, source, type);
  print_source(o, source, type);
  return types_of_program::call(type, [&]<class T>(T) { return factor_as<T>(o, source); });
}

}  // namespace program
