// Packets: vectors of elements of T, real and imaginary parts of complex ones in vectors of their
// own. How they are loaded, stored and multiplied.

template <class T>
struct packet {
  vec<T> re;
};
template <class R>
struct packet<std::complex<R>> {
  vec<R> re, im;
};

/// Elements in a packet.
template <class T>
inline constexpr int packet_rows = width<real_t<T>>;

constexpr int at_most(index_t n, int limit) {
  return n < 0 ? 0 : n < limit ? static_cast<int>(n) : limit;
}

template <class T>
TRIFAC_INLINE packet<T> load_packet(const T* p) {
  using R = real_t<T>;
  const R* q = reinterpret_cast<const R*>(p);
  packet<T> a;
  a.re = load(q);
  if constexpr (is_complex<T>) {
    a.im = load(q + width<R>);
    separate(a.re, a.im, lane_sequence<R>{});
  }
  return a;
}
template <class T>
TRIFAC_INLINE void store_packet(T* p, packet<T> a) {
  using R = real_t<T>;
  R* q = reinterpret_cast<R*>(p);
  if constexpr (is_complex<T>) interleave(a.re, a.im, lane_sequence<R>{});
  store(q, a.re);
  if constexpr (is_complex<T>) store(q + width<R>, a.im);
}

/// Elements from … to − 1 of a packet, zeros elsewhere. Reads and writes nothing else.
template <class T>
TRIFAC_INLINE packet<T> load_packet(const T* p, int from, int to) {
  using R = real_t<T>;
  constexpr int w = width<R>;
  const R* q = reinterpret_cast<const R*>(p);
  packet<T> a;
  if constexpr (is_complex<T>) {
    a.re = load_range(q, at_most(2 * from, w), at_most(2 * to, w));
    a.im = load_range(q + w, at_most(2 * from - w, w), at_most(2 * to - w, w));
    separate(a.re, a.im, lane_sequence<R>{});
  } else {
    a.re = load_range(q, from, to);
  }
  return a;
}
template <class T>
TRIFAC_INLINE void store_packet(T* p, packet<T> a, int from, int to) {
  using R = real_t<T>;
  constexpr int w = width<R>;
  R* q = reinterpret_cast<R*>(p);
  if constexpr (is_complex<T>) {
    interleave(a.re, a.im, lane_sequence<R>{});
    store_range(q, a.re, at_most(2 * from, w), at_most(2 * to, w));
    store_range(q + w, a.im, at_most(2 * from - w, w), at_most(2 * to - w, w));
  } else {
    store_range(q, a.re, from, to);
  }
}

/// The same where the real parts lie before the imaginary ones, as in packed operands.
template <class T>
TRIFAC_INLINE packet<T> load_parts(const real_t<T>* p) {
  packet<T> a;
  a.re = load(p);
  if constexpr (is_complex<T>) a.im = load(p + packet_rows<T>);
  return a;
}
template <class T>
TRIFAC_INLINE void store_parts(real_t<T>* p, packet<T> a) {
  store(p, a.re);
  if constexpr (is_complex<T>) store(p + packet_rows<T>, a.im);
}

/// x in every lane; of an element in parts, at p.
template <class T>
TRIFAC_INLINE packet<T> spread(T x) {
  using R = real_t<T>;
  const R* parts = reinterpret_cast<const R*>(&x);
  packet<T> a;
  a.re = broadcast(parts[0]);
  if constexpr (is_complex<T>) a.im = broadcast(parts[1]);
  return a;
}
template <class T>
TRIFAC_INLINE packet<T> spread_parts(const real_t<T>* p) {
  packet<T> a;
  a.re = broadcast(p[0]);
  if constexpr (is_complex<T>) a.im = broadcast(p[packet_rows<T>]);
  return a;
}

/// Lane I in every lane.
template <int I, class T>
TRIFAC_INLINE packet<T> packet_lane(packet<T> a) {
  a.re = lane<I>(a.re);
  if constexpr (is_complex<T>) a.im = lane<I>(a.im);
  return a;
}

/// Elements rows[0], rows[1], … of the column at p.
template <class T, int... I>
TRIFAC_INLINE packet<T> gather_rows(const T* p, const index_t* rows,
                                    std::integer_sequence<int, I...>) {
  using R = real_t<T>;
  const R* q = reinterpret_cast<const R*>(p);
  constexpr int step = planes<T>;
  packet<T> a;
  a.re = vec<R>{q[step * rows[I]]...};
  if constexpr (is_complex<T>) a.im = vec<R>{q[step * rows[I] + 1]...};
  return a;
}
template <class T>
TRIFAC_INLINE packet<T> gather_packet(const T* p, const index_t* rows) {
  return gather_rows(p, rows, lane_sequence<real_t<T>>{});
}

/// a·b.
template <class T>
TRIFAC_INLINE packet<T> multiply(packet<T> a, packet<T> b) {
  packet<T> x;
  if constexpr (is_complex<T>) {
    x.re = fnma(a.im, b.im, a.re * b.re);
    x.im = fma(a.im, b.re, a.re * b.im);
  } else {
    x.re = a.re * b.re;
  }
  return x;
}

/// s·a for real s.
template <class T>
TRIFAC_INLINE packet<T> scale(packet<T> a, vec<real_t<T>> s) {
  a.re = a.re * s;
  if constexpr (is_complex<T>) a.im = a.im * s;
  return a;
}

/// c + a·b.
template <class T>
TRIFAC_INLINE packet<T> add_product(packet<T> c, packet<T> a, packet<T> b) {
  c.re = fma(a.re, b.re, c.re);
  if constexpr (is_complex<T>) {
    c.re = fnma(a.im, b.im, c.re);
    c.im = fma(a.im, b.re, fma(a.re, b.im, c.im));
  }
  return c;
}

/// c − a·b or c − conj(a)·b. The products are rounded in the order of the factors: exchanging them
/// gives the bits of the transposed, or adjoint, product.
template <conjugation Of = conjugation::none, class T>
TRIFAC_INLINE packet<T> subtract_product(packet<T> c, packet<T> a, packet<T> b) {
  c.re = fnma(a.re, b.re, c.re);
  if constexpr (is_complex<T>) {
    c.im = fnma(a.re, b.im, c.im);
    if constexpr (Of == conjugation::none) {
      c.re = fma(a.im, b.im, c.re);
      c.im = fnma(a.im, b.re, c.im);
    } else {
      c.re = fnma(a.im, b.im, c.re);
      c.im = fma(a.im, b.re, c.im);
    }
  }
  return c;
}

/// N packets as rows of N columns become columns of N rows; see transpose.
template <class T, int N>
TRIFAC_INLINE void transpose_packets(packet<T> (&x)[as_size(N)]) {
  using R = real_t<T>;
  vec<R> part[as_size(N)];
  TRIFAC_UNROLL
  for (int i = 0; i < N; ++i) part[i] = x[i].re;
  transpose<R, N>(part);
  TRIFAC_UNROLL
  for (int i = 0; i < N; ++i) x[i].re = part[i];
  if constexpr (is_complex<T>) {
    TRIFAC_UNROLL
    for (int i = 0; i < N; ++i) part[i] = x[i].im;
    transpose<R, N>(part);
    TRIFAC_UNROLL
    for (int i = 0; i < N; ++i) x[i].im = part[i];
  }
}
