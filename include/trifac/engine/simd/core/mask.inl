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
  if constexpr (has_masks) {
    return (V)blend_lanes((vec<R>)a, (vec<R>)b, mask);
  } else {
    using I = typename lanes<R>::integers;
    const I ones = lane_mask<R>(mask);
    return (V)(((I)a & ~ones) | ((I)b & ones));
  }
}

/// The lanes of a in the mask, zeros elsewhere.
template <class R, class V>
TRIFAC_INLINE V masked(V a, unsigned mask) {
  if constexpr (has_masks) {
    return (V)keep_lanes((vec<R>)a, mask);
  } else {
    using I = typename lanes<R>::integers;
    return (V)((I)a & lane_mask<R>(mask));
  }
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

/// The lanes of a where `here` has all ones, those of b where it has zeros.
template <class T, class I>
TRIFAC_INLINE packet<T> choose_packet(I here, packet<T> a, packet<T> b) {
  a.re = here ? a.re : b.re;
  if constexpr (is_complex<T>) a.im = here ? a.im : b.im;
  return a;
}
