#pragma once
// The loop nests and their kernels, to be compiled in this file: for scalar types and backends
// whose calls are only declared, with TRIFAC_DECLARE or trifac::kernels. Without these the public
// headers bring them.

#include "trifac/backend/serial.hpp"
#include "trifac/engine/cholesky/calls.hpp"
#include "trifac/engine/cholesky/modified_calls.hpp"
#include "trifac/engine/cholesky/partial_calls.hpp"
#include "trifac/engine/cholesky/pivoted_calls.hpp"
#include "trifac/engine/cpu/share.hpp"
#include "trifac/engine/inverse/calls.hpp"
#include "trifac/engine/lu/calls.hpp"
#include "trifac/engine/modify/calls.hpp"
#include "trifac/engine/refine/calls.hpp"
#include "trifac/engine/solve/calls.hpp"
#include "trifac/engine/variants/calls.hpp"
