#pragma once
// Which tasks there are, and which workers of StarPU have them.

namespace trifac::backend {

/// Who does the updates where there are devices.
enum class starpu_placement {
  round_robin,  ///< block columns are dealt to the devices in turn; CPU workers have the panels
  dynamic,      ///< the scheduler's choice, CPU workers among them; these have the panels
  device_only  ///< block columns with their panels are dealt to the devices; the host has the queue
};

/// Tasks of an update of LU.
enum class starpu_steps {
  together,  ///< one
  separate   ///< interchanges and triangular solve; product; subtraction. With device_only
};

}  // namespace trifac::backend
