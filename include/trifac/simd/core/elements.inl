// Vectors of elements of T: planes<T> vectors of its real type, real parts and imaginary parts
// apart. How they are loaded, stored, multiplied.

constexpr int at_most(index_t n, int limit) {
  return n < 0 ? 0 : n < limit ? static_cast<int>(n) : limit;
}

// Lanes from … to − 1 of a vector of elements, zeros elsewhere.
template <class T>
TRIFAC_INLINE void load_elements(vec<real_t<T>> (&x)[planes<T>], const T* p, int from, int to) {
  using R = real_t<T>;
  constexpr int w = width<R>;
  const R* q = reinterpret_cast<const R*>(p);
  if constexpr (is_complex<T>) {
    x[0] = load_range(q, at_most(2 * from, w), at_most(2 * to, w));
    x[1] = load_range(q + w, at_most(2 * from - w, w), at_most(2 * to - w, w));
    separate(x[0], x[1], lane_sequence<R>{});
  } else {
    x[0] = load_range(q, from, to);
  }
}
template <class T>
TRIFAC_INLINE void load_elements(vec<real_t<T>> (&x)[planes<T>], const T* p) {
  using R = real_t<T>;
  const R* q = reinterpret_cast<const R*>(p);
  x[0] = load(q);
  if constexpr (is_complex<T>) {
    x[1] = load(q + width<R>);
    separate(x[0], x[1], lane_sequence<R>{});
  }
}

template <class T>
TRIFAC_INLINE void store_elements(T* p, const vec<real_t<T>> (&x)[planes<T>], int from, int to) {
  using R = real_t<T>;
  constexpr int w = width<R>;
  R* q = reinterpret_cast<R*>(p);
  if constexpr (is_complex<T>) {
    vec<R> a = x[0], b = x[1];
    interleave(a, b, lane_sequence<R>{});
    store_range(q, a, at_most(2 * from, w), at_most(2 * to, w));
    store_range(q + w, b, at_most(2 * from - w, w), at_most(2 * to - w, w));
  } else {
    store_range(q, x[0], from, to);
  }
}
template <class T>
TRIFAC_INLINE void store_elements(T* p, const vec<real_t<T>> (&x)[planes<T>]) {
  using R = real_t<T>;
  R* q = reinterpret_cast<R*>(p);
  if constexpr (is_complex<T>) {
    vec<R> a = x[0], b = x[1];
    interleave(a, b, lane_sequence<R>{});
    store(q, a);
    store(q + width<R>, b);
  } else {
    store(q, x[0]);
  }
}

// c −= a·conj(b), or conj(a)·b, b being a scalar whose parts are spread over the lanes. Both take
// the products in the same order, so that C and Cᴴ, which exchange a and b, get the same bits.
template <class T, conjugate_side Side = conjugate_side::right>
TRIFAC_INLINE void subtract_product(vec<real_t<T>> (&c)[planes<T>],
                                    const vec<real_t<T>> (&a)[planes<T>],
                                    const vec<real_t<T>> (&b)[planes<T>]) {
  c[0] = fnma(a[0], b[0], c[0]);
  if constexpr (is_complex<T>) {
    c[0] = fnma(a[1], b[1], c[0]);
    if constexpr (Side == conjugate_side::right) {
      c[1] = fnma(a[1], b[0], c[1]);
      c[1] = fma(a[0], b[1], c[1]);
    } else {
      c[1] = fnma(a[0], b[1], c[1]);
      c[1] = fma(a[1], b[0], c[1]);
    }
  }
}

// x *= b, b spread over the lanes in the same way.
template <class T>
TRIFAC_INLINE void multiply(vec<real_t<T>> (&x)[planes<T>], const vec<real_t<T>> (&b)[planes<T>]) {
  if constexpr (is_complex<T>) {
    const vec<real_t<T>> re = x[0];
    x[0] = fnma(x[1], b[1], re * b[0]);
    x[1] = fma(x[1], b[0], re * b[1]);
  } else {
    x[0] = x[0] * b[0];
  }
}
