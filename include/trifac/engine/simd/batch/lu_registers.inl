// LU of small orders with the whole matrix in registers.

/// Step j of an elimination in registers: l = x/pivot, and x −= l·u right of it.
template <int N, class T>
TRIFAC_INLINE void eliminate_rows(lane_tile<T, N, N>& t, int j, const lane_divisor<T>& by) {
  if (__builtin_expect(by.scaled, 0)) {
    TRIFAC_UNROLL
    for (int r = j + 1; r < N; ++r) t.x[r][j] = scale(t.x[r][j], by.scale);
  }
  TRIFAC_UNROLL
  for (int r = j + 1; r < N; ++r) {
    t.x[r][j] = multiply(t.x[r][j], by.reciprocal);
    TRIFAC_UNROLL
    for (int c = j + 1; c < N; ++c) t.x[r][c] = subtract_product(t.x[r][c], t.x[j][c], t.x[r][j]);
  }
}

/// Row j exchanged with the row of each lane's pivot, in registers, column by column.
template <int N, class T>
TRIFAC_INLINE void exchange_rows(lane_tile<T, N, N>& t, int j, keys<real_t<T>> row) {
  using R = real_t<T>;
  TRIFAC_UNROLL
  for (int i = j + 1; i < N; ++i) {
    const unsigned here = equal_lanes<R>(row, keys<R>{} + static_cast<key<R>>(i));
    TRIFAC_UNROLL
    for (int c = 0; c < N; ++c) {
      const packet<T> upper = t.x[j][c];
      t.x[j][c] = blend_packet(upper, t.x[i][c], here);
      t.x[i][c] = blend_packet(t.x[i][c], upper, here);
    }
  }
}

/// Order N in registers, with exchanges where `pivots` is not null. False, and A as it was, where a
/// pivot is not ordinary: one test for all of them.
template <int N, bool Exchanges, class T>
TRIFAC_INLINE bool factor_in_registers(const lane_matrix<T>& A, std::int32_t* pivots) {
  using R = real_t<T>;
  lane_tile<T, N, N> t;
  load_tile(t, A, 0, 0);
  unsigned outside = 0;
  TRIFAC_UNROLL
  for (int j = 0; j < N; ++j) {
    if constexpr (Exchanges) {
      lane_search<R> s;
      start_search(s, t.x[j][j], j);
      TRIFAC_UNROLL
      for (int i = j + 1; i < N; ++i) look_at(s, t.x[i][j], i);
      store_rows<R>(pivots + j * most_lanes, s.row);
      exchange_rows<N>(t, j, s.row);
    }
    outside |= extreme_lanes<T>(t.x[j][j]);
    lane_divisor<T> by;
    if (j + 1 < N) by.reciprocal = reciprocal_of<T>(t.x[j][j]);
    eliminate_rows<N>(t, j, by);
  }
  if (__builtin_expect(outside != 0, 0)) return false;
  TRIFAC_UNROLL
  for (int r = Exchanges ? 0 : 1; r < N; ++r) TRIFAC_UNROLL
  for (int c = 0; c < N; ++c) store_parts<T>(A.at(r, c), t.x[r][c]);
  return true;
}
