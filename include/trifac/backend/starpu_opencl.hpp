#pragma once
// The StarPU backend with OpenCL devices: panels on the CPU, updates also on devices. Link with
// trifac::starpu and trifac::opencl (CMake), or starpu-1.3 and -lOpenCL.

#include "trifac/engine/starpu/opencl_workers.hpp"
#include "trifac/engine/starpu/with_devices.hpp"

namespace trifac {
namespace backend {
inline namespace TRIFAC_ABI {

/// backend::starpu with OpenCL workers. If trifac starts StarPU, each OpenCL device has a worker,
/// and the scheduler, where STARPU_SCHED names none, is dmdas: it measures each kind of task ten
/// times, stores the times in STARPU_HOME, and then assigns each task to the worker that finishes
/// it first. With STARPU_OPENCL_ON_CPUS=1, CPU devices become workers, too.
///
/// Devices round differently from CPUs: bits are reproducible between runs if block columns are
/// assigned statically, not with `dynamic`.
using starpu_opencl = starpu_with_devices<starpu_tasks::opencl_workers>;

}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac
