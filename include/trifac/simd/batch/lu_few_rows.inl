// LU with pivots of few rows, right-looking.

/// Columns c … c+C−1 right of column j: the rows of the pivots exchanged and x −= l·u in one pass.
template <int C, class T>
TRIFAC_INLINE void exchange_and_eliminate(const lane_matrix<T>& A, index_t j, index_t c,
                                          keys<real_t<T>> row, lane_search<real_t<T>>& next) {
  using R = real_t<T>;
  packet<T> upper[as_size(C)], u[as_size(C)];
  TRIFAC_UNROLL
  for (int q = 0; q < C; ++q) u[q] = upper[q] = load_parts<T>(A.at(j, c + q));
  for (index_t i = j + 1; i < A.rows; ++i) {
    const unsigned here = equal_lanes<R>(row, keys<R>{} + static_cast<key<R>>(i));
    TRIFAC_UNROLL
    for (int q = 0; q < C; ++q) u[q] = blend_packet(u[q], load_parts<T>(A.at(i, c + q)), here);
  }
  TRIFAC_UNROLL
  for (int q = 0; q < C; ++q) store_parts<T>(A.at(j, c + q), u[q]);
  for (index_t i = j + 1; i < A.rows; ++i) {
    const unsigned here = equal_lanes<R>(row, keys<R>{} + static_cast<key<R>>(i));
    const packet<T> l = load_parts<T>(A.at(i, j));
    TRIFAC_UNROLL
    for (int q = 0; q < C; ++q) {
      const packet<T> x = blend_packet(load_parts<T>(A.at(i, c + q)), upper[q], here);
      const packet<T> y = subtract_product(x, u[q], l);
      store_parts<T>(A.at(i, c + q), y);
      if (q > 0 || c > j + 1) continue;
      if (i == j + 1)
        start_search(next, y, i);
      else
        look_at(next, y, i);
    }
  }
}

/// Few rows, right-looking: all rows below a pivot are looked at when it is exchanged.
template <class T>
inline __attribute__((noinline)) void factor_few_rows(const lane_matrix<T>& matrix,
                                                      std::int32_t* pivots, lane_info* info) {
  const lane_matrix<T> A = matrix;  // a store may change no copy
  using R = real_t<T>;
  const index_t m = A.rows, n = A.cols;
  lane_search<R> s = {};
  start_search(s, load_parts<T>(A.at(0, 0)), 0);
  for (index_t i = 1; i < m; ++i) look_at(s, load_parts<T>(A.at(i, 0)), i);
  for (index_t j = 0; j < m && j < n; ++j) {
    const keys<R> row = s.row;
    store_rows<R>(pivots + j * most_lanes, row);
    index_t c = 0;
    for (; c + 4 <= j + 1; c += 4) exchange_by_blends<4>(A, j, row, c);
    for (; c <= j; ++c) exchange_by_blends<1>(A, j, row, c);
    const lane_divisor<T> by = divisor_of(load_parts<T>(A.at(j, j)), info, j, true);
    for (index_t i = j + 1; i < m; ++i) {
      packet<T> l = load_parts<T>(A.at(i, j));
      if (__builtin_expect(by.scaled, 0)) l = scale(l, by.scale);
      store_parts<T>(A.at(i, j), multiply(l, by.reciprocal));
    }
    for (; c + 4 <= n; c += 4) exchange_and_eliminate<4>(A, j, c, row, s);
    for (; c < n; ++c) exchange_and_eliminate<1>(A, j, c, row, s);
  }
}
