// The diagonal tile of a Cholesky panel: sum, elimination and square roots in registers.

// Columns C … End − 1 of an elimination step with column y, u = y·r broadcast from registers.
template <int C, int End, int Offset, class T, int N>
TRIFAC_INLINE void update_from_lanes(tile<T, N, 1>& t, const packet<T>& y, const packet<T>& u) {
  if constexpr (C < End) {
    const packet<T> m = packet_lane<Offset + C>(u);
    t.part[C][0] = subtract_product<conjugation::first>(t.part[C][0], m, y);
    update_from_lanes<C + 1, End, Offset>(t, y, u);
  }
}

// D' = d − |m|²·r in all lanes, d and m being the elements below pivot 1/r and right of that. The
// square does not wait for r, so that a pivot takes a division and one fma after the one before.
template <class T>
TRIFAC_INLINE vec<real_t<T>> next_pivot(vec<real_t<T>> d, packet<T> m, vec<real_t<T>> r) {
  vec<real_t<T>> square = m.re * m.re;
  if constexpr (is_complex<T>) square = fma(m.im, m.im, square);
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
    const packet<T> y = t.part[C][0];
    packet<T> scaled;  // part by part: GCC 12 keeps what scale() returns in memory
    scaled.re = y.re * r;
    if constexpr (is_complex<T>) scaled.im = y.im * r;
    store_parts<T>(u[C][0], scaled);
    settle_stores();
    D = lane<Offset + C + 1>(t.part[C + 1][0].re);
    const packet<T> below = packet_lane<Offset + C + 1>(y), next = scale(below, r);
    if constexpr (has_short_chain(C + 1)) {
      D = next_pivot(D, below, r);
    } else {
      D = fnma(below.re, next.re, D);
      if constexpr (is_complex<T>) D = fnma(below.im, next.im, D);
    }
    t.part[C + 1][0] = subtract_product<conjugation::first>(t.part[C + 1][0], next, y);
    constexpr int end = at_most(C + 2 + target::register_broadcasts, N);
    update_from_lanes<C + 2, end, Offset>(t, y, scaled);
    TRIFAC_UNROLL
    for (int c = end; c < N; ++c) {
      const packet<T> m = spread_parts<T>(u[C][0] + Offset + c);
      t.part[c][0] = subtract_product<conjugation::first>(t.part[c][0], m, y);
    }
    eliminate<C + 1, Offset>(t, D, pivots, u, columns);
  }
}

// Whether the first pivot of this tile, which has fewer than four columns, takes the form of
// next_pivot: the pivot before it is ordinary, and in the tile on the left.
template <class T>
TRIFAC_INLINE bool first_has_short_chain(const panel_tile<T>& at) {
  if constexpr (tile_columns<T> % 4 == 0) return false;
  constexpr real_t<T> most = 1 / least_ordinary_pivot<real_t<T>>;
  const index_t before = width<real_t<T>> + at.pending() - 1;
  return has_short_chain(at.pending()) && at.block->before[before] == 1 &&
         at.block->reciprocal[before] <= most;
}

// Everything to the left of a diagonal tile; and its first pivot in all lanes.
template <int Offset, class T, int N>
TRIFAC_INLINE vec<real_t<T>> first_pivot(tile<T, N, 1>& t, const panel_tile<T>& at) {
  if (!first_has_short_chain(at)) {
    subtract_left(t, at, Offset);
    return lane<Offset>(t.part[0][0].re);
  }
  const index_t last = at.pending() - 1;
  subtract_finished(t, at);
  subtract_pending(t, at, Offset, 0, last);
  const vec<real_t<T>> D =
      next_pivot(lane<Offset>(t.part[0][0].re), spread_parts<T>(at.packed_pending(last) + Offset),
                 broadcast(at.block->reciprocal[width<real_t<T>> + last]));
  subtract_pending(t, at, Offset, last, last + 1);
  return D;
}

// Columns of Y become columns of L: times 1/√D, with √D on the diagonal.
template <int C, int Offset, class T, int N>
TRIFAC_INLINE void scale_columns(tile<T, N, 1>& t, vec<real_t<T>> factors, vec<real_t<T>> root) {
  if constexpr (C < N) {
    packet<T>& x = t.part[C][0];
    x = scale(x, lane<Offset + C>(factors));
    x.re = replace_lane<Offset + C>(x.re, root);
    if constexpr (is_complex<T>) x.im = replace_lane<Offset + C>(x.im, vec<real_t<T>>{});
    scale_columns<C + 1, Offset>(t, factors, root);
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

// Elimination of a diagonal tile whose sums are done, D being its first pivot in all lanes, and
// what is stored of it. False, with nothing stored in A or its packed copy, where a pivot is
// smaller than least_ordinary_pivot or not finite: factor_diagonal_exactly decides then.
template <int Offset, class T, int N, class Place>
TRIFAC_INLINE bool eliminate_tile(tile<T, N, 1>& t, vec<real_t<T>> D, const panel_tile<T>& at,
                                  const Place& place) {
  using R = real_t<T>;
  using limits = std::numeric_limits<R>;
  constexpr int w = width<R>;
  constexpr bool rows_below =
      Offset + N < w;  // in this micro-panel: nobody reads a packed copy of others
  vec<R> pivots = broadcast(R(1));
  auto* const u = at.block->u[at.part] + at.pending();
  eliminate<0, Offset>(t, D, pivots, u, static_cast<int>(at.C.cols()));
  if (__builtin_expect(lanes_outside(pivots, least_ordinary_pivot<R>, limits::max()) != 0, 0))
    return false;

  // 1/√D as √D·(1/D): the division need not wait for the root.
  const vec<R> root = square_root(pivots), reciprocal = broadcast(R(1)) / pivots;
  const vec<R> factors = root * reciprocal;
  const index_t first = w + at.pending() - Offset;
  store_lanes<Offset, N>(at.block->after + first, factors, lane_sequence<R>{});
  if (at.part == 0) at.block->scaled_before = false;
  if constexpr (elimination_of<T>::parts > 1) {
    store_lanes<Offset, N>(at.block->before + first, broadcast(R(1)), lane_sequence<R>{});
    store_lanes<Offset, N>(at.block->reciprocal + first, reciprocal, lane_sequence<R>{});
    if (rows_below && !at.last_part()) pack_tile(t, at.packed_here(), at.micro_stride);
  }
  scale_columns<0, Offset>(t, factors, root);
  place.store(t);
  if (rows_below && at.last_part()) {
    pack_tile(t, at.packed_here(), at.micro_stride);
    finish_pending<1>(at);
  }
  return true;
}

// The tile of one micro-panel that holds the diagonal at lane Offset.
template <int Offset, class T>
TRIFAC_ENTRY bool factor_diagonal(target, const cholesky_panel<T>& panel, index_t q) {
  constexpr int n = tile_columns<T>, w = width<real_t<T>>;
  const panel_tile<T> at = tile_of(panel, q, q * n / w, 1);
  tile<T, n, 1> t;
  tile_buffer<T, n, 1> copy;
  const auto place = place_tile<tile_layout::columns_or_rows, region::lower, Offset>(at.C, copy);
  place.load(t);
  prepare_pending(at);
  const vec<real_t<T>> D = first_pivot<Offset>(t, at);
  return eliminate_tile<Offset>(t, D, at, place);
}

// The same with `rows`, the V micro-panels below, in one sum: a diagonal tile by itself may leave
// FMA units idle.
template <int Offset, class T, int N, int V>
TRIFAC_INLINE bool factor_diagonal_above(tile<T, N, V>& rows, const cholesky_panel<T>& panel,
                                         index_t q) {
  const panel_tile<T> at = tile_of(panel, q, q * N / width<real_t<T>>, 1);
  tile<T, N, 1> t;
  tile_buffer<T, N, 1> copy;
  const auto place = place_tile<tile_layout::columns_or_rows, region::lower, Offset>(at.C, copy);
  place.load(t);
  tile<T, N, V + 1> all;
  TRIFAC_UNROLL
  for (int c = 0; c < N; ++c) TRIFAC_UNROLL
  for (int v = 0; v <= V; ++v) all.part[c][v] = v == 0 ? t.part[c][0] : rows.part[c][v - 1];
  prepare_pending(at);
  subtract_left(all, at, Offset);
  TRIFAC_UNROLL
  for (int c = 0; c < N; ++c) TRIFAC_UNROLL
  for (int v = 0; v <= V; ++v) (v == 0 ? t.part[c][0] : rows.part[c][v - 1]) = all.part[c][v];
  return eliminate_tile<Offset>(t, lane<Offset>(t.part[0][0].re), at, place);
}
