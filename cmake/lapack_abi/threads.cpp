// How many threads the calls have, ilaver, and what tells a program that this library is loaded.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <thread>

#include "routine.hpp"

#define TRIFAC_EXPORT extern "C" __attribute__((visibility("default")))

namespace trifac::lapack_abi {
namespace {

constexpr int most_threads = 4096;

/// k, at most most_threads, or 0 for all processors; one for a negative k.
int known_number(long k) {
  return k < 0 ? 1 : static_cast<int>(std::min<long>(k, most_threads));
}
/// TRIFAC_NUM_THREADS; one, where it is not set or no number.
int threads_of_environment() {
  const char* const text = std::getenv("TRIFAC_NUM_THREADS");
  if (!text || *text == '\0') return 1;
  char* end = nullptr;
  const long threads = std::strtol(text, &end, 10);
  return *end == '\0' ? known_number(threads) : 1;
}
std::atomic<int>& number() {
  static std::atomic<int> threads = threads_of_environment();
  return threads;
}

}  // namespace

int threads() {
  return number().load(std::memory_order_relaxed);
}

TRIFAC_EXPORT void trifac_set_num_threads(int threads) {
  number() = known_number(threads);
}
/// Never 0: the number of processors then.
TRIFAC_EXPORT int trifac_get_num_threads() {
  if (threads() > 0) return threads();
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}
/// The version of trifac, "0.3.0".
TRIFAC_EXPORT const char* trifac_get_version() {
  return TRIFAC_VERSION_STRING;
}

/// The version of LAPACK whose routines these are.
template <class I>
void lapack_version(I* major, I* minor, I* patch) {
  *major = 3, *minor = 12, *patch = 0;
}
TRIFAC_EXPORT void ilaver_(std::int32_t* major, std::int32_t* minor, std::int32_t* patch) {
  lapack_version(major, minor, patch);
}
TRIFAC_EXPORT void ilaver_64_(std::int64_t* major, std::int64_t* minor, std::int64_t* patch) {
  lapack_version(major, minor, patch);
}

}  // namespace trifac::lapack_abi
