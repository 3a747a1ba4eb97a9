// Compiles every program of the CUDA backend for sm_90 into the cache (TRIFAC_CACHE_DIR), as a GPU
// of that kind would find it; needs NVRTC and neither a driver nor a GPU. Two types at a time, as
// NVRTC compiles with one core.

#include <complex>
#include <cstdio>
#include <thread>

#include "support/recorded_programs.hpp"
#include "trifac/engine/cuda/program.hpp"

namespace {

template <class T>
void fill() {
  auto all = trifac::test::all_programs<T>();
  for (const trifac::index_t n : {5, 20}) trifac::test::record_batches<T>(all, n, n);
  for (const trifac::index_t n : {20, 100}) trifac::test::record_groups<T>(all, n);
  const trifac::device::cuda_program_maker maker(90);
  for (const auto& [key, p] : all) maker.store(p.source);
  std::printf("%zu programs\n", all.size());
}

}  // namespace

int main() {
  std::jthread other([] {
    fill<float>();
    fill<std::complex<float>>();
  });
  fill<double>();
  fill<std::complex<double>>();
}
