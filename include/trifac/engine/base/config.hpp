#pragma once
// The index type, and the name of the inline namespace for code that depends on compiler flags.

#include <cstdint>

#include "trifac/version.hpp"

// Where the calls of engine/calls/calls.hpp are compiled, decided here alone. Nothing defined: in
// each file. TRIFAC_DECLARE: in the one file of the program that defines TRIFAC_IMPLEMENTATION,
// too. TRIFAC_USE_KERNELS=1: in the library trifac::kernels, whose CMake target defines it.
#if !defined(TRIFAC_USE_KERNELS)
  #define TRIFAC_USE_KERNELS 0
#endif
#if TRIFAC_USE_KERNELS || (defined(TRIFAC_DECLARE) && !defined(TRIFAC_IMPLEMENTATION))
  #define TRIFAC_DECLARED 1
#else
  #define TRIFAC_DECLARED 0
#endif
// What a public header includes for the definitions of its calls: a file of a folder of engine/.
#define TRIFAC_TEXT_(text) #text
#if TRIFAC_DECLARED
  #define TRIFAC_DEFINITIONS(folder, file) "trifac/engine/calls/declared.hpp"
#else
  // clang-format off
  #define TRIFAC_DEFINITIONS(folder, file) TRIFAC_TEXT_(trifac/engine/folder/file.hpp)
// clang-format on
#endif

// Also with trifac::kernels: each program compiles the checks of arguments and results.
#if defined(__FAST_MATH__) || defined(_M_FP_FAST) || \
    (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
  #define TRIFAC_FAST_MATH 1
#else
  #define TRIFAC_FAST_MATH 0
#endif
#if TRIFAC_FAST_MATH && !defined(TRIFAC_ALLOW_FAST_MATH)
  #error \
      "trifac tests for NaN and infinity, which -ffast-math removes: add -fno-finite-math-only after it, or define TRIFAC_ALLOW_FAST_MATH to insist"
#endif

// The linker must not merge functions compiled with different flags: a copy made for AVX-512 could
// then run on a CPU without it. So everything but the public types is in an inline namespace named
// after the flags.
#if defined(__AVX512F__)
  #define TRIFAC_ABI_ISA x86_v4
#elif defined(__AVX2__) && defined(__FMA__)
  #define TRIFAC_ABI_ISA x86_v3
#elif defined(__AVX__)
  #define TRIFAC_ABI_ISA x86_avx
#elif defined(__SSE4_2__)
  #define TRIFAC_ABI_ISA x86_v2
#elif defined(__x86_64__) || defined(_M_X64)
  #define TRIFAC_ABI_ISA x86_v1
#elif defined(__ARM_FEATURE_SVE)
  #define TRIFAC_ABI_ISA arm_sve
#else
  #define TRIFAC_ABI_ISA generic
#endif

#if TRIFAC_FAST_MATH
  #define TRIFAC_ABI_FLOAT fast
#elif defined(__FP_FAST_FMA)
  #define TRIFAC_ABI_FLOAT fma
#else
  #define TRIFAC_ABI_FLOAT ieee
#endif
// What -fno-finite-math-only leaves of -ffast-math, where the compiler defines macros for it (GCC
// from 12 on).
#if defined(__ASSOCIATIVE_MATH__)
  #define TRIFAC_ABI_SUMS _associative
#else
  #define TRIFAC_ABI_SUMS
#endif
#if defined(__RECIPROCAL_MATH__)
  #define TRIFAC_ABI_QUOTIENTS _reciprocal
#else
  #define TRIFAC_ABI_QUOTIENTS
#endif
#if defined(__NO_SIGNED_ZEROS__)
  #define TRIFAC_ABI_ZEROS _unsigned
#else
  #define TRIFAC_ABI_ZEROS
#endif

#if defined(__cpp_exceptions) || defined(_CPPUNWIND)
  #define TRIFAC_EXCEPTIONS 1
  #define TRIFAC_ABI_THROW throws
#else
  #define TRIFAC_EXCEPTIONS 0
  #define TRIFAC_ABI_THROW nothrow
#endif

#if defined(TRIFAC_INSIDE_KERNELS)
  #define TRIFAC_ABI_PART _library
#elif TRIFAC_USE_KERNELS
  #define TRIFAC_ABI_PART _linked
#elif defined(TRIFAC_DECLARE) || defined(TRIFAC_IMPLEMENTATION)
  #define TRIFAC_ABI_PART _declared
#else
  #define TRIFAC_ABI_PART
#endif

#if defined(TRIFAC_NO_SIMD)
  #define TRIFAC_ABI_KERNELS _plain
#else
  #define TRIFAC_ABI_KERNELS
#endif

#define TRIFAC_ABI_JOIN_(a, b, c, d, e, f, g, h) a##_##b##c##d##e##_##f##g##h
#define TRIFAC_ABI_JOIN(a, b, c, d, e, f, g, h) TRIFAC_ABI_JOIN_(a, b, c, d, e, f, g, h)
/// Name of the inline namespace, for example x86_v1_ieee_throws.
#define TRIFAC_ABI                                                                         \
  TRIFAC_ABI_JOIN(TRIFAC_ABI_ISA, TRIFAC_ABI_FLOAT, TRIFAC_ABI_SUMS, TRIFAC_ABI_QUOTIENTS, \
                  TRIFAC_ABI_ZEROS, TRIFAC_ABI_THROW, TRIFAC_ABI_PART, TRIFAC_ABI_KERNELS)

// Data that a program and the kernel library share, also in a library whose symbols are hidden.
#if defined(__GNUC__) && !defined(_WIN32)
  #define TRIFAC_SHARED __attribute__((visibility("default")))
#else
  #define TRIFAC_SHARED
#endif

// The namespace of the calls: the library's serve programs compiled with any flags, but of its
// version only. A program with nests.hpp has their definitions, too, and must not inline them.
#if TRIFAC_USE_KERNELS || defined(TRIFAC_INSIDE_KERNELS)
  #define TRIFAC_CALLS_JOIN_(a, b) v##a##_##b
  #define TRIFAC_CALLS_JOIN(a, b) TRIFAC_CALLS_JOIN_(a, b)
  #define TRIFAC_CALLS TRIFAC_CALLS_JOIN(TRIFAC_VERSION_MAJOR, TRIFAC_VERSION_MINOR)
  #define TRIFAC_SHARED_CALLS TRIFAC_SHARED
#else
  #define TRIFAC_CALLS TRIFAC_ABI
  #define TRIFAC_SHARED_CALLS  // hidden where the client hides what it compiles
#endif
#if TRIFAC_DECLARED && defined(__GNUC__)
  #define TRIFAC_CALL __attribute__((noinline))
#else
  #define TRIFAC_CALL
#endif

namespace trifac {

/// Sizes, offsets, strides and row numbers: 64-bit and signed everywhere.
using index_t = std::int64_t;

}  // namespace trifac
