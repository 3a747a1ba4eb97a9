#pragma once
// The kinds of tasks, and the workers that run them.

namespace trifac::backend {

/// The workers that run updates if there are devices.
enum class starpu_placement {
  round_robin,  ///< updates: the devices in turn, by block column; panels: CPU workers
  dynamic,      ///< updates: any worker, chosen by the scheduler; panels: CPU workers
  device_only   ///< updates and panels: the devices in turn, by block column
};

/// Number of tasks per update of LU.
enum class starpu_steps {
  together,  ///< one task
  separate   ///< three: interchanges and triangular solve; product; subtraction. With device_only
};

}  // namespace trifac::backend
