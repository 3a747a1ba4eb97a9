#pragma once
// Waiting for another thread on the processor.

namespace trifac {
namespace backend {
inline namespace TRIFAC_ABI {

/// Tells the processor that the thread spins.
inline void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

/// Looks `count` + 1 times whether holds(); true as soon as it does.
template <class Condition>
bool spin_until(const Condition& holds, int count) {
  bool held = holds();
  for (; count > 0 && !held; --count, held = holds()) pause();
  return held;
}

}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac
