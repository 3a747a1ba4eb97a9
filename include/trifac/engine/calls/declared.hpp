#pragma once
// In place of definitions, where another file of the program, or the library, has them.

#include <concepts>
#include <cstddef>

#include "trifac/engine/calls/calls.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {

/// See cholesky/plan.hpp; here it is no constant expression. A template on Options, as these are
/// incomplete here.
template <LapackScalar T, variant V = variant::best,
          std::same_as<cholesky_options> Options = cholesky_options>
std::size_t cholesky_workspace_bytes(index_t n, const Options& options = Options()) {
  return calls<T>::cholesky_workspace_bytes(V, n, options);
}

}  // namespace TRIFAC_ABI
}  // namespace trifac
