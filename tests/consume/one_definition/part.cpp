// One part of a program, compiled several times with different flags under different names (PART).
// Factors and solves, and tells whether it got the code that was compiled with its own flags.

#include "part.hpp"

#include <cstring>
#include <filesystem>
#include <iterator>
#include <vector>

#include "trifac/backend/openmp.hpp"
#include "trifac/cholesky.hpp"
#include "trifac/lu.hpp"
#include "trifac/solve.hpp"

namespace {

using namespace trifac;

#ifdef _OPENMP
constexpr bool compiled_with_openmp = true;
#else
constexpr bool compiled_with_openmp = false;
#endif

// A variant by name uses the threads it is given; tournaments are large enough to share.
constexpr index_t n = 320;

template <class T>
matrix<T> dominant_matrix() {
  matrix<T> A(n, n);
  for (index_t j = 0; j < n; ++j)
    for (index_t i = 0; i < n; ++i) A(i, j) = i == j ? T(n) : T(1) / T(1 + (i > j ? i - j : j - i));
  return A;
}

template <class T>
void hash(outcome& result, const matrix<T>& A) {
  for (index_t j = 0; j < n; ++j)
    for (index_t i = 0; i < n; ++i) {
      std::uint64_t word = 0;
      std::memcpy(&word, &A(i, j), sizeof(T));
      result.bits = (result.bits ^ word) * 0x100000001b3;
    }
}

template <class T, class Factor>
bool solves(Factor&& factored) {
  const auto A = dominant_matrix<T>();
  std::vector<T> b(n);
  for (index_t i = 0; i < n; ++i)
    for (index_t j = 0; j < n; ++j) b[i] += A(i, j);
  if (!try_solve(factored, b).ok()) return false;
  for (const T x : b)
    if (!(x > T(0.999) && x < T(1.001))) return false;
  return true;
}

int threads_of_this_process() {
  return static_cast<int>(
      std::distance(std::filesystem::directory_iterator("/proc/self/task"), {}));
}

// The same bits whether on one thread or on two.
template <class T, class Policy>
void factor_and_solve(const Policy& policy, outcome& result) {
  auto A = dominant_matrix<T>();
  if (!solves<T>(try_cholesky<variant::packed>(policy, A))) result.complaint = "cholesky is wrong";
  hash(result, A);
  auto B = dominant_matrix<T>();
  if (!solves<T>(try_lu(policy, B, {.pivoting = pivoting::tournament})))
    result.complaint = "lu is wrong";
  hash(result, B);
}

// Runs on two threads where this part was compiled with OpenMP; elsewhere the policy must refuse.
void use_openmp(outcome& result) {
  const backend::openmp two{.threads = 2};
  if (static_cast<bool>(two.available()) != compiled_with_openmp)
    result.complaint = "available() is the other part's";
  const int threads_before = threads_of_this_process();
  if (compiled_with_openmp) {
    outcome shared;
    factor_and_solve<double>(two, shared);
    if (shared.complaint) result.complaint = shared.complaint;
    if (shared.bits != result.bits) result.complaint = "two threads give other bits than one";
  } else {
    auto A = dominant_matrix<double>();
    if (try_cholesky(two, A).status().ok()) result.complaint = "it ran a backend that is not there";
  }
  if ((threads_of_this_process() > threads_before) != compiled_with_openmp)
    result.complaint = "run() is the other part's";
}

// Where there are exceptions, wrong arguments throw; the other form never does.
bool reports_wrong_arguments() {
  matrix<double> tall(3, 2);
  if (try_cholesky(tall).status().ok()) return false;
#if TRIFAC_EXCEPTIONS
  try {
    static_cast<void>(cholesky(tall));
    return false;
  } catch (const argument_error&) {
  }
#endif
  return true;
}

}  // namespace

outcome PART() {
  outcome result;
  factor_and_solve<double>(backend::serial{}, result);
  use_openmp(result);
  factor_and_solve<float>(backend::serial{}, result);
  if (!reports_wrong_arguments()) result.complaint = "wrong arguments passed";
  return result;
}
