// Cholesky of W matrices: A = L·Lᴴ in each lane, top-looking by tiles.
//
//         k        i
//     | L00             |    row of tiles i, from left to right: A10 := (A10 − L1·L0ᴴ)·L00⁻ᴴ,
//   i | A10 → L10  A11  |    then its diagonal tile: A11 − L1·L1ᴴ = L11·L11ᴴ
//     |  …     …        |    The rows below are not touched: fewest writes.

/// The lower triangle of rows and columns k … k+C−1, less the products of the `depth` columns left
/// of them.
template <class T, int C>
TRIFAC_INLINE void load_diagonal_tile(lane_tile<T, C, C>& t, const lane_matrix<T>& A, index_t k,
                                      index_t depth) {
  TRIFAC_UNROLL
  for (int r = 0; r < C; ++r) TRIFAC_UNROLL
  for (int c = 0; c <= r; ++c) t.x[r][c] = load_parts<T>(A.at(k + r, k + c));
  const real_t<T>* row = A.at(k, 0);
  for (index_t j = 0; j < depth; ++j, row += A.col_stride) {
    packet<T> l[as_size(C)];
    TRIFAC_UNROLL
    for (int r = 0; r < C; ++r) l[r] = load_parts<T>(row + r * A.row_stride);
    TRIFAC_UNROLL
    for (int r = 0; r < C; ++r) TRIFAC_UNROLL
    for (int c = 0; c <= r; ++c)
      t.x[r][c] = subtract_product<conjugation::first>(t.x[r][c], l[c], l[r]);
  }
}

/// Pivots d of columns k … k+C−1 in registers: l = √d, and 1/l into `inverse` unless the tile is
/// the last one. The diagonal's imaginary parts are not read.
template <float_model Floats, class T, int C, bool Last = false>
TRIFAC_INLINE void factor_diagonal_tile(const lane_matrix<T>& A, index_t k, real_t<T>* inverse,
                                        lane_info* info) {
  using R = real_t<T>;
  constexpr int w = width<R>;
  lane_tile<T, C, C> t;
  load_diagonal_tile(t, A, k, k);
  vec<R> d[as_size(C)];
  tile_roots<R, Floats, C, Last> roots;
  TRIFAC_UNROLL
  for (int j = 0; j < C; ++j) {
    d[j] = t.x[j][j].re;
    const lane_root<R> root = roots.root_of(d[j], j);
    const vec<R> r = root.reciprocal;
    if constexpr (!Last) store(inverse + (k + j) * w, r);
    packet<T> l = {};
    l.re = root.root;
    store_parts<T>(A.at(k + j, k + j), l);
    TRIFAC_UNROLL
    for (int i = j + 1; i < C; ++i) {
      t.x[i][j] = scale(t.x[i][j], r);
      store_parts<T>(A.at(k + i, k + j), t.x[i][j]);
    }
    TRIFAC_UNROLL
    for (int i = j + 1; i < C; ++i) TRIFAC_UNROLL
    for (int c = j + 1; c <= i; ++c)
      t.x[i][c] = subtract_product<conjugation::first>(t.x[i][c], t.x[c][j], t.x[i][j]);
  }
  if (__builtin_expect(roots.bad != 0, 0)) {
    alignas(64) R pivots[as_size(C * w)];
    for (int j = 0; j < C; ++j) store(pivots + j * w, d[j]);
    for (int j = 0; j < C; ++j)
      note_bad_pivots(info, k + j, roots.bad, pivots + j * w, after_zero::done);
  }
}

/// Rows i … i+R−1 of columns k … k+C−1, left of the diagonal.
template <int R, int C, class T>
TRIFAC_INLINE void solve_tile_of_rows(const lane_matrix<T>& A, index_t i, index_t k,
                                      const real_t<T>* inverse) {
  constexpr int w = width<real_t<T>>;
  lane_tile<T, R, C> t;
  load_tile(t, A, i, k);
  subtract_products<conjugation::first>(t, A.at(i, 0), A.row_stride, A.col_stride, A.at(k, 0),
                                        A.row_stride, A.col_stride, k);
  TRIFAC_UNROLL
  for (int c = 0; c < C; ++c) {
    const vec<real_t<T>> by = load(inverse + (k + c) * w);
    TRIFAC_UNROLL
    for (int r = 0; r < R; ++r) t.x[r][c] = scale(t.x[r][c], by);
    TRIFAC_UNROLL
    for (int d = c + 1; d < C; ++d) {
      const packet<T> l = load_parts<T>(A.at(k + d, k + c));
      TRIFAC_UNROLL
      for (int r = 0; r < R; ++r)
        t.x[r][d] = subtract_product<conjugation::first>(t.x[r][d], l, t.x[r][c]);
    }
  }
  store_tile(t, A, i, k);
}

/// A row of tiles of `Rows` rows from row i on, and its diagonal tile.
template <float_model Floats, int Rows, bool Last = false, class T, class Ahead>
TRIFAC_INLINE void factor_row_of_tiles(const lane_matrix<T>& A, index_t i, real_t<T>* inverse,
                                       lane_info* info, Ahead ahead) {
  constexpr int C = lane_tile_columns<T>;
  constexpr int R = Rows < lane_tile_rows<T> ? Rows : lane_tile_rows<T>;
  for (index_t k = 0; k < i; k += C) {
    ahead.template fetch<Rows, C>(A, i, k);
    solve_tile_of_rows<R, C>(A, i, k, inverse);
    if constexpr (Rows > R) solve_tile_of_rows<Rows - R, C>(A, i + R, k, inverse);
  }
  ahead.template fetch<Rows, Rows>(A, i, i);
  factor_diagonal_tile<Floats, T, Rows, Last>(A, i, inverse, info);
}

/// Order N where it is known at compile time, all tiles unrolled; else 0.
template <float_model Floats, int N, class T, class Ahead>
TRIFAC_INLINE void factor_lanes(const lane_matrix<T>& A, real_t<T>* inverse, lane_info* info,
                                Ahead ahead) {
  constexpr int C = lane_tile_columns<T>;
  if constexpr (N > 0) {
    constexpr int last = (N - 1) / C * C;
    TRIFAC_UNROLL
    for (int i = 0; i < last; i += C) factor_row_of_tiles<Floats, C>(A, i, inverse, info, ahead);
    factor_row_of_tiles<Floats, N - last, true>(A, last, inverse, info, ahead);
  } else {
    const index_t n = A.rows, whole = n / C * C, left = n - whole;
    for (index_t i = 0; i < whole; i += C)
      factor_row_of_tiles<Floats, C>(A, i, inverse, info, ahead);
    if (left == 1) factor_row_of_tiles<Floats, 1>(A, whole, inverse, info, ahead);
    if constexpr (C == 4) {
      if (left == 2) factor_row_of_tiles<Floats, 2>(A, whole, inverse, info, ahead);
      if (left == 3) factor_row_of_tiles<Floats, 3>(A, whole, inverse, info, ahead);
    }
  }
}

/// Groups of order N; Dense: columns of a chunk of W matrices one after another.
template <float_model Floats, int N, bool Dense, class T>
inline __attribute__((noinline)) void factor_groups_of_order(const lane_groups<T>& A,
                                                             lane_info* info) {
  constexpr int w = width<real_t<T>>;
  alignas(64) real_t<T> inverse[as_size(N * w)];
  lane_matrix<T> here = A.first;
  if (Dense) here.row_stride = w, here.col_stride = N * w;
  for (index_t g = 0; g < A.count; ++g, here.data += A.step) {
    fetch_group(here, A.ahead, lane_part::lower);
    factor_lanes<Floats, N>(here, inverse, info + g * w, nothing_ahead{});
  }
}

template <float_model Floats, class T>
TRIFAC_INLINE void factor_cholesky_groups(const lane_groups<T>& A, lane_info* info) {
  using R = real_t<T>;
  constexpr int w = width<R>;
  const index_t n = A.first.rows;
  if constexpr (!is_complex<T> && registers >= 32) {
    // Strides known; special path cholesky-dense-chunk. Nothing is gained at the other orders.
    if (n == 8 && A.first.row_stride == w && A.first.col_stride == n * w)
      return factor_groups_of_order<Floats, 8, true>(A, info);
    switch (n) {
#define TRIFAC_ORDER(N) \
  case N:               \
    return factor_groups_of_order<Floats, N, false>(A, info);
      TRIFAC_LANE_ORDERS(TRIFAC_ORDER)
#undef TRIFAC_ORDER
    }
  }
  alignas(64) R inverse[as_size(largest_in_lanes * w)];
  with_ahead(A, [&](auto ahead) {
    for (index_t g = 0; g < A.count; ++g)
      factor_lanes<Floats, 0>(A[g], inverse, info + g * w, ahead);
  });
}

/// The lower triangles := L, info (zeros at first) as lane_info says; where it is not 0 the lane's
/// triangle is unspecified. Order ≤ largest_in_lanes. `fast` where the instruction set has it.
template <class T>
TRIFAC_ENTRY void factor_cholesky_lanes(target, const lane_groups<T>& A, lane_info* info,
                                        [[maybe_unused]] float_model floats) {
  if constexpr (has_root_estimate)
    if (floats == float_model::fast) return factor_cholesky_groups<float_model::fast>(A, info);
  factor_cholesky_groups<float_model::ieee>(A, info);
}
