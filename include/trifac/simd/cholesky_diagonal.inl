// The diagonal tile of a Cholesky panel: sum, elimination and square roots in registers.

template <class T>
using elimination_of = elimination_in<target, T>;

// One tile of a panel and what it is computed from.
template <class T>
struct panel_tile {
  matrix_view<T> C;        // the elements of A
  real_t<T>* packed;       // its first strip, column 0 of the panel
  const real_t<T>* right;  // the packed row of the panel that meets the tile's first column
  index_t strip_stride;
  index_t finished;  // columns of the panel before the elimination block
  int part;          // of the elimination block
  elimination_of<T>* block;

  // Columns of the elimination block that are already solved, and still hold Y.
  index_t pending() const { return elimination_of<T>::parts == 1 ? 0 : part * tile_columns<T>; }
  bool last_part() const {
    return elimination_of<T>::parts == 1 || part + 1 == elimination_of<T>::parts;
  }
  real_t<T>* packed_here() const { return packed + (finished + pending()) * k_step<T>; }
};

// The tile of `strips` strips from `strip` in tile column q.
template <class T>
TRIFAC_INLINE panel_tile<T> tile_of(const cholesky_panel<T>& panel, index_t q, index_t strip,
                                    int strips) {
  constexpr index_t n = tile_columns<T>, w = strip_rows<T>;
  const index_t column = q * n, row = strip * w;
  const index_t rows = panel.A.rows() - row, cols = panel.A.cols() - column;
  panel_tile<T> at;
  at.C = panel.A.block(row, column, rows < strips * w ? rows : strips * w, cols < n ? cols : n);
  at.packed = panel.packed + strip * panel.strip_stride;
  at.right = panel.packed + column / w * panel.strip_stride + column % w;
  at.strip_stride = panel.strip_stride;
  at.finished = column / elimination_block * elimination_block;
  at.part = static_cast<int>(column % elimination_block / n);
  at.block = reinterpret_cast<elimination_of<T>*>(panel.eliminations) + column / elimination_block;
  return at;
}

// Keeps the compiler from taking scalars out of vectors that were just stored: reading them back
// as broadcasts is faster.
TRIFAC_INLINE void settle_stores() {
  __asm__ volatile("" ::: "memory");
}

// Everything to the left: finished columns of L, then the pending ones Y of this block against U.
template <class T, int N, int V>
TRIFAC_INLINE void subtract_left(tile<T, N, V>& t, const panel_tile<T>& at, int offset,
                                 const fetch_ahead<T>& ahead = {}) {
  subtract_sum(t, at.packed, at.strip_stride, at.right, at.finished, ahead);
  if constexpr (elimination_of<T>::parts > 1)
    subtract_sum(t, at.packed + at.finished * k_step<T>, at.strip_stride,
                 at.block->u[at.part][0][0] + offset, at.pending());
}

// The pending columns of these strips become columns of L.
template <int V, class T>
TRIFAC_INLINE void finish_pending(const panel_tile<T>& at) {
  using R = real_t<T>;
  for (int k = 0; k < at.pending(); ++k) {
    const vec<R> scale = broadcast(at.block->after[width<R> + k]);
    for (int v = 0; v < V; ++v)
      for (int p = 0; p < planes<T>; ++p) {
        R* x = at.packed + v * at.strip_stride + (at.finished + k) * k_step<T> + p * width<R>;
        store(x, load(x) * scale);
      }
  }
}

// U of the pending columns, for the rows of this diagonal tile.
template <class T>
TRIFAC_INLINE void prepare_pending(const panel_tile<T>& at) {
  using R = real_t<T>;
  for (int k = 0; k < at.pending(); ++k) {
    const vec<R> r = broadcast(at.block->reciprocal[width<R> + k]);
    for (int p = 0; p < planes<T>; ++p) {
      const R* y = at.packed + (at.finished + k) * k_step<T> + p * width<R>;
      store(at.block->u[at.part][k][p], load(y) * r);
    }
  }
}

// Columns C … End − 1 of an elimination step with column y, u = y·r broadcast from registers.
template <int C, int End, int Offset, class T, int N, class U>
TRIFAC_INLINE void update_from_lanes(tile<T, N, 1>& t, const vec<real_t<T>> (&y)[planes<T>],
                                     const U& u) {
  if constexpr (C < End) {
    vec<real_t<T>> m[planes<T>];
    for (int p = 0; p < planes<T>; ++p) m[p] = lane<Offset + C>(u[p]);
    subtract_product<T>(t.part[C][0], y, m);
    update_from_lanes<C + 1, End, Offset>(t, y, u);
  }
}

// Pivots whose square is a normal number: those of one diagonal tile are found by next_pivot.
template <class R>
inline constexpr R least_ordinary_pivot = sizeof(R) == 8 ? static_cast<R>(0x1p-511)
                                                         : static_cast<R>(0x1p-63);

// False for the first column of a tile of any instruction set: the columns to its left may have
// been subtracted with others, and so all sets take the same form for the same pivot.
constexpr bool has_short_chain(int column) {
  return column % 4 != 0;
}

// D' = d − |m|²·r in all lanes, d and m being the elements below pivot 1/r and right of that. The
// square does not wait for r, so that a pivot takes a division and one fma after the one before.
template <class T>
TRIFAC_INLINE vec<real_t<T>> next_pivot(vec<real_t<T>> d, const vec<real_t<T>> (&m)[planes<T>],
                                        vec<real_t<T>> r) {
  vec<real_t<T>> square = m[0] * m[0];
  if constexpr (is_complex<T>) square = fma(m[1], m[1], square);
  return fnma(square, r, d);
}

// Column C and those right of it; D is pivot C in all lanes. The chain of pivots waits for nothing
// but itself.
template <int C, int Offset, class T, int N>
TRIFAC_INLINE void eliminate(tile<T, N, 1>& t, vec<real_t<T>> D, vec<real_t<T>>& pivots,
                             real_t<T> (*u)[planes<T>][width<real_t<T>>], int columns) {
  using R = real_t<T>;
  pivots = replace_lane<Offset + C>(pivots, D);
  if constexpr (C + 1 < N) {
    if (C + 1 >= columns) return;
    const vec<R> r = broadcast(R(1)) / D;
    vec<R> y[planes<T>], next[planes<T>], scaled[planes<T>];
    TRIFAC_UNROLL
    for (int p = 0; p < planes<T>; ++p) {
      y[p] = t.part[C][0][p];
      scaled[p] = y[p] * r;
      store(u[C][p], scaled[p]);
    }
    settle_stores();
    D = lane<Offset + C + 1>(t.part[C + 1][0][0]);
    vec<R> below[planes<T>];
    TRIFAC_UNROLL
    for (int p = 0; p < planes<T>; ++p) {
      below[p] = lane<Offset + C + 1>(y[p]);
      next[p] = below[p] * r;
      if (!has_short_chain(C + 1)) D = fnma(below[p], next[p], D);
    }
    if (has_short_chain(C + 1)) D = next_pivot<T>(D, below, r);
    subtract_product<T>(t.part[C + 1][0], y, next);
    constexpr int end = at_most(C + 2 + target::register_broadcasts, N);
    update_from_lanes<C + 2, end, Offset>(t, y, scaled);
    TRIFAC_UNROLL
    for (int c = end; c < N; ++c) {
      vec<R> m[planes<T>];
      broadcast_element<T>(m, u[C][0] + Offset + c);
      subtract_product<T>(t.part[c][0], y, m);
    }
    eliminate<C + 1, Offset>(t, D, pivots, u, columns);
  }
}

// Columns of Y become columns of L: times 1/√D, with √D on the diagonal.
template <int C, int Offset, class T, int N>
TRIFAC_INLINE void scale_columns(tile<T, N, 1>& t, vec<real_t<T>> scale, vec<real_t<T>> root) {
  if constexpr (C < N) {
    TRIFAC_UNROLL
    for (int p = 0; p < planes<T>; ++p) t.part[C][0][p] *= lane<Offset + C>(scale);
    t.part[C][0][0] = replace_lane<Offset + C>(t.part[C][0][0], root);
    if constexpr (is_complex<T>)
      t.part[C][0][1] = replace_lane<Offset + C>(t.part[C][0][1], vec<real_t<T>>{});
    scale_columns<C + 1, Offset>(t, scale, root);
  }
}

// Lanes Offset … Offset + N − 1 of a to where lane 0 belongs at p, as whole vectors: what stores of
// a part of one would cost is waited for.
template <int Offset, int N, class R, int... I>
TRIFAC_INLINE void store_lanes(R* p, vec<R> a, std::integer_sequence<int, I...>) {
  constexpr int w = width<R>;
  if constexpr (N < w)
    a = __builtin_shufflevector(load(p), a, (I >= Offset && I < Offset + N ? I + w : I)...);
  store(p, a);
}

// The tile whose first strip holds the diagonal at lane Offset, and the rest of that strip. False,
// with nothing stored, where a pivot is not a normal number: factor_diagonal_exactly decides then.
template <int Offset, class T>
TRIFAC_ENTRY bool factor_diagonal(target, const cholesky_panel<T>& panel, index_t q) {
  using R = real_t<T>;
  using limits = std::numeric_limits<R>;
  constexpr int n = tile_columns<T>, w = width<R>;
  constexpr bool rows_below =
      Offset + n < w;  // in this strip: nobody reads a packed copy of others
  const panel_tile<T> at = tile_of(panel, q, q * n / w, 1);
  const int columns = static_cast<int>(at.C.cols());

  tile<T, n, 1> t;
  tile_buffer<T, n, 1> copy;
  const auto place = place_tile<tile_layout::columns_or_rows, region::lower, Offset>(at.C, copy);
  place.load(t);
  prepare_pending(at);
  subtract_left(t, at, Offset);

  vec<R> pivots = broadcast(R(1));
  auto* const u = at.block->u[at.part] + at.pending();
  eliminate<0, Offset>(t, lane<Offset>(t.part[0][0][0]), pivots, u, columns);
  if (__builtin_expect(lanes_outside(pivots, least_ordinary_pivot<R>, limits::max()) != 0, 0))
    return false;

  // 1/√D as √D·(1/D): the division need not wait for the root.
  const vec<R> root = square_root(pivots), reciprocal = broadcast(R(1)) / pivots;
  const vec<R> scale = root * reciprocal;
  const index_t first = w + at.pending() - Offset;
  store_lanes<Offset, n>(at.block->after + first, scale, lane_sequence<R>{});
  if (at.part == 0) at.block->scaled_before = false;
  if constexpr (elimination_of<T>::parts > 1) {
    store_lanes<Offset, n>(at.block->before + first, broadcast(R(1)), lane_sequence<R>{});
    store_lanes<Offset, n>(at.block->reciprocal + first, reciprocal, lane_sequence<R>{});
    if (rows_below && !at.last_part()) pack_tile(t, at.packed_here(), at.strip_stride);
  }
  scale_columns<0, Offset>(t, scale, root);
  place.store(t);
  if (rows_below && at.last_part()) {
    pack_tile(t, at.packed_here(), at.strip_stride);
    finish_pending<1>(at);
  }
  return true;
}

// subtract_sum for a tile of one strip in memory: slower, but a few lines for the compiler.
template <class T, int N>
TRIFAC_INLINE void subtract_in_memory(real_t<T> (&y)[N][planes<T>][width<real_t<T>>],
                                      const real_t<T>* a, const real_t<T>* b, index_t count) {
  using R = real_t<T>;
  for (index_t k = 0; k < count; ++k, a += k_step<T>, b += k_step<T>)
    for (int c = 0; c < N; ++c) {
      vec<R> x[planes<T>], left[planes<T>], right[planes<T>];
      for (int p = 0; p < planes<T>; ++p) {
        x[p] = load(y[c][p]);
        left[p] = load(a + p * width<R>);
      }
      broadcast_element<T>(right, b + c);
      subtract_product<T>(x, left, right);
      for (int p = 0; p < planes<T>; ++p) store(y[c][p], x[p]);
    }
}

// The same for any positive finite pivots, column by column in memory. Returns the columns that
// have one; they are stored, and so is the first bad pivot. What it computes for normal pivots is
// the same bit for bit.
template <class T>
TRIFAC_ENTRY int factor_diagonal_exactly(target, const cholesky_panel<T>& panel, index_t q) {
  using R = real_t<T>;
  using limits = std::numeric_limits<R>;
  constexpr int n = tile_columns<T>, w = width<R>;
  const panel_tile<T> at = tile_of(panel, q, q * n / w, 1);
  const int offset = static_cast<int>(q * n % w);
  const int columns = at_most(at.C.cols(), n);
  elimination_of<T>& block = *at.block;
  const int first = static_cast<int>(at.pending());

  alignas(64) R y[n][planes<T>][w];
  tile_buffer<T, n, 1> buffer;
  T* const copy = reinterpret_cast<T*>(buffer.parts);
  gather_tile(copy, at.C, {w, n, region::lower, offset});
  for (int c = 0; c < n; ++c)
    for (int r = 0; r < w; ++r) {
      const T x = copy[c * w + r];
      y[c][0][r] = detail::real_part(x);
      if constexpr (is_complex<T>) y[c][1][r] = x.imag();
    }
  prepare_pending(at);
  subtract_in_memory<T>(y, at.packed, at.right, at.finished);
  if constexpr (elimination_of<T>::parts > 1)
    subtract_in_memory<T>(y, at.packed + at.finished * k_step<T>,
                          at.block->u[at.part][0][0] + offset, at.pending());

  if (at.part == 0) block.scaled_before = false;
  R root[n];
  int done = 0;
  for (; done < columns; ++done) {
    const int c = done;
    const R D = y[c][0][offset + c];
    if (!(D > 0 && D <= limits::max())) break;
    const bool subnormal = D < limits::min();
    const R one = 1, sqrt_D = square_root(broadcast(D))[0];
    const R scale = subnormal ? one / sqrt_D : sqrt_D * (one / D);
    root[c] = sqrt_D;
    block.before[w + first + c] = subnormal ? scale : one;
    block.after[w + first + c] = subnormal ? one : scale;
    block.reciprocal[w + first + c] = subnormal ? one : one / D;
    block.scaled_before |= subnormal;

    vec<R> column[planes<T>];
    for (int p = 0; p < planes<T>; ++p) {
      column[p] = load(y[c][p]) * broadcast(block.before[w + first + c]);
      store(y[c][p], column[p]);
      store(block.u[at.part][first + c][p], column[p] * broadcast(block.reciprocal[w + first + c]));
    }
    R next = 0;  // pivot, as factor_diagonal has it
    if (has_short_chain(c + 1) && c + 1 < n && D >= least_ordinary_pivot<R>) {
      vec<R> m[planes<T>];
      for (int p = 0; p < planes<T>; ++p) m[p] = broadcast(y[c][p][offset + c + 1]);
      const vec<R> d = broadcast(y[c + 1][0][offset + c + 1]);
      next = next_pivot<T>(d, m, broadcast(one / D))[0];
    }
    for (int d = c + 1; d < n; ++d) {
      vec<R> rest[planes<T>], m[planes<T>];
      for (int p = 0; p < planes<T>; ++p) {
        rest[p] = load(y[d][p]);
        m[p] = broadcast(block.u[at.part][first + c][p][offset + d]);
      }
      subtract_product<T>(rest, column, m);
      for (int p = 0; p < planes<T>; ++p) store(y[d][p], rest[p]);
    }
    if (next >= least_ordinary_pivot<R> && next <= limits::max())
      y[c + 1][0][offset + c + 1] = next;
  }

  for (int c = 0; c < done; ++c)
    for (int p = 0; p < planes<T>; ++p) {
      const vec<R> unscaled = load(y[c][p]);
      const vec<R> scaled = unscaled * broadcast(block.after[w + first + c]);
      store(at.packed_here() + c * k_step<T> + p * w, at.last_part() ? scaled : unscaled);
      store(y[c][p], scaled);
      y[c][p][offset + c] = p == 0 ? root[c] : R(0);
    }
  for (int c = 0; c < done; ++c)
    for (int r = offset + c; r < w && r < at.C.rows(); ++r) {
      if constexpr (is_complex<T>)
        at.C(r, c) = T(y[c][0][r], y[c][1][r]);
      else
        at.C(r, c) = y[c][0][r];
    }
  if (done < columns)
    at.C(offset + done, done) = T(y[done][0][offset + done]);
  else if (at.last_part())
    finish_pending<1>(at);
  return done;
}
