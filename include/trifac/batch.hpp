#pragma once
// Many small matrices of one size: batches that own them, copies between layouts, and cholesky(),
// lu(), solve(), cholesky_solve() and lu_solve() of a whole batch, determinants, inverses,
// condition numbers and updates of its factors. docs/batched.md says which layout to take.

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
#include "trifac/engine/batch/each/update.hpp"
#include "trifac/engine/batch/layout/batch_like.hpp"
#include "trifac/engine/batch/layout/matrices.hpp"
#include "trifac/engine/batch/pieces/plan.hpp"
