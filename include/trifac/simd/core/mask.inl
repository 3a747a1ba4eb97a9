// Masks: bit i stands for lane i.

template <class I, int... L>
TRIFAC_INLINE I lane_flags(std::integer_sequence<int, L...>) {
  return I{(std::int64_t(1) << L)...};
}

/// Lane i is i.
template <class I, int... L>
TRIFAC_INLINE I lane_numbers(std::integer_sequence<int, L...>) {
  return I{L...};
}

/// All ones in the lanes of the mask, zeros elsewhere.
template <class R>
TRIFAC_INLINE typename lanes<R>::integers lane_mask(unsigned mask) {
  using I = typename lanes<R>::integers;
  const I flags = lane_flags<I>(lane_sequence<R>{});
  const I all = I{} + static_cast<decltype(lanes<R>::magnitude + 0)>(mask);
  return (I)((all & flags) == flags);
}

/// The lanes of b in the mask, those of a elsewhere.
template <class R, class V>
TRIFAC_INLINE V blend(V a, V b, unsigned mask) {
#if TRIFAC_SIMD_X86
  if constexpr (sizeof(V) == 64 && sizeof(R) == 8)
    return (V)_mm512_mask_mov_pd((__m512d)a, static_cast<__mmask8>(mask), (__m512d)b);
  else if constexpr (sizeof(V) == 64)
    return (V)_mm512_mask_mov_ps((__m512)a, static_cast<__mmask16>(mask), (__m512)b);
#endif
  using I = typename lanes<R>::integers;
  const I ones = lane_mask<R>(mask);
  return (V)(((I)a & ~ones) | ((I)b & ones));
}

/// The lanes of a in the mask, zeros elsewhere.
template <class R, class V>
TRIFAC_INLINE V masked(V a, unsigned mask) {
#if TRIFAC_SIMD_X86
  if constexpr (sizeof(V) == 64 && sizeof(R) == 8)
    return (V)_mm512_maskz_mov_pd(static_cast<__mmask8>(mask), (__m512d)a);
  else if constexpr (sizeof(V) == 64)
    return (V)_mm512_maskz_mov_ps(static_cast<__mmask16>(mask), (__m512)a);
#endif
  using I = typename lanes<R>::integers;
  return (V)((I)a & lane_mask<R>(mask));
}

template <class T>
TRIFAC_INLINE packet<T> blend_packet(packet<T> a, packet<T> b, unsigned mask) {
  a.re = blend<real_t<T>>(a.re, b.re, mask);
  if constexpr (is_complex<T>) a.im = blend<real_t<T>>(a.im, b.im, mask);
  return a;
}
template <class T>
TRIFAC_INLINE packet<T> masked_packet(packet<T> a, unsigned mask) {
  a.re = masked<real_t<T>>(a.re, mask);
  if constexpr (is_complex<T>) a.im = masked<real_t<T>>(a.im, mask);
  return a;
}

/// The lanes in which integers a and b, as wide as R, are equal.
template <class R>
TRIFAC_INLINE unsigned equal_lanes(typename lanes<R>::integers a, typename lanes<R>::integers b) {
#if TRIFAC_SIMD_X86
  if constexpr (sizeof(a) == 64 && sizeof(R) == 8)
    return _mm512_cmpeq_epi64_mask((__m512i)a, (__m512i)b);
  else if constexpr (sizeof(a) == 64)
    return _mm512_cmpeq_epi32_mask((__m512i)a, (__m512i)b);
  else if constexpr (sizeof(a) == 32 && sizeof(R) == 8)
    return static_cast<unsigned>(_mm256_movemask_pd((__m256d)(a == b)));
  else if constexpr (sizeof(a) == 32)
    return static_cast<unsigned>(_mm256_movemask_ps((__m256)(a == b)));
#endif
  unsigned mask = 0;
  TRIFAC_UNROLL
  for (int i = 0; i < width<R>; ++i) mask |= unsigned(a[i] == b[i]) << i;
  return mask;
}
