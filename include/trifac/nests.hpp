#pragma once
// The loop nests and their kernels, to be compiled in this file. cholesky.hpp, lu.hpp and solve.hpp
// include their parts of it, unless the program links trifac::kernels (TRIFAC_USE_KERNELS): then a
// file includes it for what the library has not: other scalar types, other backends.

#include "trifac/detail/config.hpp"

#if TRIFAC_USE_KERNELS
  #include "trifac/linked/cholesky.hpp"
  #include "trifac/linked/inverse.hpp"
  #include "trifac/linked/lu.hpp"
  #include "trifac/linked/modified_cholesky.hpp"
  #include "trifac/linked/modify.hpp"
  #include "trifac/linked/pivoted_cholesky.hpp"
  #include "trifac/linked/residual.hpp"
  #include "trifac/linked/solve.hpp"
  #include "trifac/linked/triangle.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {
template <class T>
struct include_trifac_nests_hpp {};
}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
#endif

#include "trifac/backend/cpu/run.hpp"
#include "trifac/backend/serial.hpp"
#include "trifac/cholesky/run.hpp"
#include "trifac/cholesky/run_modified.hpp"
#include "trifac/cholesky/run_pivoted.hpp"
#include "trifac/inverse/run.hpp"
#include "trifac/lu/run.hpp"
#include "trifac/modify/run.hpp"
#include "trifac/refine/residual.hpp"
#include "trifac/solve/run.hpp"
#include "trifac/solve/triangle.hpp"
