// Factors and solves with every type, both factorizations and both triangles, and prints a hash of
// the bits: the same whether the kernels are compiled here or linked, and with whatever flags.

#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "trifac/backend/openmp.hpp"
#include "trifac/batch.hpp"
#include "trifac/trifac.hpp"
#include "trifac/variants.hpp"
#ifdef WITH_NESTS
  #include "trifac/nests.hpp"
#endif

namespace {

using namespace trifac;

struct hash {
  std::uint64_t bits = 0xcbf29ce484222325;
  template <class T>
  void add(const matrix<T>& A) {
    for (index_t j = 0; j < A.cols(); ++j)
      for (index_t i = 0; i < A.rows(); ++i) {
        unsigned char bytes[sizeof(T)];
        std::memcpy(bytes, &A(i, j), sizeof(T));
        for (const unsigned char byte : bytes) bits = (bits ^ byte) * 0x100000001b3;
      }
  }
};

int wrong = 0;

void check(bool right, const char* what) {
  if (right) return;
  std::printf("WRONG: %s\n", what);
  ++wrong;
}

// Small whole numbers, so that no flag changes a bit of the input; a Hermitian one is diagonally
// dominant.
template <class T>
matrix<T> numbers(index_t n, bool hermitian) {
  matrix<T> A(n, n);
  for (index_t j = 0; j < n; ++j)
    for (index_t i = 0; i < n; ++i) {
      const index_t low = hermitian ? (i < j ? i : j) : i, high = hermitian ? (i < j ? j : i) : j;
      const int number = static_cast<int>((low * 7919 + high * 104729) % 31) - 15;
      A(i, j) = T(static_cast<real_t<T>>(hermitian && i == j ? 16 * n : number));
    }
  return A;
}

template <class T, class Policy>
std::uint64_t factor_and_solve(const Policy& policy) {
  hash h;
  for (const index_t n : {1, 5, 40, 150, 420}) {
    for (const triangle part : {triangle::lower, triangle::upper}) {
      auto A = numbers<T>(n, true);
      auto X = numbers<T>(n, false);
      const auto f = try_cholesky(policy, A, {.part = part});
      check(f.ok() && try_solve(policy, f, X).ok(), "cholesky");
      h.add(A), h.add(X);
    }
    for (const pivoting how : {pivoting::partial, pivoting::tournament}) {
      auto A = numbers<T>(n, false);
      matrix<T> b(n, 2);
      for (index_t i = 0; i < n; ++i) b(i, 0) = b(i, 1) = T(static_cast<real_t<T>>(i % 5));
      const auto f = try_lu(policy, A, {.pivoting = how});
      check(f.status().completed(), "lu");
      if (f.ok()) check(try_solve(policy, f, b, operation::adjoint).ok(), "solve with lu");
      h.add(A), h.add(b);
    }
  }
  auto A = numbers<T>(30, true);
  check(try_cholesky<variant::left_looking>(policy, A).ok(), "a variant by name");
  h.add(A);
  A(3, 3) = T(-1);
  check(try_cholesky(policy, A).status() == status::at(status_kind::not_positive_definite, 3),
        "status of a matrix that is not positive definite");
  matrix<T> tall(3, 2);
  check(try_cholesky(policy, tall).status().kind() == status_kind::invalid_argument, "argument");
  check(cholesky_workspace_bytes<T>(600) >= 600 * 600 * sizeof(T), "bytes of workspace");
  return h.bits;
}

// The calls on batches of numbers<double>, in place and packed; in one type, as its kernels are
// compiled where the library is not linked.
template <class Policy>
std::uint64_t batches(const Policy& policy) {
  hash h;
  for (const batch_layout layout : {batch_layout{}, batch_layout::canonical()})
    for (const index_t n : {3, 20}) {
      batch<double> S(37, n, n, layout), A(37, n, n, layout), X(37, n, n, layout);
      for (index_t b = 0; b < S.count(); ++b)
        for (index_t j = 0; j < n; ++j)
          for (index_t i = 0; i < n; ++i) {
            S(b, i, j) = numbers<double>(n, true)(i, j) + (i == j ? static_cast<double>(b) : 0);
            A(b, i, j) = numbers<double>(n, false)(i, j) + (i == j ? static_cast<double>(b) : 0);
          }
      auto f = try_cholesky(policy, S);
      const auto g = try_lu(policy, A);
      check(f.ok() && g.failed_count() == 0, "factors of batches");
      check(try_inverse(policy, f, X).ok(), "inverses of batches");
      check(try_solve(policy, g, X).ok() && try_update(policy, f, X).ok(), "after the factor");
      for (index_t b = 0; b < S.count(); ++b)
        for (batch<double>* all : {&S, &A, &X}) h.add(matrix<double>((*all)[b]));
    }
  return h.bits;
}

template <class T>
void print(const char* name) {
  const auto all_bits = [](const auto& policy) {
    std::uint64_t bits = factor_and_solve<T>(policy);
    if constexpr (std::is_same_v<T, double>) bits ^= batches(policy);
    return bits;
  };
  const std::uint64_t bits = all_bits(backend::serial{});
  std::printf("%s %016llx\n", name, static_cast<unsigned long long>(bits));
  const backend::openmp team{.threads = 2};
  if (team.available()) check(all_bits(team) == bits, "bits on two threads");
}

}  // namespace

int main() {
  print<double>("d");
#ifndef ONLY_DOUBLE  // compiling the kernels of a type takes long
  print<float>("s");
  print<std::complex<float>>("c");
  print<std::complex<double>>("z");
#endif
  // The memory that a thread keeps is one for program and library.
  check(workspace_cache_memory::kept.bytes > 0, "memory of this thread");
  free_workspace_cache();
  check(try_cholesky(backend::openmp{.threads = -1}, numbers<double>(2, true)).status().kind() ==
            status_kind::invalid_argument,
        "a negative number of threads");
#if TRIFAC_EXCEPTIONS
  try {
    matrix<double> tall(3, 2);
    static_cast<void>(cholesky(tall));
    check(false, "no exception");
  } catch (const argument_error&) {
  }
#endif
#ifdef WITH_NESTS
  auto A = numbers<long double>(20, true);
  check(try_cholesky(A).ok(), "long double");
#endif
  return wrong;
}
