// AVX-512 (F, VL, DQ, BW) and what AVX2 has: region, tile sizes and intrinsics. 32 registers of 64
// bytes.

#include <immintrin.h>

#if defined(__clang__)
  #pragma clang attribute push(                                                        \
      __attribute__((target("avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi,bmi2"))), \
      apply_to = function)
#else
  #pragma GCC push_options
  #pragma GCC target("avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi,bmi2")
#endif

namespace trifac {
inline namespace TRIFAC_ABI {
namespace simd {
namespace avx512 {

#ifndef TRIFAC_ISA_AVX512
  #define TRIFAC_ISA_AVX512
  #define TRIFAC_VECTOR_BYTES 64

struct target {
  static constexpr isa set = isa::avx512;
  static constexpr int vector_bytes = TRIFAC_VECTOR_BYTES;
  static constexpr int registers = 32;
  static constexpr bool has_masks = true;          // for loads, stores and blends
  static constexpr bool has_fma = true;            // fma rounds once
  static constexpr bool has_root_estimate = true;  // of 1/√a, in every type
  static constexpr int register_broadcasts = 1;    // per eliminated column; memory for the rest
  template <class T>
  static constexpr tile_shape tile = is_complex<T> ? tile_shape{1, 8} : tile_shape{3, 8};
};

  #include "trifac/engine/simd/isa/vector_types.inl"

TRIFAC_INLINE vec<double> fma(vec<double> a, vec<double> b, vec<double> c) {
  return _mm512_fmadd_pd(a, b, c);
}
TRIFAC_INLINE vec<float> fma(vec<float> a, vec<float> b, vec<float> c) {
  return _mm512_fmadd_ps(a, b, c);
}
TRIFAC_INLINE vec<double> fnma(vec<double> a, vec<double> b, vec<double> c) {
  return _mm512_fnmadd_pd(a, b, c);
}
TRIFAC_INLINE vec<float> fnma(vec<float> a, vec<float> b, vec<float> c) {
  return _mm512_fnmadd_ps(a, b, c);
}
// GCC 12 warns about an undefined value inside the intrinsics without a mask.
TRIFAC_INLINE vec<double> square_root(vec<double> a) {
  return _mm512_maskz_sqrt_pd(0xff, a);
}
TRIFAC_INLINE vec<float> square_root(vec<float> a) {
  return _mm512_maskz_sqrt_ps(0xffff, a);
}
// Within 2⁻¹⁴ of 1/√a, subnormal a included.
TRIFAC_INLINE vec<double> estimate_reciprocal_root(vec<double> a) {
  return _mm512_maskz_rsqrt14_pd(0xff, a);
}
TRIFAC_INLINE vec<float> estimate_reciprocal_root(vec<float> a) {
  return _mm512_maskz_rsqrt14_ps(0xffff, a);
}

// Lanes from … to − 1.
TRIFAC_INLINE unsigned lane_bits(int from, int to) {
  return _bzhi_u32(~0u, static_cast<unsigned>(to)) & (~0u << from);
}

TRIFAC_INLINE vec<double> load_range(const double* p, int from, int to) {
  return _mm512_maskz_loadu_pd(static_cast<__mmask8>(lane_bits(from, to)), p);
}
TRIFAC_INLINE vec<float> load_range(const float* p, int from, int to) {
  return _mm512_maskz_loadu_ps(static_cast<__mmask16>(lane_bits(from, to)), p);
}
TRIFAC_INLINE void store_range(double* p, vec<double> a, int from, int to) {
  _mm512_mask_storeu_pd(p, static_cast<__mmask8>(lane_bits(from, to)), a);
}
TRIFAC_INLINE void store_range(float* p, vec<float> a, int from, int to) {
  _mm512_mask_storeu_ps(p, static_cast<__mmask16>(lane_bits(from, to)), a);
}

// Two halves in one, as an insertion: b comes from memory without the port of shuffles.
template <class V>
TRIFAC_INLINE auto join(V a, V b) {
  if constexpr (sizeof(V) == 16)
    return _mm256_insertf128_pd(_mm256_castpd128_pd256((__m128d)a), (__m128d)b, 1);
  else
    return _mm512_maskz_insertf64x4(0xff, _mm512_castpd256_pd512((__m256d)a), (__m256d)b, 1);
}

template <int I>
TRIFAC_INLINE vec<double> lane(vec<double> a) {
  return __builtin_shufflevector(a, a, I, I, I, I, I, I, I, I);
}
template <int I>
TRIFAC_INLINE vec<float> lane(vec<float> a) {
  return __builtin_shufflevector(a, a, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I);
}

// Lane i is lane index[i] of a and b in a row; only this set has it for indices in registers.
TRIFAC_INLINE vec<double> select_lanes(vec<double> a, vec<double> b,
                                       lanes<double>::integers index) {
  return _mm512_permutex2var_pd(a, (__m512i)index, b);
}
TRIFAC_INLINE vec<float> select_lanes(vec<float> a, vec<float> b, lanes<float>::integers index) {
  return _mm512_permutex2var_ps(a, (__m512i)index, b);
}

template <int I>
TRIFAC_INLINE vec<double> replace_lane(vec<double> a, vec<double> b) {
  return _mm512_mask_mov_pd(a, static_cast<__mmask8>(1u << I), b);
}
template <int I>
TRIFAC_INLINE vec<float> replace_lane(vec<float> a, vec<float> b) {
  return _mm512_mask_mov_ps(a, static_cast<__mmask16>(1u << I), b);
}

TRIFAC_INLINE vec<double> blend_lanes(vec<double> a, vec<double> b, unsigned mask) {
  return _mm512_mask_mov_pd(a, static_cast<__mmask8>(mask), b);
}
TRIFAC_INLINE vec<float> blend_lanes(vec<float> a, vec<float> b, unsigned mask) {
  return _mm512_mask_mov_ps(a, static_cast<__mmask16>(mask), b);
}
TRIFAC_INLINE vec<double> keep_lanes(vec<double> a, unsigned mask) {
  return _mm512_maskz_mov_pd(static_cast<__mmask8>(mask), a);
}
TRIFAC_INLINE vec<float> keep_lanes(vec<float> a, unsigned mask) {
  return _mm512_maskz_mov_ps(static_cast<__mmask16>(mask), a);
}

template <class R>
TRIFAC_INLINE unsigned equal_lanes(typename lanes<R>::integers a, typename lanes<R>::integers b) {
  if constexpr (sizeof(R) == 8)
    return _mm512_cmpeq_epi64_mask((__m512i)a, (__m512i)b);
  else
    return _mm512_cmpeq_epi32_mask((__m512i)a, (__m512i)b);
}

TRIFAC_INLINE unsigned lanes_outside(vec<double> a, double least, double most) {
  return _mm512_cmp_pd_mask(a, _mm512_set1_pd(least), _CMP_NGE_UQ) |
         _mm512_cmp_pd_mask(a, _mm512_set1_pd(most), _CMP_NLE_UQ);
}
TRIFAC_INLINE unsigned lanes_outside(vec<float> a, float least, float most) {
  return _mm512_cmp_ps_mask(a, _mm512_set1_ps(least), _CMP_NGE_UQ) |
         _mm512_cmp_ps_mask(a, _mm512_set1_ps(most), _CMP_NLE_UQ);
}

  #undef TRIFAC_VECTOR_BYTES
#endif

#include TRIFAC_SIMD_TEXT

}  // namespace avx512
}  // namespace simd
}  // namespace TRIFAC_ABI
}  // namespace trifac

#if defined(__clang__)
  #pragma clang attribute pop
#else
  #pragma GCC pop_options
#endif
