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

// Lanes from … to − 1 of a vector of elements, zeros elsewhere.
template <class T>
TRIFAC_INLINE void load_elements(vec<real_t<T>> (&x)[planes<T>], const T* p, int from, int to) {
  using R = real_t<T>;
  constexpr int w = width<R>;
  const R* q = reinterpret_cast<const R*>(p);
  if constexpr (is_complex<T>) {
    x[0] = load_range(q, at_most(2 * from, w), at_most(2 * to, w));
    x[1] = load_range(q + w, at_most(2 * from - w, w), at_most(2 * to - w, w));
    separate(x[0], x[1], each_lane<R>{});
  } else {
    x[0] = load_range(q, from, to);
  }
}
template <class T>
TRIFAC_INLINE void load_elements(vec<real_t<T>> (&x)[planes<T>], const T* p) {
  using R = real_t<T>;
  const R* q = reinterpret_cast<const R*>(p);
  x[0] = load(q);
  if constexpr (is_complex<T>) {
    x[1] = load(q + width<R>);
    separate(x[0], x[1], each_lane<R>{});
  }
}

template <class T>
TRIFAC_INLINE void store_elements(T* p, const vec<real_t<T>> (&x)[planes<T>], int from, int to) {
  using R = real_t<T>;
  constexpr int w = width<R>;
  R* q = reinterpret_cast<R*>(p);
  if constexpr (is_complex<T>) {
    vec<R> a = x[0], b = x[1];
    interleave(a, b, each_lane<R>{});
    store_range(q, a, at_most(2 * from, w), at_most(2 * to, w));
    store_range(q + w, b, at_most(2 * from - w, w), at_most(2 * to - w, w));
  } else {
    store_range(q, x[0], from, to);
  }
}
template <class T>
TRIFAC_INLINE void store_elements(T* p, const vec<real_t<T>> (&x)[planes<T>]) {
  using R = real_t<T>;
  R* q = reinterpret_cast<R*>(p);
  if constexpr (is_complex<T>) {
    vec<R> a = x[0], b = x[1];
    interleave(a, b, each_lane<R>{});
    store(q, a);
    store(q + width<R>, b);
  } else {
    store(q, x[0]);
  }
}

// Column-major, all N columns: vectors lie along them, the last ones have `last` rows.
template <class T, int N, int V>
TRIFAC_INLINE void load_columns(tile<T, N, V>& t, const T* C, index_t ld, int last) {
  constexpr int w = width<real_t<T>>;
  TRIFAC_UNROLL
  for (int c = 0; c < N; ++c) {
    TRIFAC_UNROLL
    for (int v = 0; v + 1 < V; ++v) load_elements(t.part[c][v], C + c * ld + v * w);
  }
  C += (V - 1) * w;
  if (__builtin_expect(last == w, 1)) {
    TRIFAC_UNROLL
    for (int c = 0; c < N; ++c) load_elements(t.part[c][V - 1], C + c * ld);
  } else {
    TRIFAC_UNROLL
    for (int c = 0; c < N; ++c) load_elements(t.part[c][V - 1], C + c * ld, 0, last);
  }
}

// Rows up to `last` of the last vectors of `cols` columns, element by element; from row `first` + c
// on in column c.
template <class T, int N, int V>
TRIFAC_INLINE void store_one_by_one(const tile<T, N, V>& t, T* C, index_t ld, int first, int last,
                                    index_t cols) {
  constexpr int w = width<real_t<T>>;
  alignas(64) real_t<T> parts[N * planes<T> * w];
  T* const copy = reinterpret_cast<T*>(parts);
  TRIFAC_UNROLL
  for (int c = 0; c < N; ++c) store_elements(copy + c * w, t.part[c][V - 1]);
  for (int c = 0; c < cols; ++c)
    for (int i = first + c < 0 ? 0 : first + c; i < last; ++i) C[i + c * ld] = copy[i + c * w];
}

template <class T, int N, int V>
TRIFAC_INLINE void store_columns(const tile<T, N, V>& t, T* C, index_t ld, int last) {
  constexpr int w = width<real_t<T>>;
  TRIFAC_UNROLL
  for (int c = 0; c < N; ++c) {
    TRIFAC_UNROLL
    for (int v = 0; v + 1 < V; ++v) store_elements(C + c * ld + v * w, t.part[c][v]);
  }
  C += (V - 1) * w;
  if (__builtin_expect(last == w, 1)) {
    TRIFAC_UNROLL
    for (int c = 0; c < N; ++c) store_elements(C + c * ld, t.part[c][V - 1]);
  } else if constexpr (target::set == isa::avx512) {
    TRIFAC_UNROLL
    for (int c = 0; c < N; ++c) store_elements(C + c * ld, t.part[c][V - 1], 0, last);
  } else {
    store_one_by_one(t, C, ld, -N, last, N);
  }
}

// The same below the diagonal, which the first column meets in lane Offset, `cols` columns.
template <int Offset, class T, int N>
TRIFAC_INLINE void load_lower_columns(tile<T, N, 1>& t, const T* C, index_t ld, int last,
                                      index_t cols) {
  constexpr int w = width<real_t<T>>;
  if (__builtin_expect(last == w && cols >= N, 1)) {
    TRIFAC_UNROLL
    for (int c = 0; c < N; ++c) load_elements(t.part[c][0], C + c * ld, Offset + c, w);
  } else {
    TRIFAC_UNROLL
    for (int c = 0; c < N; ++c) {
      const int to = c < cols ? last : Offset + c;
      load_elements(t.part[c][0], C + (c < cols ? c * ld : 0), Offset + c, to);
    }
  }
}

template <int Offset, class T, int N>
TRIFAC_INLINE void store_lower_columns(const tile<T, N, 1>& t, T* C, index_t ld, int last,
                                       index_t cols) {
  constexpr int w = width<real_t<T>>;
  if (__builtin_expect(last == w && cols >= N, 1)) {
    TRIFAC_UNROLL
    for (int c = 0; c < N; ++c) store_elements(C + c * ld, t.part[c][0], Offset + c, w);
  } else if constexpr (target::set == isa::avx512) {
    TRIFAC_UNROLL
    for (int c = 0; c < N; ++c)
      if (c < cols) store_elements(C + c * ld, t.part[c][0], Offset + c, last);
  } else {
    store_one_by_one(t, C, ld, Offset, last, cols);
  }
}

// N elements of row r, and N of the row N below it where a vector has room for both and there is one
// of `rows`: lanes from N on. Below the diagonal, row Offset + c ends with column c.
template <region Region, int Offset, int N, class T>
TRIFAC_INLINE void load_row(vec<real_t<T>> (&x)[planes<T>], const T* C, index_t ld, int r,
                            int rows) {
  using R = real_t<T>;
  constexpr int w = width<R>, per = planes<T>;
  const T* const row = C + r * ld;
  const int end = Region == region::lower ? at_most(r - Offset + 1, N) : N;
  if constexpr (N == w) {
    if (end == N)
      load_elements(x, row);
    else
      load_elements(x, row, 0, end);
  } else {  // a vector holds N complex elements, or N real ones in a half
    const int most = r + N < rows ? N : 0;
    const int end_below = Region == region::lower ? at_most(r + N - Offset + 1, most) : most;
    const R* const below = reinterpret_cast<const R*>(row + N * ld);
    vec<R> upper = load_range(reinterpret_cast<const R*>(row), 0, per * end);
    vec<R> lower = load_range(below, 0, per * end_below);
    if constexpr (is_complex<T>) {
      separate(upper, lower, each_lane<R>{});
      x[0] = upper;
      x[1] = lower;
    } else {
      x[0] = join_halves(upper, lower, each_lane<R>{});
    }
  }
}

template <region Region, int Offset, int N, class T>
TRIFAC_INLINE void store_row(const vec<real_t<T>> (&x)[planes<T>], T* C, index_t ld, int r,
                             int rows) {
  using R = real_t<T>;
  constexpr int w = width<R>, per = planes<T>;
  T* const row = C + r * ld;
  const int end = Region == region::lower ? at_most(r - Offset + 1, N) : N;
  if constexpr (N == w) {
    if (end == N)
      store_elements(row, x);
    else
      store_elements(row, x, 0, end);
  } else {
    const int most = r + N < rows ? N : 0;
    const int end_below = Region == region::lower ? at_most(r + N - Offset + 1, most) : most;
    R* const below = reinterpret_cast<R*>(row + N * ld);
    vec<R> upper = x[0], lower = x[0];
    if constexpr (is_complex<T>) {
      lower = x[1];
      interleave(upper, lower, each_lane<R>{});
    } else {
      lower = upper_half(upper, each_lane<R>{});
    }
    store_first(reinterpret_cast<R*>(row), upper, per * end);
    store_first(below, lower, per * end_below);
  }
}

// Row-major: N consecutive elements of each of `rows` rows, transposed in registers. Only whole
// tiles of one strip may have fewer rows than lanes.
template <region Region, int Offset, class T, int N, int V>
TRIFAC_INLINE void load_rows(tile<T, N, V>& t, const T* C, index_t ld, int rows) {
  using R = real_t<T>;
  constexpr bool guarded = V == 1 && Region == region::whole;
  TRIFAC_UNROLL
  for (int v = 0; v < V; ++v) {
    vec<R> x[planes<T>][N];
    TRIFAC_UNROLL
    for (int i = 0; i < N; ++i) {
      if (guarded && i >= rows) {
        for (int p = 0; p < planes<T>; ++p) x[p][i] = vec<R>{};
        continue;
      }
      vec<R> row[planes<T>];
      load_row<Region, Offset, N>(row, C, ld, v * width<R> + i, guarded ? rows : V * width<R>);
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
TRIFAC_INLINE void store_rows(const tile<T, N, V>& t, T* C, index_t ld, int rows) {
  using R = real_t<T>;
  constexpr bool guarded = V == 1 && Region == region::whole;
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
      if (guarded && i >= rows) continue;
      store_row<Region, Offset, N>(row, C, ld, v * width<R> + i, guarded ? rows : V * width<R>);
    }
  }
}

// Layouts that a kernel has code for. Everything else goes by way of a copy.
enum class tile_layout { columns, columns_or_rows };

// Room for a copy of a tile. Of reals: an array of std::complex would be filled with zeros.
template <class T, int N, int V>
struct tile_buffer {
  alignas(64) real_t<T> parts[N * V * planes<T> * width<real_t<T>>];
};

// Where a kernel reads and writes a tile of the matrix C: there, or in a column-major copy, where C
// has other strides, columns are missing, or another part of the tile belongs to the kernel than
// the one that its loads and stores take. So the kernels have one short text, and the copying is
// compiled once for all of them.
//
// Its members are numbers, not views, and stay in registers: a view that is handed on by reference
// would be written to the stack and read again by vectors, which waits for the writing.
template <tile_layout Layout, region Region, int Offset, class T, int N, int V>
class tile_place {
 public:
  TRIFAC_INLINE tile_place(const matrix_view<T>& C, tile_buffer<T, N, V>& buffer, region part,
                           int offset)
      : data_(C.data()),
        rows_(C.rows()),
        cols_(C.cols()),
        row_stride_(C.row_stride()),
        col_stride_(C.col_stride()),
        part_(part),
        offset_(offset) {
    const bool by_rows = Layout == tile_layout::columns_or_rows && col_stride_ == 1 && cols_ >= N &&
                         ((V == 1 && Region == region::whole) || rows_ >= V * w);
    const bool direct = row_stride_ == 1 ? Region == region::lower || cols_ >= N : by_rows;
    if (__builtin_expect(part == Region && direct, 1)) return;
    copy_ = reinterpret_cast<T*>(buffer.parts);
    gather_tile(copy_, matrix(), extent());
  }

  TRIFAC_INLINE void load(tile<T, N, V>& t) const {
    if constexpr (Layout == tile_layout::columns_or_rows)
      if (__builtin_expect(row_stride_ != 1, 0) && !copy_)
        return load_rows<Region, Offset>(t, data_, row_stride_, last());
    T* const C = copy_ ? copy_ : data_;
    if constexpr (Region == region::lower)
      load_lower_columns<Offset>(t, C, ld(), last(), cols_);
    else
      load_columns(t, C, ld(), last());
  }
  TRIFAC_INLINE void store(const tile<T, N, V>& t) const {
    if constexpr (Layout == tile_layout::columns_or_rows)
      if (__builtin_expect(row_stride_ != 1, 0) && !copy_)
        return store_rows<Region, Offset>(t, data_, row_stride_, last());
    T* const C = copy_ ? copy_ : data_;
    if constexpr (Region == region::lower)
      store_lower_columns<Offset>(t, C, ld(), last(), cols_);
    else
      store_columns(t, C, ld(), last());
    if (__builtin_expect(copy_ != nullptr, 0)) scatter_tile(copy_, matrix(), extent());
  }

 private:
  static constexpr int w = width<real_t<T>>;

  TRIFAC_INLINE index_t ld() const { return copy_ ? V * w : col_stride_; }
  TRIFAC_INLINE int last() const { return copy_ ? w : at_most(rows_ - (V - 1) * w, w); }
  TRIFAC_INLINE matrix_view<T> matrix() const {
    return {data_, rows_, cols_, row_stride_, col_stride_};
  }
  TRIFAC_INLINE tile_extent extent() const { return {V * w, N, part_, offset_}; }

  T* data_;
  index_t rows_, cols_, row_stride_, col_stride_;
  T* copy_ = nullptr;
  region part_;
  int offset_;
};

template <tile_layout Layout, region Region = region::whole, int Offset = 0, class T, int N, int V>
TRIFAC_INLINE tile_place<Layout, Region, Offset, T, N, V> place_tile(const matrix_view<T>& C,
                                                                     tile_buffer<T, N, V>& buffer,
                                                                     region part = Region,
                                                                     int offset = Offset) {
  return {C, buffer, part, offset};
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
