#pragma once
// C −= A·B of local blocks, linked or header-only.

#include "trifac/triangular_solve.hpp"
#if TRIFAC_USE_KERNELS
  #include "trifac/engine/linked/residual.hpp"
#else
  #include "trifac/engine/refine/residual.hpp"
#endif
