// Reflectors applied to rows: a few vectors of rows stay in registers, [l y] of blas/reflectors.hpp
// in each lane, y over all columns of a block.

/// Packets of rows that are in work at a time: one waits while others compute.
template <class T>
inline constexpr int reflected_packets = registers / 8 / planes<T>;

/// A packet of a column, or the first `rows` elements of one.
template <bool Whole, class T>
TRIFAC_INLINE packet<T> load_part(const T* p, int rows) {
  if constexpr (Whole)
    return load_packet(p);
  else
    return load_packet(p, 0, rows);
}
template <bool Whole, class T>
TRIFAC_INLINE void store_part(T* p, packet<T> a, int rows) {
  if constexpr (Whole)
    store_packet(p, a);
  else
    store_packet(p, a, 0, rows);
}
template <class T>
TRIFAC_INLINE packet<T> add_scaled(packet<T> c, packet<T> a, vec<real_t<T>> s) {
  c.re = fma(a.re, s, c.re);
  if constexpr (is_complex<T>) c.im = fma(a.im, s, c.im);
  return c;
}
template <class T>
TRIFAC_INLINE packet<T> plus(packet<T> a, packet<T> b) {
  a.re = a.re + b.re;
  if constexpr (is_complex<T>) a.im = a.im + b.im;
  return a;
}

/// A reflector of K columns of X in all lanes.
template <int K, class T>
struct spread_reflector {
  vec<real_t<T>> a;
  packet<T> s[as_size(K)], w[as_size(K)];
};
template <int K, class T>
TRIFAC_INLINE spread_reflector<K, T> spread(const reflector<T>& h) {
  spread_reflector<K, T> all;
  all.a = broadcast(h.a);
  TRIFAC_UNROLL
  for (int c = 0; c < K; ++c) {
    all.s[c] = spread(h.s[c]);
    all.w[c] = spread(h.w[c]);
  }
  return all;
}

/// V packets of rows: [l  y] := [l′  y′].
template <int K, int V, class T>
TRIFAC_INLINE void reflect_once(const spread_reflector<K, T>& h, packet<T> (&l)[as_size(V)],
                                packet<T> (&y)[as_size(K)][as_size(V)]) {
  constexpr int first = K < 2 ? K : 2;
  packet<T> next[as_size(V)], rest[as_size(V)];  // two chains: the next column waits for both
  TRIFAC_UNROLL
  for (int v = 0; v < V; ++v) next[v] = scale(l[v], h.a);
  TRIFAC_UNROLL
  for (int i = 0; i < first * V; ++i)
    next[i % V] = add_product(next[i % V], y[i / V][i % V], h.s[i / V]);
  if constexpr (K == 4) {
    TRIFAC_UNROLL
    for (int v = 0; v < V; ++v) rest[v] = multiply(y[2][v], h.s[2]);
    TRIFAC_UNROLL
    for (int v = 0; v < V; ++v) next[v] = plus(next[v], add_product(rest[v], y[3][v], h.s[3]));
  }
  TRIFAC_UNROLL
  for (int v = 0; v < V; ++v) {
    rest[v] = plus(l[v], next[v]);
    l[v] = next[v];
  }
  TRIFAC_UNROLL
  for (int i = 0; i < K * V; ++i)
    y[i / V][i % V] = subtract_product(y[i / V][i % V], rest[i % V], h.w[i / V]);
}

/// V packets of rows, or the first `rows` of one, with a group of K columns of X. L, X: column-major.
template <int K, int V, bool Whole, class T>
TRIFAC_INLINE void reflect_packets(const reflector<T>* first, index_t columns, T* L, index_t ldl,
                                   T* X, index_t ldx, int rows) {
  constexpr int w = packet_rows<T>;
  packet<T> l[as_size(V)], y[as_size(K)][as_size(V)];
  TRIFAC_UNROLL
  for (int i = 0; i < K * V; ++i)
    y[i / V][i % V] = load_part<Whole>(X + i / V * ldx + i % V * w, rows);
  for (index_t j = 0; j < columns; ++j) {
    T* const at = L + j * ldl;
    TRIFAC_UNROLL
    for (int v = 0; v < V; ++v) l[v] = load_part<Whole>(at + v * w, rows);
    reflect_once<K, V>(spread<K>(first[j]), l, y);
    TRIFAC_UNROLL
    for (int v = 0; v < V; ++v) store_part<Whole>(at + v * w, l[v], rows);
  }
  TRIFAC_UNROLL
  for (int i = 0; i < K * V; ++i)
    store_part<Whole>(X + i / V * ldx + i % V * w, y[i / V][i % V], rows);
}

/// The rows of L and X with K columns of a group; those of it that are missing are zeros in X.
template <int K, class T>
TRIFAC_INLINE void reflect_group(const reflector<T>* first, index_t columns, matrix_view<T> L, T* X,
                                 index_t ldx) {
  constexpr int V = reflected_packets<T>, w = packet_rows<T>;
  const index_t m = L.rows(), ld = L.col_stride();
  index_t i = 0;
  for (; i + V * w <= m; i += V * w)
    reflect_packets<K, V, true>(first, columns, L.data() + i, ld, X + i, ldx, w);
  for (; i < m; i += w)
    reflect_packets<K, 1, false>(first, columns, L.data() + i, ld, X + i, ldx, at_most(m - i, w));
}

/// The lower triangle of D := that of L, zeros around it in the packets that have a part of it; and
/// back. D: n·ld elements.
template <class T>
TRIFAC_INLINE void copy_triangle(const matrix_view<T>& L, T* D, index_t ld) {
  constexpr int w = packet_rows<T>;
  const index_t n = L.rows();
  if (L.row_stride() != 1) {
    for (index_t i = 0; i < n * ld; i += w) store_packet(D + i, packet<T>{});
    for (index_t i = 0; i < n; ++i)
      for (index_t j = 0; j <= i; ++j) D[i + j * ld] = L(i, j);
    return;
  }
  for (index_t j = 0; j < n; ++j)
    for (index_t i = j / w * w; i < n; i += w)
      store_packet(D + i + j * ld,
                   load_packet(&L(i, j), i < j ? static_cast<int>(j - i) : 0, at_most(n - i, w)));
}
template <class T>
TRIFAC_INLINE void copy_triangle_back(const T* D, index_t ld, const matrix_view<T>& L) {
  constexpr int w = packet_rows<T>;
  const index_t n = L.rows();
  if (L.row_stride() != 1) {
    for (index_t i = 0; i < n; ++i)
      for (index_t j = 0; j <= i; ++j) L(i, j) = D[i + j * ld];
    return;
  }
  for (index_t j = 0; j < n; ++j)
    for (index_t i = j / w * w; i < n; i += w)
      store_packet(&L(i, j), load_packet(D + i + j * ld), i < j ? static_cast<int>(j - i) : 0,
                   at_most(n - i, w));
}

/// Column j of a diagonal block with n columns, and a group's K columns of X, both of whole packets of
/// rows: of the rows above the diagonal nothing is used. False where it has no reflector.
template <int K, class T>
TRIFAC_INLINE bool reflect_column(reflector<T>& h, modification how, index_t width, index_t n,
                                  index_t j, T* L, index_t ldl, T* X, index_t ldx) {
  using R = real_t<T>;
  constexpr int w = packet_rows<T>;
  constexpr R least = least_ordinary_pivot<R>, most = 1 / least;  // of squares, too
  T* const l = L + j * ldl;
  const R alpha = detail::real_part(l[j]), square_of_alpha = alpha * alpha;
  T x[as_size(K)];
  R size(0);
  TRIFAC_UNROLL
  for (int c = 0; c < K; ++c) {
    x[c] = X[j + c * ldx];
    size += detail::squared_abs(x[c]);
  }
  const R square = how == modification::update ? square_of_alpha + size : square_of_alpha - size;
  R beta = alpha;
  spread_reflector<K, T> all;
  // As blas::make_reflector has ordinary numbers.
  if (square_of_alpha > least && square_of_alpha < most && square > least && square < most) {
    beta = detail::square_root(square);
    const R to_s = R(how == modification::update ? 1 : -1) / beta, to_w = R(1) / (alpha + beta);
    h.a = alpha / beta;
    all.a = broadcast(h.a);
    const auto all_to_s = broadcast(to_s), all_to_w = broadcast(to_w);
    TRIFAC_UNROLL
    for (int c = 0; c < K; ++c) {
      h.s[c] = T(detail::conjugate(x[c]) * to_s);
      h.w[c] = T(x[c] * to_w);
      all.s[c] = scale(spread(T(detail::conjugate(x[c]))), all_to_s);
      all.w[c] = scale(spread(x[c]), all_to_w);
    }
  } else {
    if (!blas::make_reflector<T>(how, beta, {X + j, 1, width, 1, ldx}, h)) return false;
    all = spread<K>(h);
  }
  for (index_t i = (j + 1) / w * w; i < n; i += w) {
    packet<T> part[1] = {load_packet(l + i)}, y[as_size(K)][1];
    TRIFAC_UNROLL
    for (int c = 0; c < K; ++c) y[c][0] = load_packet(X + i + c * ldx);
    reflect_once<K, 1>(all, part, y);
    store_packet(l + i, part[0]);
    TRIFAC_UNROLL
    for (int c = 0; c < K; ++c) store_packet(X + i + c * ldx, y[c][0]);
  }
  l[j] = T(beta);
  return true;
}

/// All groups, on rows of L whose columns are contiguous.
template <class T>
TRIFAC_INLINE void reflect_groups(const reflector_block<T>& Q, const matrix_view<T>& L,
                                  const matrix_view<T>& X) {
  for (index_t g = 0; g < Q.groups(); ++g) {
    T* const y = X.data() + g * reflector_width * X.col_stride();
    const index_t width = Q.width(g);
    if (width == 1)
      reflect_group<1>(Q.group(g), Q.columns, L, y, X.col_stride());
    else if (width == 2)
      reflect_group<2>(Q.group(g), Q.columns, L, y, X.col_stride());
    else
      reflect_group<4>(Q.group(g), Q.columns, L, y, X.col_stride());
  }
}

/// simd::reflect_diagonal. A group is one column behind the one before it: their square roots and
/// quotients, for which nothing else waits, overlap.
template <class T>
TRIFAC_ENTRY last_reflector reflect_diagonal(target, reflector_block<T> Q, reflector<T>* reflectors,
                                             matrix_view<T> L, matrix_view<T> X, T* D) {
  const index_t n = L.rows(), ld = whole_packets(n), ldx = X.col_stride(), groups = Q.groups();
  last_reflector end = {n, 0};
  copy_triangle(L, D, ld);
  for (index_t step = 0; step < end.column + groups - 1; ++step)
    for (index_t g = 0; g < groups; ++g) {
      const index_t j = step - g, width = Q.width(g);
      if (j < 0 || j >= end.column) continue;
      reflector<T>& h = reflectors[g * Q.stride + j];
      T* const x = X.data() + g * reflector_width * ldx;
      const bool found = width == 1   ? reflect_column<1>(h, Q.how, width, n, j, D, ld, x, ldx)
                         : width == 2 ? reflect_column<2>(h, Q.how, width, n, j, D, ld, x, ldx)
                                      : reflect_column<4>(h, Q.how, width, n, j, D, ld, x, ldx);
      if (!found) end = {j, g};
    }
  copy_triangle_back(D, ld, L);
  return end;
}

/// simd::apply_reflectors: the rows of a tile take all groups while they are in the first-level
/// cache. Rows that are contiguous are transposed in a copy.
template <class T>
TRIFAC_ENTRY void reflect(target, reflector_block<T> Q, matrix_view<T> L, matrix_view<T> X) {
  constexpr int w = packet_rows<T>, N = target::template tile<T>.columns;
  constexpr index_t rows = 4 * w;
  constexpr index_t widest = reflector_columns;
  if (L.row_stride() == 1 && Q.groups() == 1) return reflect_groups(Q, L, X);
  alignas(64) real_t<T> parts[rows * widest * planes<T>];
  const matrix_view<T> copy = {reinterpret_cast<T*>(parts), rows, widest, rows};
  for (index_t i = 0; i < L.rows(); i += rows) {
    const index_t m = L.rows() - i < rows ? L.rows() - i : rows;
    const matrix_view<T> here = L.block(i, 0, m, L.cols()), y = X.block(i, 0, m, X.cols());
    if (L.row_stride() == 1) {
      reflect_groups(Q, here, y);
      continue;
    }
    tile_buffer<T, N, 1> buffer;
    for (index_t r = 0; r < m; r += w)
      for (index_t c = 0; c < L.cols(); c += N) {
        tile<T, N, 1> t;
        place_tile<tile_layout::columns_or_rows>(
            here.block(r, c, at_most(m - r, w), at_most(L.cols() - c, N)), buffer)
            .load(t);
        for (int k = 0; k < N; ++k) store_packet(&copy(r, c + k), t.part[k][0]);
      }
    reflect_groups(Q, copy.block(0, 0, m, L.cols()), y);
    for (index_t r = 0; r < m; r += w)
      for (index_t c = 0; c < L.cols(); c += N) {
        tile<T, N, 1> t;
        for (int k = 0; k < N; ++k) t.part[k][0] = load_packet(&copy(r, c + k));
        place_tile<tile_layout::columns_or_rows>(
            here.block(r, c, at_most(m - r, w), at_most(L.cols() - c, N)), buffer)
            .store(t);
      }
  }
}
