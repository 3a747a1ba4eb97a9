#pragma once
// The calls on one matrix, with backend::serial. Further headers: batch.hpp, solve_mixed.hpp,
// equilibration.hpp; backend/ for threads, OpenMP, LAPACK and devices; eigen.hpp for Eigen's
// objects; io/ for files; variants.hpp for the published variants; the others are in docs/api.md.

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
#include "trifac/partial_cholesky.hpp"
#include "trifac/pivoted_cholesky.hpp"
#include "trifac/pivots.hpp"
#include "trifac/refine.hpp"
#include "trifac/solve.hpp"
#include "trifac/solved.hpp"
#include "trifac/trace.hpp"
#include "trifac/triangle.hpp"
#include "trifac/triangular_solve.hpp"
#include "trifac/update.hpp"
#include "trifac/version.hpp"
