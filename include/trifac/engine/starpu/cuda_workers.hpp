#pragma once
// CUDA workers of StarPU.

#include <string_view>
#include <utility>

#include "trifac/backend/cuda.hpp"
#include "trifac/engine/starpu/device_workers.hpp"

/// StarPU declares and defines this only if built with CUDA.
extern "C" cudaStream_t starpu_cuda_get_local_stream(void);

namespace trifac {
namespace backend {
inline namespace TRIFAC_ABI {
namespace starpu_tasks {

struct cuda_side {
  static constexpr std::string_view name = "starpu_cuda";
  using policy = cuda;
  static constexpr auto type = STARPU_CUDA_WORKER;
  static constexpr std::uint32_t where = STARPU_CUDA;
  static starpu_cuda_func_t& function_of(starpu_codelet& c) { return c.cuda_funcs[0]; }
  static constexpr const char* missing = "StarPU has no CUDA worker (starpu_machine_display)";

  using place = cudaStream_t;
  static place place_here() { return starpu_cuda_get_local_stream(); }
  static cuda open(place stream) { return cuda::on(stream); }
  static std::pair<void*, std::size_t> memory_of(void* buffer) {
    return {reinterpret_cast<void*>(STARPU_MATRIX_GET_PTR(buffer)), 0};
  }
};
using cuda_workers = device_workers<cuda_side>;

}  // namespace starpu_tasks
}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac
