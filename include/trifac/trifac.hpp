#pragma once
// Everything that runs on a CPU without an optional dependency. For OpenMP, LAPACK and devices
// include their header in backend/, for Eigen eigen.hpp, for files io/, for variants by run-time
// name any_variant.hpp.

#include "trifac/append.hpp"
#include "trifac/cholesky.hpp"
#include "trifac/condition.hpp"
#include "trifac/determinant.hpp"
#include "trifac/factor_solve.hpp"
#include "trifac/factored.hpp"
#include "trifac/inverse.hpp"
#include "trifac/low_rank_cholesky.hpp"
#include "trifac/lu.hpp"
#include "trifac/matrix.hpp"
#include "trifac/modified_cholesky.hpp"
#include "trifac/norm.hpp"
#include "trifac/pivoted_cholesky.hpp"
#include "trifac/pivots.hpp"
#include "trifac/refine.hpp"
#include "trifac/remove.hpp"
#include "trifac/solve.hpp"
#include "trifac/solved.hpp"
#include "trifac/triangular_solve.hpp"
#include "trifac/update.hpp"
#include "trifac/version.hpp"
