#pragma once
// Cholesky, LU and solves of matrices distributed over the processes of an MPI program, with
// ScaLAPACK's array descriptors. Link with trifac::distributed (CMake) or compile with mpicxx.

#include "trifac/engine/distributed/cholesky.hpp"
#include "trifac/engine/distributed/lu.hpp"
#include "trifac/engine/distributed/solve.hpp"
