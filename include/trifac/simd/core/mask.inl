// Sets of lanes, as bits: bit i is lane i.

template <class I, int... L>
TRIFAC_INLINE I lane_flags(std::integer_sequence<int, L...>) {
  return I{(std::int64_t(1) << L)...};
}

/// Lane i is i.
template <class I, int... L>
TRIFAC_INLINE I lane_numbers(std::integer_sequence<int, L...>) {
  return I{L...};
}

/// All ones in the lanes of the set, zeros elsewhere.
template <class R>
TRIFAC_INLINE typename lanes<R>::integers lane_mask(unsigned set) {
  using I = typename lanes<R>::integers;
  const I flags = lane_flags<I>(lane_sequence<R>{});
  const I all = I{} + static_cast<decltype(lanes<R>::magnitude + 0)>(set);
  return (I)((all & flags) == flags);
}

/// The lanes of b that are in the set, those of a elsewhere.
template <class R, class V>
TRIFAC_INLINE V blend(V a, V b, unsigned set) {
#if TRIFAC_SIMD_X86
  if constexpr (sizeof(V) == 64 && sizeof(R) == 8)
    return (V)_mm512_mask_mov_pd((__m512d)a, static_cast<__mmask8>(set), (__m512d)b);
  else if constexpr (sizeof(V) == 64)
    return (V)_mm512_mask_mov_ps((__m512)a, static_cast<__mmask16>(set), (__m512)b);
#endif
  using I = typename lanes<R>::integers;
  const I mask = lane_mask<R>(set);
  return (V)(((I)a & ~mask) | ((I)b & mask));
}

/// The lanes of a that are in the set, zeros elsewhere.
template <class R, class V>
TRIFAC_INLINE V keep(V a, unsigned set) {
#if TRIFAC_SIMD_X86
  if constexpr (sizeof(V) == 64 && sizeof(R) == 8)
    return (V)_mm512_maskz_mov_pd(static_cast<__mmask8>(set), (__m512d)a);
  else if constexpr (sizeof(V) == 64)
    return (V)_mm512_maskz_mov_ps(static_cast<__mmask16>(set), (__m512)a);
#endif
  using I = typename lanes<R>::integers;
  return (V)((I)a & lane_mask<R>(set));
}

template <class R>
TRIFAC_INLINE packet<R> blend_packet(packet<R> a, packet<R> b, unsigned set) {
  return {blend<R>(a.re, b.re, set)};
}
template <class R>
TRIFAC_INLINE packet<std::complex<R>> blend_packet(packet<std::complex<R>> a,
                                                   packet<std::complex<R>> b, unsigned set) {
  return {blend<R>(a.re, b.re, set), blend<R>(a.im, b.im, set)};
}
template <class R>
TRIFAC_INLINE packet<R> keep_packet(packet<R> a, unsigned set) {
  return {keep<R>(a.re, set)};
}
template <class R>
TRIFAC_INLINE packet<std::complex<R>> keep_packet(packet<std::complex<R>> a, unsigned set) {
  return {keep<R>(a.re, set), keep<R>(a.im, set)};
}
