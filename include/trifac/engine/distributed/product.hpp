#pragma once
// C −= A·B of local blocks, linked or header-only.

#include "trifac/triangular_solve.hpp"
#include TRIFAC_DEFINITIONS(refine, calls)
