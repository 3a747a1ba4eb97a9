// For a test program that counts its allocations and lets them fail. Replaces operator new and
// delete, so a program includes it once.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <span>
#include <string>
#include <vector>

#include "support/matrices.hpp"
#include "trifac/engine/call/workspace_cache.hpp"
#include "trifac/matrix.hpp"
#include "trifac/status.hpp"

namespace {

// Counts the allocations of this program and those that are not freed yet, and lets the next ones
// fail: all of them, or one of this number. Teams allocate at the same time.
std::atomic<int> allocations = 0;
std::atomic<int> not_freed = 0;
std::atomic<bool> memory_is_full = false;
std::atomic<int> fails_at = -1;

void* allocate(std::size_t bytes, std::size_t alignment) {
  const bool fails = allocations++ == fails_at || memory_is_full;
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void* const memory =
      fails ? nullptr : std::aligned_alloc(alignment, rounded > 0 ? rounded : alignment);
  if (!memory) throw std::bad_alloc();
  ++not_freed;
  return memory;
}

void release(void* memory) {
  if (memory) --not_freed;
  std::free(memory);
}

}  // namespace

#include "support/replaced_new.inl"

namespace trifac::test {
namespace {

matrix<double> spd(index_t n) {
  random_source random(551);
  return random_spd<double>(random, n);
}
matrix<double> general(index_t m, index_t n) {
  random_source random(552);
  return random_matrix<double>(random, m, n);
}

/// Bytes to hand in as workspace, from an aligned address or not, and as many behind them that must
/// stay as they are.
class guarded_bytes {
 public:
  explicit guarded_bytes(std::size_t bytes) : size_(bytes), memory_(bytes + 1 + tail, mark) {}
  std::span<std::byte> from(std::size_t offset) {
    return std::span(memory_).subspan(offset, size_);
  }
  bool tail_untouched() const {
    return std::all_of(memory_.end() - tail, memory_.end(), [](std::byte b) { return b == mark; });
  }

 private:
  static constexpr std::byte mark{0xcd};
  static constexpr std::ptrdiff_t tail = 128;
  std::size_t size_;
  std::vector<std::byte> memory_;
};

/// Runs call(), which returns a status, with its 1st, 2nd, … allocation failing, until it succeeds.
/// Where one failed for that, untouched() must hold; where it succeeded all the same,
/// same_result(). prepare() comes before each run. Returns how many allocations mattered.
template <class Prepare, class Call, class Untouched, class SameResult>
int expect_nothing_touched(Prepare prepare, Call call, Untouched untouched,
                           SameResult same_result) {
  int mattered = 0;
  for (int k = 0;; ++k) {
    prepare();
    free_workspace_cache();
    const int before = allocations;
    fails_at = before + k;
    const status s = call();
    fails_at = -1;
    const bool failed = s.kind() == status_kind::out_of_memory;
    SCOPED_TRACE("allocation " + std::to_string(k) + " fails");
    EXPECT_TRUE(failed || s.ok()) << s.message();
    EXPECT_TRUE(failed ? untouched() : same_result());
    mattered += failed;
    if (allocations <= before + k) return mattered;  // none was left to fail
    if (k > 1000) {
      ADD_FAILURE() << "never ends";
      return mattered;
    }
  }
}

}  // namespace
}  // namespace trifac::test
