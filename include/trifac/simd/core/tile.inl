// Tiles in registers, and the operands that are packed for them.
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
  vec<real_t<T>> part[as_size(Columns)][as_size(Vectors)][as_size(planes<T>)];
};

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

// The element of a packed operand at p, spread over the lanes.
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
    vec<R> left[as_size(V)][as_size(planes<T>)];
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
