#pragma once
// C −= A·B of local blocks, from the library or from the nests.

#include "trifac/triangular_solve.hpp"
#if TRIFAC_USE_KERNELS
  #include "trifac/engine/linked/residual.hpp"
#else
  #include "trifac/engine/refine/residual.hpp"
#endif
