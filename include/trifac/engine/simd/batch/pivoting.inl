// Partial pivoting of W matrices: each lane searches a column and exchanges rows of its own.

/// The largest of a column so far in each lane, and its row.
template <class R>
struct lane_search {
  keys<R> best, row;
};

template <class T>
TRIFAC_INLINE void start_search(lane_search<real_t<T>>& s, packet<T> x, index_t i) {
  using R = real_t<T>;
  s.best = pivot_keys(x);
  s.row = keys<R>{} + static_cast<key<R>>(i);
}
/// The first of equal sizes stays; NaN is the largest of all.
template <class T>
TRIFAC_INLINE void look_at(lane_search<real_t<T>>& s, packet<T> x, index_t i) {
  using R = real_t<T>;
  const keys<R> size = pivot_keys(x), row = keys<R>{} + static_cast<key<R>>(i);
  s.row = size > s.best ? row : s.row;
  s.best = size > s.best ? size : s.best;
}

/// The lanes in which what was found has no ordinary reciprocal.
template <class T>
TRIFAC_INLINE unsigned extreme_lanes(const lane_search<real_t<T>>& s) {
  return lanes_outside((vec<real_t<T>>)s.best, ordinary_pivots<T>::least, ordinary_pivots<T>::most);
}
/// Where the largest |Re| + |Im| has overflowed, finds the row anew by halves of the numbers. Row 0
/// of the column is at `column`, `step` real numbers from the next; rows from … to−1 are searched.
template <class T>
inline __attribute__((noinline, cold)) void search_by_halves(lane_search<real_t<T>>& found,
                                                             const real_t<T>* column, index_t step,
                                                             index_t from, index_t to) {
  using R = real_t<T>;
  const unsigned overflowed =
      lanes_outside((vec<R>)found.best, R(0), std::numeric_limits<R>::max());
  lane_search<R> s = {keys<R>{} - 1, keys<R>{}};
  for (index_t i = from; i < to; ++i) {
    const keys<R> size = half_pivot_keys(load_parts<T>(column + i * step));
    s.row = size > s.best ? keys<R>{} + static_cast<key<R>>(i) : s.row;
    s.best = size > s.best ? size : s.best;
  }
  found.row = blend<R>(found.row, s.row, overflowed);
}

/// The rows of W lanes as pivots have them, and back.
template <class R>
TRIFAC_INLINE void store_rows(std::int32_t* pivots, keys<R> rows) {
  typedef std::int32_t narrow __attribute__((vector_size(4 * width<R>)));
  const narrow all = __builtin_convertvector(rows, narrow);
  __builtin_memcpy(pivots, &all, sizeof all);
}
template <class R>
TRIFAC_INLINE keys<R> load_rows(const std::int32_t* pivots) {
  typedef std::int32_t narrow __attribute__((vector_size(4 * width<R>)));
  narrow all;
  __builtin_memcpy(&all, pivots, sizeof all);
  return __builtin_convertvector(all, keys<R>);
}

/// Up to so many rows an exchange looks at all of them: a blend each, against two scalar loads and
/// stores for each lane. Of 2W, W and W/2 the last was the fastest for orders 5 to 16, doubles.
template <class R>
inline constexpr index_t rows_to_blend = width<R> / 2;

/// Row j and row `row[l]` ≥ j of lane l exchanged in C columns from c on, all rows below looked at.
template <int C, class T>
TRIFAC_INLINE void exchange_by_blends(const lane_matrix<T>& A, index_t j, keys<real_t<T>> row,
                                      index_t c) {
  using R = real_t<T>;
  packet<T> upper[as_size(C)], found[as_size(C)];
  TRIFAC_UNROLL
  for (int q = 0; q < C; ++q) found[q] = upper[q] = load_parts<T>(A.at(j, c + q));
  for (index_t i = j + 1; i < A.rows; ++i) {
    const unsigned here = equal_lanes<R>(row, keys<R>{} + static_cast<key<R>>(i));
    TRIFAC_UNROLL
    for (int q = 0; q < C; ++q) {
      const packet<T> x = load_parts<T>(A.at(i, c + q));
      found[q] = blend_packet(found[q], x, here);
      store_parts<T>(A.at(i, c + q), blend_packet(x, upper[q], here));
    }
  }
  TRIFAC_UNROLL
  for (int q = 0; q < C; ++q) store_parts<T>(A.at(j, c + q), found[q]);
}

/// The same in columns from … to−1, by whichever way is faster; rows: W of them, aligned.
template <class T>
inline __attribute__((noinline)) void exchange_rows_of_lanes(const lane_matrix<T>& matrix,
                                                             index_t j, const key<real_t<T>>* rows,
                                                             index_t from, index_t to) {
  const lane_matrix<T> A = matrix;  // a copy: no store can change it
  using R = real_t<T>;
  constexpr int w = width<R>;
  index_t c = from;
  if (has_masks && A.rows - j <= rows_to_blend<R>) {
    keys<R> row;
    __builtin_memcpy(&row, rows, sizeof row);
    for (; c + 4 <= to; c += 4) exchange_by_blends<4>(A, j, row, c);
    for (; c < to; ++c) exchange_by_blends<1>(A, j, row, c);
    return;
  }
  index_t offsets[as_size(w)];
  TRIFAC_UNROLL
  for (int l = 0; l < w; ++l) offsets[l] = static_cast<index_t>(rows[l]) * A.row_stride + l;
  for (; c < to; ++c) {
    R* const here = A.at(j, c);
    R* const column = A.at(0, c);
    TRIFAC_UNROLL
    for (int l = 0; l < w; ++l) {
      R* const there = column + offsets[l];
      TRIFAC_UNROLL
      for (int plane = 0; plane < planes<T>; ++plane) {
        const R x = here[plane * w + l], y = there[plane * w];
        here[plane * w + l] = y;
        there[plane * w] = x;
      }
    }
  }
}
