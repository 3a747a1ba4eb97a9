// One step of right-looking LU right of its panel in row-major storage: as in step.inl, with rows
// and columns exchanged. Vectors run along the rows of A: rows of U are packed, and micro-panels
// hold eight rows of L21. Every element has the sums of step.inl in their order.

/// Bytes of U's rows, on the stack, that are taken through all rows below at a time: they stay in
/// an L2 cache.
inline constexpr index_t row_group_bytes = index_t{160} << 10;

/// Columns of a tile.
template <class T>
inline constexpr index_t row_tile = target::tile<T>.vectors* packet_rows<T>;

/// Columns of a group: whole tiles of K rows, at least one.
template <class T>
constexpr index_t row_group(index_t K) {
  const index_t tiles = row_group_bytes / (K * row_tile<T> * index_t(sizeof(T)));
  return row_tile<T> * (tiles < 1 ? 1 : tiles);
}

/// `count` ≤ 8 rows of L21, of which `cols` elements of each, as a micro-panel of eight with K
/// elements: zeros elsewhere.
template <class T>
TRIFAC_INLINE void copy_micro_panel(const T* L21, index_t ld, index_t count, index_t cols,
                                    index_t K, T* micro_panel) {
  constexpr int W = packet_rows<T>;
  for (index_t r = 0; r < base_columns; ++r, micro_panel += micro_ld) {
    const T* const row = L21 + r * ld;
    index_t k = 0;
    if (r < count) {
      for (; k + W <= cols; k += W) store_packet(micro_panel + k, load_packet(row + k));
      for (; k < cols; ++k) micro_panel[k] = row[k];
    }
    for (; k < K; ++k) micro_panel[k] = T(0);
  }
}

/// U: rows of U12 as micro-panels, from the columns C of A12: interchanged and solved.
template <class T>
TRIFAC_INLINE void interchange_and_solve_columns(const lu_step<T>& S, const matrix_view<T>& C,
                                                 real_t<T>* U) {
  constexpr int V = target::tile<T>.vectors;
  constexpr index_t fetched = 2 * row_tile<T>;
  const inverted_blocks<T> L11 = {S.inverses, S.F, S.K};
  const index_t ld = C.row_stride(), step = V * panel_stride<T>(S.K);
  index_t c = 0;
  for (; c + row_tile<T> <= C.cols(); c += row_tile<T>, U += step)
    interchange_and_solve_rows<V>(C.data() + c, ld, L11, S.moves, packet_rows<T>, U,
                                  c + fetched + row_tile<T> <= C.cols() ? fetched : 0);
  if (c < C.cols()) interchange_and_solve_rest<V>(C.data() + c, ld, L11, S.moves, C.cols() - c, U);
}

/// Less than eight rows C −= rows of L21 · U, by way of a copy.
template <class T>
inline __attribute__((noinline)) void update_last_rows(const matrix_view<T>& C, packed_operand<T> U,
                                                       index_t K, const T* L21) {
  constexpr index_t some = 2 * row_tile<T>;
  alignas(64) real_t<T>
      parts[as_size(base_columns * some * index_t(sizeof(T) / sizeof(real_t<T>)))];
  T* const rows = reinterpret_cast<T*>(parts);
  for (index_t c = 0; c < C.cols(); c += row_tile<T>) {
    const index_t cols = C.cols() - c < row_tile<T> ? C.cols() - c : row_tile<T>;
    const auto part = C.block(0, c, C.rows(), cols);
    const auto copy = matrix_view<T>(rows, C.rows(), cols, some, 1);
    copy_elements(part, copy);
    update_micro_panel<minus_ba<T>>(rows, some, U.from(c), cols, L21, K);
    copy_elements(copy, part);
  }
}

/// C right of `panel`, both with all their rows and at least as many as S.K.
template <class T>
inline __attribute__((noinline)) void eliminate_row_major(const lu_step<T>& S,
                                                          const matrix_view<T>& panel,
                                                          const matrix_view<T>& C) {
  alignas(64) real_t<T> rows_of_U[as_size(row_group_bytes / index_t(sizeof(real_t<T>)))];
  micro_panel_buffer<T, 1> buffer;
  T* const L21 = buffer.micro_panel(0);
  const packed_operand<T> U = {rows_of_U, panel_stride<T>(S.K)};
  const index_t ld = C.row_stride(), rows = C.rows(), group = row_group<T>(S.K);
  for (index_t c = 0; c < C.cols(); c += group) {
    const index_t cols = C.cols() - c < group ? C.cols() - c : group;
    interchange_and_solve_columns(S, C.block(0, c, rows, cols), rows_of_U);
    for (index_t row = S.K; row < rows; row += base_columns) {
      const index_t some = rows - row < base_columns ? rows - row : base_columns;
      copy_micro_panel(&panel(row, 0), ld, some, panel.cols(), S.K, L21);
      if (some == base_columns)
        update_micro_panel<minus_ba<T>>(&C(row, c), ld, U, cols, L21, S.K,
                                        row + 2 * base_columns <= rows ? base_columns : 0);
      else
        update_last_rows(C.block(row, c, some, cols), U, S.K, L21);
    }
  }
}
