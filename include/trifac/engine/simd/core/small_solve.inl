// The substitutions of a small solve. Vectors run along the right-hand sides; one of them is solved
// by scalars, whose chain, a quotient and a sum for each row, is shorter.
//
// Each element is one chain of sums in the order of substitution, whatever the number of right-hand
// sides and the way in which rows are taken together.

/// N rows from `done` on, the rows before them being known: V packets of right-hand sides, `stride`
/// apart.
template <class Lanes, int N, int V, class T>
TRIFAC_INLINE void substitute_small_rows(const small_triangle<T>& L, index_t done, real_t<T>* x,
                                         index_t stride) {
  using P = typename Lanes::type;
  const index_t step = L.step * Lanes::step, down = L.row_stride, along = L.col_stride;
  const real_t<T> sign = L.sign;
  real_t<T>* const rows = x + done * step;
  P t[as_size(N)][as_size(V)];
  TRIFAC_UNROLL
  for (int c = 0; c < N; ++c) {
    TRIFAC_UNROLL
    for (int v = 0; v < V; ++v) t[c][v] = Lanes::load(rows + c * step + v * stride);
  }
  const T* a = L.at + done * down;
  for (index_t k = 0; k < done; ++k, a += along, x += step) {
    P known[as_size(V)];
    TRIFAC_UNROLL
    for (int v = 0; v < V; ++v) known[v] = Lanes::load(x + v * stride);
    TRIFAC_UNROLL
    for (int c = 0; c < N; ++c) {
      const P l = Lanes::spread(a + c * down, sign);
      TRIFAC_UNROLL
      for (int v = 0; v < V; ++v) t[c][v] = subtract_product(t[c][v], l, known[v]);
    }
  }
  TRIFAC_UNROLL
  for (int c = 0; c < N; ++c, a += along) {
    if (L.by_diagonal == division::exact) {
      const row_divisor<T> by = row_divisor_of(a + c * down, sign);
      TRIFAC_UNROLL
      for (int v = 0; v < V; ++v) t[c][v] = divide(t[c][v], by);
    }
    if constexpr (!is_complex<T>)
      if (L.by_diagonal == division::by_reciprocal) {
        const T inverse = T(1) / a[c * down];
        const P by = Lanes::spread(&inverse, sign);
        TRIFAC_UNROLL
        for (int v = 0; v < V; ++v) t[c][v] = multiply(t[c][v], by);
      }
    TRIFAC_UNROLL
    for (int d = c + 1; d < N; ++d) {
      const P l = Lanes::spread(a + d * down, sign);
      TRIFAC_UNROLL
      for (int v = 0; v < V; ++v) t[d][v] = subtract_product(t[d][v], l, t[c][v]);
    }
  }
  TRIFAC_UNROLL
  for (int c = 0; c < N; ++c) {
    TRIFAC_UNROLL
    for (int v = 0; v < V; ++v) Lanes::store(rows + c * step + v * stride, t[c][v]);
  }
}

/// Rows done … n − 1, most of them N at a time. `x`: the row that is known first.
template <class Lanes, int N, int V, class T>
TRIFAC_INLINE void substitute_small_rest(const small_triangle<T>& L, index_t done, index_t n,
                                         real_t<T>* x, index_t stride) {
  for (; n - done >= N; done += N) substitute_small_rows<Lanes, N, V>(L, done, x, stride);
  if constexpr (N > 1)
    if (done < n) substitute_small_rest<Lanes, N / 2, V>(L, done, n, x, stride);
}
template <class Lanes, int N, int V, class T>
inline __attribute__((noinline)) void substitute_small_triangle(const small_triangle<T>& L,
                                                                index_t n, real_t<T>* x,
                                                                index_t stride) {
  real_t<T>* const first = L.step > 0 ? x : x + (n - 1) * Lanes::step;
  substitute_small_rest<Lanes, N, V>(L, 0, n, first, stride);
}

template <class Lanes, int V, class T>
TRIFAC_INLINE void exchange_small_rows(real_t<T>* x, index_t i, index_t j, index_t stride) {
  TRIFAC_UNROLL
  for (int v = 0; v < V; ++v) {
    real_t<T>*const p = x + v * stride + i * Lanes::step, *const q =
                                                              x + v * stride + j * Lanes::step;
    const typename Lanes::type a = Lanes::load(p), b = Lanes::load(q);
    Lanes::store(p, b);
    Lanes::store(q, a);
  }
}

/// The whole solve on a copy.
template <class Lanes, int N, int V, class T>
TRIFAC_INLINE void solve_small_copy(const small_solve<T>& s, real_t<T>* x, index_t stride) {
  const index_t n = s.B.rows();
  if (s.before)
    for (index_t k = 0; k < n; ++k)
      if (s.before[k] != k) exchange_small_rows<Lanes, V, T>(x, k, s.before[k], stride);
  substitute_small_triangle<Lanes, N, V>(s.first, n, x, stride);
  if (s.second.at) substitute_small_triangle<Lanes, N, V>(s.second, n, x, stride);
  if (s.after)
    for (index_t k = n - 1; k >= 0; --k)
      if (s.after[k] != k) exchange_small_rows<Lanes, V, T>(x, k, s.after[k], stride);
}

/// V packets of columns of B. `stride` is no multiple of 4096 bytes, at which loads would wait for
/// stores to other packets.
template <int V, class T>
TRIFAC_INLINE void solve_small_lanes(const small_solve<T>& s, index_t column) {
  constexpr index_t w = packet_rows<T>, stride = small_solve_rows * k_step<T> + 2 * w;
  alignas(64) real_t<T> x[as_size(V * stride)];
  matrix_view<T> B[as_size(V)];
  for (int v = 0; v < V; ++v) {
    const index_t at = column + v * w, left = s.B.cols() - at;
    B[v] = s.B.block(0, at, s.B.rows(), left < w ? left : w);
    load_small_lanes(B[v], x + v * stride);
  }
  solve_small_copy<many_lanes<T>, target::tile<T>.columns, V>(s, x, stride);
  for (int v = 0; v < V; ++v) store_small_lanes(B[v], x + v * stride);
}

template <class T>
TRIFAC_INLINE void solve_small_column(const small_solve<T>& s, index_t column) {
  using lane = one_lane<T>;
  real_t<T> x[small_solve_rows * planes<T>];
  const index_t n = s.B.rows();
  for (index_t i = 0; i < n; ++i)
    lane::store(x + i * lane::step,
                lane::load(reinterpret_cast<const real_t<T>*>(&s.B(i, column))));
  solve_small_copy<lane, is_complex<T> ? 4 : 8, 1>(s, x, 0);
  for (index_t i = 0; i < n; ++i)
    lane::store(reinterpret_cast<real_t<T>*>(&s.B(i, column)), lane::load(x + i * lane::step));
}

template <class T>
TRIFAC_ENTRY void substitute_small(target, const small_solve<T>& s) {
  constexpr index_t w = packet_rows<T>;
  const index_t columns = s.B.cols();
  for (index_t column = 0; column < columns;) {
    const index_t left = columns - column;
    if (left > w) {
      solve_small_lanes<2>(s, column);
      column += 2 * w;
    } else if (left > 1) {
      solve_small_lanes<1>(s, column);
      column += w;
    } else {
      solve_small_column(s, column);
      ++column;
    }
  }
}
