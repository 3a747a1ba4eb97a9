// Rotations found on a diagonal block, and applied to rows as reflectors are (reflectors.inl): one
// vector x of ordinary numbers.

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

/// A rotation in all lanes.
template <modification How, class T>
struct spread_rotation {
  vec<real_t<T>> a;
  packet<T> s, p;

  explicit TRIFAC_INLINE spread_rotation(const reflector<T>& h)
      : a(broadcast(h.a)), s(spread(h.s[0])), p(spread(h.w[0])) {}
  /// A packet of rows: [l  y] := [l′  y′].
  TRIFAC_INLINE void rotate(packet<T>& l, packet<T>& y) const {
    const packet<T> before = y;
    y = subtract_product(y, l, p);
    l = add_product(scale(l, a), How == modification::update ? before : y, s);
  }
};

/// V packets of rows, or the first `rows` of one. L is column-major.
template <modification How, int V, bool Whole, class T>
TRIFAC_INLINE void rotate_packets(const reflector<T>* first, index_t columns, T* L, index_t ldl,
                                  T* X, int rows) {
  constexpr int w = packet_rows<T>;
  packet<T> y[as_size(V)];
  TRIFAC_UNROLL
  for (int v = 0; v < V; ++v) y[v] = load_part<Whole>(X + v * w, rows);
  for (index_t j = 0; j < columns; ++j) {
    T* const at = L + j * ldl;
    const spread_rotation<How, T> h(first[j]);
    TRIFAC_UNROLL
    for (int v = 0; v < V; ++v) {
      packet<T> l = load_part<Whole>(at + v * w, rows);
      h.rotate(l, y[v]);
      store_part<Whole>(at + v * w, l, rows);
    }
  }
  const auto to_x = broadcast(first->to_x);
  TRIFAC_UNROLL
  for (int v = 0; v < V; ++v) store_part<Whole>(X + v * w, scale(y[v], to_x), rows);
}

/// All rows of L, whose columns are contiguous, and of the one column of X.
template <modification How, class T>
TRIFAC_INLINE void rotate_rows(const reflector_block<T>& Q, const matrix_view<T>& L, T* X) {
  constexpr int V = registers / 4 / planes<T>, w = packet_rows<T>;
  const index_t m = L.rows(), ld = L.col_stride();
  index_t i = 0;
  for (; i + V * w <= m; i += V * w)
    rotate_packets<How, V, true>(Q.first, Q.columns, L.data() + i, ld, X + i, w);
  for (; i < m; i += w)
    rotate_packets<How, 1, false>(Q.first, Q.columns, L.data() + i, ld, X + i, at_most(m - i, w));
}
template <class T>
TRIFAC_INLINE void rotate(const reflector_block<T>& Q, const matrix_view<T>& L, T* X) {
  if (Q.how == modification::update)
    rotate_rows<modification::update>(Q, L, X);
  else
    rotate_rows<modification::downdate>(Q, L, X);
}

/// The rotations h of a diagonal block with n columns, and the block and x with them, both of whole
/// packets of rows: of the rows above the diagonal nothing is used. False where a column has none.
template <modification How, class T>
TRIFAC_INLINE bool rotate_columns(reflector<T>* h, index_t n, T* L, index_t ldl, T* X) {
  using R = real_t<T>;
  constexpr int w = packet_rows<T>;
  R t(1);
  for (index_t j = 0; j < n; ++j) {
    T* const l = L + j * ldl;
    R pivot = detail::real_part(l[j]);
    if (!blas::set_rotation(h[j], How, pivot, t, X[j])) return false;
    const spread_rotation<How, T> all(h[j]);
    for (index_t i = (j + 1) / w * w; i < n; i += w) {
      packet<T> part = load_packet(l + i), y = load_packet(X + i);
      all.rotate(part, y);
      store_packet(l + i, part);
      store_packet(X + i, y);
    }
    l[j] = T(pivot);
  }
  h->to_x = R(1) / detail::square_root(t);
  return true;
}
