// AVX2 with FMA and BMI 1 and 2: region, tile sizes and intrinsics. 16 registers of 32 bytes.

#include <immintrin.h>

#if defined(__clang__)
  #pragma clang attribute push(__attribute__((target("avx2,fma,bmi,bmi2"))), apply_to = function)
#else
  #pragma GCC push_options
  #pragma GCC target("avx2,fma,bmi,bmi2")
#endif

namespace trifac {
inline namespace TRIFAC_ABI {
namespace simd {
namespace avx2 {

#ifndef TRIFAC_ISA_AVX2
  #define TRIFAC_ISA_AVX2
  #define TRIFAC_VECTOR_BYTES 32

struct target {
  static constexpr isa set = isa::avx2;
  static constexpr int vector_bytes = TRIFAC_VECTOR_BYTES;
  static constexpr int registers = 16;
  static constexpr bool has_masks = false;          // some lanes: one after another
  static constexpr bool has_fma = true;             // fma rounds once
  static constexpr bool has_root_estimate = false;  // of 1/√a, in every type
  static constexpr int register_broadcasts = 8;     // per eliminated column; memory for the rest
  template <class T>
  static constexpr tile_shape tile = is_complex<T> ? tile_shape{1, 4} : tile_shape{3, 4};
};

  #include "trifac/engine/simd/isa/vector_types.inl"

TRIFAC_INLINE vec<double> fma(vec<double> a, vec<double> b, vec<double> c) {
  return _mm256_fmadd_pd(a, b, c);
}
TRIFAC_INLINE vec<float> fma(vec<float> a, vec<float> b, vec<float> c) {
  return _mm256_fmadd_ps(a, b, c);
}
TRIFAC_INLINE vec<double> fnma(vec<double> a, vec<double> b, vec<double> c) {
  return _mm256_fnmadd_pd(a, b, c);
}
TRIFAC_INLINE vec<float> fnma(vec<float> a, vec<float> b, vec<float> c) {
  return _mm256_fnmadd_ps(a, b, c);
}
TRIFAC_INLINE vec<double> square_root(vec<double> a) {
  return _mm256_sqrt_pd(a);
}
TRIFAC_INLINE vec<float> square_root(vec<float> a) {
  return _mm256_sqrt_ps(a);
}

// Masks are read from a table: eight lanes of zeros, eight of ones, eight of zeros.
alignas(32) inline constexpr std::int32_t mask_table[24] = {0,  0,  0,  0,  0,  0,  0,  0,   //
                                                            -1, -1, -1, -1, -1, -1, -1, -1,  //
                                                            0,  0,  0,  0,  0,  0,  0,  0};

// Lanes below `count`, and lanes `from` and above, of `bytes` bytes each.
TRIFAC_INLINE __m256i lanes_below(int count, int bytes) {
  return _mm256_loadu_si256(
      reinterpret_cast<const __m256i*>(mask_table + 16 - count * (bytes / 4)));
}
TRIFAC_INLINE __m256i lanes_from(int from, int bytes) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(mask_table + 8 - from * (bytes / 4)));
}

TRIFAC_INLINE vec<double> load_range(const double* p, int from, int to) {
  return _mm256_maskload_pd(p, _mm256_and_si256(lanes_from(from, 8), lanes_below(to, 8)));
}
TRIFAC_INLINE vec<float> load_range(const float* p, int from, int to) {
  return _mm256_maskload_ps(p, _mm256_and_si256(lanes_from(from, 4), lanes_below(to, 4)));
}
// Not vmaskmov: on AMD its store form is microcoded.
template <class R>
TRIFAC_INLINE void store_range(R* p, vec<R> a, int from, int to) {
  alignas(32) R all[width<R>];
  store(all, a);
  // By pointers: of the loop over i g++ 14 warns where it is inlined.
  const R* x = all + from;
  for (R* y = p + from; y < p + to; ++y, ++x) *y = *x;
}

// Two halves in one, as an insertion: b comes from memory without the port of shuffles.
template <class V>
TRIFAC_INLINE __m256d join(V a, V b) {
  return _mm256_insertf128_pd(_mm256_castpd128_pd256((__m128d)a), (__m128d)b, 1);
}

template <int I>
TRIFAC_INLINE vec<double> lane(vec<double> a) {
  return _mm256_permute4x64_pd(a, I * 0x55);
}
template <int I>
TRIFAC_INLINE vec<float> lane(vec<float> a) {
  return _mm256_permutevar8x32_ps(a, _mm256_set1_epi32(I));
}

template <int I>
TRIFAC_INLINE vec<double> replace_lane(vec<double> a, vec<double> b) {
  return _mm256_blend_pd(a, b, 1 << I);
}
template <int I>
TRIFAC_INLINE vec<float> replace_lane(vec<float> a, vec<float> b) {
  return _mm256_blend_ps(a, b, 1 << I);
}

template <class R>
TRIFAC_INLINE unsigned equal_lanes(typename lanes<R>::integers a, typename lanes<R>::integers b) {
  if constexpr (sizeof(R) == 8)
    return static_cast<unsigned>(_mm256_movemask_pd((__m256d)(a == b)));
  else
    return static_cast<unsigned>(_mm256_movemask_ps((__m256)(a == b)));
}

TRIFAC_INLINE unsigned lanes_outside(vec<double> a, double least, double most) {
  const __m256d below = _mm256_cmp_pd(a, _mm256_set1_pd(least), _CMP_NGE_UQ);
  const __m256d above = _mm256_cmp_pd(a, _mm256_set1_pd(most), _CMP_NLE_UQ);
  return static_cast<unsigned>(_mm256_movemask_pd(_mm256_or_pd(below, above)));
}
TRIFAC_INLINE unsigned lanes_outside(vec<float> a, float least, float most) {
  const __m256 below = _mm256_cmp_ps(a, _mm256_set1_ps(least), _CMP_NGE_UQ);
  const __m256 above = _mm256_cmp_ps(a, _mm256_set1_ps(most), _CMP_NLE_UQ);
  return static_cast<unsigned>(_mm256_movemask_ps(_mm256_or_ps(below, above)));
}

  #undef TRIFAC_VECTOR_BYTES
#endif

#include TRIFAC_SIMD_TEXT

}  // namespace avx2
}  // namespace simd
}  // namespace TRIFAC_ABI
}  // namespace trifac

#if defined(__clang__)
  #pragma clang attribute pop
#else
  #pragma GCC pop_options
#endif
