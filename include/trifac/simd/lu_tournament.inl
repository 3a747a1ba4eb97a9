// Tournament pivoting of a panel: the games, and L21 := A21·U11⁻¹ with the verdict on its size.

/// Copies `count` rows of the panel A, those numbered rows[0], rows[1], … (where it is null:
/// `from`, from+1, …), into memory with whole packets and strips.
template <class T>
inline __attribute__((noinline)) void copy_rows_in(const matrix_view<const T>& A,
                                                   const index_t* rows, index_t count, T* to,
                                                   index_t ld, index_t padded_rows) {
  constexpr int W = packet_rows<T>;
  for (index_t j = 0; j < round_up(A.cols(), base_columns); ++j, to += ld) {
    index_t i = 0;
    if (j < A.cols()) {
      if (A.row_stride() == 1) {
        const T* from = A.data() + j * A.col_stride();
        for (; i + W <= count; i += W) store_packet(to + i, gather_packet(from, rows + i));
      }
      for (; i < count; ++i) to[i] = A(rows[i], j);
    }
    for (; i < padded_rows; ++i) to[i] = T(0);
  }
}

/// One game: `count` rows of the panel A, candidates[0 … count−1], are eliminated with partial
/// pivoting in memory of its own; the pivot rows, in order, go to winners[0 … b−1]. Where `root`
/// has elements it receives their factor L\U, b×b. A pivot that is zero or not finite needs no
/// verdict here: the root's pivots tell. `memory`: panel_memory(count, b, sizeof(T)).bytes.
template <class T>
TRIFAC_ENTRY void play_game(target, matrix_view<const T> A, const index_t* candidates,
                            index_t count, index_t* winners, matrix_view<T> root,
                            std::byte* memory) {
  const index_t b = A.cols();
  const panel_memory layout(count, b, sizeof(T));
  panel_work<T> work = place_work<T>(layout, memory);
  index_t* sequence = panel_memory::take<index_t>(memory, layout.sequence);
  T* W = panel_memory::take<T>(memory, layout.copy);
  copy_rows_in(A, candidates, count, W, layout.copy_ld, layout.rows);
  (void)factor_columns(W, layout.copy_ld, count, b, sequence, work);
  net_moves(sequence, layout.moves, work.row_at, work.moves);
  for (index_t k = 0; k < b; ++k) winners[k] = candidates[work.moves.source[k]];
  for (index_t j = 0; j < root.cols(); ++j)
    for (index_t i = 0; i < root.rows(); ++i) root(i, j) = W[i + j * layout.copy_ld];
}

/// U11 as the solve reads it: strips of eight columns with strip_ld, zeros below the diagonal and,
/// in `reciprocals`, the diagonal inverted. False where a pivot has no good reciprocal.
template <class T>
inline __attribute__((noinline)) bool prepare_right_solve(const T* U11, index_t ld, index_t b,
                                                          T* strips, T* reciprocals) {
  bool good = true;
  for (index_t j = 0; j < round_up(b, base_columns); ++j) {
    T* column = strips + j * strip_ld;
    for (index_t i = 0; i < round_up(b, base_columns); ++i)
      column[i] = i < j && j < b ? U11[i + j * ld] : T(0);
    const T pivot = j < b ? U11[j + j * ld] : T(1);
    good = good &&
           is_ordinary(pivot_magnitude(pivot), ordinary_pivots<T>::least, ordinary_pivots<T>::most);
    reciprocals[j] = reciprocal(pivot);
  }
  return good;
}

// Columns j … j+7 of M packets of rows, where the columns to the left are done: C: the first of the
// rows, column j.
template <int M, class T>
TRIFAC_INLINE void solve_right_columns(T* rows, T* C, index_t ld, index_t j, const T* U,
                                       const T* reciprocals, keys<real_t<T>>& largest) {
  constexpr int W = packet_rows<T>, N = target::tile<T>.columns;
  for (int half = 0; half < base_columns; half += N) {
    packet<T> sum[N][M];
    T* columns = C + half * ld;
    const T* u = U + half * strip_ld;
    TRIFAC_UNROLL
    for (int c = 0; c < N; ++c) {
      TRIFAC_UNROLL
      for (int v = 0; v < M; ++v) sum[c][v] = load_packet(columns + v * W + c * ld);
    }
    for (index_t k = 0; k < j + half; ++k) subtract_column(sum, rows + k * ld, u + k);
    TRIFAC_UNROLL
    for (int c = 0; c < N; ++c) {
      const packet<T> r = spread(reciprocals[half + c]);
      TRIFAC_UNROLL
      for (int v = 0; v < M; ++v) {
        sum[c][v] = multiply_packets(sum[c][v], r);
        largest = larger_key<real_t<T>>(largest, pivot_keys(sum[c][v]));
        store_packet(columns + v * W + c * ld, sum[c][v]);
      }
      TRIFAC_UNROLL
      for (int d = c + 1; d < N; ++d) {
        const packet<T> x = spread(u[j + half + c + d * strip_ld]);
        TRIFAC_UNROLL
        for (int v = 0; v < M; ++v) sum[d][v] = subtract_packet_product(sum[d][v], sum[c][v], x);
      }
    }
  }
}

template <int M, class T>
TRIFAC_INLINE void solve_right_tile(T* rows, index_t ld, index_t b, const T* strips,
                                    const T* reciprocals, keys<real_t<T>>& largest) {
  for (index_t j = 0; j < b; j += base_columns)
    solve_right_columns<M>(rows, rows + j * ld, ld, j, strips + j * strip_ld, reciprocals + j,
                           largest);
}

/// `count` rows at L21, a multiple of a packet's, := themselves · U11⁻¹. Returns the largest size
/// of an element, NaN where there is one.
template <class T>
TRIFAC_ENTRY real_t<T> solve_right(target, T* L21, index_t ld, index_t count, index_t b,
                                   const T* strips, const T* reciprocals) {
  using R = real_t<T>;
  constexpr int M = target::tile<T>.vectors, W = packet_rows<T>;
  keys<R> largest = {};
  index_t row = 0;
  for (; row + M * W <= count; row += M * W)
    solve_right_tile<M>(L21 + row, ld, b, strips, reciprocals, largest);
  for (; row < count; row += W) solve_right_tile<1>(L21 + row, ld, b, strips, reciprocals, largest);
  return ((vec<R>)largest_in_all_lanes<R>(largest))[0];
}

/// Starts a panel whose pivot rows are known by interchanges that count rows from `first` before
/// A's first: a padded copy of A with its rows interchanged and the root's L11\U11 on top; U11
/// ready for solve_right. False where the root has a pivot that is zero, extreme or not finite.
template <class T>
TRIFAC_ENTRY bool start_chosen_panel(target, matrix_view<T> A, const index_t* interchanges,
                                     index_t first, matrix_view<const T> root, T* W, T* strips,
                                     T* reciprocals, std::byte* memory) {
  const index_t m = A.rows(), b = A.cols();
  const panel_memory layout(m, b, sizeof(T));
  panel_work<T> work = place_work<T>(layout, memory);
  index_t* sequence = panel_memory::take<index_t>(memory, layout.sequence);
  copy_in(A, W, layout.copy_ld, layout.rows);
  for (index_t k = 0; k < layout.moves; ++k) sequence[k] = k < b ? interchanges[k] - first : k;
  net_moves(sequence, layout.moves, work.row_at, work.moves);
  move_rows(W, layout.copy_ld, b, work.moves, work.U);
  for (index_t j = 0; j < b; ++j)
    for (index_t i = 0; i < b; ++i) W[i + j * layout.copy_ld] = root(i, j);
  return prepare_right_solve(W, layout.copy_ld, b, strips, reciprocals);
}

/// Ends it: the copy goes back to A, and to `step` what the columns right of A need.
template <class T>
TRIFAC_ENTRY void finish_chosen_panel(target, matrix_view<T> A, const index_t* interchanges,
                                      index_t first, const T* W, const lu_step<T>* step,
                                      std::byte* memory) {
  const panel_memory layout(A.rows(), A.cols(), sizeof(T));
  panel_work<T> work = place_work<T>(layout, memory);
  index_t* sequence = panel_memory::take<index_t>(memory, layout.sequence);
  for (index_t k = 0; k < layout.moves; ++k)
    sequence[k] = k < A.cols() ? interchanges[k] - first : k;
  copy_out(W, layout.copy_ld, A);
  if (step) keep_step(W, layout.copy_ld, A.rows(), sequence, work, *step);
}
