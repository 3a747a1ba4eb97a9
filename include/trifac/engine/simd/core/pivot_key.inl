// The keys by which a pivot search compares: the bits of |x|, read as an integer, order numbers by
// size; Inf is above all numbers and NaN above Inf. So an integer maximum lets NaN win without a
// special case, and a maximum is always found again by comparing for equality.

template <class R>
using keys = typename lanes<R>::integers;
template <class R>
using key = std::conditional_t<sizeof(R) == 8, std::int64_t, std::int32_t>;

/// Keys of |x|, for complex x of |Re x| + |Im x| as in LAPACK.
template <class R>
TRIFAC_INLINE keys<R> pivot_keys(packet<R> x) {
  return (keys<R>)absolute(x.re);
}
template <class R>
TRIFAC_INLINE keys<R> pivot_keys(packet<std::complex<R>> x) {
  return (keys<R>)(absolute(x.re) + absolute(x.im));
}

/// The same for half of x, whose sum cannot overflow.
template <class R>
TRIFAC_INLINE keys<R> half_pivot_keys(packet<std::complex<R>> x) {
  const vec<R> half = broadcast(R(0.5));
  return (keys<R>)(half * absolute(x.re) + half * absolute(x.im));
}
/// Whether a size is none of a finite number: the sum of finite parts may have overflowed.
template <class R>
TRIFAC_INLINE bool may_have_overflowed(keys<R> largest) {
  const R size = ((vec<R>)largest)[0];
  return !detail::is_finite(size);
}

template <class R>
TRIFAC_INLINE keys<R> larger_key(keys<R> a, keys<R> b) {
  return a > b ? a : b;
}

template <int Distance, class V, int... I>
TRIFAC_INLINE V exchange_lanes(V a, std::integer_sequence<int, I...>) {
  return __builtin_shufflevector(a, a, (I ^ Distance)...);
}

/// The largest key in all lanes.
template <class R, int Distance = width<R> / 2>
TRIFAC_INLINE keys<R> largest_in_all_lanes(keys<R> a) {
  const keys<R> b = larger_key<R>(a, exchange_lanes<Distance>(a, lane_sequence<R>{}));
  if constexpr (Distance > 1)
    return largest_in_all_lanes<R, Distance / 2>(b);
  else
    return b;
}

/// The largest key of each lane among `count` vectors, as a balanced tree.
template <class R, int Count>
TRIFAC_INLINE keys<R> largest_of(const keys<R>* a) {
  if constexpr (Count == 1)
    return a[0];
  else
    return larger_key<R>(largest_of<R, Count / 2>(a),
                         largest_of<R, Count - Count / 2>(a + Count / 2));
}

/// The reciprocal of a size that is in all lanes. One number is divided in fewer cycles than a
/// vector of 64 bytes (14 for 24 on Golden Cove, the broadcast being 3).
template <class R>
TRIFAC_INLINE vec<R> reciprocal_of_size(keys<R> size) {
  if constexpr (target::vector_bytes > 32)
    return broadcast(R(1) / ((vec<R>)size)[0]);
  else
    return R(1) / (vec<R>)size;
}
