// LU with partial pivoting of eight columns in registers. For instruction sets that select lanes by
// an index in registers: of eight columns with the pivot's row in every lane, and of rows that
// change places.

/// Packets of rows that this form takes: eight columns of them fit the registers.
template <class R>
inline constexpr int register_packets = has_masks ? (registers - 8) / int(base_columns) : 0;

/// Columns of a matrix in memory, whole packets of rows from the one that holds the panel's first
/// row, which is lane `first` of it.
template <class R>
struct register_panel {
  R* A;
  index_t ld;
  index_t before, behind;  ///< columns left and right of the panel's
  int first, rows, columns;
};

template <class R>
TRIFAC_INLINE int first_lane(const register_panel<R>& P) {
  return width<R> > base_columns ? P.first : 0;
}

/// Lane index[i] of S packets in a row. `upper`: the lanes of index that lie in the third.
template <int S, class R>
TRIFAC_INLINE vec<R> select_rows(const vec<R> (&x)[as_size(S)], keys<R> index, unsigned upper) {
  const vec<R> y = select_lanes(x[0], x[S > 1], index);
  if constexpr (S > 2)
    return blend<R>(y, select_lanes(x[2], x[2], index), upper);
  else
    return y;
}
template <int S, class R>
TRIFAC_INLINE unsigned third_packet(keys<R> index) {
  constexpr key<R> bit = 2 * width<R>;
  return S > 2 ? equal_lanes<R>(index & bit, keys<R>{} + bit) : 0;
}

/// What is known of the rows: those not chosen yet, and at each place the row that is there. The
/// pivot of a column is the first of its largest in memory. That is the first in the order of
/// places, too, unless `tied` is not zero: then some column had more than one largest.
template <int S, class R>
struct register_rows {
  std::uint64_t active, tied;
  keys<R> at[as_size(S)];
  bool ordinary;
};

/// Brings `row` to the place; returns where it was. Beside the chain of pivots.
template <int S, class R>
TRIFAC_INLINE index_t move_row(register_rows<S, R>& rows, keys<R> row, int place) {
  constexpr int W = width<R>;
  const keys<R> leaving = (keys<R>)select_lanes((vec<R>)rows.at[0], (vec<R>)rows.at[0],
                                                keys<R>{} + static_cast<key<R>>(place));
  std::uint64_t found = 0;
  TRIFAC_UNROLL
  for (int s = 0; s < S; ++s) {
    const unsigned here = equal_lanes<R>(rows.at[s], row);
    found |= static_cast<std::uint64_t>(here) << (s * W);
    rows.at[s] = blend<R>(rows.at[s], leaving, here);
  }
  rows.at[0] = blend<R>(rows.at[0], row, 1u << place);
  return __builtin_ctzll(found);
}

/// Columns K … of a panel in registers. Rows keep their places; see choose_pivot.
template <int K, int S, class R>
TRIFAC_INLINE void eliminate_in_registers(const register_panel<R>& P, register_rows<S, R>& rows,
                                          vec<R> (&t)[base_columns][as_size(S)],
                                          index_t* interchanges) {
  if constexpr (K < base_columns) {
    constexpr int W = width<R>;
    if (K >= P.columns) return;
    keys<R> candidates[as_size(S)];
    TRIFAC_UNROLL
    for (int s = 0; s < S; ++s)
      candidates[s] =
          masked<R>((keys<R>)absolute(t[K][s]), static_cast<unsigned>(rows.active >> (s * W)));
    const keys<R> largest = largest_in_all_lanes<R>(largest_of<R, S>(candidates));
    std::uint64_t found = 0;
    TRIFAC_UNROLL
    for (int s = 0; s < S; ++s)
      found |= static_cast<std::uint64_t>(equal_lanes<R>(candidates[s], largest)) << (s * W);
    found &= rows.active;
    const R size = ((vec<R>)largest)[0];
    rows.ordinary &= is_ordinary_size<R>(size);
    const keys<R> row = keys<R>{} + static_cast<key<R>>(__builtin_ctzll(found));
    const unsigned upper = third_packet<S, R>(row);
    rows.tied |= found & (found - 1);
    rows.active &= ~(found & -found);

    const keys<R> sign = (keys<R>)select_rows<S, R>(t[K], row, upper) & ~lanes<R>::magnitude;
    const vec<R> r = (vec<R>)((keys<R>)reciprocal_of_size<R>(largest) | sign);
    vec<R> l[as_size(S)];
    TRIFAC_UNROLL
    for (int s = 0; s < S; ++s)
      l[s] = masked<R>(t[K][s] * r, static_cast<unsigned>(rows.active >> (s * W)));
    TRIFAC_UNROLL
    for (int c = K + 1; c < base_columns; ++c) {
      const vec<R> u = select_rows<S, R>(t[c], row, upper);
      TRIFAC_UNROLL
      for (int s = 0; s < S; ++s) t[c][s] = fnma(l[s], u, t[c][s]);
    }
    TRIFAC_UNROLL
    for (int s = 0; s < S; ++s)
      t[K][s] = blend<R>(t[K][s], l[s], static_cast<unsigned>(rows.active >> (s * W)));
    interchanges[K] = move_row<S, R>(rows, row, first_lane(P) + K);
    eliminate_in_registers<K + 1, S, R>(P, rows, t, interchanges);
  }
}
