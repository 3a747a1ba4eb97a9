// Runner of a shared library with LAPACK's potrf and getrf (32-bit integers).
// Arguments: file, prefix of its symbols (may be empty), threads.

#include <cstdlib>

#include "lapack_library.hpp"
#include "protocol.hpp"

int main(int argc, char** argv) try {
  if (argc != 4) throw std::runtime_error("takes FILE PREFIX THREADS");
  bench::lapack_library library(argv[1], argv[2]);
  set_threads(library, std::atoi(argv[3]));
  const auto [core, config] = describe(library);
  bench::introduce({{"core", core}, {"config", config}});
  bench::serve(library);
} catch (const std::exception& e) {
  bench::refuse(e.what());
  return 1;
}
