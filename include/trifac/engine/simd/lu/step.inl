// One step of right-looking LU for the columns right of its panel, on packed operands
// (core/tile.inl):
//
//        | A12 |        A12 := L11⁻¹·P·A12, gathered into micro-panels of its transpose, solved and
//   P·   |     |        stored there; A22 := A22 − L21·A12 by tiles
//        | A22 |
//
// Vectors run along the contiguous side of A: in row-major storage the product is that of the
// transposes, and what is packed is the same. So both layouts have the same sums in the same order.

/// Bytes of the rows of U, on the stack, that are taken through a step together.
inline constexpr index_t group_bytes = index_t{160} << 10;
/// Where columns lie in one piece, so few at a time: what is fetched of the next ones is then still
/// in the L2 cache when their rows are gathered, beside a block of L21.
inline constexpr index_t gathered_at_once = 24;
/// Of a block of L21.
inline constexpr index_t left_block_bytes = index_t{480} << 10;

/// Elements from one micro-panel of a step of so many columns to the next.
template <class T>
constexpr index_t step_stride(index_t cols) {
  return micro_stride<target, T>(round_up(cols, memory_pieces::widest_packet));
}

/// Columns of a group: whole tiles of the product, at least one.
template <class T>
constexpr index_t group_columns(index_t cols, index_t most) {
  constexpr index_t tile = target::tile<T>.vectors * micro_rows<T>;
  const index_t room =
      group_bytes / (step_stride<T>(cols) * index_t(sizeof(real_t<T>))) * micro_rows<T>;
  const index_t columns = (room < most ? room : most) / tile * tile;
  return columns < tile ? tile : columns;
}

/// Rows of a block of L21: whole tiles of every type.
template <class T>
constexpr index_t block_rows(index_t cols) {
  constexpr index_t tiles = 48;
  const index_t rows = left_block_bytes / (cols * index_t(sizeof(T))) / tiles * tiles;
  return rows < tiles ? tiles : rows;
}

/// `rows` rows of L, a column-major matrix with `cols` columns, as micro-panels; rows up to the
/// next multiple of a packet's are read, too.
template <class T>
inline __attribute__((noinline)) void pack_left(const T* L, index_t ld, index_t rows, index_t cols,
                                                real_t<T>* packed) {
  constexpr int V = target::tile<T>.vectors, W = packet_rows<T>;
  const index_t stride = step_stride<T>(cols);
  index_t row = 0;
  for (; row + V * W <= rows; row += V * W, packed += V * stride)
    pack_columns<V>(L + row, ld, cols, packed, stride);
  for (; row < rows; row += W, packed += stride) pack_columns<1>(L + row, ld, cols, packed, stride);
}

/// What the columns right of the factored panel at D need of it. ipiv: of its columns, rows counted
/// from its first. row_at: see permutation_of.
template <class T>
inline __attribute__((noinline)) void pack_step(const T* D, index_t ld, index_t rows,
                                                const index_t* ipiv, index_t* row_at,
                                                lu_step<T> step) {
  const index_t cols = step.cols;
  permutation_of(ipiv, cols, row_at, step.moves);
  pack_left(D, ld, round_up(cols, base_columns), cols, step.L11);
  if (rows > cols) pack_left(D + cols, ld, rows - cols, cols, step.L21);
}

/// As the product needs U.
template <class T>
TRIFAC_INLINE packet<T> conjugated(packet<T> x) {
  if constexpr (is_complex<T>) x.im = -x.im;
  return x;
}

/// A micro-panel of Uᵀ := the rows of C that the interchanges bring to the top, still to be solved;
/// the rows that leave the top go to their new places. C: at most as many columns as a vector has
/// lanes, each in one piece; one after the other, so that its lines are in the L1 cache for both.
template <class T>
inline __attribute__((noinline)) void interchange_columns_and_pack(const lu_step<T>& S,
                                                                   const matrix_view<T>& C,
                                                                   real_t<T>* U) {
  constexpr int W = packet_rows<T>;
  const index_t K = S.cols, ld = round_up(K, W);
  alignas(64) real_t<T> parts[as_size(W * widest_block * index_t(sizeof(T) / sizeof(real_t<T>)))];
  T* const raw = reinterpret_cast<T*>(parts);
  for (index_t c = 0; c < W; ++c) {
    T* const top = raw + c * ld;
    if (c < C.cols()) {
      T* const column = C.data() + c * C.col_stride();
      move_rows_out(column, S.moves, top);
    }
    for (index_t k = c < C.cols() ? K : 0; k < ld; ++k) top[k] = T(0);
  }
  for (index_t k = 0; k < K; k += W) {
    packet<T> x[as_size(W)];
    TRIFAC_UNROLL
    for (int c = 0; c < W; ++c) x[c] = conjugated(load_packet(raw + c * ld + k));
    transpose_packets<T, W>(x);
    TRIFAC_UNROLL
    for (int i = 0; i < W; ++i) store_parts(U + (k + i) * k_step<T>, x[i]);
  }
}

/// A row of at most as many elements as a vector has lanes, zeros behind them.
template <class T>
TRIFAC_INLINE packet<T> load_some(const T* row, index_t stride, int count) {
  if (stride == 1) return count == packet_rows<T> ? load_packet(row) : load_packet(row, 0, count);
  alignas(64) real_t<T> parts[as_size(planes<T> * packet_rows<T>)] = {};
  T* const copy = reinterpret_cast<T*>(parts);
  for (int c = 0; c < count; ++c) copy[c] = row[c * stride];
  return load_packet(copy);
}

/// The same where rows lie in one piece, or nothing does, for as many micro-panels as C has.
template <class T>
inline __attribute__((noinline)) void interchange_rows_and_pack(const lu_step<T>& S,
                                                                const matrix_view<T>& C,
                                                                real_t<T>* U) {
  constexpr index_t W = packet_rows<T>;
  const index_t ld = C.row_stride(), along = C.col_stride(), stride = step_stride<T>(S.cols),
                n = C.cols();
  for (index_t k = 0; k < round_up(S.cols, W); ++k, U += k_step<T>)
    for (index_t c = 0; c < n; c += W) {
      const packet<T> x = k < S.cols ? load_some(C.data() + S.moves.source[k] * ld + c * along,
                                                 along, at_most(n - c, W))
                                     : packet<T>{};
      store_parts(U + c / W * stride, conjugated(x));
    }
  for (index_t k = 0; k < S.cols; ++k) {
    if (S.moves.target[k] == k) continue;
    T *const from = C.data() + k * ld, *const to = C.data() + S.moves.target[k] * ld;
    if (along != 1)
      for (index_t c = 0; c < n; ++c) to[c * along] = from[c * along];
    else
      for (index_t c = 0; c < n; c += W) {
        const int count = at_most(n - c, W);
        store_packet(to + c, load_packet(from + c, 0, count), 0, count);
      }
  }
}

/// All columns of a group. Rows are read in pieces of several cache lines, columns one by one.
template <class T>
TRIFAC_INLINE void interchange_and_pack(const lu_step<T>& S, const matrix_view<T>& C,
                                        real_t<T>* U) {
  constexpr int W{micro_rows<T>}, wide = target::tile<T>.vectors * W;
  const int at_once = C.row_stride() == 1 ? W : wide;
  for (index_t c = 0; c < C.cols(); c += at_once, U += at_once / W * step_stride<T>(S.cols)) {
    const auto part = C.block(0, c, C.rows(), at_most(C.cols() - c, at_once));
    if (C.row_stride() == 1)
      interchange_columns_and_pack(S, part, U);
    else
      interchange_rows_and_pack(S, part, U);
  }
}

/// L with a unit diagonal: a tile's columns of its packed rows.
template <class T>
struct unit_triangle {
  const real_t<T>* L;
  TRIFAC_INLINE packet<T> divide(int, packet<T> x) const { return x; }
  TRIFAC_INLINE packet<T> element(int c, int d) const {
    return spread_parts<T>(L + c * k_step<T> + d);
  }
};

/// X := X·L11⁻ᴴ for V micro-panels of X's rows, a tile's columns at a time. To: the matrix that is
/// to have conj(X), these rows of it. L11 is packed like X.
///
///   X₁ · | X₂ | ·       X₂ := (X₂ − X₁·L₂₁ᴴ)·L₂₂⁻ᴴ
template <int V, class T>
inline __attribute__((noinline)) void solve_micro_panels(packed_operand<T> L11, real_t<T>* X,
                                                         matrix_view<T> to) {
  constexpr index_t N = tile_columns<T>, W = packet_rows<T>;
  const index_t stride = L11.stride;
  for (index_t column = 0; column < to.cols(); column += N) {
    const real_t<T>* const L = L11.from(column).at + column % W;
    real_t<T>* const x = X + column * k_step<T>;
    tile<T, N, V> t;
    unpack_tile(t, x, stride);
    sum_products<term::minus_conj_ba>(t, packed_operand<T>{X, stride}, packed_operand<T>{L}, column,
                                      fetch_ahead<T>{});
    substitute<substitution::forward, term::minus_conj_ba>(
        t, unit_triangle<T>{L + column * k_step<T>});
    pack_tile(t, x, stride);
    if constexpr (is_complex<T>) conjugate_tile(t);
    tile_buffer<T, N, V> copy;
    place_tile<tile_layout::columns_or_rows>(
        to.block(0, column, to.rows(), at_most(to.cols() - column, N)), copy)
        .store(t);
  }
}

template <class T>
struct solve_packed_call {
  packed_operand<T> L11;
  real_t<T>* X;
  matrix_view<T> to;
  template <int V>
  TRIFAC_INLINE void tile() const {
    solve_micro_panels<V>(L11, X, to);
  }
};

/// Special path fetch-rows.
template <class T>
TRIFAC_INLINE void fetch_rows(const T* column, index_t rows) {
  for (index_t k = 0; k < rows; k += cache_line / index_t(sizeof(T)))
    __builtin_prefetch(column + k, 1, 2);
}

/// A12 := L11⁻¹·A12, whose rows are in U as micro-panels of the transpose and stay there. `beyond`:
/// elements to the columns that are fetched meanwhile, or 0.
template <class T>
TRIFAC_INLINE void solve_packed(const lu_step<T>& S, real_t<T>* U, const matrix_view<T>& A12,
                                index_t beyond) {
  constexpr index_t W = micro_rows<T>;
  const matrix_view<T> to = A12.transposed();
  const index_t stride = step_stride<T>(S.cols), whole = to.rows() / W,
                micro_panels = (to.rows() + W - 1) / W;
  for (index_t i = 0; i < micro_panels;) {
    // A micro-panel with few rows is a tile of its own.
    const int some = i < whole ? next_vectors<T>(whole - i) : 1;
    if (beyond > 0 && A12.row_stride() == 1)
      for (index_t c = i * W; c < (i + some) * W; ++c)
        fetch_rows(A12.data() + beyond + c * A12.col_stride(), S.cols);
    const index_t rows = to.rows() - i * W;
    with_vectors<target::tile<T>.vectors, T>(
        some, solve_packed_call<T>{{S.L11, stride},
                                   U + i * stride,
                                   to.block(i * W, 0, rows < some * W ? rows : some * W, S.cols)});
    i += some;
  }
}

/// The columns C right of a factored panel, from the panel's first row on.
template <class T>
TRIFAC_ENTRY void eliminate_columns(target, const lu_step<T>& S, matrix_view<T> C) {
  constexpr index_t W = micro_rows<T>;
  alignas(64) real_t<T> U[as_size(group_bytes / index_t(sizeof(real_t<T>)))];
  const bool by_rows = C.runs_along_rows();
  const index_t stride = step_stride<T>(S.cols), K = S.cols,
                group = group_columns<T>(K, by_rows ? C.cols() : gathered_at_once),
                at_once = block_rows<T>(K);
  for (index_t first = 0; first < C.cols(); first += group) {
    const index_t cols = C.cols() - first < group ? C.cols() - first : group;
    const matrix_view<T> columns = C.block(0, first, C.rows(), cols);
    const index_t beyond = first + 2 * group <= C.cols() ? group * C.col_stride() : 0;
    interchange_and_pack(S, columns, U);
    solve_packed(S, U, columns.block(0, 0, K, cols), beyond);
    for (index_t row = K; row < C.rows(); row += at_once) {
      const index_t some = C.rows() - row < at_once ? C.rows() - row : at_once;
      const real_t<T>* const L = S.L21 + (row - K) / W * stride;
      const matrix_view<T> A22 = columns.block(row, 0, some, cols);
      if (by_rows)
        update_packed<conjugate_term<T>>(A22.transposed(), packed_rows<T>{U, stride, K}, L, beyond);
      else
        update_packed<term::minus_conj_ba>(A22, packed_rows<T>{L, stride, K}, U, beyond);
    }
  }
}
