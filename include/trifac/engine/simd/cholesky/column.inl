// One column of Cholesky by columns in packed memory, with one fused multiply-add for each pair of
// parts: the bits that a device gives it. See column.hpp.

// Rows of the packed column `count` from `row` on, some more than there are:
//   x_i := x_i − Σ_{k<count} l_ik·conj(l_row,k)
template <class T>
TRIFAC_ENTRY void reduce_fused_column(target, const packed_columns<T>& L, index_t row,
                                      index_t count) {
  using R = real_t<T>;
  constexpr int w = width<R>, vectors = fused_rows / w;
  for (index_t r = row; r < L.rows; r += fused_rows) {
    R* const x = L.column(count) + r;
    vec<R> re[as_size(vectors)], im[as_size(vectors)];
    TRIFAC_UNROLL
    for (int i = 0; i < vectors; ++i) {
      re[i] = load(x + i * w);
      if constexpr (is_complex<T>) im[i] = load(x + L.height + i * w);
    }
    for (index_t k = 0; k < count; ++k) {
      const R* const column = L.column(k);
      const R *const l = column + r, *const factor = column + row;
      const vec<R> b = broadcast(factor[0]);
      if constexpr (is_complex<T>) {
        const vec<R> c = broadcast(factor[L.height]);
        TRIFAC_UNROLL
        for (int i = 0; i < vectors; ++i) {
          const vec<R> a = load(l + i * w), d = load(l + L.height + i * w);
          re[i] = fnma(d, c, fnma(a, b, re[i]));
          im[i] = fnma(d, b, fma(a, c, im[i]));
        }
      } else {
        TRIFAC_UNROLL
        for (int i = 0; i < vectors; ++i) re[i] = fnma(load(l + i * w), b, re[i]);
      }
    }
    TRIFAC_UNROLL
    for (int i = 0; i < vectors; ++i) {
      store(x + i * w, re[i]);
      if constexpr (is_complex<T>) store(x + L.height + i * w, im[i]);
    }
  }
}
