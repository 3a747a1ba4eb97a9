// The micro-kernel of all matrix products: a sum over k of rank-1 updates of a tile in registers.
// Its operands are read as the sum goes on; next() goes on to the next k:
//
//   left    vector(v)     rows v·w … v·w + w − 1 of its column k, as a packet
//   right   element(c)    the element that meets the tile's column c, spread over the lanes

/// Micro-panels (tile.inl), left or right; on the left, `stride` from one to the next.
template <class T>
struct packed_operand {
  const real_t<T>* at;
  index_t stride = 0;

  TRIFAC_INLINE packed_operand from(index_t row) const {
    return {at + row / packet_rows<T> * stride, stride};
  }
  TRIFAC_INLINE packet<T> vector(int v) const { return load_parts<T>(at + v * stride); }
  TRIFAC_INLINE packet<T> element(int c) const { return spread_parts<T>(at + c); }
  TRIFAC_INLINE void next() { at += k_step<T>; }
};

/// Columns in place: column k of the left factor; as the right one, row k of its transpose.
template <class T>
struct columns_in_place {
  const T* at;
  index_t ld;

  TRIFAC_INLINE columns_in_place from(index_t row) const { return {at + row, ld}; }
  TRIFAC_INLINE packet<T> vector(int v) const { return load_packet(at + v * packet_rows<T>); }
  TRIFAC_INLINE packet<T> element(int c) const { return spread(at[c]); }
  TRIFAC_INLINE void next() { at += ld; }
};

/// What is added to an accumulator, a being the left packet and b the right element. A complex
/// product is rounded in the order of its factors: exchanging them gives the bits of the transpose.
enum class term { minus_ab, minus_ba, minus_conj_ab, minus_conj_ba, plus_ab };

/// −b·a in the order of its factors, which makes no difference to real numbers.
template <class T>
inline constexpr term minus_ba = is_complex<T> ? term::minus_ba : term::minus_ab;

template <term Term, class T>
TRIFAC_INLINE packet<T> accumulate(packet<T> c, packet<T> a, packet<T> b) {
  if constexpr (Term == term::minus_ab) return subtract_product(c, a, b);
  if constexpr (Term == term::minus_ba) return subtract_product(c, b, a);
  if constexpr (Term == term::minus_conj_ab) return subtract_product<conjugation::first>(c, a, b);
  if constexpr (Term == term::minus_conj_ba) return subtract_product<conjugation::first>(c, b, a);
  if constexpr (Term == term::plus_ab) return add_product(c, a, b);
}

template <int V, class T>
TRIFAC_INLINE void fetch_column(const T* column) {
  constexpr int bytes = V * packet_rows<T> * static_cast<int>(sizeof(T));
  const char* const first = reinterpret_cast<const char*>(column);
  TRIFAC_UNROLL
  for (int line = 0; line < bytes; line += cache_line) __builtin_prefetch(first + line, 1, 3);
  __builtin_prefetch(first + bytes - 1, 1, 3);
}

/// The rank-1 update for one k.
template <term Term, class T, int N, int V, class Left, class Right>
TRIFAC_INLINE void update_rank_1(tile<T, N, V>& t, Left& left, Right& right) {
  packet<T> a[as_size(V)];
  TRIFAC_UNROLL
  for (int v = 0; v < V; ++v) a[v] = left.vector(v);
  TRIFAC_UNROLL
  for (int c = 0; c < N; ++c) {
    const packet<T> b = right.element(c);
    TRIFAC_UNROLL
    for (int v = 0; v < V; ++v) t.part[c][v] = accumulate<Term>(t.part[c][v], a[v], b);
  }
  left.next();
  right.next();
}

/// `count` of them, in order: one chain of additions for each element.
template <term Term, class T, int N, int V, class Left, class Right>
TRIFAC_INLINE void sum_products(tile<T, N, V>& t, Left& left, Right& right, index_t count) {
  for (index_t k = 0; k < count; ++k) update_rank_1<Term>(t, left, right);
}

/// The same, fetching what comes after the tile a few lines at a time, as the loads of the sum use
/// the same buffers; special path fetch-tile.
template <term Term, class T, int N, int V, class Left, class Right>
TRIFAC_INLINE void sum_products(tile<T, N, V>& t, Left left, Right right, index_t count,
                                const fetch_ahead<T>& ahead) {
  if (ahead.tile) {
    const T* column = ahead.tile;
    const char* far = ahead.far;
    const index_t some = count / (N + 1);
    for (int c = 0; c < N; ++c, column += ahead.ld, far += ahead.far_step) {
      sum_products<Term>(t, left, right, some);
      fetch_column<V>(column);
      for (index_t i = 0; i < ahead.far_lines; ++i) __builtin_prefetch(far + i * cache_line, 0, 2);
    }
    count -= N * some;
  }
  sum_products<Term>(t, left, right, count);
}
