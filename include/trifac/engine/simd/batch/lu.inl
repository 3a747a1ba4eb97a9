// LU of W matrices: P·A = L·U in each lane, left-looking by panels of a tile's columns.
//
//          k
//     | U  U0  … |    panel k: U0 := L00⁻¹·U0 and A1 −= L10·U0 by tiles, then the columns of A1 one
//     | L  A1  … |    after another, with pivots or without; the columns to its right wait
//
// Each lane has pivots of its own. Rows are exchanged lane by lane in memory; with masks, where few
// rows are left, by blends of whole vectors.

/// Rows i … i+R−1 of panel k above its diagonal block: x −= L·U, then x := L⁻¹·x.
template <int R, int C, class T>
TRIFAC_INLINE void solve_tile_above(const lane_matrix<T>& A, index_t i, index_t k) {
  lane_tile<T, R, C> t;
  load_tile(t, A, i, k);
  subtract_products<conjugation::none>(t, A.at(i, 0), A.row_stride, A.col_stride, A.at(0, k),
                                       A.col_stride, A.row_stride, i);
  TRIFAC_UNROLL
  for (int d = 0; d + 1 < R; ++d) TRIFAC_UNROLL
  for (int r = d + 1; r < R; ++r) {
    const packet<T> l = load_parts<T>(A.at(i + r, i + d));
    TRIFAC_UNROLL
    for (int c = 0; c < C; ++c) t.x[r][c] = subtract_product(t.x[r][c], t.x[d][c], l);
  }
  store_tile(t, A, i, k);
}

/// Rows i … i+R−1 of panel k from its diagonal on: x −= L·U.
template <int R, int C, class T>
TRIFAC_INLINE void load_reduced_tile(lane_tile<T, R, C>& t, const lane_matrix<T>& A, index_t i,
                                     index_t k) {
  load_tile(t, A, i, k);
  subtract_products<conjugation::none>(t, A.at(i, 0), A.row_stride, A.col_stride, A.at(0, k),
                                       A.col_stride, A.row_stride, k);
}
template <int R, int C, class T>
TRIFAC_INLINE void reduce_tile(const lane_matrix<T>& A, index_t i, index_t k) {
  lane_tile<T, R, C> t;
  load_reduced_tile(t, A, i, k);
  store_tile(t, A, i, k);
}

/// The diagonal block without exchanges.
template <int C, class T>
TRIFAC_INLINE void factor_diagonal_block(const lane_matrix<T>& A, index_t k,
                                         lane_divisor<T> (&by)[as_size(C)], lane_info* info) {
  lane_tile<T, C, C> t;
  load_reduced_tile(t, A, k, k);
  TRIFAC_UNROLL
  for (int j = 0; j < C; ++j) {
    by[j] = divisor_of(t.x[j][j], info, k + j, after_zero::done);
    eliminate_rows<C>(t, j, by[j]);
  }
  store_tile(t, A, k, k);
}

/// Rows i … i+R−1 below it: x := (x − L·U)·U11⁻¹.
template <int R, int C, class T>
TRIFAC_INLINE void solve_tile_below(const lane_matrix<T>& A, index_t i, index_t k,
                                    const lane_divisor<T> (&by)[as_size(C)]) {
  lane_tile<T, R, C> t;
  load_reduced_tile(t, A, i, k);
  TRIFAC_UNROLL
  for (int c = 0; c < C; ++c) {
    if (__builtin_expect(by[c].scaled, 0)) {
      TRIFAC_UNROLL
      for (int r = 0; r < R; ++r) t.x[r][c] = scale(t.x[r][c], by[c].scale);
    }
    TRIFAC_UNROLL
    for (int r = 0; r < R; ++r) t.x[r][c] = multiply(t.x[r][c], by[c].reciprocal);
    TRIFAC_UNROLL
    for (int d = c + 1; d < C; ++d) {
      const packet<T> u = load_parts<T>(A.at(k + c, k + d));
      TRIFAC_UNROLL
      for (int r = 0; r < R; ++r) t.x[r][d] = subtract_product(t.x[r][d], u, t.x[r][c]);
    }
  }
  store_tile(t, A, i, k);
}

/// Column J of the panel: pivots, exchange within the panel, elimination with the search of the
/// next.
template <int J, int C, class T>
TRIFAC_INLINE void eliminate_column(const lane_matrix<T>& A, index_t k, lane_search<real_t<T>> s,
                                    key<real_t<T>>* rows, std::int32_t* pivots, lane_info* info) {
  if constexpr (J < C) {
    using R = real_t<T>;
    constexpr int w = width<R>;
    const index_t j = k + J, m = A.rows;
    const unsigned extreme = extreme_lanes<T>(s);
    if constexpr (is_complex<T>)
      if (__builtin_expect(extreme != 0, 0)) {
        lane_search<R> found = s;  // a copy: s stays in registers
        search_by_halves<T>(found, A.at(0, j), A.row_stride, j, m);
        s = found;
      }
    key<R>* const here = rows + J * w;
    __builtin_memcpy(here, &s.row, sizeof s.row);
    TRIFAC_UNROLL
    for (int l = 0; l < w; ++l) pivots[j * most_lanes + l] = static_cast<std::int32_t>(here[l]);
    exchange_rows_of_lanes(A, j, here, k, k + C);
    packet<T> u[as_size(C)];
    TRIFAC_UNROLL
    for (int c = J; c < C; ++c) u[c] = load_parts<T>(A.at(j, k + c));
    const lane_divisor<T> by = divisor_of(u[J], extreme, info, j, after_zero::goes_on);
    if (__builtin_expect(by.scaled, 0))
      for (index_t i = j + 1; i < m; ++i)
        store_parts<T>(A.at(i, j), scale(load_parts<T>(A.at(i, j)), by.scale));
    lane_search<R> next = {};
    for (index_t i = j + 1; i < m; ++i) {
      const packet<T> l = multiply(load_parts<T>(A.at(i, j)), by.reciprocal);
      store_parts<T>(A.at(i, j), l);
      TRIFAC_UNROLL
      for (int c = J + 1; c < C; ++c) {
        const packet<T> x = subtract_product(load_parts<T>(A.at(i, k + c)), u[c], l);
        store_parts<T>(A.at(i, k + c), x);
        if (c == J + 1) {
          if (i == j + 1)
            start_search(next, x, i);
          else
            look_at(next, x, i);
        }
      }
    }
    eliminate_column<J + 1, C>(A, k, next, rows, pivots, info);
  }
}

template <int C, class T>
TRIFAC_INLINE void factor_panel_with_exchanges(const lane_matrix<T>& A, index_t k,
                                               std::int32_t* pivots, lane_info* info) {
  using R = real_t<T>;
  constexpr int w = width<R>;
  lane_search<R> s = {};
  start_search(s, load_parts<T>(A.at(k, k)), k);
  for (index_t i = k + 1; i < A.rows; ++i) look_at(s, load_parts<T>(A.at(i, k)), i);
  alignas(64) key<R> rows[as_size(C * w)];
  eliminate_column<0, C>(A, k, s, rows, pivots, info);
  for (int j = 0; j < C; ++j) {
    exchange_rows_of_lanes(A, k + j, rows + j * w, 0, k);
    exchange_rows_of_lanes(A, k + j, rows + j * w, k + C, A.cols);
  }
}

/// Panel k of C columns; `pivots` null: without exchanges. Its diagonal block lies within the rows
/// or it lies right of them all.
template <int C, class T, class Ahead>
TRIFAC_INLINE void factor_panel_of_lanes(const lane_matrix<T>& A, index_t k, std::int32_t* pivots,
                                         lane_info* info, Ahead ahead) {
  constexpr int R = lane_tile_rows<T>;
  const index_t m = A.rows, above = k < m ? k : m;
  for (index_t i = 0; i < m; ++i) ahead.template fetch<1, C>(A, i, k);
  index_t i = 0;
  for (; i + R <= above; i += R) solve_tile_above<R, C>(A, i, k);
  for (; i < above; ++i) solve_tile_above<1, C>(A, i, k);
  if (k >= m) return;
  if (pivots == nullptr) {
    lane_divisor<T> by[as_size(C)];
    factor_diagonal_block<C>(A, k, by, info);
    for (i = k + C; i + R <= m; i += R) solve_tile_below<R, C>(A, i, k, by);
    for (; i < m; ++i) solve_tile_below<1, C>(A, i, k, by);
  } else {
    for (; k > 0 && i + R <= m; i += R) reduce_tile<R, C>(A, i, k);
    for (; k > 0 && i < m; ++i) reduce_tile<1, C>(A, i, k);
    factor_panel_with_exchanges<C>(A, k, pivots, info);
  }
}

template <class T, class Ahead = nothing_ahead>
inline __attribute__((noinline)) void factor_panels(const lane_matrix<T>& matrix,
                                                    std::int32_t* pivots, lane_info* info,
                                                    Ahead ahead = {}) {
  const lane_matrix<T> A = matrix;  // a copy: no store can change it
  constexpr int C = lane_tile_columns<T>;
  const index_t m = A.rows, n = A.cols;
  if (pivots != nullptr && m <= most_column_rows<T>) return factor_in_columns(A, pivots, info);
  for (index_t k = 0; k < n;) {
    const index_t left = (k < m && m < n ? m : n) - k;
    if (left >= C) {
      factor_panel_of_lanes<C>(A, k, pivots, info, ahead);
      k += C;
    } else {
      factor_panel_of_lanes<1>(A, k, pivots, info, ahead);
      ++k;
    }
  }
}

/// Groups of order N; those with a pivot that is not ordinary by factor_panels.
template <int N, bool Exchanges, class T>
inline __attribute__((noinline)) void factor_groups_in_registers(const lane_groups<T>& A,
                                                                 const lane_pivots& pivots,
                                                                 index_t matrix, lane_info* info) {
  constexpr int w = width<real_t<T>>;
  for (index_t g = 0; g < A.count; ++g) {
    std::int32_t* const rows = Exchanges ? pivots.at(matrix + g * w) : nullptr;
    if (!factor_in_registers<N, Exchanges>(A[g], rows)) factor_panels(A[g], rows, info + g * w);
  }
}

/// A := L\U. pivots: those of matrix `matrix` and the following ones; without memory no rows are
/// exchanged. info (zeros at first): as lane_info says. Up to largest_in_lanes rows and columns.
template <class T>
TRIFAC_ENTRY void factor_lu_lanes(target, const lane_groups<T>& A, const lane_pivots& pivots,
                                  index_t matrix, lane_info* info) {
  constexpr int w = width<real_t<T>>;
  if constexpr (!is_complex<T> && registers >= 32 && has_masks)
    if (A.first.rows == A.first.cols) switch (A.first.rows) {
#define TRIFAC_ORDER(N)                                                                          \
  case N:                                                                                        \
    return pivots.rows != nullptr ? factor_groups_in_registers<N, true>(A, pivots, matrix, info) \
                                  : factor_groups_in_registers<N, false>(A, pivots, matrix, info);
        TRIFAC_LU_LANE_ORDERS(TRIFAC_ORDER)
#undef TRIFAC_ORDER
      }
  with_ahead(A, [&](auto ahead) {
    for (index_t g = 0; g < A.count; ++g)
      factor_panels(A[g], pivots.rows != nullptr ? pivots.at(matrix + g * w) : nullptr,
                    info + g * w, ahead);
  });
}
