// The rows of U right of a panel: a micro-panel of eight columns has its rows interchanged and is
// multiplied by the inverse of L11, block row by block row.
//
//   U_k = X_k·B_k − Σ_{j<k} F_kj·U_j,    X_k = L_kk⁻¹ (8×8),    F_kj = X_k·L_kj
//
// With F at hand the two products do not wait for each other. |l_ij| ≤ 1 bounds the elements of X
// by 2⁶.

/// Elements from one column of an inverse to the next: vectors may be longer than a column.
template <class T>
inline constexpr index_t inverse_ld = packet_rows<T> < base_columns ? base_columns : packet_rows<T>;

/// Elements of the inverse of one diagonal block.
template <class T>
inline constexpr index_t inverse_size = inverse_ld<T>* base_columns;

template <int J, class T>
TRIFAC_INLINE void eliminate_from_inverse(const packet<T> (&l)[base_columns][head_packets<T>],
                                          packet<T> (&x)[base_columns][head_packets<T>]) {
  constexpr int W = packet_rows<T>;
  TRIFAC_UNROLL
  for (int c = 0; c <= J; ++c) {
    const packet<T> factor = packet_lane<J % W>(x[c][J / W]);
    TRIFAC_UNROLL
    for (int v = 0; v < head_packets<T>; ++v) x[c][v] = subtract_product(x[c][v], l[J][v], factor);
  }
  if constexpr (J + 2 < base_columns) eliminate_from_inverse<J + 1>(l, x);
}

/// X := the inverse of the unit lower triangle of the 8×8 block at L, column-major with inverse_ld.
template <class T>
inline __attribute__((noinline)) void invert_unit_lower(const T* L, index_t ld, T* X) {
  constexpr int H = head_packets<T>, W = packet_rows<T>;
  packet<T> l[base_columns][as_size(H)], x[base_columns][as_size(H)];
  TRIFAC_UNROLL
  for (int c = 0; c < base_columns; ++c) {
    TRIFAC_UNROLL
    for (int v = 0; v < H; ++v) {
      const unsigned block = rows_from<T>(0, v) & ~rows_from<T>(base_columns, v);
      const unsigned below = rows_from<T>(c + 1, v) & block;
      l[c][v] = masked_packet(load_packet(L + v * W + c * ld), below);
      x[c][v] = masked_packet(spread(T(1)), rows_from<T>(c, v) & ~rows_from<T>(c + 1, v));
    }
  }
  eliminate_from_inverse<0>(l, x);
  TRIFAC_UNROLL
  for (int c = 0; c < base_columns; ++c) {
    TRIFAC_UNROLL
    for (int v = 0; v < H; ++v) store_packet(X + v * W + c * inverse_ld<T>, x[c][v]);
  }
}

/// L11 of a panel of K columns as the solve reads it: the inverses X_k, and F with leading
/// dimension K + 8, since the vectors of a block row may be longer than the block.
template <class T>
struct inverted_blocks {
  const T* inverses;
  const T* F;
  index_t K;
};

/// Computes them from the unit lower triangle at L, K a multiple of eight.
template <class T>
inline __attribute__((noinline)) inverted_blocks<T> invert_diagonal_blocks(const T* L, index_t ld,
                                                                           index_t K, T* inverses,
                                                                           T* F) {
  constexpr int H = head_packets<T>, W = packet_rows<T>;
  const index_t ldf = K + base_columns;
  for (index_t row = 0; row < K; row += base_columns) {
    T* X = inverses + row / base_columns * inverse_size<T>;
    invert_unit_lower(L + row + row * ld, ld, X);
    packet<T> x[base_columns][as_size(H)];
    TRIFAC_UNROLL
    for (int q = 0; q < base_columns; ++q) {
      TRIFAC_UNROLL
      for (int v = 0; v < H; ++v) x[q][v] = load_packet(X + v * W + q * inverse_ld<T>);
    }
    for (index_t k = 0; k < row; ++k) {
      const T* l = L + row + k * ld;
      packet<T> sum[as_size(H)];
      TRIFAC_UNROLL
      for (int v = 0; v < H; ++v) sum[v] = packet<T>{};
      TRIFAC_UNROLL
      for (int q = 0; q < base_columns; ++q) {
        TRIFAC_UNROLL
        for (int v = 0; v < H; ++v) sum[v] = add_product(sum[v], x[q][v], spread(l[q]));
      }
      TRIFAC_UNROLL
      for (int v = 0; v < H; ++v) store_packet(F + row + v * W + k * ldf, sum[v]);
    }
  }
  return {inverses, F, K};
}

/// Columns that the solve holds in registers at once.
template <class T>
inline constexpr int solve_columns = detail::clamp(registers / 2 / (head_packets<T> * planes<T>), 2,
                                                   8);

// The rows of a micro-panel of the right-hand side as the right operand: still in their old places.
template <class T>
struct rows_in_place {
  const T* C;
  index_t ldc;
  const index_t* source;
  TRIFAC_INLINE rows_in_place from(index_t row) const { return {C, ldc, source + row}; }
  TRIFAC_INLINE packet<T> element(int c) const { return spread(C[*source + c * ldc]); }
  TRIFAC_INLINE void next() { ++source; }
};

// Block row `row` of U for columns 0 … N−1, whose rows are at B.
template <int N, class T, class Rows>
TRIFAC_INLINE void solve_block_row(const inverted_blocks<T>& L, index_t row, Rows B, T* U) {
  constexpr int H = head_packets<T>, W = packet_rows<T>;
  tile<T, N, H> sum = {};
  columns_in_place<T> X = {L.inverses + row / base_columns * inverse_size<T>, inverse_ld<T>};
  TRIFAC_UNROLL
  for (int q = 0; q < base_columns; ++q) update_rank_1<term::plus_ab>(sum, X, B);
  columns_in_place<T> F = {L.F + row, L.K + base_columns};
  u_panel<T> above = {U};
  sum_products<term::minus_ab>(sum, F, above, row);
  // A vector that is longer than the block must spare the rows below, which are still raw.
  store_columns(sum, U + row, micro_ld, W > base_columns ? int(base_columns) : W);
}

/// U := the block of rows gathered there, solved.
template <class T>
inline __attribute__((noinline)) void solve_gathered(const inverted_blocks<T>& L, T* U) {
  constexpr int N = solve_columns<T>;
  for (int c = 0; c < base_columns; c += N) {
    for (index_t row = 0; row < L.K; row += base_columns)
      solve_block_row<N>(L, row, u_panel<T>{U + row + c * micro_ld}, U + c * micro_ld);
  }
}

/// Eight columns at C, all rows of the panel: rows moved, the first K of them := L11⁻¹ ·
/// themselves. U: a copy of those K rows, column-major with micro_ld.
template <class T>
inline __attribute__((noinline)) void interchange_and_solve(T* C, index_t ldc,
                                                            const inverted_blocks<T>& L,
                                                            const permutation& moves, T* U) {
  constexpr int N = solve_columns<T>;
  const index_t K = L.K;
  if (K <= most_rows_in_place) {
    for (int c = 0; c < base_columns; c += N) {
      const rows_in_place<T> raw = {C + c * ldc, ldc, moves.source};
      for (index_t row = 0; row < K; row += base_columns)
        solve_block_row<N>(L, row, raw.from(row), U + c * micro_ld);
    }
    for (index_t k = 0; k < K; ++k) {
      T* to = C + moves.target[k];
      const T* from = C + k;
      TRIFAC_UNROLL
      for (int c = 0; c < base_columns; ++c) to[c * ldc] = from[c * ldc];
    }
  } else {
    for (int c = 0; c < base_columns; ++c) move_rows_out(C + c * ldc, moves, U + c * micro_ld);
    solve_gathered(L, U);
  }
  for (int c = 0; c < base_columns; ++c) copy_rows(U + c * micro_ld, C + c * ldc, K);
}
