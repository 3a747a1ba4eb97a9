// Links two parts, FIRST and SECOND, and runs those named on the command line: 1, 2, or both.
// Exits with 0 where each got its own code and both, if asked, the same bits.

#include <cstdio>
#include <cstring>

#include "part.hpp"

outcome FIRST();
outcome SECOND();

#define TEXT_(name) #name
#define TEXT(name) TEXT_(name)

namespace {

bool report(const char* name, const outcome& result) {
  std::printf("%s: %s, bits %016llx\n", name, result.complaint ? result.complaint : "right",
              static_cast<unsigned long long>(result.bits));
  return result.complaint == nullptr;
}

}  // namespace

int main(int argc, char** argv) {
#if NEW_CPU
  if (argc == 3 && !__builtin_cpu_supports("avx512bw")) {
    std::puts("skipped: this CPU cannot run the part for AVX-512");
    return 77;
  }
#endif
  bool right = argc > 1;
  outcome results[2];
  for (int k = 1; k < argc && k <= 2; ++k) {
    const bool first = std::strcmp(argv[k], "1") == 0;
    results[k - 1] = first ? FIRST() : SECOND();
    right = report(first ? TEXT(FIRST) : TEXT(SECOND), results[k - 1]) && right;
  }
#if SAME_BITS
  if (argc == 3 && results[0].bits != results[1].bits) {
    std::puts("the parts' factors differ");
    right = false;
  }
#endif
  return right ? 0 : 1;
}
