#pragma once
// The beginning and the end of elements in raw memory, as <memory> has them, which costs each
// translation unit a tenth of a second.

#include <new>
#include <type_traits>

#include "trifac/engine/base/config.hpp"

namespace trifac {
namespace elements {  // not in TRIFAC_ABI, as the classes that own elements are not

template <class T>
void destroy(T* elements, index_t count) {
  if constexpr (!std::is_trivially_destructible_v<T>)
    while (count > 0) elements[--count].~T();
}

/// count times T() at `elements`; where one of them throws there are none.
template <class T>
void construct(T* elements, index_t count) {
  if constexpr (std::is_nothrow_default_constructible_v<T>) {
    for (index_t i = 0; i < count; ++i) ::new (static_cast<void*>(elements + i)) T();
  } else {
    // Its destructor runs where a constructor throws.
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
