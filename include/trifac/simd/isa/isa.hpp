#pragma once
// Which instruction set the kernels of simd/ use: found once from the CPU, lowered by TRIFAC_ISA.
// The only place that asks which compiler and which processor family this is.

#include <array>
#include <cstdlib>
#include <string_view>

#include "trifac/detail/min_max.hpp"
#include "trifac/scalar.hpp"

// Kernels need GCC's vector extensions and a way to compile one region for another instruction set.
// Other compilers get the plain loops of verb/.
#if (defined(__GNUC__) || defined(__clang__)) && !defined(_MSC_VER) && !defined(TRIFAC_NO_SIMD)
  #define TRIFAC_SIMD 1
#else
  #define TRIFAC_SIMD 0
#endif

#if TRIFAC_SIMD && defined(__x86_64__)
  #define TRIFAC_SIMD_X86 1
#else
  #define TRIFAC_SIMD_X86 0
#endif

namespace trifac {
inline namespace TRIFAC_ABI {
namespace simd {

/// Instruction sets, each including the ones before. `baseline` is what the compiler's flags allow
/// everywhere: SSE2 on x86-64, NEON on AArch64, plain loops where TRIFAC_SIMD is 0.
enum class isa { baseline, avx2, avx512 };

inline constexpr std::array<std::string_view, 3> isa_names = {"baseline", "avx2", "avx512"};

constexpr std::string_view to_string(isa set) {
  return isa_names[static_cast<std::size_t>(set)];
}

/// The instruction set of that name, or `otherwise`.
constexpr isa isa_from_string(std::string_view name, isa otherwise) {
  for (std::size_t i = 0; i < isa_names.size(); ++i)
    if (isa_names[i] == name) return static_cast<isa>(i);
  return otherwise;
}

/// True for the types that have kernels here: s, d, c, z, with a compiler that can build them.
template <class T>
inline constexpr bool has_kernels = TRIFAC_SIMD&& LapackScalar<T>;

/// The highest instruction set of this CPU and operating system that has kernels.
inline isa detected_isa() {
#if TRIFAC_SIMD_X86
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw"))
    return isa::avx512;
  if (avx2) return isa::avx2;
#endif
  return isa::baseline;
}

/// The instruction set in use: the detected one, or a lower one named by the environment variable
/// TRIFAC_ISA (baseline, avx2, avx512). Decided at the first call; unknown names are ignored.
inline isa active_isa() {
  static const isa chosen = [] {
    const isa highest = detected_isa();
    const char* name = std::getenv("TRIFAC_ISA");
    return name ? detail::min(isa_from_string(name, highest), highest) : highest;
  }();
  return chosen;
}

}  // namespace simd
}  // namespace TRIFAC_ABI
}  // namespace trifac
