// One step of right-looking LU right of its panel in row-major storage: as in lu_step.inl, with rows
// and columns exchanged. Vectors run along the rows of A: rows of U are packed, and strips hold
// eight rows of L21. Every element has the sums of lu_step.inl in their order.

/// Bytes of U's rows that are taken through all rows below at a time: they stay in a second-level
/// cache, and the more columns there are, the fewer times rows of L21 and pages are gone through.
inline constexpr index_t row_group_bytes = index_t{384} << 10;
/// The same on the stack, for pieces of a team, since the step's memory would have to come from
/// another core, and for columns that have no place there.
inline constexpr index_t row_stack_bytes = index_t{160} << 10;

/// Columns of a tile.
template <class T>
inline constexpr index_t row_tile = target::tile<T>.vectors* packet_rows<T>;

/// Whole tiles of K rows in so many bytes, at least one.
template <class T>
constexpr index_t row_group(index_t bytes, index_t K) {
  const index_t tiles = bytes / (K * row_tile<T> * index_t(sizeof(T)));
  return row_tile<T> * (tiles < 1 ? 1 : tiles);
}

/// `count` ≤ 8 rows of L21, of which `cols` elements of each, as a strip of eight with K elements:
/// zeros elsewhere.
template <class T>
TRIFAC_INLINE void copy_strip(const T* L21, index_t ld, index_t count, index_t cols, index_t K,
                              T* strip) {
  constexpr int W = packet_rows<T>;
  for (index_t r = 0; r < base_columns; ++r, strip += strip_ld) {
    const T* const row = L21 + r * ld;
    index_t k = 0;
    if (r < count) {
      for (; k + W <= cols; k += W) store_packet(strip + k, load_packet(row + k));
      for (; k < cols; ++k) strip[k] = row[k];
    }
    for (; k < K; ++k) strip[k] = T(0);
  }
}

/// Columns of A12 and A22 with their rows of U: whole tiles at `tiles`, what is left at `rest`.
template <class T>
struct row_columns {
  T* C;
  index_t ld, whole, left;
  real_t<T>* tiles;
  real_t<T>* rest;
};

template <class T>
TRIFAC_INLINE void interchange_and_solve_columns(const lu_step<T>& S, const row_columns<T>& at) {
  constexpr int M = target::tile<T>.vectors;
  const folded_lower<T> L11 = {S.inverses, S.F, S.K};
  constexpr index_t fetched = 2 * row_tile<T>;
  for (index_t c = 0; c < at.whole; c += row_tile<T>)
    interchange_and_solve_rows<M>(at.C + c, at.ld, L11, S.moves, packet_rows<T>,
                                  at.tiles + c / packet_rows<T> * panel_stride<T>(S.K),
                                  c + fetched < at.whole ? fetched : 0);
  if (at.left > 0)
    interchange_and_solve_rest<M>(at.C + at.whole, at.ld, L11, S.moves, at.left, at.rest);
}

/// Eight rows at C, those of the columns, −= strip · U.
template <class T>
TRIFAC_INLINE void update_rows(T* C, index_t ld, const row_columns<T>& at, index_t K,
                               const T* strip, index_t ahead) {
  const micro_panels<T> tiles = {at.tiles, panel_stride<T>(K)},
                        rest = {at.rest, panel_stride<T>(K)};
  update_strip<minus_ba<T>>(C, ld, tiles, at.whole, strip, K, ahead);
  if (at.left > 0) update_strip<minus_ba<T>>(C + at.whole, ld, rest, at.left, strip, K, ahead);
}

/// Less than eight rows, by way of a copy.
template <class T>
inline __attribute__((noinline)) void update_last_rows(const matrix_view<T>& C,
                                                       const row_columns<T>& at, index_t K,
                                                       const T* strip) {
  constexpr index_t some = 2 * row_tile<T>;
  alignas(64) real_t<T>
      parts[as_size(base_columns * some * index_t(sizeof(T) / sizeof(real_t<T>)))];
  T* const rows = reinterpret_cast<T*>(parts);
  for (index_t c = 0; c < C.cols();) {
    const index_t end = c < at.whole ? at.whole : C.cols();
    const index_t cols = end - c < row_tile<T> ? end - c : row_tile<T>;
    const auto part = C.block(0, c, C.rows(), cols);
    const auto copy = matrix_view<T>(rows, C.rows(), cols, some, 1);
    const micro_panels<T> tiles = {at.tiles, panel_stride<T>(K)}, rest = {at.rest, tiles.stride};
    copy_elements(part, copy);
    update_strip<minus_ba<T>>(rows, some, c < at.whole ? tiles.from(c) : rest, cols, strip, K);
    copy_elements(copy, part);
    c += cols;
  }
}

/// Columns of C right of `panel`, all rows of both, at least S.K.
template <class T>
inline __attribute__((noinline)) void eliminate_rows_of(const lu_step<T>& S,
                                                        const matrix_view<T>& panel,
                                                        const matrix_view<T>& C,
                                                        const row_columns<T>& at) {
  strip_buffer<T, 1> buffer;
  T* const strip = buffer.strip(0);
  const index_t K = S.K, rows = C.rows(), b = panel.cols();
  interchange_and_solve_columns(S, at);
  index_t row = K;
  for (; row + base_columns <= rows; row += base_columns) {
    copy_strip(&panel(row, 0), at.ld, base_columns, b, K, strip);
    update_rows(at.C + row * at.ld, at.ld, at, K, strip,
                row + 2 * base_columns <= rows ? base_columns : 0);
  }
  if (row == rows) return;
  copy_strip(&panel(row, 0), at.ld, rows - row, b, K, strip);
  update_last_rows(C.block(row, 0, rows - row, C.cols()), at, K, strip);
}

/// C right of `panel`, both with all their rows and at least as many as S.K. More columns than a
/// team's piece has have their whole tiles in S.U, as far as that reaches.
template <class T>
inline __attribute__((noinline)) void eliminate_row_major(const lu_step<T>& S,
                                                          const matrix_view<T>& panel,
                                                          const matrix_view<T>& C) {
  alignas(64) real_t<T> stack[as_size(row_stack_bytes / index_t(sizeof(real_t<T>)))];
  const index_t before = C.data() - panel.data() - panel.cols();  // columns between them
  const bool fits = C.cols() > widest_row_piece && before + C.cols() <= S.places;
  for (index_t c = 0; c < C.cols();) {
    const index_t most = row_group<T>(fits ? row_group_bytes : row_stack_bytes, S.K);
    const index_t cols = C.cols() - c < most ? C.cols() - c : most;
    const index_t whole = cols / row_tile<T> * row_tile<T>;
    real_t<T>* const tiles = fits ? reinterpret_cast<real_t<T>*>(S.U + (before + c) * S.K) : stack;
    real_t<T>* const rest = fits ? stack : stack + whole / packet_rows<T> * panel_stride<T>(S.K);
    eliminate_rows_of<T>(S, panel, C.block(0, c, C.rows(), cols),
                         {C.data() + c, C.row_stride(), whole, cols - whole, tiles, rest});
    c += cols;
  }
}
