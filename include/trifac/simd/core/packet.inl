// Packets: one or two vectors that hold a few rows of one column of a real or complex matrix.

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
