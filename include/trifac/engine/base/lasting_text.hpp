#pragma once
// Texts that a status may point to after the object that made them is destroyed.

#include <atomic>
#include <new>
#include <string_view>

#include "trifac/engine/base/config.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// A zero-terminated copy of the text that lives as long as the process. Equal texts share one
/// copy, so a call that fails repeatedly uses no more memory.
inline const char* lasting_text(std::string_view text) noexcept {
  struct entry {
    const entry* next;
    std::string_view text;
  };
  static std::atomic<const entry*> last{nullptr};
  const entry* const known = last.load(std::memory_order_acquire);
  for (const entry* e = known; e != nullptr; e = e->next)
    if (e->text == text) return e->text.data();

  void* const memory = ::operator new(sizeof(entry) + text.size() + 1, std::nothrow);
  if (memory == nullptr) return "and there is no memory for the reason";
  char* const copy = static_cast<char*>(memory) + sizeof(entry);
  text.copy(copy, text.size());
  copy[text.size()] = '\0';
  entry* const made = new (memory) entry{known, {copy, text.size()}};
  while (!last.compare_exchange_weak(made->next, made, std::memory_order_release,
                                     std::memory_order_relaxed)) {
  }
  return copy;
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
