#pragma once
// Cholesky, LU and solves of matrices that are distributed over the processes of an MPI program, on
// ScaLAPACK's array descriptors. Link with trifac::distributed (CMake) or compile with mpicxx.

#include "trifac/distributed/cholesky.hpp"
#include "trifac/distributed/lu.hpp"
#include "trifac/distributed/solve.hpp"
