#pragma once
// The first version of the SYCL note's program (2021), over which its gains are measured: both
// steps of every round launch n items, most of which do nothing, the host takes the square root of
// the pivot, and the other triangle is set to zero by n × n items. The pivot's sum is atomic.

#include <cmath>
#include <cstdint>

#include "bench/jobs.hpp"
#include "measure.hpp"
#include "request.hpp"
#include "trifac/engine/device/host_matrix.hpp"
#include "trifac/engine/device/launcher.hpp"
#include "trifac/engine/kernel/cholesky_elements.hpp"

namespace study {

inline constexpr std::string_view first_rounds_name = "first_rounds";

/// Follows cholesky_elements.hpp; REAL is float.
inline constexpr const char* first_rounds_text = R"kernel(
#ifdef __OPENCL_VERSION__
  #define COMPARE_AND_SWAP(p, before, x) atomic_cmpxchg((volatile GLOBAL int*)(p), before, x)
  #define INT_OF(x) as_int(x)
  #define FLOAT_OF(i) as_float(i)
#else
  #define COMPARE_AND_SWAP(p, before, x) atomicCAS((int*)(p), before, x)
  #define INT_OF(x) __float_as_int(x)
  #define FLOAT_OF(i) __int_as_float(i)
#endif
DEVICE void subtract_atomically(GLOBAL float* to, float x)
{
  int seen, found = INT_OF(*to);
  do {
    seen = found;
    found = COMPARE_AND_SWAP(to, seen, INT_OF(FLOAT_OF(seen) - x));
  } while (found != seen);
}
KERNEL void first_pivot(MATRIX(L), i64 k, STATE* state)
{
  const i64 i = GROUP(0) * ITEMS(0) + ITEM(0);
  if (i < k) {
    const float l = ELEMENT(L, k, i);
    subtract_atomically(&ELEMENT(L, k, k), l * l);
  }
}
KERNEL void first_row(MATRIX(L), i64 k, STATE* state)
{
  const i64 i = GROUP(0) * ITEMS(0) + ITEM(0);
  if (i > k && i < L_view.rows)
    ELEMENT(L, i, k) = reduced_element(L, L_view, L, L_view, i, k, ELEMENT(L, k, k));
}
KERNEL void first_zeros(MATRIX(L), STATE* state)
{
  const i64 i = GROUP(0) * ITEMS(0) + ITEM(0), j = GROUP(1);
  if (i < j) ELEMENT(L, i, j) = 0;
}
)kernel";

/// A := L with A = L·Lᵀ. Zeros are written above the diagonal of what the device works on.
template <class Runtime>
trifac::status first_rounds(trifac::device::session<Runtime>& session,
                            const trifac::device::device_settings& settings, matrix_view<float> A) {
  using namespace trifac::device;
  return guarded([&]() -> trifac::status {
    part_watch watch;
    device_times times;
    launcher<Runtime, float> on(session, settings);
    host_matrix<Runtime, float> to(session, A, extent_of_use::all);
    times.copy_in = watch.lap();
    program_source source{
        "first_rounds", {trifac::kernel::cholesky_elements, first_rounds_text}, on.definitions(1)};
    if (settings.floats == float_model::fast) source.definitions.push_back(program_source::fast);
    lazy_program<Runtime, float> kernels(on, source);
    const auto& L = to.view();
    const extent items{32}, groups{parts_of(A.rows(), 32)};  // 32 as there
    trifac::status outcome;
    for (index_t k = 0; outcome && k < A.rows(); ++k) {
      kernels.launch("first_pivot", groups, items, L, k);
      const auto at = static_cast<std::uint64_t>(L.block(k, k, 1, 1).offset()) * sizeof(float);
      float pivot = 0;
      on.runtime().read(L.memory(), at, &pivot, sizeof pivot);
      if (!(pivot > 0)) outcome = trifac::status::at(trifac::status_kind::not_positive_definite, k);
      pivot = std::sqrt(pivot);
      on.runtime().write(L.memory(), at, &pivot, sizeof pivot);
      kernels.launch("first_row", groups, items, L, k);
    }
    kernels.launch("first_zeros", {groups.x, static_cast<std::size_t>(A.cols())}, items, L);
    to.give_back();
    const trifac::status finished = on.finish();
    times.run = watch.lap();
    to.copy_back();
    times.copy_out = watch.lap();
    session.set_times(times);
    return outcome ? finished : outcome;
  });
}

/// On a row-major matrix, as `crout`.
template <class B>
class first_rounds_job {
 public:
  first_rounds_job(const B& backend, const request& r) : backend_(backend), A_(r.n, r.n) {}

  void load(matrix_view<const float> A) { bench::copy(A, A_.view().transposed()); }
  trifac::status run() {
    return first_rounds(backend_.session(), backend_.settings(), A_.view().transposed());
  }
  matrix<float> factor(index_t) const { return matrix<float>(A_.view().transposed()); }
  double ratio(matrix_view<const float> A) {
    return bench::cholesky_ratio<float>(A, factor(A.rows()));
  }

 private:
  B backend_;
  matrix<float> A_;
};

}  // namespace study
