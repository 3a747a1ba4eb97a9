// Tiles of lane matrices in registers: R × C packets, one element of W matrices each.

/// Rows and columns of a tile: its packets, a column and a row of factors fit the registers.
template <class T>
inline constexpr int lane_tile_columns = is_complex<T>&& registers < 32 ? 2 : 4;
template <class T>
inline constexpr int lane_tile_rows = is_complex<T> || registers < 32 ? 2 : 4;

/// Real numbers from one element to the next where elements lie side by side.
template <class T>
inline constexpr index_t lane_step = width<real_t<T>>* planes<T>;

template <class T, int R, int C>
struct lane_tile {
  packet<T> x[as_size(R)][as_size(C)];
};

/// Rows i …, columns j … of A.
template <class T, int R, int C>
TRIFAC_INLINE void load_tile(lane_tile<T, R, C>& t, const lane_matrix<T>& A, index_t i, index_t j) {
  TRIFAC_UNROLL
  for (int r = 0; r < R; ++r) TRIFAC_UNROLL
  for (int c = 0; c < C; ++c) t.x[r][c] = load_parts<T>(A.at(i + r, j + c));
}
template <class T, int R, int C>
TRIFAC_INLINE void store_tile(const lane_tile<T, R, C>& t, const lane_matrix<T>& A, index_t i,
                              index_t j) {
  TRIFAC_UNROLL
  for (int r = 0; r < R; ++r) TRIFAC_UNROLL
  for (int c = 0; c < C; ++c) store_parts<T>(A.at(i + r, j + c), t.x[r][c]);
}

/// Fetches what a kernel will read of a later group, with each tile the same tile, into the L2
/// cache: nothing is gained in L1, less by all tiles at once (Zen 4).
struct group_ahead {
  index_t distance;

  template <int R, int C, class T>
  TRIFAC_INLINE void fetch(const lane_matrix<T>& A, index_t i, index_t j) const {
    TRIFAC_UNROLL
    for (int r = 0; r < R; ++r) TRIFAC_UNROLL
    for (int c = 0; c < C; ++c) __builtin_prefetch(A.at(i + r, j + c) + distance, 0, 2);
  }
};
struct nothing_ahead {
  template <int R, int C, class T>
  TRIFAC_INLINE void fetch(const lane_matrix<T>&, index_t, index_t) const {}
};

/// work(group_ahead) or work(nothing_ahead): instances of their own, so that batches in the cache
/// pay nothing.
template <class T, class Work>
TRIFAC_INLINE void with_ahead(const lane_groups<T>& A, const Work& work) {
  if constexpr (!is_complex<T>)  // complex matrices are packed, and not fetched here
    if (A.ahead != 0) return work(group_ahead{A.ahead});
  work(nothing_ahead{});
}

/// A later group at once, of a small order: all of it, or the lower triangle.
template <class T>
TRIFAC_INLINE void fetch_group(const lane_matrix<T>& A, index_t ahead, lane_part part) {
  if (ahead == 0) return;
  for (index_t j = 0; j < A.cols; ++j)
    for (index_t i = part == lane_part::lower ? j : 0; i < A.rows; ++i)
      __builtin_prefetch(A.at(i, j) + ahead, 0, 2);
}

/// x −= Σ_{k<count} a(:, k)·b(k, :), or conj(b) with the conjugation `first`. a begins a row of the
/// left factor, b a column of the right one.
template <conjugation Of, class T, int R, int C>
TRIFAC_INLINE void subtract_products(lane_tile<T, R, C>& t, const real_t<T>* a, index_t a_row,
                                     index_t a_next, const real_t<T>* b, index_t b_col,
                                     index_t b_next, index_t count) {
  for (index_t k = 0; k < count; ++k, a += a_next, b += b_next) {
    packet<T> right[as_size(C)];
    TRIFAC_UNROLL
    for (int c = 0; c < C; ++c) right[c] = load_parts<T>(b + c * b_col);
    TRIFAC_UNROLL
    for (int r = 0; r < R; ++r) {
      const packet<T> left = load_parts<T>(a + r * a_row);
      TRIFAC_UNROLL
      for (int c = 0; c < C; ++c) t.x[r][c] = subtract_product<Of>(t.x[r][c], right[c], left);
    }
  }
}

/// A quotient by a pivot in each lane: x / pivot = (scale·x)·reciprocal.
template <class T>
struct lane_divisor {
  packet<T> reciprocal;
  vec<real_t<T>> scale;
  bool scaled = false;
};

template <class R>
TRIFAC_INLINE vec<R> lane_size(packet<R> x) {
  return absolute(x.re);
}
template <class R>
TRIFAC_INLINE vec<R> lane_size(packet<std::complex<R>> x) {
  return absolute(x.re) + absolute(x.im);
}

/// For the lanes whose pivot has no ordinary reciprocal. An elimination notes those that are zero
/// or not finite and divides by 1 there; a solve, without info, divides by what they are. Numbers
/// in parts, so that the vectors of the usual way stay in registers.
template <class T>
inline __attribute__((noinline, cold)) void divide_by_extremes(const real_t<T>* pivots,
                                                               real_t<T>* r, real_t<T>* s,
                                                               unsigned outside, lane_info* info,
                                                               index_t k, after_zero then) {
  using R = real_t<T>;
  constexpr int w = width<R>;
  alignas(64) R size[as_size(w)];
  for (int l = 0; l < w; ++l) {
    s[l] = R(1);
    size[l] = R(1);
    if (!(outside >> l & 1)) continue;
    T p;
    R* const re_im = reinterpret_cast<R*>(&p);
    for (int part = 0; part < planes<T>; ++part) re_im[part] = pivots[part * w + l];
    size[l] = finite_magnitude(p);
    const bool divides = size[l] > 0 && size[l] - size[l] == 0;
    if (!divides && info == nullptr) continue;
    const divisor<T> by = extreme_divisor(p);
    const R* const inverse = reinterpret_cast<const R*>(&by.r);
    for (int part = 0; part < planes<T>; ++part) r[part * w + l] = inverse[part];
    s[l] = by.s;
  }
  if (info != nullptr) note_bad_pivots(info, k, outside, size, then);
}

/// 1/pivot in each lane, where that is ordinary.
template <class T>
TRIFAC_INLINE packet<T> reciprocal_of(const packet<T>& pivot) {
  using R = real_t<T>;
  packet<T> r;
  if constexpr (is_complex<T>) {
    const vec<R> square = fma(pivot.im, pivot.im, pivot.re * pivot.re);
    r.re = pivot.re / square;
    r.im = -pivot.im / square;
  } else {
    r.re = broadcast(R(1)) / pivot.re;
  }
  return r;
}
/// The lanes where it is not.
template <class T>
TRIFAC_INLINE unsigned extreme_lanes(const packet<T>& pivot) {
  return lanes_outside(lane_size<real_t<T>>(pivot), ordinary_pivots<T>::least,
                       ordinary_pivots<T>::most);
}

/// The divisor for pivot k, which is extreme in the lanes `outside`; info: null in a solve.
template <class T>
TRIFAC_INLINE lane_divisor<T> divisor_of(const packet<T>& pivot, unsigned outside, lane_info* info,
                                         index_t k, after_zero then) {
  using R = real_t<T>;
  constexpr int w = width<R>;
  lane_divisor<T> d;
  d.reciprocal = reciprocal_of<T>(pivot);
  if (__builtin_expect(outside != 0, 0)) {
    alignas(64) R pivots[as_size(planes<T> * w)], r[as_size(planes<T> * w)], s[as_size(w)];
    store_parts<T>(pivots, pivot);
    store_parts<T>(r, d.reciprocal);
    divide_by_extremes<T>(pivots, r, s, outside, info, k, then);
    d.reciprocal = load_parts<T>(r);
    d.scale = load(s);
    d.scaled = true;
  }
  return d;
}
template <class T>
TRIFAC_INLINE lane_divisor<T> divisor_of(const packet<T>& pivot, lane_info* info, index_t k,
                                         after_zero then) {
  return divisor_of(pivot, extreme_lanes<T>(pivot), info, k, then);
}
