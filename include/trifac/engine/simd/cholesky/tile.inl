// One tile of a Cholesky panel: where it lies, and what to subtract for the columns to its left.

template <class T>
using elimination_of = elimination_in<target, T>;

// One tile of a panel and what it is computed from.
template <class T>
struct panel_tile {
  matrix_view<T> C;        // the elements of A
  real_t<T>* packed;       // its first micro-panel, column 0 of the panel
  const real_t<T>* right;  // the packed row of the panel that meets the tile's first column
  index_t micro_stride;
  index_t finished;  // columns of the panel before the elimination block
  int part;          // of the elimination block
  elimination_of<T>* block;

  // Columns of the elimination block that are already solved, and still hold Y.
  index_t pending() const { return elimination_of<T>::parts == 1 ? 0 : part * tile_columns<T>; }
  bool last_part() const {
    return elimination_of<T>::parts == 1 || part + 1 == elimination_of<T>::parts;
  }
  real_t<T>* packed_pending(index_t k) const { return packed + (finished + k) * k_step<T>; }
  real_t<T>* packed_here() const { return packed_pending(pending()); }
};

// The tile of `micro-panels` micro-panels from `micro_panel` in tile column q.
template <class T>
TRIFAC_INLINE panel_tile<T> tile_of(const cholesky_panel<T>& panel, index_t q, index_t micro_panel,
                                    int micro_panels) {
  constexpr index_t n = tile_columns<T>, w = micro_rows<T>;
  const index_t column = q * n, row = micro_panel * w;
  const index_t rows = panel.A.rows() - row, cols = panel.A.cols() - column;
  panel_tile<T> at;
  at.C = panel.A.block(row, column, rows < micro_panels * w ? rows : micro_panels * w,
                       cols < n ? cols : n);
  at.packed = panel.packed + micro_panel * panel.micro_stride;
  at.right = panel.packed + column / w * panel.micro_stride + column % w;
  at.micro_stride = panel.micro_stride;
  at.finished = column / elimination_block * elimination_block;
  at.part = static_cast<int>(column % elimination_block / n);
  at.block = reinterpret_cast<elimination_of<T>*>(panel.eliminations) + column / elimination_block;
  return at;
}

// The finished columns of L to the left.
template <class T, int N, int V>
TRIFAC_INLINE void subtract_finished(tile<T, N, V>& t, const panel_tile<T>& at,
                                     const fetch_ahead<T>& ahead = {}) {
  sum_products<term::minus_conj_ba>(t, packed_operand<T>{at.packed, at.micro_stride},
                                    packed_operand<T>{at.right}, at.finished, ahead);
}

// Pending columns from … to − 1: Y against U.
template <class T, int N, int V>
TRIFAC_INLINE void subtract_pending(tile<T, N, V>& t, const panel_tile<T>& at, int offset,
                                    index_t from, index_t to) {
  packed_operand<T> y = {at.packed_pending(from), at.micro_stride};
  packed_operand<T> u = {at.block->u[at.part][from][0] + offset};
  sum_products<term::minus_conj_ba>(t, y, u, to - from);
}

// Everything to the left: finished columns, then the pending ones of this block.
template <class T, int N, int V>
TRIFAC_INLINE void subtract_left(tile<T, N, V>& t, const panel_tile<T>& at, int offset,
                                 const fetch_ahead<T>& ahead = {}) {
  subtract_finished(t, at, ahead);
  if constexpr (elimination_of<T>::parts > 1) subtract_pending(t, at, offset, 0, at.pending());
}

// The pending columns of these micro-panels become columns of L.
template <int V, class T>
TRIFAC_INLINE void finish_pending(const panel_tile<T>& at) {
  using R = real_t<T>;
  for (int k = 0; k < at.pending(); ++k) {
    const vec<R> after = broadcast(at.block->after[width<R> + k]);
    for (int v = 0; v < V; ++v) {
      R* const x = at.packed + v * at.micro_stride + (at.finished + k) * k_step<T>;
      store_parts<T>(x, scale(load_parts<T>(x), after));
    }
  }
}

// U of the pending columns, for the rows of this diagonal tile.
template <class T>
TRIFAC_INLINE void prepare_pending(const panel_tile<T>& at) {
  using R = real_t<T>;
  for (int k = 0; k < at.pending(); ++k) {
    const vec<R> r = broadcast(at.block->reciprocal[width<R> + k]);
    const R* const y = at.packed + (at.finished + k) * k_step<T>;
    store_parts<T>(at.block->u[at.part][k][0], scale(load_parts<T>(y), r));
  }
}
