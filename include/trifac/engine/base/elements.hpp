#pragma once
// Construction and destruction of elements in raw memory. <memory> has both, at 0.1 s of compile
// time per translation unit.

#include <new>
#include <type_traits>

#include "trifac/engine/base/config.hpp"

namespace trifac {
namespace elements {  // not in TRIFAC_ABI, like the classes that own elements

template <class T>
void destroy(T* elements, index_t count) {
  if constexpr (!std::is_trivially_destructible_v<T>)
    while (count > 0) elements[--count].~T();
}

/// Constructs `count` elements T() at `elements`; destroys them all if one constructor throws.
template <class T>
void construct(T* elements, index_t count) {
  if constexpr (std::is_nothrow_default_constructible_v<T>) {
    for (index_t i = 0; i < count; ++i) ::new (static_cast<void*>(elements + i)) T();
  } else {
    // Destroys the elements constructed so far if a constructor throws.
    struct guard {
      T* begin;
      index_t done = 0;
      bool complete = false;
      ~guard() {
        if (!complete) destroy(begin, done);
      }
    } so_far{elements};
    for (; so_far.done < count; ++so_far.done)
      ::new (static_cast<void*>(elements + so_far.done)) T();
    so_far.complete = true;
  }
}

}  // namespace elements
}  // namespace trifac
