// trifac-cores: what the cores of a machine do together.
//
//   trifac-cores [THREADS]...    default 1 2 4 … and as many as there are
//
// For each number of threads one line of JSON:
//   copy_gbytes_s  bytes read and written by copies of 1 GiB, by all threads together
//   peak_gflops    multiply-adds on registers in double, all threads at once
//   step_us        one step of a team with a piece for each thread that does nothing
// tests/cores.sh runs it; docs/cores.md says what a model makes of the numbers.

#include <omp.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>
#include <string_view>
#include <vector>

#include "peak.hpp"
#include "trifac/backend/openmp.hpp"

namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
double fastest(int runs, const auto& run) {
  double best = std::numeric_limits<double>::infinity();
  for (int k = 0; k < runs; ++k) {
    const double start = now();
    run();
    best = std::min(best, now() - start);
  }
  return best;
}

/// Each thread copies the part that it has touched first.
double copied_bytes_per_second(int threads) {
  constexpr std::size_t count = std::size_t{1} << 30;
  const std::unique_ptr<char[]> from(new char[count]), to(new char[count]);
  const auto each = [&](const auto& body) {
#pragma omp parallel num_threads(threads)
    {
      const auto thread = static_cast<std::size_t>(omp_get_thread_num());
      const auto size = count / static_cast<std::size_t>(threads);
      body(thread * size, size);
    }
  };
  each([&](std::size_t at, std::size_t size) {
    std::memset(from.get() + at, 1, size);
    std::memset(to.get() + at, 2, size);
  });
  const double seconds = fastest(5, [&] {
    each([&](std::size_t at, std::size_t size) {
      std::memcpy(to.get() + at, from.get() + at, size);
    });
  });
  return 2 * static_cast<double>(count) / seconds;
}

double multiply_adds_per_second(int threads) {
  double sum = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
  sum += bench::multiply_add_peak<double>();
  return sum;
}

double seconds_of_a_step(int threads) {
  using namespace trifac;
  constexpr int steps = 20000;
  if (threads == 1) return 0;
  status outcome;
  return fastest(3,
                 [&] {
                   backend::run(backend::openmp{.threads = threads}, outcome, 1e12, [&](auto& on) {
                     for (int step = 0; step < steps; ++step)
                       on.pieces(nest_step::update, threads, [](index_t) {});
                   });
                 }) /
         steps;
}

std::vector<int> numbers(int count, char** words) {
  std::vector<int> result;
  for (int k = 1; k < count; ++k) {
    const std::string_view word = words[k];
    int value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size() || value < 1) return {};
    result.push_back(value);
  }
  if (count > 1) return result;
  const int most = omp_get_num_procs();
  for (int threads = 1; threads < most; threads *= 2) result.push_back(threads);
  result.push_back(most);
  return result;
}

}  // namespace

int main(int count, char** words) {
  const auto all = numbers(count, words);
  if (all.empty()) {
    std::fputs("usage: trifac-cores [THREADS]...\n", stderr);
    return 2;
  }
  for (const int threads : all)
    std::printf(
        "{\"threads\": %d, \"copy_gbytes_s\": %.4g, \"peak_gflops\": %.4g, \"step_us\": %.3g}\n",
        threads, copied_bytes_per_second(threads) * 1e-9, multiply_adds_per_second(threads) * 1e-9,
        seconds_of_a_step(threads) * 1e6);
  return 0;
}
