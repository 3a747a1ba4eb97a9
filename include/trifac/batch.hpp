#pragma once
// Many small matrices of one size: batches that own them, copies between layouts, and cholesky(),
// lu(), solve(), cholesky_solve() and lu_solve() of a whole batch, determinants, inverses,
// condition numbers and updates of its factors. docs/batched.md says which layout to take.

#include "trifac/batch/batch_like.hpp"
#include "trifac/batch/cholesky.hpp"
#include "trifac/batch/condition.hpp"
#include "trifac/batch/determinant.hpp"
#include "trifac/batch/factor.hpp"
#include "trifac/batch/factor_solve.hpp"
#include "trifac/batch/inverse.hpp"
#include "trifac/batch/lu.hpp"
#include "trifac/batch/matrices.hpp"
#include "trifac/batch/options.hpp"
#include "trifac/batch/plan.hpp"
#include "trifac/batch/solve.hpp"
#include "trifac/batch/update.hpp"
#include "trifac/batch_view.hpp"
