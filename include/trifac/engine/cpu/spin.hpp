#pragma once
// Waiting for another thread without giving up the processor.

namespace trifac {
namespace backend {
inline namespace TRIFAC_ABI {

/// The processor's hint for spin loops.
inline void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

/// Evaluates holds() until it is true, at most `count` + 1 times; returns its last value.
template <class Condition>
bool spin_until(const Condition& holds, int count) {
  bool held = holds();
  for (; count > 0 && !held; --count, held = holds()) pause();
  return held;
}

}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac
