// Includes the kernel text named by TRIFAC_SIMD_TEXT once for each instruction set of list.inl, in
// a namespace and a compilation region of its own. To be included at file scope, after vector.hpp:
//
//   #define TRIFAC_SIMD_TEXT "trifac/engine/simd/core/product.inl"
//   #include "trifac/engine/simd/isa/each.inl"
//
// Rules for such a text: it opens no namespace and includes nothing; no OpenMP, and no calls
// of function templates of std (they would be compiled for the baseline); helpers are
// TRIFAC_INLINE, entry points TRIFAC_ENTRY and take `target` first, so that argument-dependent
// lookup finds the right one; vectors never cross the call of an entry point.

#if TRIFAC_SIMD_BASELINE
  #include "trifac/engine/simd/isa/baseline.inl"
#endif
#if TRIFAC_SIMD_X86
  #include "trifac/engine/simd/isa/avx2.inl"
  #include "trifac/engine/simd/isa/avx512.inl"
#elif TRIFAC_SIMD_AARCH64
  #include "trifac/engine/simd/isa/neon.inl"
#endif

#undef TRIFAC_SIMD_TEXT
