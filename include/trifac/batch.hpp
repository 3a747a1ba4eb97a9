#pragma once
// Many small matrices of one size: owning batches, copies between layouts, and cholesky(), lu(),
// solve(), cholesky_solve() and lu_solve() of whole batches, determinants, inverses, condition
// numbers and updates of their factors. docs/batched.md explains which layout to choose.

#include "trifac/batch_view.hpp"
#include "trifac/engine/batch/calls/cholesky.hpp"
#include "trifac/engine/batch/calls/factor.hpp"
#include "trifac/engine/batch/calls/factor_solve.hpp"
#include "trifac/engine/batch/calls/lu.hpp"
#include "trifac/engine/batch/calls/options.hpp"
#include "trifac/engine/batch/calls/solve.hpp"
#include "trifac/engine/batch/each/condition.hpp"
#include "trifac/engine/batch/each/determinant.hpp"
#include "trifac/engine/batch/each/inverse.hpp"
#include "trifac/engine/batch/each/partial_cholesky.hpp"
#include "trifac/engine/batch/each/triangle.hpp"
#include "trifac/engine/batch/each/update.hpp"
#include "trifac/engine/batch/layout/batch_like.hpp"
#include "trifac/engine/batch/layout/matrices.hpp"
#include "trifac/engine/batch/pieces/plan.hpp"
