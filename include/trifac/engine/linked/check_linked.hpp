#pragma once
// Whether a call of a program with TRIFAC_USE_KERNELS is one of the library's or needs
// trifac/nests.hpp, and who starts the threads of the library's.

#include "trifac/engine/call/call.hpp"
#include "trifac/engine/linked/calls.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// Complete where trifac/nests.hpp is included.
template <class T>
struct include_trifac_nests_hpp;

/// A call on B with T is one of the library, or else is compiled from trifac/nests.hpp.
template <class B, class T>
constexpr void check_linked() {
  if constexpr (!(linked::Linked<B> && LapackScalar<T>))
    static_assert(sizeof(include_trifac_nests_hpp<T>) > 0,
                  "trifac::kernels has no such call: include trifac/nests.hpp");
}

template <linked::Linked B>
linked::threads linked_threads(const B& backend) {
  linked::threads team = threads_for_linked(backend);
  team.usable = check_backend(backend);
  return team;
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
