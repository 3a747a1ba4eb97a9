#pragma once
// Cholesky, LU and solves of matrices that are distributed over the processes of an MPI program, on
// ScaLAPACK's array descriptors. Link with trifac::distributed (CMake) or compile with mpicxx.

#include "trifac/engine/distributed/cholesky.hpp"
#include "trifac/engine/distributed/lu.hpp"
#include "trifac/engine/distributed/solve.hpp"
