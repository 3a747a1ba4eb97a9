#pragma once
// The StarPU backend with OpenCL devices: panels on the CPU, updates on devices too. Link with
// trifac::starpu and trifac::opencl (CMake), or starpu-1.3 and -lOpenCL.

#include "trifac/engine/starpu/opencl_workers.hpp"
#include "trifac/engine/starpu/with_devices.hpp"

namespace trifac {
namespace backend {
inline namespace TRIFAC_ABI {

/// backend::starpu with OpenCL workers. Where trifac starts StarPU, all OpenCL devices have one,
/// and the scheduler is dmdas, which measures each kind of task ten times, keeps the times in
/// STARPU_HOME, and then gives a task to whom it ends first. STARPU_OPENCL_ON_CPUS=1 makes CPU
/// devices workers, too.
///
/// Devices round in an order of their own: the same bits from run to run where block columns are
/// dealt, not with `dynamic`.
using starpu_opencl = starpu_with_devices<starpu_tasks::opencl_workers>;

}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac
