// What the LU kernels need beyond vector_types.inl: packets, one or two vectors that hold a few
// rows of one column of a real or complex matrix; sets of lanes as bits; and the keys by which a
// pivot search compares.

/// width<real_t<T>> consecutive rows of a column.
template <class T>
struct packet {
  vec<T> re;
};
template <class R>
struct packet<std::complex<R>> {
  vec<R> re, im;
};

/// Rows in a packet.
template <class T>
inline constexpr int packet_rows = width<real_t<T>>;

/// Packets that hold the first eight rows.
template <class T>
inline constexpr int head_packets = packet_rows<T> < base_columns
                                        ? int(base_columns) / packet_rows<T>
                                        : 1;

/// 0, 1, … for the lanes of a vector: shuffles and gathers are written as expansions over it.
template <class R>
using lane_sequence = std::make_integer_sequence<int, width<R>>;

template <class R>
TRIFAC_INLINE packet<R> load_packet(const R* p) {
  return {load(p)};
}
template <class R>
TRIFAC_INLINE packet<std::complex<R>> load_packet(const std::complex<R>* p) {
  const R* q = reinterpret_cast<const R*>(p);
  packet<std::complex<R>> a = {load(q), load(q + width<R>)};
  separate(a.re, a.im, lane_sequence<R>{});
  return a;
}

template <class R>
TRIFAC_INLINE void store_packet(R* p, packet<R> a) {
  store(p, a.re);
}
template <class R>
TRIFAC_INLINE void store_packet(std::complex<R>* p, packet<std::complex<R>> a) {
  R* q = reinterpret_cast<R*>(p);
  interleave(a.re, a.im, lane_sequence<R>{});
  store(q, a.re);
  store(q + width<R>, a.im);
}

/// The first `count` ≥ 1 rows; zeros in the others. Reads and writes nothing else.
template <class R>
TRIFAC_INLINE packet<R> load_packet_first(const R* p, int count) {
  return {load_range(p, 0, count)};
}
template <class R>
TRIFAC_INLINE packet<std::complex<R>> load_packet_first(const std::complex<R>* p, int count) {
  const R* q = reinterpret_cast<const R*>(p);
  const int n = 2 * count, low_count = n < width<R> ? n : width<R>;
  packet<std::complex<R>> a = {load_range(q, 0, low_count), vec<R>{}};
  if (n > width<R>) a.im = load_range(q + width<R>, 0, n - width<R>);
  separate(a.re, a.im, lane_sequence<R>{});
  return a;
}
template <class R>
TRIFAC_INLINE void store_packet_first(R* p, packet<R> a, int count) {
  store_first(p, a.re, count);
}
template <class R>
TRIFAC_INLINE void store_packet_first(std::complex<R>* p, packet<std::complex<R>> a, int count) {
  R* q = reinterpret_cast<R*>(p);
  const int n = 2 * count, low_count = n < width<R> ? n : width<R>;
  interleave(a.re, a.im, lane_sequence<R>{});
  store_first(q, a.re, low_count);
  if (n > width<R>) store_first(q + width<R>, a.im, n - width<R>);
}

/// x in every row.
template <class R>
TRIFAC_INLINE packet<R> spread(R x) {
  return {broadcast(x)};
}
template <class R>
TRIFAC_INLINE packet<std::complex<R>> spread(std::complex<R> x) {
  const R* parts = reinterpret_cast<const R*>(&x);
  return {broadcast(parts[0]), broadcast(parts[1])};
}

/// Rows rows[0], rows[1], … of the column at p.
template <class R, int... I>
TRIFAC_INLINE packet<R> gather_rows(const R* p, const index_t* rows,
                                    std::integer_sequence<int, I...>) {
  return {vec<R>{p[rows[I]]...}};
}
template <class R, int... I>
TRIFAC_INLINE packet<std::complex<R>> gather_rows(const std::complex<R>* p, const index_t* rows,
                                                  std::integer_sequence<int, I...>) {
  const R* q = reinterpret_cast<const R*>(p);
  return {vec<R>{q[2 * rows[I]]...}, vec<R>{q[2 * rows[I] + 1]...}};
}
template <class T>
TRIFAC_INLINE packet<T> gather_packet(const T* p, const index_t* rows) {
  return gather_rows(p, rows, lane_sequence<real_t<T>>{});
}

/// a · b, c + a · b, c − a · b, row by row.
template <class R>
TRIFAC_INLINE packet<R> multiply_packets(packet<R> a, packet<R> b) {
  return {a.re * b.re};
}
template <class R>
TRIFAC_INLINE packet<std::complex<R>> multiply_packets(packet<std::complex<R>> a,
                                                       packet<std::complex<R>> b) {
  return {fnma(a.im, b.im, a.re * b.re), fma(a.im, b.re, a.re * b.im)};
}
template <class R>
TRIFAC_INLINE packet<R> add_packet_product(packet<R> c, packet<R> a, packet<R> b) {
  return {fma(a.re, b.re, c.re)};
}
template <class R>
TRIFAC_INLINE packet<std::complex<R>> add_packet_product(packet<std::complex<R>> c,
                                                         packet<std::complex<R>> a,
                                                         packet<std::complex<R>> b) {
  return {fnma(a.im, b.im, fma(a.re, b.re, c.re)), fma(a.im, b.re, fma(a.re, b.im, c.im))};
}
template <class R>
TRIFAC_INLINE packet<R> subtract_packet_product(packet<R> c, packet<R> a, packet<R> b) {
  return {fnma(a.re, b.re, c.re)};
}
template <class R>
TRIFAC_INLINE packet<std::complex<R>> subtract_packet_product(packet<std::complex<R>> c,
                                                              packet<std::complex<R>> a,
                                                              packet<std::complex<R>> b) {
  return {fma(a.im, b.im, fnma(a.re, b.re, c.re)), fnma(a.im, b.re, fnma(a.re, b.im, c.im))};
}

/// s · a for a real s.
template <class R>
TRIFAC_INLINE packet<R> scale_packet(packet<R> a, R s) {
  return {a.re * broadcast(s)};
}
template <class R>
TRIFAC_INLINE packet<std::complex<R>> scale_packet(packet<std::complex<R>> a, R s) {
  return {a.re * broadcast(s), a.im * broadcast(s)};
}

/// Row I of a packet in all rows.
template <int I, class R>
TRIFAC_INLINE packet<R> packet_lane(packet<R> a) {
  return {lane<I>(a.re)};
}
template <int I, class R>
TRIFAC_INLINE packet<std::complex<R>> packet_lane(packet<std::complex<R>> a) {
  return {lane<I>(a.re), lane<I>(a.im)};
}

// ---- sets of lanes: bit i is lane i ----

template <class I, int... L>
TRIFAC_INLINE I lane_flags(std::integer_sequence<int, L...>) {
  return I{(std::int64_t(1) << L)...};
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

// ---- pivot keys ----
// The bits of |x|, read as an integer, order numbers by size; Inf is above all numbers and NaN
// above Inf. So an integer maximum lets NaN win without a special case, and a maximum is always
// found again by comparing for equality.

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

template <class R>
TRIFAC_INLINE keys<R> larger_key(keys<R> a, keys<R> b) {
  return a > b ? a : b;
}

/// The set of lanes in which a and b are equal.
template <class R>
TRIFAC_INLINE unsigned equal_lanes(keys<R> a, keys<R> b) {
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
  unsigned set = 0;
  TRIFAC_UNROLL
  for (int i = 0; i < width<R>; ++i) set |= unsigned(a[i] == b[i]) << i;
  return set;
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
