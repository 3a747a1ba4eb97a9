// Tiles in registers. Elements of T are held as planes<T> vectors of its real type.
//
// A packed operand keeps the rows of a matrix in strips of one vector:
//
//   packed[strip · strip_stride + (k · planes<T> + plane) · width<R> + row in strip]
//
// so that column k of a strip is one aligned vector, and row by row it is a run of scalars to
// broadcast: the same copy serves as left and as right operand of a product.

template <class T>
inline constexpr int k_step = planes<T>* width<real_t<T>>;

// Element (r, c) is in lane r % width of part[c][r / width].
template <class T, int Columns, int Vectors>
struct tile {
  vec<real_t<T>> part[Columns][Vectors][planes<T>];
};

template <class R>
using each_lane = std::make_integer_sequence<int, width<R>>;

constexpr int at_most(index_t n, int limit) {
  return n < 0 ? 0 : n < limit ? static_cast<int>(n) : limit;
}

// Lanes of the tile's first vector that exist in column c.
template <region Region, int Offset>
constexpr int first_lane(int c) {
  return Region == region::lower ? Offset + c : 0;
}
template <region Region, int Offset>
constexpr int end_lane(int c, int w) {
  return Region == region::upper ? Offset + c + 1 : w;
}

template <class T>
TRIFAC_INLINE void load_elements(vec<real_t<T>> (&x)[planes<T>], const T* p, int from, int to) {
  using R = real_t<T>;
  constexpr int w = width<R>;
  const R* q = reinterpret_cast<const R*>(p);
  if constexpr (is_complex<T>) {
    const bool all = from == 0 && to == w;
    x[0] = all ? load(q) : load_range(q, at_most(2 * from, w), at_most(2 * to, w));
    x[1] = all ? load(q + w) : load_range(q + w, at_most(2 * from - w, w), at_most(2 * to - w, w));
    separate(x[0], x[1], each_lane<R>{});
  } else {
    x[0] = from == 0 && to == w ? load(q) : load_range(q, from, to);
  }
}

template <class T>
TRIFAC_INLINE void store_elements(T* p, const vec<real_t<T>> (&x)[planes<T>], int from, int to) {
  using R = real_t<T>;
  constexpr int w = width<R>;
  R* q = reinterpret_cast<R*>(p);
  const bool all = from == 0 && to == w;
  if constexpr (is_complex<T>) {
    vec<R> a = x[0], b = x[1];
    interleave(a, b, each_lane<R>{});
    if (all) {
      store(q, a);
      store(q + w, b);
    } else {
      store_range(q, a, at_most(2 * from, w), at_most(2 * to, w));
      store_range(q + w, b, at_most(2 * from - w, w), at_most(2 * to - w, w));
    }
  } else {
    if (all)
      store(q, x[0]);
    else
      store_range(q, x[0], from, to);
  }
}

// Column-major: vectors lie along the columns. C has as many rows and columns as exist.
template <region Region, int Offset, class T, int N, int V>
TRIFAC_INLINE void load_columns(tile<T, N, V>& t, const matrix_view<T>& C) {
  constexpr int w = width<real_t<T>>;
  const index_t ld = C.col_stride();
  if (__builtin_expect(C.rows() >= V * w && C.cols() >= N, 1)) {
    TRIFAC_UNROLL
    for (int c = 0; c < N; ++c) {
      load_elements(t.part[c][0], C.data() + c * ld, first_lane<Region, Offset>(c),
                    end_lane<Region, Offset>(c, w));
      TRIFAC_UNROLL
      for (int v = 1; v < V; ++v) load_elements(t.part[c][v], C.data() + c * ld + v * w, 0, w);
    }
  } else {
    TRIFAC_UNROLL
    for (int c = 0; c < N; ++c) {
      TRIFAC_UNROLL
      for (int v = 0; v < V; ++v) {
        const int from = v == 0 ? first_lane<Region, Offset>(c) : 0;
        const int end = v == 0 ? end_lane<Region, Offset>(c, w) : w;
        const int to = c < C.cols() ? at_most(C.rows() - v * w, end) : 0;
        load_elements(t.part[c][v], C.data() + (to > from ? c * ld + v * w : 0),
                      to > from ? from : 0, to > from ? to : 0);
      }
    }
  }
}

template <region Region, int Offset, class T, int N, int V>
TRIFAC_INLINE void store_columns(const tile<T, N, V>& t, const matrix_view<T>& C) {
  constexpr int w = width<real_t<T>>;
  const index_t ld = C.col_stride();
  if (__builtin_expect(C.rows() >= V * w && C.cols() >= N, 1)) {
    TRIFAC_UNROLL
    for (int c = 0; c < N; ++c) {
      store_elements(C.data() + c * ld, t.part[c][0], first_lane<Region, Offset>(c),
                     end_lane<Region, Offset>(c, w));
      TRIFAC_UNROLL
      for (int v = 1; v < V; ++v) store_elements(C.data() + c * ld + v * w, t.part[c][v], 0, w);
    }
  } else {
    TRIFAC_UNROLL
    for (int c = 0; c < N; ++c) {
      TRIFAC_UNROLL
      for (int v = 0; v < V; ++v) {
        const int from = v == 0 ? first_lane<Region, Offset>(c) : 0;
        const int end = v == 0 ? end_lane<Region, Offset>(c, w) : w;
        const int to = c < C.cols() ? at_most(C.rows() - v * w, end) : 0;
        if (to > from) store_elements(C.data() + c * ld + v * w, t.part[c][v], from, to);
      }
    }
  }
}

// Columns of row r of a tile that exist, where its diagonal is in lane Offset + column.
template <region Region, int Offset>
constexpr int end_column(int r, int columns) {
  return Region == region::lower ? at_most(r - Offset + 1, columns) : columns;
}

// N elements of one row, and N of the row N below it where a vector has room for both: lanes from
// N on. Rows that do not exist are zeros.
template <region Region, int Offset, class T, int N>
TRIFAC_INLINE void load_row(vec<real_t<T>> (&x)[planes<T>], const matrix_view<T>& C, int r) {
  using R = real_t<T>;
  constexpr int w = width<R>;
  const T* const row = C.data() + r * C.row_stride();
  const int end = r < C.rows() ? end_column<Region, Offset>(r, N) : 0;
  if constexpr (N == w) {
    TRIFAC_UNROLL
    for (int p = 0; p < planes<T>; ++p) x[p] = vec<R>{};
    if (r < C.rows()) load_elements(x, row, 0, end);
  } else {
    constexpr int per = planes<T>;  // a vector holds N complex elements, or N real ones in a half
    const T* const below = row + N * C.row_stride();
    vec<R> upper = {}, lower = {};
    if (r < C.rows()) upper = load_range(reinterpret_cast<const R*>(row), 0, per * end);
    if (r + N < C.rows())
      lower = load_range(reinterpret_cast<const R*>(below), 0,
                         per * end_column<Region, Offset>(r + N, N));
    if constexpr (is_complex<T>) {
      separate(upper, lower, each_lane<R>{});
      x[0] = upper;
      x[1] = lower;
    } else {
      x[0] = join_halves(upper, lower, each_lane<R>{});
    }
  }
}

template <region Region, int Offset, class T, int N>
TRIFAC_INLINE void store_row(const vec<real_t<T>> (&x)[planes<T>], const matrix_view<T>& C, int r) {
  using R = real_t<T>;
  constexpr int w = width<R>;
  T* const row = C.data() + r * C.row_stride();
  const int end = end_column<Region, Offset>(r, N);
  if constexpr (N == w) {
    if (r < C.rows()) store_elements(row, x, 0, end);
  } else {
    constexpr int per = planes<T>;
    T* const below = row + N * C.row_stride();
    vec<R> upper = x[0], lower = x[0];
    if constexpr (is_complex<T>) {
      lower = x[1];
      interleave(upper, lower, each_lane<R>{});
    } else {
      lower = upper_half(upper, each_lane<R>{});
    }
    if (r < C.rows()) store_first(reinterpret_cast<R*>(row), upper, per * end);
    if (r + N < C.rows())
      store_first(reinterpret_cast<R*>(below), lower, per * end_column<Region, Offset>(r + N, N));
  }
}

// Row-major: N consecutive elements of each row, transposed in registers. All N columns exist,
// Region is whole or lower.
template <region Region, int Offset, class T, int N, int V>
TRIFAC_INLINE void load_rows(tile<T, N, V>& t, const matrix_view<T>& C) {
  using R = real_t<T>;
  TRIFAC_UNROLL
  for (int v = 0; v < V; ++v) {
    vec<R> x[planes<T>][N];
    TRIFAC_UNROLL
    for (int i = 0; i < N; ++i) {
      vec<R> row[planes<T>];
      load_row<Region, Offset, T, N>(row, C, v * width<R> + i);
      TRIFAC_UNROLL
      for (int p = 0; p < planes<T>; ++p) x[p][i] = row[p];
    }
    TRIFAC_UNROLL
    for (int p = 0; p < planes<T>; ++p) {
      transpose<R, N>(x[p]);
      TRIFAC_UNROLL
      for (int c = 0; c < N; ++c) t.part[c][v][p] = x[p][c];
    }
  }
}

template <region Region, int Offset, class T, int N, int V>
TRIFAC_INLINE void store_rows(const tile<T, N, V>& t, const matrix_view<T>& C) {
  using R = real_t<T>;
  TRIFAC_UNROLL
  for (int v = 0; v < V; ++v) {
    vec<R> x[planes<T>][N];
    TRIFAC_UNROLL
    for (int p = 0; p < planes<T>; ++p) {
      TRIFAC_UNROLL
      for (int c = 0; c < N; ++c) x[p][c] = t.part[c][v][p];
      transpose<R, N>(x[p]);
    }
    TRIFAC_UNROLL
    for (int i = 0; i < N; ++i) {
      vec<R> row[planes<T>];
      TRIFAC_UNROLL
      for (int p = 0; p < planes<T>; ++p) row[p] = x[p][i];
      store_row<Region, Offset, T, N>(row, C, v * width<R> + i);
    }
  }
}

// A tile of the matrix: column-major, row-major, or any strides through a copy in memory.
template <region Region = region::whole, int Offset = 0,
          contiguous_rows Rows = contiguous_rows::transposed, class T, int N, int V>
TRIFAC_INLINE void load_tile(tile<T, N, V>& t, const matrix_view<T>& C) {
  using R = real_t<T>;
  if (C.row_stride() == 1) {
    load_columns<Region, Offset>(t, C);
    return;
  }
  if constexpr (Rows == contiguous_rows::transposed)
    if (C.col_stride() == 1 && C.cols() >= N) {
      load_rows<Region, Offset>(t, C);
      return;
    }
  constexpr int w = width<R>;
  alignas(64) R copy[N * V * planes<T> * w];
  gather_tile(copy, C, {Region, Offset, N, V, w});
  TRIFAC_UNROLL
  for (int c = 0; c < N; ++c) {
    TRIFAC_UNROLL
    for (int v = 0; v < V; ++v) {
      TRIFAC_UNROLL
      for (int p = 0; p < planes<T>; ++p)
        t.part[c][v][p] = load(copy + ((c * V + v) * planes<T> + p) * w);
    }
  }
}

template <region Region = region::whole, int Offset = 0,
          contiguous_rows Rows = contiguous_rows::transposed, class T, int N, int V>
TRIFAC_INLINE void store_tile(const tile<T, N, V>& t, const matrix_view<T>& C) {
  using R = real_t<T>;
  if (C.row_stride() == 1) {
    store_columns<Region, Offset>(t, C);
    return;
  }
  if constexpr (Rows == contiguous_rows::transposed)
    if (C.col_stride() == 1 && C.cols() >= N) {
      store_rows<Region, Offset>(t, C);
      return;
    }
  constexpr int w = width<R>;
  alignas(64) R copy[N * V * planes<T> * w];
  TRIFAC_UNROLL
  for (int c = 0; c < N; ++c) {
    TRIFAC_UNROLL
    for (int v = 0; v < V; ++v) {
      TRIFAC_UNROLL
      for (int p = 0; p < planes<T>; ++p)
        store(copy + ((c * V + v) * planes<T> + p) * w, t.part[c][v][p]);
    }
  }
  scatter_tile(copy, C, {Region, Offset, N, V, w});
}

// A tile into a packed operand: columns at, at + k_step, …; strips strip_stride apart.
template <class T, int N, int V>
TRIFAC_INLINE void pack_tile(const tile<T, N, V>& t, real_t<T>* at, index_t strip_stride) {
  TRIFAC_UNROLL
  for (int v = 0; v < V; ++v) {
    TRIFAC_UNROLL
    for (int c = 0; c < N; ++c) {
      TRIFAC_UNROLL
      for (int p = 0; p < planes<T>; ++p)
        store(at + v * strip_stride + c * k_step<T> + p * width<real_t<T>>, t.part[c][v][p]);
    }
  }
}

// c −= a·conj(b), or conj(a)·b, b being a scalar whose parts are spread over the lanes. Both take
// the products in the same order, so that C and Cᴴ, which exchange a and b, get the same bits.
template <class T, conjugate_side Side = conjugate_side::right>
TRIFAC_INLINE void subtract_product(vec<real_t<T>> (&c)[planes<T>],
                                    const vec<real_t<T>> (&a)[planes<T>],
                                    const vec<real_t<T>> (&b)[planes<T>]) {
  c[0] = fnma(a[0], b[0], c[0]);
  if constexpr (is_complex<T>) {
    c[0] = fnma(a[1], b[1], c[0]);
    if constexpr (Side == conjugate_side::right) {
      c[1] = fnma(a[1], b[0], c[1]);
      c[1] = fma(a[0], b[1], c[1]);
    } else {
      c[1] = fnma(a[0], b[1], c[1]);
      c[1] = fma(a[1], b[0], c[1]);
    }
  }
}

// x *= b, b spread over the lanes in the same way.
template <class T>
TRIFAC_INLINE void multiply(vec<real_t<T>> (&x)[planes<T>], const vec<real_t<T>> (&b)[planes<T>]) {
  if constexpr (is_complex<T>) {
    const vec<real_t<T>> re = x[0];
    x[0] = fnma(x[1], b[1], re * b[0]);
    x[1] = fma(x[1], b[0], re * b[1]);
  } else {
    x[0] = x[0] * b[0];
  }
}

template <class T>
TRIFAC_INLINE void broadcast_element(vec<real_t<T>> (&x)[planes<T>], const real_t<T>* p) {
  TRIFAC_UNROLL
  for (int i = 0; i < planes<T>; ++i) x[i] = broadcast(p[i * width<real_t<T>>]);
}

// t −= A·Bᴴ, or conj(A)·Bᵀ, over `count` columns of packed operands: a is the tile's first strip of
// A, b its first row of B. One chain of additions for each element, in the order of k.
template <conjugate_side Side = conjugate_side::right, class T, int N, int V>
TRIFAC_INLINE void subtract_sum(tile<T, N, V>& t, const real_t<T>* a, index_t strip_stride,
                                const real_t<T>* b, index_t count) {
  using R = real_t<T>;
  for (index_t k = 0; k < count; ++k) {
    vec<R> left[V][planes<T>];
    TRIFAC_UNROLL
    for (int v = 0; v < V; ++v) {
      TRIFAC_UNROLL
      for (int p = 0; p < planes<T>; ++p) left[v][p] = load(a + v * strip_stride + p * width<R>);
    }
    TRIFAC_UNROLL
    for (int c = 0; c < N; ++c) {
      vec<R> right[planes<T>];
      broadcast_element<T>(right, b + c);
      TRIFAC_UNROLL
      for (int v = 0; v < V; ++v) subtract_product<T, Side>(t.part[c][v], left[v], right);
    }
    a += k_step<T>;
    b += k_step<T>;
  }
}
