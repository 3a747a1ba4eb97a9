#pragma once
// In place of definitions, where another file of the program, or the library, has them.

#include <concepts>
#include <cstddef>

#include "trifac/engine/calls/calls.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {

namespace detail {
/// An order, by a conversion that makes the function in cholesky/plan.hpp the better match where a
/// file sees both: one with devices or variants does.
struct declared_order {
  index_t n;
  declared_order(index_t order) : n(order) {}
};
}  // namespace detail

/// See cholesky/plan.hpp; here it is no constant expression. A template on Options, as these are
/// incomplete here.
template <LapackScalar T, variant V = variant::best,
          std::same_as<cholesky_options> Options = cholesky_options>
std::size_t cholesky_workspace_bytes(detail::declared_order order,
                                     const Options& options = Options()) {
  return calls<T>::cholesky_workspace_bytes(V, order.n, options);
}

}  // namespace TRIFAC_ABI
}  // namespace trifac
