// Tournament pivoting of a panel: the local LU of a round's candidate rows, and L21 := A21·U11⁻¹
// with the size of its largest element.

/// Divides each of so many packets of rows by its size, max_j |a_ij|: partial pivoting then chooses
/// as scaled selection does, since elimination of D·A has the multipliers d_i·l_ij/d_j and the rest
/// D·S. Rows of zeros stay; a row that is not finite has a NaN afterwards.
template <class T>
inline __attribute__((noinline)) void divide_rows_by_size(T* A, index_t ld, index_t packets,
                                                          index_t cols) {
  using R = real_t<T>;
  constexpr index_t W = packet_rows<T>;
  for (index_t i = 0; i < packets; ++i) {
    T* const rows = A + i * W;
    keys<R> size = (keys<R>)broadcast(std::numeric_limits<R>::min());  // of rows of zeros
    for (index_t j = 0; j < cols; ++j)
      size = larger_key<R>(size, pivot_keys(load_packet(rows + j * ld)));
    for (index_t j = 0; j < cols; ++j) {
      // A product with 1/size would round some of the largest elements to less than 1, and these
      // rows would no longer tie.
      packet<T> x = load_packet(rows + j * ld);
      x.re /= (vec<R>)size;
      if constexpr (is_complex<T>) x.im /= (vec<R>)size;
      store_packet(rows + j * ld, x);
    }
  }
}

/// The local LU, with partial pivoting, of `count` candidate rows of the panel A in memory of its
/// own: its pivot rows, in order, go to pivot_rows[0 … b−1]. Where `root` has elements it receives
/// the factor L\U of these, b×b. A pivot that is zero or not finite is not reported: it shows in
/// the root. `memory`: panel_memory(count, b, sizeof(T)).bytes.
template <class T>
TRIFAC_ENTRY void local_lu_of_rows(target, matrix_view<const T> A, pivot_choice choice,
                                   const index_t* candidates, index_t count, index_t* pivot_rows,
                                   matrix_view<T> root, std::byte* memory) {
  const index_t b = A.cols();
  const panel_memory layout(count, b, sizeof(T));
  panel_work<T> work = place_work<T>(layout, memory);
  index_t* ipiv = memory_pieces::take<index_t>(memory, layout.ipiv);
  T* W = memory_pieces::take<T>(memory, layout.copy);
  copy_rows_in(A, candidates, count, W, layout.copy_ld, layout.rows);
  if (choice == pivot_choice::scaled)
    divide_rows_by_size(W, layout.copy_ld, layout.rows / packet_rows<T>, b);
  (void)factor_columns(W, layout.copy_ld, count, b, ipiv, work);
  permutation_of(ipiv, layout.moves, work.row_at, work.moves);
  for (index_t k = 0; k < b; ++k) pivot_rows[k] = candidates[work.moves.source[k]];
  if (choice == pivot_choice::scaled && !root.empty()) {  // their factor, of the rows as they are
    copy_rows_in(A, pivot_rows, b, W, layout.copy_ld, layout.rows);
    work.choice = pivot_choice::diagonal;
    (void)factor_columns(W, layout.copy_ld, b, b, ipiv, work);
  }
  for (index_t j = 0; j < root.cols(); ++j)
    for (index_t i = 0; i < root.rows(); ++i) root(i, j) = W[i + j * layout.copy_ld];
}

/// U11 as the solve reads it: micro-panels of eight columns with micro_ld, zeros below the diagonal
/// and, in `reciprocals`, the diagonal inverted. False where a pivot has no good reciprocal.
template <class T>
inline __attribute__((noinline)) bool prepare_right_solve(const T* U11, index_t ld, index_t b,
                                                          T* micro_panels, T* reciprocals) {
  bool good = true;
  for (index_t j = 0; j < round_up(b, base_columns); ++j) {
    T* column = micro_panels + j * micro_ld;
    for (index_t i = 0; i < round_up(b, base_columns); ++i)
      column[i] = i < j && j < b ? U11[i + j * ld] : T(0);
    const T pivot = j < b ? U11[j + j * ld] : T(1);
    good = good && is_ordinary_pivot(pivot);
    reciprocals[j] = reciprocal(pivot);
  }
  return good;
}

// A diagonal block of U11 with the reciprocals of its pivots; notes the largest quotient.
template <class T>
struct upper_block {
  const T* u;
  const T* reciprocals;
  keys<real_t<T>>& largest;
  TRIFAC_INLINE packet<T> divide(int c, packet<T> x) const {
    x = multiply(x, spread(reciprocals[c]));
    largest = larger_key<real_t<T>>(largest, pivot_keys(x));
    return x;
  }
  TRIFAC_INLINE packet<T> element(int c, int d) const { return spread(u[c + d * micro_ld]); }
};

// Columns j … j+7 of M packets of rows, where the columns to the left are done: C: the first of the
// rows, column j.
template <int M, class T>
TRIFAC_INLINE void solve_right_columns(T* rows, T* C, index_t ld, index_t j, const T* U,
                                       const T* reciprocals, keys<real_t<T>>& largest) {
  constexpr int N = target::tile<T>.columns;
  for (int half = 0; half < base_columns; half += N) {
    tile<T, N, M> x;
    const T* const u = U + half * micro_ld;
    load_columns(x, C + half * ld, ld, packet_rows<T>);
    columns_in_place<T> left = {rows, ld};
    u_panel<T> right = {u};
    sum_products<term::minus_ab>(x, left, right, j + half);
    substitute<substitution::forward, term::minus_ab>(
        x, upper_block<T>{u + j + half, reciprocals + half, largest});
    store_columns(x, C + half * ld, ld, packet_rows<T>);
  }
}

template <int M, class T>
TRIFAC_INLINE void solve_right_tile(T* rows, index_t ld, index_t b, const T* micro_panels,
                                    const T* reciprocals, keys<real_t<T>>& largest) {
  for (index_t j = 0; j < b; j += base_columns)
    solve_right_columns<M>(rows, rows + j * ld, ld, j, micro_panels + j * micro_ld, reciprocals + j,
                           largest);
}

/// `count` rows at L21, a multiple of a packet's, := themselves · U11⁻¹. Returns the largest size
/// of an element, NaN where there is one.
template <class T>
inline __attribute__((noinline)) real_t<T> solve_right(T* L21, index_t ld, index_t count, index_t b,
                                                       const T* micro_panels,
                                                       const T* reciprocals) {
  using R = real_t<T>;
  constexpr int M = target::tile<T>.vectors, W = packet_rows<T>;
  keys<R> largest = {};
  index_t row = 0;
  for (; row + M * W <= count; row += M * W)
    solve_right_tile<M>(L21 + row, ld, b, micro_panels, reciprocals, largest);
  for (; row < count; row += W)
    solve_right_tile<1>(L21 + row, ld, b, micro_panels, reciprocals, largest);
  return ((vec<R>)largest_in_all_lanes<R>(largest))[0];
}

/// Starts a panel of m rows whose pivot rows are known by interchanges that count rows from `first`
/// before its first: P's moves, the root's L11\U11 on top, and U11 ready for solve_right. False
/// where the root has a pivot that is zero, extreme or not finite.
template <class T>
TRIFAC_ENTRY bool start_candidate_panel(target, candidate_panel<T> P, index_t m,
                                        const index_t* interchanges, index_t first,
                                        matrix_view<const T> root, std::byte* memory) {
  const index_t b = root.cols();
  const panel_memory layout(m, b, sizeof(T));
  panel_work<T> work = place_work<T>(layout, memory);
  index_t* ipiv = memory_pieces::take<index_t>(memory, layout.ipiv);
  for (index_t k = 0; k < b; ++k) ipiv[k] = interchanges[k] - first;
  permutation_of(ipiv, b, work.row_at, P.moves);
  for (index_t j = 0; j < layout.columns; ++j)
    for (index_t i = 0; i < b; ++i) P.copy[i + j * P.ld] = j < b ? root(i, j) : T(0);
  return prepare_right_solve(P.copy, P.ld, b, P.U11, P.reciprocals);
}

template <class T>
TRIFAC_INLINE void copy_row(const matrix_view<T>& A, index_t source, T* to, index_t ld) {
  for (index_t j = 0; j < A.cols(); ++j) to[j * ld] = A(source, j);
}

/// Rows from … to − 1 of P·A into P's copy, with the padding below the last row. A: the panel as it
/// was.
template <class T>
inline __attribute__((noinline)) void copy_moved_rows(const candidate_panel<T>& P,
                                                      const matrix_view<T>& A, index_t from,
                                                      index_t to) {
  const permutation& moves = P.moves;
  const index_t padded = (to == A.rows() ? P.rows : to) - from;
  copy_in(A.block(from, 0, to - from, A.cols()), P.copy + from, P.ld, padded);
  for (index_t row = from; row < to && row < moves.count; ++row)
    copy_row(A, moves.source[row], P.copy + row, P.ld);
  for (index_t k = 0; k < moves.count; ++k) {
    const index_t row = moves.target[k];
    if (row >= moves.count && row >= from && row < to) copy_row(A, k, P.copy + row, P.ld);
  }
}

/// Rows from … to − 1 of L21 := P·A21·U11⁻¹ in P's copy: a range of whole packets, or up to the
/// last row. A stays as it is. Where `step` is not null the rows are packed there. Returns the
/// largest size of an element, NaN where there is one.
template <class T>
TRIFAC_ENTRY real_t<T> solve_candidate_rows(target, const candidate_panel<T>& P,
                                            const matrix_view<T>& A, index_t from, index_t to,
                                            const lu_step<T>* step) {
  copy_moved_rows(P, A, from, to);
  const real_t<T> largest = solve_right(P.copy + from, P.ld, round_up(to - from, packet_rows<T>),
                                        A.cols(), P.U11, P.reciprocals);
  if (step)
    pack_left(P.copy + from, P.ld, to - from, step->cols,
              step->L21 + (from - step->cols) / micro_rows<T> * step_stride<T>(step->cols));
  return largest;
}

/// Ends the panel: what the columns right of it need besides L21.
template <class T>
TRIFAC_ENTRY void finish_candidate_panel(target, const candidate_panel<T>& P, lu_step<T> step) {
  for (index_t k = 0; k < step.cols; ++k) {
    step.moves.source[k] = P.moves.source[k];
    step.moves.target[k] = P.moves.target[k];
  }
  pack_left(P.copy, P.ld, round_up(step.cols, base_columns), step.cols, step.L11);
}

/// Columns from … to − 1 of A := P's copy of them.
template <class T>
TRIFAC_ENTRY void store_candidate_columns(target, const candidate_panel<T>& P,
                                          const matrix_view<T>& A, index_t from, index_t to) {
  copy_out(P.copy + from * P.ld, P.ld, A.block(0, from, A.rows(), to - from));
}
