#pragma once
// OpenCL workers of StarPU.

#include <string_view>
#include <tuple>
#include <utility>

#include "trifac/backend/opencl.hpp"
#include "trifac/engine/starpu/device_workers.hpp"

namespace trifac {
namespace backend {
inline namespace TRIFAC_ABI {
namespace starpu_tasks {

struct opencl_side {
  static constexpr std::string_view name = "starpu_opencl";
  using policy = opencl;
  static constexpr auto type = STARPU_OPENCL_WORKER;
  static constexpr std::uint32_t where = STARPU_OPENCL;
  static starpu_opencl_func_t& function_of(starpu_codelet& c) { return c.opencl_funcs[0]; }
  static constexpr const char* missing =
      "StarPU has no OpenCL worker (on a CPU: STARPU_OPENCL_ON_CPUS=1 before it starts)";

  using place = std::tuple<int, cl_context, cl_command_queue>;
  static place place_here() {
    const int device = starpu_worker_get_devid(starpu_worker_get_id());
    cl_context context;
    cl_command_queue queue;
    starpu_opencl_get_context(device, &context);
    starpu_opencl_get_queue(device, &queue);
    return {device, context, queue};
  }
  static opencl open(const place& at) { return opencl::on(std::get<1>(at), std::get<2>(at)); }
  static std::pair<cl_mem, std::size_t> memory_of(void* buffer) {
    return {reinterpret_cast<cl_mem>(STARPU_MATRIX_GET_DEV_HANDLE(buffer)),
            STARPU_MATRIX_GET_OFFSET(buffer)};
  }
};
using opencl_workers = device_workers<opencl_side>;

}  // namespace starpu_tasks
}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac
