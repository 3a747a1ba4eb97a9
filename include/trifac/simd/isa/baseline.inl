// What the compiler's flags allow everywhere: 16-byte vectors (SSE2, NEON, or whatever the compiler
// makes of them). Multiplies and adds, except where the processor family always has a fused form.

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
  static constexpr int register_broadcasts = 8;
  #if defined(__aarch64__)
  static constexpr bool has_fma = true;
  template <class T>  // 32 registers
  static constexpr tile_shape tile = {
      is_complex<T> ? 3 : 16 / int(TRIFAC_VECTOR_BYTES / sizeof(real_t<T>)),
      TRIFAC_VECTOR_BYTES / sizeof(real_t<T>)};
  #else
  static constexpr bool has_fma = false;
  template <class T>  // 16 registers
  static constexpr tile_shape tile = {
      (is_complex<T> ? 4 : 8) / int(TRIFAC_VECTOR_BYTES / sizeof(real_t<T>)),
      TRIFAC_VECTOR_BYTES / sizeof(real_t<T>)};
  #endif
};

  #include "trifac/simd/isa/vector_types.inl"

  #if defined(__aarch64__)
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
  #else
template <class V>
TRIFAC_INLINE V fma(V a, V b, V c) {
  return c + a * b;
}
template <class V>
TRIFAC_INLINE V fnma(V a, V b, V c) {
  return c - a * b;
}
  #endif

TRIFAC_INLINE vec<double> square_root(vec<double> a) {
  return vec<double>{__builtin_sqrt(a[0]), __builtin_sqrt(a[1])};
}
TRIFAC_INLINE vec<float> square_root(vec<float> a) {
  return vec<float>{__builtin_sqrtf(a[0]), __builtin_sqrtf(a[1]), __builtin_sqrtf(a[2]),
                    __builtin_sqrtf(a[3])};
}
template <class V>
TRIFAC_INLINE V larger(V a, V b) {
  return a > b ? a : b;
}

template <class R>
TRIFAC_INLINE vec<R> load_range(const R* p, int from, int to) {
  vec<R> a = {};
  TRIFAC_UNROLL
  for (int i = 0; i < width<R>; ++i)
    if (i >= from && i < to) a[i] = p[i];
  return a;
}
template <class R>
TRIFAC_INLINE void store_range(R* p, vec<R> a, int from, int to) {
  TRIFAC_UNROLL
  for (int i = 0; i < width<R>; ++i)
    if (i >= from && i < to) p[i] = a[i];
}

template <int I, class V>
TRIFAC_INLINE V lane(V a) {
  return a[I] - V{};
}
template <int I, class V>
TRIFAC_INLINE V replace_lane(V a, V b) {
  a[I] = b[I];
  return a;
}

template <class V, class R>
TRIFAC_INLINE unsigned lanes_outside(V a, R least, R most) {
  unsigned bits = 0;
  TRIFAC_UNROLL
  for (int i = 0; i < width<R>; ++i)
    if (!(a[i] >= least && a[i] <= most)) bits |= 1u << i;
  return bits;
}

  #undef TRIFAC_VECTOR_BYTES
#endif

#include TRIFAC_SIMD_TEXT

}  // namespace baseline
}  // namespace simd
}  // namespace TRIFAC_ABI
}  // namespace trifac
