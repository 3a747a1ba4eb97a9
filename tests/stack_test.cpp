// How much stack calls need: at most the 512 KiB of docs/start.md. The stack of a thread is painted
// before its call; paint that is left was not reached.

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/mman.h>

#include <cstddef>
#include <cstring>
#include <functional>
#include <type_traits>

#include "support/batches.hpp"
#include "support/sanitizers.hpp"
#include "support/scalars.hpp"
#include "trifac/batch.hpp"
#include "trifac/solve_mixed.hpp"
#include "trifac/trifac.hpp"

namespace trifac::test {
namespace {

/// Bytes of stack of a thread that runs `work`.
std::size_t stack_of(std::function<void()> work) {
  constexpr std::size_t size = 4 << 20;
  constexpr unsigned char paint = 0x5a;
  void* const memory =
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 0;
  std::memset(memory, paint, size);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, memory, size);
  pthread_t thread;
  const auto run = [](void* given) -> void* {
    (*static_cast<std::function<void()>*>(given))();
    return nullptr;
  };
  std::size_t left = size;  // of a thread that did not start
  if (pthread_create(&thread, &attributes, run, &work) == 0) {
    pthread_join(thread, nullptr);
    left = 0;
    while (left < size && static_cast<unsigned char*>(memory)[left] == paint) ++left;
  }
  pthread_attr_destroy(&attributes);
  munmap(memory, size);
  return size - left;
}

template <class T>
class Stack : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_usual_frames) GTEST_SKIP() << "sanitizers enlarge frames";
  }
};
TYPED_TEST_SUITE(Stack, lapack_scalars, scalar_names);

TYPED_TEST(Stack, OfEveryCallIsBelow512KiB) {
  using T = TypeParam;
  constexpr std::size_t promised = 512 << 10;
  random_source random(2101);
  for (const index_t n : {1, 2, 5, 16, 30, 64, 65, 129, 300, 600}) {
    SCOPED_TRACE(n);
    const matrix<T> general = dominant_matrix<T>(random, n, n), B = random_matrix<T>(random, n, 3);
    const matrix<T> definite = random_spd<T>(random, n);
    const auto needs = [&](const char* name, auto call) {
      const std::size_t used = stack_of(call);
      EXPECT_GT(used, 0u) << name;
      EXPECT_LE(used, promised) << name;
    };
    needs("cholesky", [&] {
      const auto f = cholesky(matrix<T>(definite), {.norm = true});
      static_cast<void>(solved(f, B));
      static_cast<void>(inverse(f));
      static_cast<void>(reciprocal_condition(f));
    });
    needs("lu", [&] {
      const auto f = lu(matrix<T>(general));
      static_cast<void>(solved(f, B));
      static_cast<void>(inverse(f));
      matrix<T> X = B;
      solve(f, X);
      static_cast<void>(refine(general, f, B, X));
    });
    needs("tournament",
          [&] { static_cast<void>(lu(matrix<T>(general), {.pivoting = pivoting::tournament})); });
    needs("pivoted and modified", [&] {
      static_cast<void>(pivoted_cholesky(matrix<T>(definite)));
      static_cast<void>(modified_cholesky(matrix<T>(definite)));
    });
    if constexpr (std::is_same_v<real_t<T>, double>)
      needs("mixed", [&] {
        matrix<T> X = B;
        static_cast<void>(solve_mixed(general, B, X));
      });
    needs("update", [&] {
      auto f = cholesky(matrix<T>(definite));
      update(f, matrix<T>(B));
    });
    if (n > 64) continue;
    needs("batches", [&] {
      auto A = batch_of(random_batch<T>(40, n, n, true)), systems = batch_of(matrices<T>(40, B));
      const auto f = cholesky(A);
      solve(f, systems);
      static_cast<void>(lu(systems));
    });
  }
}

}  // namespace
}  // namespace trifac::test
