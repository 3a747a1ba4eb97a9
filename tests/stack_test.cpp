// How much stack calls need: at most the 512 KiB of docs/start.md. The stack of a thread is painted
// before its call; paint that is left was not reached.

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/mman.h>

#include <cstddef>
#include <cstring>
#include <functional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/batches.hpp"
#include "support/sanitizers.hpp"
#include "support/scalars.hpp"
#include "trifac/backend/threads.hpp"
#include "trifac/batch.hpp"
#include "trifac/equilibration.hpp"
#include "trifac/solve_mixed.hpp"
#include "trifac/trifac.hpp"
#include "trifac/varied_batch.hpp"

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
    const auto* const bytes = static_cast<unsigned char*>(memory);
    const std::vector<unsigned char> page(4096, paint);
    while (left < size && std::memcmp(bytes + left, page.data(), page.size()) == 0)
      left += page.size();
    while (left < size && bytes[left] == paint) ++left;
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

/// Holds the stack of a call to what docs/start.md promises.
void needs(const char* name, std::function<void()> call) {
  constexpr std::size_t promised = 512 << 10;
  const std::size_t used = stack_of(std::move(call));
  EXPECT_GT(used, 0u) << name;
  EXPECT_LE(used, promised) << name;
}

TYPED_TEST(Stack, OfEveryCallIsBelow512KiB) {
  using T = TypeParam;
  random_source random(2101);
  for (const index_t n : {1, 2, 5, 16, 30, 64, 65, 129, 300, 600}) {
    SCOPED_TRACE(n);
    const matrix<T> general = dominant_matrix<T>(random, n, n), B = random_matrix<T>(random, n, 3);
    const matrix<T> definite = random_spd<T>(random, n);
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
    needs("update, append, remove", [&] {
      auto f = cholesky(matrix<T>(definite));
      update(f, matrix<T>(B));
      downdate(f, matrix<T>(B));
      matrix<T> corner(3, 3);
      for (index_t i = 0; i < 3; ++i) corner(i, i) = T(100);
      append(f, B, corner);
      remove(f, n / 2, 2);
    });
    needs("partial", [&] {
      auto f = partial_cholesky(matrix<T>(definite), n / 2);
      matrix<T> X = B;
      forward_solve(f, X);
      backward_solve(f, X);
      static_cast<void>(finish(std::move(f)));
    });
    needs("low rank", [&] {
      matrix<T> A(n, n);
      for (index_t j = 0; j < n; ++j)
        for (index_t i = 0; i < n; ++i)
          for (index_t k = 0; k < 3; ++k) A(i, j) += B(i, k) * detail::conjugate(B(j, k));
      const auto f = low_rank_cholesky<T>(
          n, [&](index_t i) { return std::real(A(i, i)); },
          [&](index_t j, std::span<T> column) {
            for (index_t i = 0; i < n; ++i) column[static_cast<std::size_t>(i)] = A(i, j);
          },
          {.rank = 5, .tolerance = 1e-3});
      EXPECT_LE(f.rank(), 3);
      EXPECT_LE(pivoted_cholesky(A, {.tolerance = 1e-3}).rank(), 3);
    });
    needs("jitter", [&] {
      matrix<T> A = definite;
      A(n / 2, n / 2) = T(0);
      EXPECT_TRUE(cholesky(A, {.jitter = {.first = 1e-2, .factor = 100}}));
    });
    needs("triangles", [&] {
      for (const triangle part : {triangle::lower, triangle::upper}) {
        const triangular_view<T> L(definite.view(), part);
        matrix<T> X = B;
        for (const operation op : {operation::none, operation::adjoint}) solve(L, X, op);
        static_cast<void>(inverse(L));
        static_cast<void>(reciprocal_condition(L));
      }
    });
    needs("traces and determinants", [&] {
      const auto f = cholesky(matrix<T>(definite));
      const auto g = lu(matrix<T>(general));
      static_cast<void>(trace_of_inverse(f));
      static_cast<void>(trace_of_inverse(g));
      static_cast<void>(trace_of_inverse(f, definite, triangle::lower));
      static_cast<void>(trace_of_inverse(g, definite));
      static_cast<void>(log_determinant(f));
      static_cast<void>(log_determinant(g));
    });
    needs("equilibrated", [&] {
      matrix<T> A = general, X = B;
      const auto scales = equilibration(A);
      equilibrate(A, scales);
      scale_rows(X, scales.rows);
      solve(lu(std::move(A)), X);
      scale_rows(X, scales.columns);
      matrix<T> S = definite;
      equilibrate(S, equilibration_of_definite(S), triangle::lower);
    });
    needs("factor and solve", [&] {
      matrix<T> X = B;
      cholesky_solve(matrix<T>(definite), X);
      lu_solve(matrix<T>(general), X);
    });
    needs("upper triangle, by rows", [&] {
      matrix<T> A = definite, X(3, n);
      const auto f = cholesky(A.view().transposed(), {.part = triangle::upper});
      solve(f, X.view().transposed());
      static_cast<void>(inverse(f));
      matrix<T> C = definite;
      cholesky_solve(C.view().transposed(), X.view().transposed(), {.part = triangle::upper});
    });
    needs("lu by rows", [&] {
      matrix<T> A = general, X(3, n);
      const auto f = lu(A.view().transposed());
      solve(f, X.view().transposed(), operation::adjoint);
      static_cast<void>(inverse(f));
    });
    needs("threads", [&] {
      const backend::threads team{.threads = 2};
      auto f = cholesky(team, matrix<T>(definite), {.part = triangle::upper});
      const auto g = lu(team, matrix<T>(general));
      matrix<T> X = B;
      solve(team, f, X);
      solve(team, g, X);
      static_cast<void>(inverse(team, f));
      static_cast<void>(inverse(team, g));
      static_cast<void>(trace_of_inverse(team, g));
      update(team, f, matrix<T>(B));
      static_cast<void>(pivoted_cholesky(team, matrix<T>(definite)));
      static_cast<void>(lu(team, matrix<T>(general), {.pivoting = pivoting::tournament}));
    });
  }
}

/// In lanes, up to order 64 and above; one by one.
TYPED_TEST(Stack, OfEveryCallOnABatchIsBelow512KiB) {
  using T = TypeParam;
  const auto expect = [](const auto& on, const matrices<T>& all, const batch_layout& how,
                         triangle part) {
    const index_t n = all[0].rows(), count = static_cast<index_t>(all.size());
    const matrices<T> sides = random_batch<T>(count, n, 3);
    const auto systems = batch_of(sides, how), matrices_of_all = batch_of(all, how);
    needs("factors and solves", [&] {
      auto A = matrices_of_all, C = A, X = systems;
      const auto f = cholesky(on, A, {.part = part});
      const auto g = lu(on, C);
      const auto h = lu(on, X);
      solve(on, f, systems, X);
      solve(on, g, X, operation::adjoint);
      solve(on, f.L(), X);
      solve(on, f[0], X);
    });
    needs("factors and solves in one", [&] {
      auto A = matrices_of_all, C = A, X = systems;
      EXPECT_TRUE(cholesky_solve(on, A, X, {.part = part}));
      EXPECT_TRUE(lu_solve(on, C, X));
    });
    needs("jitter", [&] {
      auto A = matrices_of_all;
      A(count / 2, n / 2, n / 2) = T(0);
      EXPECT_TRUE(cholesky(on, A, {.part = part, .jitter = {.first = 1e-2, .factor = 100}}));
    });
    needs("what follows the factors", [&] {
      auto A = matrices_of_all, C = A, X = systems, Y = A;
      auto f = cholesky(on, A, {.part = part});
      const auto g = lu(on, C);
      const std::vector<real_t<T>> norms(static_cast<std::size_t>(count), real_t<T>(1));
      static_cast<void>(reciprocal_condition(on, f, norms));
      static_cast<void>(reciprocal_condition(on, g, norms));
      static_cast<void>(log_determinant(on, f));
      inverse(on, f, Y);
      inverse(on, g, Y);
      inverse(on, f.L(), Y);
      static_cast<void>(reciprocal_condition(on, f.L()));
      update(on, f, X);
      downdate(on, f, X);
      inverse(on, f, A);
    });
    needs("partial", [&] {
      auto A = matrices_of_all, X = systems;
      const auto f = partial_cholesky(on, A, n / 2, {.part = part});
      forward_solve(on, f, X);
      backward_solve(on, f, X);
    });
    needs("varied", [&] {
      std::vector<batch<T>> copies(4, batch<T>(matrices_of_all.view(), batch_layout::canonical()));
      batch<T> X(systems.view(), batch_layout::canonical());
      const std::vector<index_t> sizes(static_cast<std::size_t>(count), n);
      std::vector<std::vector<T*>> where(4);
      std::vector<T*> of_X;
      for (index_t b = 0; b < count; ++b) {
        for (std::size_t k = 0; k < 4; ++k) where[k].push_back(copies[k].view().address(b));
        of_X.push_back(X.view().address(b));
      }
      const auto x = varied(of_X, sizes, 3);
      solve(on, cholesky(on, varied(where[0], sizes), {.part = part}), x);
      solve(on, lu(on, varied(where[1], sizes)), x);
      EXPECT_TRUE(cholesky_solve(on, varied(where[2], sizes), x, {.part = part}));
      EXPECT_TRUE(lu_solve(on, varied(where[3], sizes), x));
    });
  };
  for (const index_t n : {1, 5, 16, 33, 64, 65, 129, 300}) {
    SCOPED_TRACE(n);
    const auto all = random_batch<T>(n > 64 ? 5 : 40, n, n, true);
    expect(backend::serial{}, all, {}, triangle::lower);
    expect(backend::threads{.threads = 2}, all, batch_layout::canonical(), triangle::upper);
  }
}

}  // namespace
}  // namespace trifac::test
