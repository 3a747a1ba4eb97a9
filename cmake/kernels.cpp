// The CPU kernels for one type, TRIFAC_KERNEL_TYPE: compiled once for all programs of a build, see
// trifac/simd/linked_kernels.hpp.

#include "trifac/simd/linked_kernels.hpp"

#if TRIFAC_SIMD
  #define TRIFAC_KERNEL_EXTERN
  #define TRIFAC_KERNEL_TYPES(f) f(TRIFAC_KERNEL_TYPE)
  #include "trifac/simd/kernel_instances.inl"
#endif
