#pragma once
// Which instruction set the kernels of simd/ use: found once from the CPU, lowered by TRIFAC_ISA.
// Whether they are compiled at all, by compiler and processor family, is decided here.

#include <array>
#include <atomic>
#include <cstdlib>
#include <string_view>

#include "trifac/engine/base/min_max.hpp"
#include "trifac/scalar.hpp"

// Kernels need GCC's vector extensions and a way to compile one region for another instruction set.
// Other compilers get the plain loops of blas/.
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
#if TRIFAC_SIMD && defined(__aarch64__)
  #define TRIFAC_SIMD_AARCH64 1
#else
  #define TRIFAC_SIMD_AARCH64 0
#endif
// Every CPU of a program compiled for AVX2 and FMA has them: the kernels below are not compiled
// then, a third of all. The same flags name TRIFAC_ABI, so two files never share an enum isa that
// they number differently.
#if TRIFAC_SIMD_X86 && defined(__AVX2__) && defined(__FMA__)
  #define TRIFAC_SIMD_BASELINE 0
#else
  #define TRIFAC_SIMD_BASELINE 1
#endif

namespace trifac {
inline namespace TRIFAC_ABI {
namespace simd {

/// The instruction sets of this processor family, each including the ones before. `baseline` is
/// what the compiler's flags allow everywhere: SSE2 on x86-64, plain loops where TRIFAC_SIMD is 0;
/// with flags for AVX2 and FMA there is none.
enum class isa {
#define TRIFAC_FOR_ISA(set, is_here) set,
#include "trifac/engine/simd/isa/list.inl"
};

inline constexpr std::array isa_names = {
#define TRIFAC_FOR_ISA(set, is_here) std::string_view(#set),
#include "trifac/engine/simd/isa/list.inl"
};

constexpr std::string_view to_string(isa set) {
  return isa_names[static_cast<std::size_t>(set)];
}

/// The instruction set of that name, or `otherwise`.
constexpr isa isa_from_string(std::string_view name, isa otherwise) {
  for (std::size_t i = 0; i < isa_names.size(); ++i)
    if (isa_names[i] == name) return static_cast<isa>(i);
  return otherwise;
}

/// Lanes of a vector at most: floats of 64 bytes. Batches are cut at multiples of this.
inline constexpr index_t most_lanes = 16;
/// Lanes of a vector of a target: real numbers, or as many parts of complex ones.
template <class Target, class T>
inline constexpr index_t lanes_of_vector = Target::vector_bytes / index_t{sizeof(real_t<T>)};

/// True for the types that have kernels here: s, d, c, z, with a compiler that can build them.
template <class T>
inline constexpr bool has_kernels = TRIFAC_SIMD&& LapackScalar<T>;

/// The highest instruction set of this CPU and operating system that has kernels.
inline isa detected_isa() {
  isa highest{};
#if TRIFAC_SIMD_X86
  __builtin_cpu_init();  // it may be before main
#endif
#define TRIFAC_FOR_ISA(set, is_here) \
  if (is_here) highest = isa::set;
#include "trifac/engine/simd/isa/list.inl"
  return highest;
}

/// The detected instruction set, or a lower one named by the environment variable TRIFAC_ISA.
[[gnu::noinline]] inline isa chosen_isa() {
  const isa highest = detected_isa();
  const char* name = std::getenv("TRIFAC_ISA");
  return name ? detail::min(isa_from_string(name, highest), highest) : highest;
}

/// The instruction set in use: the detected one, or a lower one named by the environment variable
/// TRIFAC_ISA (baseline, avx2, avx512, neon: those of isa_names). Decided at the first call;
/// unknown names are ignored. Threads that come first together find the same: no guard, whose calls
/// would have each small kernel's caller save its registers.
inline isa active_isa() {
  constexpr int unknown = -1;
  static std::atomic<int> known{unknown};
  int set = known.load(std::memory_order_relaxed);
  if (set == unknown) {
    set = static_cast<int>(chosen_isa());
    known.store(set, std::memory_order_relaxed);
  }
  return static_cast<isa>(set);
}

}  // namespace simd
}  // namespace TRIFAC_ABI
}  // namespace trifac
