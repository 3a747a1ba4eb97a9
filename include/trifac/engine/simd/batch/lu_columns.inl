// LU with pivots of few rows, left-looking with columns in registers: rows are exchanged there by
// blends, and nothing is written but the columns.
//
//            c
//     | U  | u |      for each step j < c: row j of the columns and its pivot's exchanged, then
//     | L\ | x |      x −= l·u with column j of L, whose rows are in the order of step j; after the
//     |  L\| x |      last column each column of L gets the exchanges of the later steps
//
// The rows are the last ones of N, so that each text with constant rows serves all heights.

/// C columns of a group in registers.
template <int N, int C, class T>
struct lane_columns {
  packet<T> x[as_size(N)][as_size(C)];
};

/// Columns of N rows that fit the registers beside what is multiplied with them; 0: not even one. A
/// complex one may fill them all: it has four products for a load.
template <int N, class T>
inline constexpr int columns_in_registers = (2 * N * planes<T> <= registers / 2)  ? 2
                                            : (N* planes<T> <= registers / 2)     ? 1
                                            : is_complex<T> && 2 * N <= registers ? 1
                                                                                  : 0;

/// A factorization of rows first … N−1 and columns first … end−1 in steps first … last−1; `row`:
/// the pivots so far. First: index_t, or a constant.
template <int N, class T, class First>
struct column_steps {
  real_t<T>* data;
  index_t row_stride, col_stride, origin;
  First first;
  index_t end, last;
  std::int32_t* pivots;
  lane_info* info;
  keys<real_t<T>> row[as_size(N)];

  TRIFAC_INLINE real_t<T>* at(index_t i, index_t c) const {
    return data + (i * row_stride + (c * col_stride - origin));
  }
  constexpr bool has_column(index_t c) const { return c >= first && c < end; }
};

/// Rows `from` … N−1 of columns c … c+C−1.
template <int N, int C, class T, class F>
TRIFAC_INLINE void load_columns(lane_columns<N, C, T>& a, const column_steps<N, T, F>& A,
                                index_t from, index_t c) {
  TRIFAC_UNROLL
  for (int q = 0; q < C; ++q) {
    if (C > 1 && !A.has_column(c + q)) continue;
    TRIFAC_UNROLL
    for (int i = 0; i < N; ++i)
      if (i >= from) a.x[i][q] = load_parts<T>(A.at(i, c + q));
  }
}
template <int N, int C, class T, class F>
TRIFAC_INLINE void store_columns(const lane_columns<N, C, T>& a, const column_steps<N, T, F>& A,
                                 index_t from, index_t c) {
  TRIFAC_UNROLL
  for (int q = 0; q < C; ++q) {
    if (C > 1 && !A.has_column(c + q)) continue;
    TRIFAC_UNROLL
    for (int i = 0; i < N; ++i)
      if (i >= from) store_parts<T>(A.at(i, c + q), a.x[i][q]);
  }
}

/// Row J and each lane's row exchanged in columns From ….
template <int J, int From, int N, int C, class T>
TRIFAC_INLINE void exchange_rows_of_columns(lane_columns<N, C, T>& a, keys<real_t<T>> row) {
  using R = real_t<T>;
  packet<T> upper[as_size(C)], found[as_size(C)];
  TRIFAC_UNROLL
  for (int q = From; q < C; ++q) found[q] = upper[q] = a.x[J][q];
  TRIFAC_UNROLL
  for (int i = J + 1; i < N; ++i) {
    const keys<R> here = row == keys<R>{} + static_cast<key<R>>(i);
    TRIFAC_UNROLL
    for (int q = From; q < C; ++q) {
      const packet<T> x = a.x[i][q];
      found[q] = choose_packet(here, x, found[q]);
      a.x[i][q] = choose_packet(here, upper[q], x);
    }
  }
  TRIFAC_UNROLL
  for (int q = From; q < C; ++q) a.x[J][q] = found[q];
}

/// Step J in column Q, its own, and on in the columns right of it.
template <int J, int Q, int N, int C, class T, class F>
TRIFAC_INLINE void pivot_columns(lane_columns<N, C, T>& a, column_steps<N, T, F>& A) {
  if constexpr (Q < C && J < N) {
    using R = real_t<T>;
    if (C == 1 || A.has_column(J)) {
      lane_search<R> s;
      start_search(s, a.x[J][Q], J);
      TRIFAC_UNROLL
      for (int i = J + 1; i < N; ++i) look_at(s, a.x[i][Q], i);
      const unsigned extreme = extreme_lanes<T>(s);
      if constexpr (is_complex<T>)
        if (__builtin_expect(extreme != 0, 0)) {
          alignas(64) R column[as_size(N * lane_step<T>)];
          TRIFAC_UNROLL
          for (int i = J; i < N; ++i) store_parts<T>(column + i * lane_step<T>, a.x[i][Q]);
          lane_search<R> found = s;  // a copy: s stays in registers
          search_by_halves<T>(found, column, lane_step<T>, J, N);
          s = found;
        }
      A.row[J] = s.row;
      const index_t k = J - A.first;
      store_rows<R>(A.pivots + k * most_lanes, s.row - static_cast<key<R>>(A.first));
      exchange_rows_of_columns<J, Q>(a, s.row);
      const lane_divisor<T> by = divisor_of(a.x[J][Q], extreme, A.info, k, after_zero::goes_on);
      if (__builtin_expect(by.scaled, 0)) {
        TRIFAC_UNROLL
        for (int i = J + 1; i < N; ++i) a.x[i][Q] = scale(a.x[i][Q], by.scale);
      }
      TRIFAC_UNROLL
      for (int i = J + 1; i < N; ++i) {
        a.x[i][Q] = multiply(a.x[i][Q], by.reciprocal);
        TRIFAC_UNROLL
        for (int q = Q + 1; q < C; ++q)
          a.x[i][q] = subtract_product(a.x[i][q], a.x[J][q], a.x[i][Q]);
      }
    }
    pivot_columns<J + 1, Q + 1>(a, A);
  }
}

/// Columns c … c+C−1, c a multiple of C: steps J … of the columns left of them, then their own.
template <int J, int N, int C, class T, class F>
TRIFAC_INLINE void eliminate_columns_from(lane_columns<N, C, T>& a, column_steps<N, T, F>& A,
                                          index_t c) {
  if constexpr (J < N) {
    if (J < c) {
      if (J >= A.first) {
        exchange_rows_of_columns<J, 0>(a, A.row[J]);
        TRIFAC_UNROLL
        for (int i = J + 1; i < N; ++i) {
          const packet<T> l = load_parts<T>(A.at(i, J));
          TRIFAC_UNROLL
          for (int q = 0; q < C; ++q) a.x[i][q] = subtract_product(a.x[i][q], a.x[J][q], l);
        }
      }
      eliminate_columns_from<J + 1>(a, A, c);
    } else if constexpr (J % C == 0) {
      pivot_columns<J, 0>(a, A);
    }
  }
}

/// The exchanges after step c in that column of L.
template <int J, int N, class T, class F>
TRIFAC_INLINE void exchange_after(lane_columns<N, 1, T>& a, const column_steps<N, T, F>& A,
                                  index_t c) {
  if constexpr (J + 1 < N) {
    if (J > c && J < A.last) exchange_rows_of_columns<J, 0>(a, A.row[J]);
    exchange_after<J + 1>(a, A, c);
  }
}

/// A of N − first rows.
template <int N, class T, class First>
inline __attribute__((noinline)) void factor_columns(const lane_matrix<T>& matrix,
                                                     std::int32_t* pivots, lane_info* info,
                                                     First first) {
  constexpr int C = columns_in_registers<N, T>;
  const index_t end = first + matrix.cols;
  column_steps<N, T, First> A = {matrix.data,
                                 matrix.row_stride,
                                 matrix.col_stride,
                                 first * (matrix.row_stride + matrix.col_stride),
                                 first,
                                 end,
                                 end < N ? end : index_t{N},
                                 pivots,
                                 info,
                                 {}};
  for (index_t c = A.first / C * C; c < A.end; c += C) {
    lane_columns<N, C, T> a = {};
    load_columns(a, A, A.first, c);
    eliminate_columns_from<0>(a, A, c);
    store_columns(a, A, A.first, c);
  }
  for (index_t c = A.first; c + 1 < A.last; ++c) {
    lane_columns<N, 1, T> a = {};
    load_columns(a, A, c + 1, c);
    exchange_after<0>(a, A, c);
    store_columns(a, A, c + 1, c);
  }
}

/// Most rows that factor_in_columns() takes.
template <class T>
inline constexpr index_t most_column_rows = columns_in_registers<16, T> > 0  ? 16
                                            : columns_in_registers<8, T> > 0 ? 8
                                            : columns_in_registers<4, T> > 0 ? 4
                                                                             : 0;

/// At most N rows. All of them have a text without tests of `first`; special path full-columns.
template <int N, class T>
TRIFAC_INLINE void factor_in_columns(const lane_matrix<T>& A, std::int32_t* pivots,
                                     lane_info* info) {
  if constexpr (columns_in_registers < N, T >> 0) {
    if (N > 4 && A.rows == N)
      factor_columns<N>(A, pivots, info, std::integral_constant<index_t, 0>());
    else
      factor_columns<N>(A, pivots, info, N - A.rows);
  }
}
template <class T>
TRIFAC_INLINE void factor_in_columns(const lane_matrix<T>& A, std::int32_t* pivots,
                                     lane_info* info) {
  if (A.rows <= 4) return factor_in_columns<4>(A, pivots, info);
  if (A.rows <= 8) return factor_in_columns<8>(A, pivots, info);
  factor_in_columns<16>(A, pivots, info);
}
