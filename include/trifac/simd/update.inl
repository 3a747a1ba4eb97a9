// Products of packed operands, tile by tile.

template <class T>
inline constexpr int tile_columns = target::tile<T>.columns;

template <class T>
inline constexpr index_t strip_rows = rows_per_strip<target, T>;

template <class T, int N, int V>
TRIFAC_INLINE void conjugate_tile(tile<T, N, V>& t) {
  TRIFAC_UNROLL
  for (int c = 0; c < N; ++c) {
    TRIFAC_UNROLL
    for (int v = 0; v < V; ++v) t.part[c][v][1] = -t.part[c][v][1];
  }
}

// A tile of a product: C −= left·rightᴴ, or conj(left)·rightᵀ. `next` is the tile that comes after
// it, fetched while this one is summed up. Tiles on the diagonal are one vector high.
template <class T>
struct product_tile {
  matrix_view<T> C;
  const real_t<T>* left;
  const real_t<T>* right;
  index_t strip_stride;
  index_t count;
  const T* next;
  region part = region::whole;  // of a tile on the diagonal,
  int offset = 0;               // which its first column meets in this lane
};

template <int V, class T>
TRIFAC_INLINE void prefetch_tile(const T* C, index_t ld) {
  constexpr int bytes = V * width<real_t<T>> * planes<T> * static_cast<int>(sizeof(real_t<T>));
  TRIFAC_UNROLL
  for (int c = 0; c < tile_columns<T>; ++c) {
    const char* const first = reinterpret_cast<const char*>(C + c * ld);
    TRIFAC_UNROLL
    for (int line = 0; line < bytes; line += 64) __builtin_prefetch(first + line, 1, 3);
    __builtin_prefetch(first + bytes - 1, 1, 3);
  }
}

// Steps before the end of a sum at which the next tile is fetched.
inline constexpr index_t prefetch_distance = 32;

template <conjugate_side Side, int V, class T>
TRIFAC_ENTRY void update_tile(target, const product_tile<T>& at) {
  tile<T, tile_columns<T>, V> t;
  tile_buffer<T, tile_columns<T>, V> copy;
  const auto place = place_tile<tile_layout::columns>(at.C, copy, V == 1 ? at.part : region::whole,
                                                      V == 1 ? at.offset : 0);
  place.load(t);
  const real_t<T>*a = at.left, *b = at.right;
  const bool fetches = at.next && at.count > prefetch_distance;
  index_t left = at.count, some = fetches ? left - prefetch_distance : left;
  for (;;) {
    subtract_sum<Side>(t, a, at.strip_stride, b, some);
    left -= some;
    if (left == 0) break;
    prefetch_tile<V>(at.next, at.C.col_stride());
    a += some * k_step<T>;
    b += some * k_step<T>;
    some = left;
  }
  place.store(t);
}

// Tiles come with these numbers of strips: all that registers hold and, below that, a few: each
// costs time to compile.
constexpr int fewer_strips(int strips) {
  return strips == 3 ? 2 : strips > 3 ? strips / 4 : 1;
}

// Strips in one tile when `left` are left: no single strip remains where two tiles of two do.
template <class T>
constexpr int next_strips(index_t left) {
  constexpr int most = target::tile<T>.vectors;
  if (most == 3 && left == 4) return 2;
  int strips = most;
  while (strips > left) strips = fewer_strips(strips);
  return strips;
}

// Calls f.template tile<V>() with V = strips, one of those numbers.
template <int V, class T, class F>
TRIFAC_INLINE void with_strips(int strips, const F& f) {
  if constexpr (V > 1) {
    if (strips < V) return with_strips<fewer_strips(V), T>(strips, f);
  }
  f.template tile<V>();
}

template <class T, conjugate_side Side = conjugate_side::right>
struct update_call {
  const product_tile<T>& at;
  template <int V>
  TRIFAC_INLINE void tile() const {
    update_tile<Side, V>(target{}, at);
  }
};

// Rows of the right operand that stay in a second-level cache of 1 MiB while strips of the left one
// pass by, each in the first-level cache or next to it.
template <class T>
constexpr index_t rows_at_hand(index_t strip_stride) {
  constexpr index_t unit = 16;  // whole strips and tiles of every type
  const index_t bytes_of_row = strip_stride * index_t{sizeof(real_t<T>)} / strip_rows<T>;
  const index_t rows = (index_t{256} << 10) / bytes_of_row / unit * unit;
  return rows < unit ? unit : rows;
}

// Operands of the tile whose vectors run along `strips` strips from `strip`, and whose columns
// belong to the N rows from `row`.
template <class T>
TRIFAC_INLINE product_tile<T> product_of(const packed_rows<T>& P, matrix_view<T> C, index_t strip,
                                         index_t row) {
  constexpr index_t w = strip_rows<T>;
  return {C,
          P.packed + strip * P.strip_stride,
          P.packed + row / w * P.strip_stride + row % w,
          P.strip_stride,
          P.count,
          nullptr};
}

// Tiles along the columns of A: strips of rows on the left, N columns on the right.
template <class T>
inline void update_by_columns(const packed_rows<T>& P, matrix_view<T> A, index_t from, index_t to,
                              index_t first_row) {
  constexpr index_t n = tile_columns<T>, w = strip_rows<T>;
  const index_t end = count_strips<target, T>(A.rows()), at_hand = rows_at_hand<T>(P.strip_stride);
  for (index_t left = from; left < to; left += at_hand) {
    const index_t right = left + at_hand < to ? left + at_hand : to;
    index_t bottom = (first_row > left ? first_row : left) / w;
    while (bottom < end) {
      const index_t top = bottom;
      bottom += next_strips<T>(end - top);
      for (index_t column = left; column < right && column < bottom * w; column += n) {
        const index_t cols = to - column < n ? to - column : n;
        index_t strip = top;
        if (column >= top * w) {
          strip = column / w;
          const index_t rows = A.rows() - strip * w;
          const auto C = A.block(strip * w, column, rows < w ? rows : w, cols);
          product_tile<T> at = product_of(P, C, strip, column);
          at.part = region::lower;
          at.offset = static_cast<int>(column % w);
          update_tile<conjugate_side::right, 1>(target{}, at);
          ++strip;
        }
        while (strip < bottom) {
          const int some = next_strips<T>(bottom - strip);
          const index_t rows = A.rows() - strip * w;
          const auto C = A.block(strip * w, column, rows < some * w ? rows : some * w, cols);
          product_tile<T> at = product_of(P, C, strip, column);
          if (column + n < right) at.next = &A(strip * w, column + n);
          with_strips<target::tile<T>.vectors, T>(some, update_call<T>{at});
          strip += some;
        }
      }
    }
  }
}

// Row-major: tiles along the rows of A, which are columns of Aᵀ. Strips of columns on the left, N
// rows on the right; Aᵀ takes the conjugate product.
template <class T>
inline void update_by_rows(const packed_rows<T>& P, matrix_view<T> A, index_t from, index_t to,
                           index_t first_row) {
  constexpr index_t n = tile_columns<T>, w = strip_rows<T>;
  constexpr auto side = is_complex<T> ? conjugate_side::left : conjugate_side::right;
  const index_t end = count_strips<target, T>(to), at_hand = rows_at_hand<T>(P.strip_stride);
  for (index_t top = first_row > from ? first_row : from; top < A.rows(); top += at_hand) {
    const index_t bottom = top + at_hand < A.rows() ? top + at_hand : A.rows();
    index_t right = from / w;
    while (right < end && right * w < bottom) {
      const index_t left = right;
      right += next_strips<T>(end - left);
      for (index_t row = top > left * w ? top : left * w; row < bottom; row += n) {
        const index_t rows = A.rows() - row < n ? A.rows() - row : n;
        const index_t diagonal = row / w, whole = diagonal < right ? diagonal : right;
        for (index_t strip = left; strip < whole;) {
          const int some = next_strips<T>(whole - strip);
          const index_t cols = to - strip * w;
          const auto C = A.block(row, strip * w, rows, cols < some * w ? cols : some * w);
          product_tile<T> at = product_of(P, C.transposed(), strip, row);
          if (row + 2 * n <= bottom) at.next = &A(row + n, strip * w);
          with_strips<target::tile<T>.vectors, T>(some, update_call<T, side>{at});
          strip += some;
        }
        if (diagonal < right) {
          const index_t cols = A.rows() - diagonal * w;
          const auto C = A.block(row, diagonal * w, rows, cols < w ? cols : w);
          product_tile<T> at = product_of(P, C.transposed(), diagonal, row);
          at.part = region::upper;
          at.offset = static_cast<int>(row % w);
          update_tile<side, 1>(target{}, at);
        }
      }
    }
  }
}

// Rows of X, or their conjugates, packed in strips.
template <class T>
inline void pack_rows(const operand<T>& X, real_t<T>* packed, index_t strip_stride) {
  constexpr index_t n = tile_columns<T>, w = strip_rows<T>;
  const matrix_view<const T>& A = X.view;
  const matrix_view<T> view(const_cast<T*>(A.data()), A.rows(), A.cols(), A.row_stride(),
                            A.col_stride());
  for (index_t row = 0; row < view.rows(); row += w, packed += strip_stride)
    for (index_t k = 0; k < view.cols(); k += n) {
      const index_t rows = view.rows() - row, cols = view.cols() - k;
      const auto part = view.block(row, k, rows < w ? rows : w, cols < n ? cols : n);
      tile<T, tile_columns<T>, 1> t;
      tile_buffer<T, tile_columns<T>, 1> copy;
      place_tile<tile_layout::columns_or_rows>(part, copy).load(t);
      if constexpr (is_complex<T>)
        if (X.conjugated) conjugate_tile(t);
      pack_tile(t, packed + k * k_step<T>, 0);
    }
}

// C −= left·rightᴴ, all of it in packed operands with the same stride.
template <class T>
inline void update_packed(const matrix_view<T>& C, const packed_rows<T>& left,
                          const real_t<T>* right) {
  constexpr index_t n = tile_columns<T>, w = strip_rows<T>;
  const index_t strips = count_strips<target, T>(C.rows());
  for (index_t column = 0; column < C.cols(); column += n) {
    const index_t cols = C.cols() - column < n ? C.cols() - column : n;
    for (index_t strip = 0; strip < strips;) {
      const int some = next_strips<T>(strips - strip);
      const index_t rows = C.rows() - strip * w;
      product_tile<T> at = product_of(
          left, C.block(strip * w, column, rows < some * w ? rows : some * w, cols), strip, 0);
      at.right = right + column / w * left.strip_stride + column % w;
      strip += some;
      if (strip < strips)
        at.next = &C(strip * w, column);
      else if (column + 2 * n <= C.cols())
        at.next = &C(0, column + n);
      with_strips<target::tile<T>.vectors, T>(some, update_call<T>{at});
    }
  }
}

/// C −= A·B, packing blocks of A and Bᵀ into the buffer.
template <class T>
TRIFAC_ENTRY void update(target, matrix_view<T> C, operand<T> A, operand<T> B,
                         const product_buffer<T>& buffer) {
  constexpr index_t w = strip_rows<T>;
  if (C.col_stride() == 1 && C.row_stride() != 1) {  // Cᵀ −= Bᵀ·Aᵀ
    const operand<T> left = B.transposed();
    C = C.transposed();
    B = A.transposed();
    A = left;
  }
  operand<T> right = B.transposed();
  right.conjugated = is_complex<T> && !right.conjugated;  // the kernels conjugate it again
  const product_blocks blocks = blocks_of<target, T>(C.rows(), C.cols(), A.cols(), buffer.count);
  const index_t stride = strip_stride<target, T>(blocks.depth);
  real_t<T>* const packed_right = buffer.data + blocks.left_strips * stride;

  for (index_t k = 0; k < A.cols(); k += blocks.depth) {
    const index_t depth = A.cols() - k < blocks.depth ? A.cols() - k : blocks.depth;
    const packed_rows<T> left = {buffer.data, stride, depth};
    for (index_t column = 0; column < C.cols(); column += blocks.right_strips * w) {
      const index_t all = C.cols() - column, most = blocks.right_strips * w;
      const index_t cols = all < most ? all : most;
      pack_rows(right.block(column, k, cols, depth), packed_right, stride);
      for (index_t row = 0; row < C.rows(); row += blocks.left_strips * w) {
        const index_t below = C.rows() - row, some = blocks.left_strips * w;
        const index_t rows = below < some ? below : some;
        pack_rows(A.block(row, k, rows, depth), buffer.data, stride);
        update_packed(C.block(row, column, rows, cols), left, packed_right);
      }
    }
  }
}

/// The lower triangle of C −= A·Aᴴ. The buffer holds all rows of A, `depth` columns at a time.
template <class T>
TRIFAC_ENTRY void update_lower(target, matrix_view<T> C, operand<T> A, index_t depth,
                               const product_buffer<T>& buffer) {
  const index_t stride = strip_stride<target, T>(depth);
  for (index_t k = 0; k < A.cols(); k += depth) {
    const index_t some = A.cols() - k < depth ? A.cols() - k : depth;
    const packed_rows<T> rows = {buffer.data, stride, some};
    pack_rows(A.block(0, k, A.rows(), some), buffer.data, stride);
    if (C.col_stride() == 1 && C.row_stride() != 1)
      update_by_rows(rows, C, 0, C.rows(), 0);
    else
      update_by_columns(rows, C, 0, C.rows(), 0);
  }
  if constexpr (is_complex<T>)
    for (index_t i = 0; i < C.rows(); ++i) C(i, i) = T(C(i, i).real());
}
