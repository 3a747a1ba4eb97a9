// NEON of AArch64, which every such processor has: 32 registers of 16 bytes, fused multiply-add.

#include <arm_neon.h>

namespace trifac {
inline namespace TRIFAC_ABI {
namespace simd {
namespace neon {

#ifndef TRIFAC_ISA_NEON
  #define TRIFAC_ISA_NEON
  #define TRIFAC_VECTOR_BYTES 16

struct target {
  static constexpr isa set = isa::neon;
  static constexpr int vector_bytes = TRIFAC_VECTOR_BYTES;
  static constexpr int registers = 32;
  static constexpr bool has_masks = false;          // some lanes: one after another
  static constexpr bool has_fma = true;             // fma rounds once
  static constexpr bool has_root_estimate = false;  // of 1/√a, in every type
  static constexpr int register_broadcasts = 8;     // per eliminated column; memory for the rest
  // Chosen by the number of registers, never timed. Sums, one column of A, one row of B:
  //   s 4×4: 16 + 4 + 1    d 8×2: 16 + 8 + 1    c 3×4: 24 + 6 + 2    z 3×2: 12 + 6 + 2
  template <class T>
  static constexpr tile_shape tile = {
      is_complex<T> ? 3 : 16 / int(TRIFAC_VECTOR_BYTES / sizeof(real_t<T>)),
      TRIFAC_VECTOR_BYTES / sizeof(real_t<T>)};
};

  #include "trifac/engine/simd/isa/vector_types.inl"

// GCC's vectors and arm_neon.h's are the same types by other names.
TRIFAC_INLINE vec<double> fma(vec<double> a, vec<double> b, vec<double> c) {
  return (vec<double>)vfmaq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b);
}
TRIFAC_INLINE vec<float> fma(vec<float> a, vec<float> b, vec<float> c) {
  return (vec<float>)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
}
TRIFAC_INLINE vec<double> fnma(vec<double> a, vec<double> b, vec<double> c) {
  return (vec<double>)vfmsq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b);
}
TRIFAC_INLINE vec<float> fnma(vec<float> a, vec<float> b, vec<float> c) {
  return (vec<float>)vfmsq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
}
TRIFAC_INLINE vec<double> square_root(vec<double> a) {
  return (vec<double>)vsqrtq_f64((float64x2_t)a);
}
TRIFAC_INLINE vec<float> square_root(vec<float> a) {
  return (vec<float>)vsqrtq_f32((float32x4_t)a);
}

  #include "trifac/engine/simd/isa/lane_by_lane.inl"
  #undef TRIFAC_VECTOR_BYTES
#endif

#include TRIFAC_SIMD_TEXT

}  // namespace neon
}  // namespace simd
}  // namespace TRIFAC_ABI
}  // namespace trifac
