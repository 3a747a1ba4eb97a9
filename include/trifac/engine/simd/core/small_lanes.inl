// Right-hand sides as lanes of packets, or one of them as scalars: what small_solve.inl works on.

/// One right-hand side: what packets are for many.
template <class T>
struct single {
  real_t<T> re;
};
template <class R>
struct single<std::complex<R>> {
  R re, im;
};

/// Real numbers.
template <class R>
TRIFAC_INLINE single<R> multiply(single<R> a, single<R> b) {
  return {a.re * b.re};
}
template <class T>
TRIFAC_INLINE single<T> subtract_product(single<T> c, single<T> a, single<T> b) {
  c.re = scalar_fnma(a.re, b.re, c.re);
  if constexpr (is_complex<T>) {
    c.im = scalar_fnma(a.re, b.im, c.im);
    c.re = scalar_fnma(-a.im, b.im, c.re);
    c.im = scalar_fnma(a.im, b.re, c.im);
  }
  return c;
}

/// What divides a row: for a real pivot itself, for a complex one c + di
///   (a + bi) / (c + di) = (a·p + b·q + (b·p − a·q)·i) / size,   p + qi = (c + di) / e
/// e: the larger of c and d in size, with its sign. This is Smith's algorithm (blas/divide.hpp),
/// halved where a sum of products could overflow although the quotient does not.
template <class R>
struct row_divisor {
  R size;
};
template <class R>
struct row_divisor<std::complex<R>> {
  R p, q, size;
};
template <class T>
TRIFAC_INLINE row_divisor<T> row_divisor_of(const T* pivot, real_t<T> sign) {
  using R = real_t<T>;
  const R* const parts = reinterpret_cast<const R*>(pivot);
  if constexpr (is_complex<T>) {
    const R c = parts[0], d = sign * parts[1];
    const bool tall = pivot_magnitude(c) >= pivot_magnitude(d);
    const R larger = tall ? c : d, smaller = tall ? d : c, ratio = smaller / larger;
    const bool overflows = smaller != R(0) && pivot_magnitude(larger) >= R(0.5);
    const R half = overflows ? R(0.5) : R(1), other = half * ratio;
    return {tall ? half : other, tall ? other : half, scalar_fnma(-smaller, other, half * larger)};
  } else {
    return {parts[0]};
  }
}

/// x divided, with the same bits in a lane and alone.
template <class T>
TRIFAC_INLINE packet<T> divide(packet<T> x, const row_divisor<T>& by) {
  using R = real_t<T>;
  const vec<R> size = broadcast(by.size);
  if constexpr (is_complex<T>) {
    const vec<R> p = broadcast(by.p), q = broadcast(by.q);
    const vec<R> re = fma(x.im, q, x.re * p);
    x.im = fnma(x.re, q, x.im * p) / size;
    x.re = re / size;
  } else {
    x.re = x.re / size;
  }
  return x;
}
template <class T>
TRIFAC_INLINE single<T> divide(single<T> x, const row_divisor<T>& by) {
  if constexpr (is_complex<T>) {
    const real_t<T> re = scalar_fnma(-x.im, by.q, x.re * by.p);
    x.im = scalar_fnma(x.re, by.q, x.im * by.p) / by.size;
    x.re = re / by.size;
  } else {
    x.re = x.re / by.size;
  }
  return x;
}

/// How a row of right-hand sides lies in the copy: row k at k·step.
template <class T>
struct many_lanes {
  using type = packet<T>;
  static constexpr int step = k_step<T>;
  static TRIFAC_INLINE type load(const real_t<T>* p) { return load_parts<T>(p); }
  static TRIFAC_INLINE void store(real_t<T>* p, type x) { store_parts<T>(p, x); }
  static TRIFAC_INLINE type spread(const T* p, real_t<T> sign) {
    const real_t<T>* const parts = reinterpret_cast<const real_t<T>*>(p);
    type x;
    x.re = broadcast(parts[0]);
    if constexpr (is_complex<T>) x.im = broadcast(sign * parts[1]);
    return x;
  }
};
template <class T>
struct one_lane {
  using type = single<T>;
  static constexpr int step = planes<T>;
  static TRIFAC_INLINE type load(const real_t<T>* p) {
    type x;
    x.re = p[0];
    if constexpr (is_complex<T>) x.im = p[1];
    return x;
  }
  static TRIFAC_INLINE void store(real_t<T>* p, type x) {
    p[0] = x.re;
    if constexpr (is_complex<T>) p[1] = x.im;
  }
  static TRIFAC_INLINE type spread(const T* p, real_t<T> sign) {
    type x = load(reinterpret_cast<const real_t<T>*>(p));
    if constexpr (is_complex<T>) x.im = sign * x.im;
    return x;
  }
};

/// Columns of B as lanes, and back. Columns or rows of B that lie in one piece are read by vectors.
template <class T>
inline __attribute__((noinline)) void load_small_lanes(const matrix_view<T>& B, real_t<T>* x) {
  using R = real_t<T>;
  constexpr int w = packet_rows<T>;
  const index_t n = B.rows();
  const int columns = at_most(B.cols(), w);
  if (B.row_stride() == 1) {
    for (index_t i = 0; i < n; i += w) {
      const int rows = at_most(n - i, w);
      packet<T> t[as_size(w)];
      TRIFAC_UNROLL
      for (int c = 0; c < w; ++c)
        t[c] = c >= columns ? packet<T>{}
               : rows == w  ? load_packet(&B(i, c))
                            : load_packet(&B(i, c), 0, rows);
      transpose_packets<T, w>(t);
      TRIFAC_UNROLL
      for (int c = 0; c < w; ++c) store_parts<T>(x + (i + c) * k_step<T>, t[c]);
    }
  } else if (B.col_stride() == 1) {
    for (index_t i = 0; i < n; ++i)
      store_parts<T>(x + i * k_step<T>, load_packet(&B(i, 0), 0, columns));
  } else {
    for (index_t i = 0; i < n; ++i) {
      R* const row = x + i * k_step<T>;
      store_parts<T>(row, packet<T>{});
      for (int c = 0; c < columns; ++c) {
        const R* const parts = reinterpret_cast<const R*>(&B(i, c));
        row[c] = parts[0];
        if constexpr (is_complex<T>) row[w + c] = parts[1];
      }
    }
  }
}
template <class T>
inline __attribute__((noinline)) void store_small_lanes(const matrix_view<T>& B,
                                                        const real_t<T>* x) {
  using R = real_t<T>;
  constexpr int w = packet_rows<T>;
  const index_t n = B.rows();
  const int columns = at_most(B.cols(), w);
  if (B.row_stride() == 1) {
    for (index_t i = 0; i < n; i += w) {
      const int rows = at_most(n - i, w);
      packet<T> t[as_size(w)];
      TRIFAC_UNROLL
      for (int c = 0; c < w; ++c) t[c] = load_parts<T>(x + (i + c) * k_step<T>);
      transpose_packets<T, w>(t);
      TRIFAC_UNROLL
      for (int c = 0; c < w; ++c) {
        if (c < columns && rows == w)
          store_packet(&B(i, c), t[c]);
        else if (c < columns)
          store_packet(&B(i, c), t[c], 0, rows);
      }
    }
  } else if (B.col_stride() == 1) {
    for (index_t i = 0; i < n; ++i)
      store_packet(&B(i, 0), load_parts<T>(x + i * k_step<T>), 0, columns);
  } else {
    for (index_t i = 0; i < n; ++i) {
      const R* const row = x + i * k_step<T>;
      for (int c = 0; c < columns; ++c) {
        R* const parts = reinterpret_cast<R*>(&B(i, c));
        parts[0] = row[c];
        if constexpr (is_complex<T>) parts[1] = row[w + c];
      }
    }
  }
}
