// Columns of W matrices to lanes and back, V rows at a time: V numbers of a matrix are a piece.
// Here four of each of eight matrices a … h:
//
//     x0 = a a a a e e e e                      x0 = a b c d e f g h    row i
//     x1 = b b b b f f f f    groups of four    x1 = a b c d e f g h    row i + 1
//     x2 = c c c c g g g g    transposed →      x2 = a b c d e f g h    row i + 2
//     x3 = d d d d h h h h                      x3 = a b c d e f g h    row i + 3
//
// Loads put the pieces in their places: transposing whole vectors takes 1.5 times as many
// shuffles, and the ends of columns would need masks.

// The rows of column j that a copy covers.
constexpr index_t first_row_of(lane_part part, index_t j) {
  return part == lane_part::lower ? j : 0;
}
constexpr index_t end_row_of(lane_part part, index_t j, index_t rows) {
  return part == lane_part::upper && j + 1 < rows ? j + 1 : rows;
}

/// V numbers, which one instruction moves.
template <class R, int V>
struct piece {
  using vector [[gnu::vector_size(V * sizeof(R))]] = R;
  using number = std::conditional_t<V * sizeof(R) == 8, double, float>;
  static constexpr bool is_number = V * sizeof(R) <= 8;
};

template <class N, class R>
TRIFAC_INLINE N load_bits(const R* p) {
  N x;
  __builtin_memcpy(&x, p, sizeof x);
  return x;
}
/// The pieces of places 0, V, 2V, … in one vector.
template <class R, int V, class P, int... I>
TRIFAC_INLINE auto load_numbers(P* const* from, index_t at, std::integer_sequence<int, I...>) {
  using N = typename piece<R, V>::number;
  return vec<N>{load_bits<N>(reinterpret_cast<const R*>(from[I * V]) + at)...};
}
template <class R, int V, int Count, class P>
TRIFAC_INLINE auto load_pieces(P* const* from, index_t at) {
  if constexpr (Count == 1)
    return load_bits<typename piece<R, V>::vector>(reinterpret_cast<const R*>(from[0]) + at);
  else
    return join(load_pieces<R, V, Count / 2>(from, at),
                load_pieces<R, V, Count / 2>(from + Count / 2 * V, at));
}

template <class R, int V, int Place, int... I>
TRIFAC_INLINE void store_piece(R* p, vec<R> a, std::integer_sequence<int, I...>) {
  if constexpr (piece<R, V>::is_number) {
    const auto x = ((vec<typename piece<R, V>::number>)a)[Place];
    __builtin_memcpy(p, &x, sizeof x);
  } else {
    const auto x = __builtin_shufflevector(a, a, (Place * V + I)...);
    __builtin_memcpy(p, &x, sizeof x);
  }
}
/// Piece k to to[k·V], the first one last: lanes without a matrix have the address of the first
/// one, whose piece is thus what stays there.
template <class R, int V, class P, int... I>
TRIFAC_INLINE void store_pieces(P* const* to, index_t at, vec<R> a,
                                std::integer_sequence<int, I...>) {
  constexpr int last = sizeof...(I) - 1;
  (store_piece<R, V, last - I>(reinterpret_cast<R*>(to[(last - I) * V]) + at, a,
                               std::make_integer_sequence<int, V>{}),
   ...);
}

/// V numbers from each of W places: x_i := number i of all of them.
template <class R, int V, class P>
TRIFAC_INLINE void load_transposed(vec<R> (&x)[as_size(V)], P* const* from, index_t at) {
  TRIFAC_UNROLL
  for (int i = 0; i < V; ++i) {
    if constexpr (piece<R, V>::is_number)
      x[i] =
          (vec<R>)load_numbers<R, V>(from + i, at, lane_sequence<typename piece<R, V>::number>{});
    else
      x[i] = (vec<R>)load_pieces<R, V, width<R> / V>(from + i, at);
  }
  transpose<R, V>(x);
}

/// Most numbers of a piece: 128 or 256 bits.
template <class R>
inline constexpr int most_of_piece = width<R> < 4 ? width<R> : 4;

/// A column of W matrices and of their lanes, as rows of real numbers: an element has planes<T>.
template <class T>
struct column_of_lanes {
  using R = real_t<T>;
  static constexpr int w = packet_rows<T>, least_rows = planes<T>;

  // Not copied: GCC keeps copies in vector registers, and a move from there takes as long as a
  // shuffle.
  T* const* matrices = nullptr;
  R* lanes = nullptr;
  index_t at = 0, row_stride = 0;

  /// Row r behind row i, an element's first.
  TRIFAC_INLINE R* row(index_t i, int r) const {
    return lanes + (i / planes<T> + r / planes<T>)*row_stride + r % planes<T> * w;
  }
};
template <class T>
struct column_packing : column_of_lanes<T> {
  using typename column_of_lanes<T>::R;
  static constexpr int most_rows = most_of_piece<R>;

  template <int V>
  TRIFAC_INLINE void copy(index_t i) const {
    vec<R> x[as_size(V)];
    load_transposed<R, V>(x, this->matrices, this->at + i);
    TRIFAC_UNROLL
    for (int r = 0; r < V; ++r) store(this->row(i, r), x[r]);
  }
};
/// W rows go to memory by whole vectors: two halves of a line take 1.4 times as long.
template <class T>
struct column_unpacking : column_of_lanes<T> {
  using typename column_of_lanes<T>::R;
  static constexpr int w = width<R>, most_rows = w;

  template <int V>
  TRIFAC_INLINE void copy(index_t i) const {
    if constexpr (V == w) {
      constexpr int n = most_of_piece<R>;
      R* rows[as_size(w)];
      TRIFAC_UNROLL
      for (int r = 0; r < w; ++r) rows[r] = this->row(i, r);
      TRIFAC_UNROLL
      for (int l = w - n; l >= 0; l -= n) {
        vec<R> x[as_size(n)];
        load_transposed<R, n>(x, rows, l);
        TRIFAC_UNROLL
        for (int k = n - 1; k >= 0; --k)
          store(reinterpret_cast<R*>(this->matrices[l + k]) + this->at + i, x[k]);
      }
    } else {
      vec<R> x[as_size(V)];
      TRIFAC_UNROLL
      for (int r = 0; r < V; ++r) x[r] = load<R>(this->row(i, r));
      transpose<R, V>(x);
      TRIFAC_UNROLL
      for (int l = V - 1; l >= 0; --l)
        store_pieces<R, V>(this->matrices + l, this->at + i, x[l],
                           std::make_integer_sequence<int, w / V>{});
    }
  }
};

/// V rows from row i on, or fewer at the ends; how many.
template <int V, class Column>
TRIFAC_INLINE int copy_rows(const Column& column, index_t i, index_t end) {
  if constexpr (V > Column::least_rows)
    if (i % V != 0 || i + V > end) return copy_rows<V / 2>(column, i, end);
  column.template copy<V>(i);
  return V;
}

/// All columns of a part; see pack_lanes.
template <template <class> class Column, class T>
inline __attribute__((noinline)) void copy_columns(T* const* matrices, index_t col_stride,
                                                   lane_part part, const lane_matrix<T>& lanes) {
  constexpr index_t planes_of = planes<T>;
  // A copy: no store to lanes changes it.
  lane_matrix<T> A = lanes;
  // Columns without gaps are one.
  if (part == lane_part::whole && col_stride == A.rows && A.col_stride == A.rows * A.row_stride) {
    A.rows *= A.cols;
    A.cols = 1;
  }
  Column<T> column;
  column.matrices = matrices;
  column.row_stride = A.row_stride;
  for (index_t j = 0; j < A.cols; ++j) {
    column.at = planes_of * j * col_stride;
    column.lanes = A.at(0, j);
    const index_t end = planes_of * end_row_of(part, j, A.rows);
    for (index_t i = planes_of * first_row_of(part, j); i < end;)
      i += copy_rows<Column<T>::most_rows>(column, i, end);
  }
}
