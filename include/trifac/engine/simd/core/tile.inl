// Tiles in registers, and the operands that are packed for them.
//
// A packed operand keeps the rows of a matrix in micro-panels of one vector:
//
//   packed[micro-panel · micro_stride + (k · planes<T> + plane) · width<R> + row in micro-panel]
//
// so that column k of a micro-panel is one aligned vector, and row by row it is a run of scalars to
// broadcast: the same copy serves as left and as right operand of a product.

template <class T>
inline constexpr int k_step = planes<T>* width<real_t<T>>;

// Element (r, c) is in lane r % width of part[c][r / width].
template <class T, int Columns, int Vectors>
struct tile {
  packet<T> part[as_size(Columns)][as_size(Vectors)];
};

// A tile into a packed operand: columns at, at + k_step, …; micro-panels micro_stride apart.
template <class T, int N, int V>
TRIFAC_INLINE void pack_tile(const tile<T, N, V>& t, real_t<T>* at, index_t micro_stride) {
  TRIFAC_UNROLL
  for (int v = 0; v < V; ++v) {
    TRIFAC_UNROLL
    for (int c = 0; c < N; ++c) store_parts(at + v * micro_stride + c * k_step<T>, t.part[c][v]);
  }
}

// The way back.
template <class T, int N, int V>
TRIFAC_INLINE void unpack_tile(tile<T, N, V>& t, const real_t<T>* at, index_t micro_stride) {
  TRIFAC_UNROLL
  for (int v = 0; v < V; ++v) {
    TRIFAC_UNROLL
    for (int c = 0; c < N; ++c) t.part[c][v] = load_parts<T>(at + v * micro_stride + c * k_step<T>);
  }
}
