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

/// Order N in registers, with exchanges where `pivots` is not null.
template <int N, class T>
TRIFAC_INLINE void factor_in_registers(const lane_matrix<T>& A, std::int32_t* pivots,
                                       lane_info* info) {
  using R = real_t<T>;
  constexpr int w = width<R>;
  lane_tile<T, N, N> t;
  load_tile(t, A, 0, 0);
  TRIFAC_UNROLL
  for (int j = 0; j < N; ++j) {
    if (pivots != nullptr) {
      lane_search<R> s;
      start_search(s, t.x[j][j], j);
      TRIFAC_UNROLL
      for (int i = j + 1; i < N; ++i) look_at(s, t.x[i][j], i);
      alignas(64) key<R> rows[as_size(w)];
      __builtin_memcpy(rows, &s.row, sizeof rows);
      TRIFAC_UNROLL
      for (int l = 0; l < w; ++l) pivots[j * most_lanes + l] = static_cast<std::int32_t>(rows[l]);
      exchange_rows<N>(t, j, s.row);
    }
    eliminate_rows<N>(t, j, divisor_of(t.x[j][j], info, j, pivots != nullptr));
  }
  store_tile(t, A, 0, 0);
}

template <int N, class T>
inline __attribute__((noinline)) void factor_groups_in_registers(const lane_groups<T>& A,
                                                                 const lane_pivots& pivots,
                                                                 index_t matrix, lane_info* info) {
  constexpr int w = width<real_t<T>>;
  if (pivots.rows != nullptr)
    for (index_t g = 0; g < A.count; ++g)
      factor_in_registers<N>(A[g], pivots.at(matrix + g * w), info + g * w);
  else
    for (index_t g = 0; g < A.count; ++g)
      factor_in_registers<N>(A[g], static_cast<std::int32_t*>(nullptr), info + g * w);
}
