// The instruction sets of this processor family, lowest first: TRIFAC_FOR_ISA(set, is_here) for
// each, is_here being true on a CPU that has all that the set's file is compiled for.
//
//   #define TRIFAC_FOR_ISA(set, is_here) case isa::set: return f(set::target{});
//   #include "trifac/engine/simd/isa/list.inl"
//
// To add one: a line here, one in each.inl, and its file.

#if TRIFAC_SIMD_BASELINE
TRIFAC_FOR_ISA(baseline, true)
#endif
#if TRIFAC_SIMD_X86
TRIFAC_FOR_ISA(avx2, __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                         __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2"))
TRIFAC_FOR_ISA(avx512, __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                           __builtin_cpu_supports("avx512dq") &&
                           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx2") &&
                           __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
                           __builtin_cpu_supports("bmi2"))
#elif TRIFAC_SIMD_AARCH64
TRIFAC_FOR_ISA(neon, true)
#endif

#undef TRIFAC_FOR_ISA
