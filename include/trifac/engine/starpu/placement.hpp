#pragma once
// Which tasks there are, and which workers of StarPU have them.

namespace trifac::backend {

/// Who does the updates where there are devices.
enum class starpu_placement {
  round_robin,  ///< updates: the devices in turn, by block column; panels: CPU workers
  dynamic,      ///< updates: any worker, the scheduler chooses; panels: CPU workers
  device_only   ///< updates and panels: the devices in turn, by block column
};

/// Tasks of an update of LU.
enum class starpu_steps {
  together,  ///< one
  separate   ///< interchanges and triangular solve; product; subtraction. With device_only
};

}  // namespace trifac::backend
