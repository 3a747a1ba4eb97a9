// The first k columns of Cholesky of W matrices, top-looking by tiles as in cholesky.inl, and the
// Schur complement S = A22 − L21·L21ᴴ, each element of which is summed in the same order as in a
// whole factorization, up to column k.
//
//         k
//     | L11       |    tiles of C rows and columns from 0 and from k on; those left before k and
//   k | L21   S   |    at the end have one row or column

/// tile.operator()<N>(j) for the tiles of from … to−1, N columns each.
template <class T, class Tile>
TRIFAC_INLINE void for_tiles(index_t from, index_t to, const Tile& tile) {
  constexpr int C = lane_tile_columns<T>;
  for (; from + C <= to; from += C) tile.template operator()<C>(from);
  for (; from < to; ++from) tile.template operator()<1>(from);
}

/// 0, or NaN in the lanes with a number that is not finite.
template <class R>
TRIFAC_INLINE vec<R> finite_mark(packet<R> x) {
  return x.re - x.re;
}
template <class R>
TRIFAC_INLINE vec<R> finite_mark(packet<std::complex<R>> x) {
  return (x.re - x.re) + (x.im - x.im);
}

/// Rows i … i+R−1 of columns j … j+C−1 of S, left of the diagonal.
template <int R, int C, class T>
TRIFAC_INLINE void subtract_tile_of_rows(const lane_matrix<T>& A, index_t i, index_t j, index_t k,
                                         vec<real_t<T>>& mark) {
  lane_tile<T, R, C> t;
  load_tile(t, A, i, j);
  subtract_products<conjugation::first>(t, A.at(i, 0), A.row_stride, A.col_stride, A.at(j, 0),
                                        A.row_stride, A.col_stride, k);
  store_tile(t, A, i, j);
  TRIFAC_UNROLL
  for (int r = 0; r < R; ++r) TRIFAC_UNROLL
  for (int c = 0; c < C; ++c) mark = mark + finite_mark(t.x[r][c]);
}
template <int C, class T>
TRIFAC_INLINE void subtract_diagonal_tile(const lane_matrix<T>& A, index_t i, index_t k,
                                          vec<real_t<T>>& mark) {
  lane_tile<T, C, C> t;
  load_diagonal_tile(t, A, i, k);
  TRIFAC_UNROLL
  for (int r = 0; r < C; ++r) {
    packet<T> d = {};
    d.re = t.x[r][r].re;  // what is rounded is not quite real
    t.x[r][r] = d;
    TRIFAC_UNROLL
    for (int c = 0; c <= r; ++c) {
      store_parts<T>(A.at(i + r, i + c), t.x[r][c]);
      mark = mark + finite_mark(t.x[r][c]);
    }
  }
}

template <class T>
TRIFAC_INLINE void factor_first_columns(const lane_matrix<T>& A, index_t k, real_t<T>* inverse,
                                        lane_info* info) {
  using R = real_t<T>;
  constexpr int w = width<R>;
  vec<R> mark = broadcast(R(0));
  const auto row_of_tiles = [&]<int Rows>(index_t i) {
    constexpr int upper = Rows < lane_tile_rows<T> ? Rows : lane_tile_rows<T>, lower = Rows - upper;
    for_tiles<T>(0, i < k ? i : k, [&]<int C>(index_t j) {
      solve_tile_of_rows<upper, C>(A, i, j, inverse);
      if constexpr (lower > 0) solve_tile_of_rows<lower, C>(A, i + upper, j, inverse);
    });
    if (i < k) return factor_diagonal_tile<float_model::ieee, T, Rows>(A, i, inverse, info);
    for_tiles<T>(k, i, [&]<int C>(index_t j) {
      subtract_tile_of_rows<upper, C>(A, i, j, k, mark);
      if constexpr (lower > 0) subtract_tile_of_rows<lower, C>(A, i + upper, j, k, mark);
    });
    subtract_diagonal_tile<Rows>(A, i, k, mark);
  };
  for_tiles<T>(0, k, row_of_tiles);
  for_tiles<T>(k, A.rows, row_of_tiles);
  alignas(64) R marks[as_size(w)];
  store(marks, mark);
  for (int l = 0; l < w; ++l)
    if (!(marks[l] == 0) && info[l] == 0) info[l] = -static_cast<lane_info>(k + 1);
}

/// The lower triangles := L11, L21 and S; info as factor_cholesky_lanes writes it, and −(k + 1)
/// where S has a NaN or an infinity. Order ≤ largest_in_lanes.
template <class T>
TRIFAC_ENTRY void partial_cholesky_lanes(target, const lane_groups<T>& A, index_t k,
                                         lane_info* info) {
  constexpr int w = width<real_t<T>>;
  alignas(64) real_t<T> inverse[as_size(largest_in_lanes * w)];
  for (index_t g = 0; g < A.count; ++g) factor_first_columns(A[g], k, inverse, info + g * w);
}
