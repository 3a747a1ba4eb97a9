// What the compiler's flags allow everywhere: 16-byte vectors, multiplied and added separately. 16
// registers.

namespace trifac {
inline namespace TRIFAC_ABI {
namespace simd {
namespace baseline {

#ifndef TRIFAC_ISA_BASELINE
  #define TRIFAC_ISA_BASELINE
  #define TRIFAC_VECTOR_BYTES 16

struct target {
  static constexpr isa set = isa::baseline;
  static constexpr int vector_bytes = TRIFAC_VECTOR_BYTES;
  static constexpr int registers = 16;
  static constexpr bool has_masks = false;          // some lanes: one after another
  static constexpr bool has_fma = false;            // a product is rounded, then its sum
  static constexpr bool has_root_estimate = false;  // of 1/√a, in every type
  static constexpr int register_broadcasts = 8;     // per eliminated column; memory for the rest
  template <class T>                                // 8 sums; complex 4 of two vectors each
  static constexpr tile_shape tile = {
      (is_complex<T> ? 4 : 8) / int(TRIFAC_VECTOR_BYTES / sizeof(real_t<T>)),
      TRIFAC_VECTOR_BYTES / sizeof(real_t<T>)};
};

  #include "trifac/engine/simd/isa/vector_types.inl"

template <class V>
TRIFAC_INLINE V fma(V a, V b, V c) {
  return c + a * b;
}
template <class V>
TRIFAC_INLINE V fnma(V a, V b, V c) {
  return c - a * b;
}
TRIFAC_INLINE vec<double> square_root(vec<double> a) {
  return vec<double>{__builtin_sqrt(a[0]), __builtin_sqrt(a[1])};
}
TRIFAC_INLINE vec<float> square_root(vec<float> a) {
  return vec<float>{__builtin_sqrtf(a[0]), __builtin_sqrtf(a[1]), __builtin_sqrtf(a[2]),
                    __builtin_sqrtf(a[3])};
}

  #include "trifac/engine/simd/isa/lane_by_lane.inl"
  #undef TRIFAC_VECTOR_BYTES
#endif

#include TRIFAC_SIMD_TEXT

}  // namespace baseline
}  // namespace simd
}  // namespace TRIFAC_ABI
}  // namespace trifac
