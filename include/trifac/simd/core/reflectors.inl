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
template <class T>
TRIFAC_INLINE packet<T> minus(packet<T> a, packet<T> b) {
  a.re = a.re - b.re;
  if constexpr (is_complex<T>) a.im = a.im - b.im;
  return a;
}

/// V packets of rows, or the first `rows` of one, with a group of K columns of X. L, X: column-major.
template <int K, int V, bool Whole, class T>
TRIFAC_INLINE void reflect_packets(const reflector<T>* first, index_t columns, modification how,
                                   T* L, index_t ldl, T* X, index_t ldx, int rows) {
  constexpr int w = packet_rows<T>;
  packet<T> y[as_size(K)][as_size(V)];
  TRIFAC_UNROLL
  for (int i = 0; i < K * V; ++i)
    y[i / V][i % V] = load_part<Whole>(X + i / V * ldx + i % V * w, rows);
  for (index_t j = 0; j < columns; ++j) {
    const reflector<T>& h = first[j];
    T* const at = L + j * ldl;
    packet<T> l[as_size(V)], z[as_size(V)];
    TRIFAC_UNROLL
    for (int v = 0; v < V; ++v) l[v] = load_part<Whole>(at + v * w, rows);
    TRIFAC_UNROLL
    for (int v = 0; v < V; ++v) z[v] = multiply(y[0][v], spread(h.s[0]));
    TRIFAC_UNROLL
    for (int i = V; i < K * V; ++i)
      z[i % V] = add_product(z[i % V], y[i / V][i % V], spread(h.s[i / V]));
    const auto tau = broadcast(h.tau);
    if (how == modification::update) {
      TRIFAC_UNROLL
      for (int v = 0; v < V; ++v) {
        z[v] = add_scaled(z[v], l[v], tau);
        l[v] = minus(l[v], z[v]);
      }
    } else {
      const auto q = broadcast(h.q);
      TRIFAC_UNROLL
      for (int v = 0; v < V; ++v) {
        l[v] = scale(plus(l[v], z[v]), q);
        z[v] = add_scaled(z[v], l[v], tau);
      }
    }
    TRIFAC_UNROLL
    for (int v = 0; v < V; ++v) store_part<Whole>(at + v * w, l[v], rows);
    TRIFAC_UNROLL
    for (int i = 0; i < K * V; ++i)
      y[i / V][i % V] = subtract_product(y[i / V][i % V], z[i % V], spread(h.w[i / V]));
  }
  TRIFAC_UNROLL
  for (int i = 0; i < K * V; ++i)
    store_part<Whole>(X + i / V * ldx + i % V * w, y[i / V][i % V], rows);
}

/// The rows of L and X with K columns of a group; those of it that are missing are zeros in X.
template <int K, class T>
TRIFAC_INLINE void reflect_group(const reflector<T>* first, index_t columns, modification how,
                                 matrix_view<T> L, T* X, index_t ldx) {
  constexpr int V = reflected_packets<T>, w = packet_rows<T>;
  const index_t m = L.rows(), ld = L.col_stride();
  index_t i = 0;
  for (; i + V * w <= m; i += V * w)
    reflect_packets<K, V, true>(first, columns, how, L.data() + i, ld, X + i, ldx, w);
  for (; i < m; i += w)
    reflect_packets<K, 1, false>(first, columns, how, L.data() + i, ld, X + i, ldx,
                                 at_most(m - i, w));
}

/// A group on a diagonal block and its columns of X, both of whole packets of rows: of the rows
/// above the diagonal nothing is used. Returns the column at which it fails, `end` where none does.
template <int K, class T>
TRIFAC_INLINE index_t reflect_triangle(reflector<T>* first, index_t end, index_t width,
                                       modification how, const matrix_view<T>& L, T* X) {
  using R = real_t<T>;
  constexpr int w = packet_rows<T>;
  constexpr R least = least_ordinary_pivot<R>, most = 1 / least;  // of squares, too
  const index_t ld = L.col_stride();
  for (index_t j = 0; j < end; ++j) {
    T* const l = L.data() + j * ld;
    const R a = detail::real_part(l[j]), square_of_a = a * a;
    R size(0);
    for (int c = 0; c < K; ++c) size += detail::squared_abs(X[j + c * ld]);
    const R square = how == modification::update ? square_of_a + size : square_of_a - size;
    R beta = a;
    // As blas::make_reflector has ordinary numbers.
    if (size > least && size < most && square_of_a > least && square_of_a < most && square > R(0)) {
      beta = detail::square_root(square);
      blas::set_reflector(first[j], how, a, beta, size, X + j, K, ld);
    } else if (!blas::make_reflector<T>(how, beta, {X + j, 1, width, 1, ld}, first[j])) {
      return j;
    }
    for (index_t i = (j + 1) / w * w; i < L.cols(); i += w)  // behind them are no rows of L
      reflect_packets<K, 1, true>(first + j, 1, how, l + i, ld, X + i, ld, w);
    l[j] = T(beta);
  }
  return end;
}

/// All groups, on rows of L whose columns are contiguous.
template <class T>
TRIFAC_INLINE void reflect_groups(const reflector_block<T>& Q, const matrix_view<T>& L,
                                  const matrix_view<T>& X) {
  for (index_t g = 0; g < Q.groups(); ++g) {
    T* const y = X.data() + g * reflector_width * X.col_stride();
    const index_t width = Q.width(g);
    if (width == 1)
      reflect_group<1>(Q.group(g), Q.columns, Q.how, L, y, X.col_stride());
    else if (width == 2)
      reflect_group<2>(Q.group(g), Q.columns, Q.how, L, y, X.col_stride());
    else
      reflect_group<4>(Q.group(g), Q.columns, Q.how, L, y, X.col_stride());
  }
}

/// simd::reflect_diagonal for the g-th group.
template <class T>
TRIFAC_ENTRY index_t reflect_diagonal(target, reflector_block<T> Q, index_t g,
                                      reflector<T>* reflectors, index_t end, matrix_view<T> L,
                                      T* X) {
  const index_t width = Q.width(g);
  if (width == 1) return reflect_triangle<1>(reflectors, end, width, Q.how, L, X);
  if (width == 2) return reflect_triangle<2>(reflectors, end, width, Q.how, L, X);
  return reflect_triangle<4>(reflectors, end, width, Q.how, L, X);
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
