#pragma once
// The loop nests and their kernels, compiled in the including file. cholesky.hpp, lu.hpp and
// solve.hpp include their parts of it, unless the program links trifac::kernels
// (TRIFAC_USE_KERNELS): then include it for what the library lacks: other scalar types, other
// backends.

#include "trifac/engine/base/config.hpp"

#if TRIFAC_USE_KERNELS
  #include "trifac/engine/linked/cholesky.hpp"
  #include "trifac/engine/linked/inverse.hpp"
  #include "trifac/engine/linked/lu.hpp"
  #include "trifac/engine/linked/modified_cholesky.hpp"
  #include "trifac/engine/linked/modify.hpp"
  #include "trifac/engine/linked/pivoted_cholesky.hpp"
  #include "trifac/engine/linked/residual.hpp"
  #include "trifac/engine/linked/solve.hpp"
  #include "trifac/engine/linked/triangle.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {
template <class T>
struct include_trifac_nests_hpp {};
}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
#endif

#include "trifac/backend/serial.hpp"
#include "trifac/engine/cholesky/run.hpp"
#include "trifac/engine/cholesky/run_modified.hpp"
#include "trifac/engine/cholesky/run_pivoted.hpp"
#include "trifac/engine/cpu/run.hpp"
#include "trifac/engine/inverse/run.hpp"
#include "trifac/engine/lu/run.hpp"
#include "trifac/engine/modify/run.hpp"
#include "trifac/engine/refine/residual.hpp"
#include "trifac/engine/solve/run.hpp"
#include "trifac/engine/solve/triangle.hpp"
