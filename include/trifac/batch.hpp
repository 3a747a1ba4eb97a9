#pragma once
// Many small matrices of one size: batches that own them, copies between layouts, and cholesky(),
// lu(), solve(), cholesky_solve() and lu_solve() of a whole batch, determinants, inverses,
// condition numbers and updates of its factors. docs/batched.md says which layout to take.

#include "trifac/batch_view.hpp"
#include "trifac/engine/batch/batch_like.hpp"
#include "trifac/engine/batch/cholesky.hpp"
#include "trifac/engine/batch/condition.hpp"
#include "trifac/engine/batch/determinant.hpp"
#include "trifac/engine/batch/factor.hpp"
#include "trifac/engine/batch/factor_solve.hpp"
#include "trifac/engine/batch/inverse.hpp"
#include "trifac/engine/batch/lu.hpp"
#include "trifac/engine/batch/matrices.hpp"
#include "trifac/engine/batch/options.hpp"
#include "trifac/engine/batch/plan.hpp"
#include "trifac/engine/batch/solve.hpp"
#include "trifac/engine/batch/update.hpp"
