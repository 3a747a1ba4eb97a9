// Products of packed operands, tile by tile.

template <class T>
inline constexpr int tile_columns = target::tile<T>.columns;

template <class T>
inline constexpr index_t micro_rows = rows_per_micro_panel<target, T>;

/// conj(left)·rightᵀ, in the order of its factors; left·rightᴴ is minus_conj_ba.
template <class T>
inline constexpr term conjugate_term = is_complex<T> ? term::minus_conj_ab : term::minus_conj_ba;

template <class T, int N, int V>
TRIFAC_INLINE void conjugate_tile(tile<T, N, V>& t) {
  TRIFAC_UNROLL
  for (int c = 0; c < N; ++c) {
    TRIFAC_UNROLL
    for (int v = 0; v < V; ++v) t.part[c][v].im = -t.part[c][v].im;
  }
}

template <term Term, int V, class T>
TRIFAC_ENTRY void update_tile(target, const product_tile<T>& at) {
  tile<T, tile_columns<T>, V> t;
  tile_buffer<T, tile_columns<T>, V> copy;
  const auto place = place_tile<tile_layout::columns>(at.C, copy, V == 1 ? at.part : region::whole,
                                                      V == 1 ? at.offset : 0);
  place.load(t);
  sum_products<Term>(t, packed_operand<T>{at.left, at.micro_stride}, packed_operand<T>{at.right},
                     at.count, at.ahead);
  place.store(t);
}

template <class T>
constexpr int next_vectors(index_t left) {
  return simd::next_vectors(target::tile<T>.vectors, left);
}

// Calls f.template tile<V>() with V = micro-panels, one of those numbers.
template <int V, class T, class F>
TRIFAC_INLINE void with_vectors(int vectors, const F& f) {
  if constexpr (V > 1) {
    if (vectors < V) return with_vectors<fewer_vectors(V), T>(vectors, f);
  }
  f.template tile<V>();
}

template <class T, term Term>
struct update_call {
  const product_tile<T>& at;
  template <int V>
  TRIFAC_INLINE void tile() const {
    update_tile<Term, V>(target{}, at);
  }
};

// The loops of product_loops.hpp, which are compiled for the baseline, call these.
template <class T, term Term>
inline __attribute__((noinline)) void update_micro_panels(const product_tile<T>& at, int vectors) {
  with_vectors<target::tile<T>.vectors, T>(vectors, update_call<T, Term>{at});
}
template <class T>
inline __attribute__((noinline)) tile_kernels<T> tile_kernels_of(target) {
  return {target::tile<T>.vectors, tile_columns<T>, micro_rows<T>,
          update_micro_panels<T, term::minus_conj_ba>, update_micro_panels<T, conjugate_term<T>>};
}

/// One column of tiles of a product, at most as many columns as a tile has.
template <class T>
struct product_column {
  matrix_view<T> C;
  packed_operand<T> left;
  const real_t<T>* right;
  index_t count;
  const T* next;   // the first tile of the next column, or null
  index_t beyond;  // see update_packed
};

// V micro-panels at C, the last of which has `last` rows.
template <term Term, int V, class T>
TRIFAC_INLINE void update_column_tile(T* C, const product_column<T>& at, index_t row, int last,
                                      const T* next) {
  constexpr index_t lines = V * packet_rows<T> * index_t(sizeof(T)) / cache_line;
  const index_t ld = at.C.col_stride();
  tile<T, tile_columns<T>, V> t;
  fetch_ahead<T> ahead = {next, ld};
  if (at.beyond > 0) {
    ahead.far = reinterpret_cast<const char*>(C + at.beyond);
    ahead.far_step = ld * index_t(sizeof(T));
    ahead.far_lines = lines;
  }
  load_columns(t, C, ld, last);
  sum_products<Term>(t, at.left.from(row), packed_operand<T>{at.right}, at.count, ahead);
  store_columns(t, C, ld, last);
}

// What is left below the last tile of V + 1 micro-panels.
template <term Term, int V, class T>
TRIFAC_INLINE void update_column_rest(const product_column<T>& at, index_t row) {
  constexpr index_t w = micro_rows<T>;
  if constexpr (V > 0) {
    const index_t left = at.C.rows() - row;
    if (left > (V - 1) * w)
      update_column_tile<Term, V>(&at.C(row, 0), at, row, static_cast<int>(left - (V - 1) * w),
                                  at.next);
    else
      update_column_rest<Term, V - 1>(at, row);
  }
}

// `at` by value: stores to C cannot change it, and what is computed of it stays in registers.
template <term Term, class T>
inline __attribute__((noinline)) void update_column(product_column<T> at) {
  constexpr index_t V = target::tile<T>.vectors, w = micro_rows<T>;
  const matrix_view<T> C = at.C;
  const index_t rows = C.rows();
  index_t row = 0;
  if (C.row_stride() == 1 && C.cols() == tile_columns<T>) {
    for (; row + V * w <= rows; row += V * w) {
      T* const here = C.data() + row;
      update_column_tile<Term, V>(here, at, row, w, row + V * w < rows ? here + V * w : at.next);
    }
    return update_column_rest<Term, V>(at, row);
  }
  for (; row < rows; row += w)  // by way of copies
    update_tile<Term, 1>(target{},
                         product_tile<T>{C.block(row, 0, at_most(rows - row, w), C.cols()),
                                         at.left.from(row).at, at.right, 0, at.count});
}

/// C −= left·rightᴴ or, with conjugate_term, conj(left)·rightᵀ: all of it in packed operands with
/// the same stride. `beyond`: elements from C to what is fetched into the L2 cache meanwhile, which
/// has the shape of C; 0: nothing.
template <term Term, class T>
TRIFAC_INLINE void update_packed(const matrix_view<T>& C, const packed_rows<T>& left,
                                 const real_t<T>* right, index_t beyond = 0) {
  constexpr index_t n = tile_columns<T>, w = micro_rows<T>;
  for (index_t column = 0; column < C.cols(); column += n) {
    const index_t cols = C.cols() - column < n ? C.cols() - column : n;
    update_column<Term>(product_column<T>{C.block(0, column, C.rows(), cols),
                                          {left.packed, left.micro_stride},
                                          right + column / w * left.micro_stride + column % w,
                                          left.count,
                                          column + 2 * n <= C.cols() ? &C(0, column + n) : nullptr,
                                          beyond});
  }
}

// Rows of X, or their conjugates, packed in micro-panels.
template <class T>
inline void pack_rows(const operand<T>& X, real_t<T>* packed, index_t micro_stride) {
  constexpr index_t n = tile_columns<T>, w = micro_rows<T>;
  const matrix_view<const T>& A = X.view;
  const matrix_view<T> view(const_cast<T*>(A.data()), A.rows(), A.cols(), A.row_stride(),
                            A.col_stride());
  for (index_t row = 0; row < view.rows(); row += w, packed += micro_stride)
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

/// C −= A·B, packing blocks of A and Bᵀ into the buffer. In row-major storage Cᵀ −= Bᵀ·Aᵀ. The
/// kernels conjugate what comes from B, so it is packed as its conjugate: then C and Cᵀ add up the
/// products of complex numbers in the same order, and have the same bits.
template <class T>
TRIFAC_ENTRY void update(target, matrix_view<T> C, const operand<T>& A, const operand<T>& B,
                         const product_buffer<T>& buffer) {
  constexpr index_t w = micro_rows<T>;
  const bool by_rows = C.runs_along_rows();
  operand<T> left = A, right = B.transposed();
  right.conjugated = is_complex<T> && !right.conjugated;
  if (by_rows) {
    C = C.transposed();
    std::swap(left, right);
  }
  const product_blocks blocks = blocks_of<target, T>(C.rows(), C.cols(), left.cols(), buffer.count);
  const index_t stride = micro_stride<target, T>(blocks.depth);
  real_t<T>* const packed_right = buffer.data + blocks.left_panels * stride;

  for (index_t k = 0; k < left.cols(); k += blocks.depth) {
    const index_t depth = left.cols() - k < blocks.depth ? left.cols() - k : blocks.depth;
    const packed_rows<T> packed_left = {buffer.data, stride, depth};
    for (index_t column = 0; column < C.cols(); column += blocks.right_panels * w) {
      const index_t all = C.cols() - column, most = blocks.right_panels * w;
      const index_t cols = all < most ? all : most;
      pack_rows(right.block(column, k, cols, depth), packed_right, stride);
      for (index_t row = 0; row < C.rows(); row += blocks.left_panels * w) {
        const index_t below = C.rows() - row, some = blocks.left_panels * w;
        const index_t rows = below < some ? below : some;
        pack_rows(left.block(row, k, rows, depth), buffer.data, stride);
        const auto part = C.block(row, column, rows, cols);
        if (by_rows)
          update_packed<conjugate_term<T>>(part, packed_left, packed_right);
        else
          update_packed<term::minus_conj_ba>(part, packed_left, packed_right);
      }
    }
  }
}

/// The lower triangle of C −= A·Aᴴ. The buffer holds all rows of A, `depth` columns at a time.
template <class T>
TRIFAC_ENTRY void update_lower(target, matrix_view<T> C, operand<T> A, index_t depth,
                               const product_buffer<T>& buffer) {
  const tile_kernels<T> kernels = tile_kernels_of<T>(target{});
  const index_t stride = micro_stride<target, T>(depth);
  for (index_t k = 0; k < A.cols(); k += depth) {
    const index_t some = A.cols() - k < depth ? A.cols() - k : depth;
    const packed_rows<T> rows = {buffer.data, stride, some};
    pack_rows(A.block(0, k, A.rows(), some), buffer.data, stride);
    subtract_square(kernels, rows, C, 0, C.rows(), 0);
  }
  if constexpr (is_complex<T>)
    for (index_t i = 0; i < C.rows(); ++i) C(i, i) = T(C(i, i).real());
}
