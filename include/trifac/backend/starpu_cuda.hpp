#pragma once
// The StarPU backend with CUDA devices. Link with trifac::starpu and trifac::cuda (CMake), or
// starpu-1.3, -lcudart and -lnvrtc. Requires a StarPU built with CUDA; Debian's is not, so such
// programs do not link there (starpu_cuda_get_local_stream is missing).

#include "trifac/engine/starpu/cuda_workers.hpp"
#include "trifac/engine/starpu/with_devices.hpp"

namespace trifac {
namespace backend {
inline namespace TRIFAC_ABI {

/// As starpu_opencl (backend/starpu_opencl.hpp), with StarPU's CUDA workers, streams and memory.
/// Its tasks were tested individually; a whole factorization by StarPU on a GPU was never run.
using starpu_cuda = starpu_with_devices<starpu_tasks::cuda_workers>;

}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac
