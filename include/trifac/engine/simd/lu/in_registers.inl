// LU with partial pivoting of a real matrix of up to three packets of rows, right-looking by the
// panels of register_panel.inl, with the bits of panel.inl. It takes a quarter to a half less time
// than panel.inl at orders between the multiples of a packet (double, 12; float, 40), a tenth less
// at 16 and 24 in double, hardly less at 8 (AVX-512, a loaded machine).

/// N columns right of the panel, their rows in their places: x := L11⁻¹·x in the panel's rows, then
/// −= L21·x below. X: the inverse, its rows at the lanes of the panel's.
template <int S, int N, class R>
TRIFAC_INLINE void solve_register_columns(const register_panel<R>& P, const R* X, const R* L,
                                          vec<R> (&x)[as_size(N)][as_size(S)]) {
  constexpr int W = width<R>;
  const int first = first_lane(P);
  const index_t ld = P.ld;
  alignas(64) R top[as_size(N)][as_size(W)];
  vec<R> sum[as_size(N)];
  TRIFAC_UNROLL
  for (int c = 0; c < N; ++c) {
    sum[c] = vec<R>{};
    store(top[c], x[c][0]);
  }
  settle_stores();
  TRIFAC_UNROLL
  for (int q = 0; q < base_columns; ++q) {
    const vec<R> inverse = load(X + q * inverse_ld<R>);
    TRIFAC_UNROLL
    for (int c = 0; c < N; ++c) sum[c] = fma(inverse, broadcast(top[c][first + q]), sum[c]);
  }
  constexpr int below = W > base_columns ? 0 : 1;  // the first packet with rows below the panel's
  vec<R> above[as_size(N)];
  TRIFAC_UNROLL
  for (int c = 0; c < N; ++c) {
    above[c] = x[c][0];
    if constexpr (below < S) store(top[c], sum[c]);
  }
  if constexpr (below < S) {
    settle_stores();
    TRIFAC_UNROLL
    for (int k = 0; k < base_columns; ++k) {
      TRIFAC_UNROLL
      for (int s = below; s < S; ++s) {
        const vec<R> l = load(L + k * ld + s * W);
        TRIFAC_UNROLL
        for (int c = 0; c < N; ++c) x[c][s] = fnma(l, broadcast(top[c][first + k]), x[c][s]);
      }
    }
  }
  TRIFAC_UNROLL
  for (int c = 0; c < N; ++c) {
    if constexpr (W > base_columns)
      x[c][0] = blend<R>(blend<R>(above[c], x[c][0], ~0u << (first + int(base_columns))), sum[c],
                         0xffu << first);
    else
      x[c][0] = sum[c];
  }
}

/// One panel, and what it means for the columns on both sides. False where a pivot is not ordinary
/// or one of several largest.
template <int S, class R>
inline __attribute__((noinline)) bool factor_register_panel(const register_panel<R>& P,
                                                            index_t* interchanges) {
  constexpr int W = width<R>;
  const int first = first_lane(P);
  const index_t ld = P.ld;
  const unsigned mine = ~0u << first;  // lanes of the first packet from the panel's first row on
  vec<R> t[base_columns][as_size(S)];
  TRIFAC_UNROLL
  for (int c = 0; c < base_columns; ++c) {
    TRIFAC_UNROLL
    for (int s = 0; s < S; ++s) t[c][s] = load(P.A + c * ld + s * W);
    if constexpr (W > base_columns) t[c][0] = masked<R>(t[c][0], mine);
  }
  register_rows<S, R> rows = {
      (((std::uint64_t(1) << (P.rows - 1)) << 1) - 1) << first, 0, {}, true};
  TRIFAC_UNROLL
  for (int s = 0; s < S; ++s)
    rows.at[s] = lane_numbers<keys<R>>(lane_sequence<R>{}) + static_cast<key<R>>(s * W);
  eliminate_in_registers<0, S, R>(P, rows, t, interchanges);
  if (__builtin_expect(!rows.ordinary || rows.tied != 0, 0)) return false;

  unsigned upper[as_size(S)];
  TRIFAC_UNROLL
  for (int s = 0; s < S; ++s) upper[s] = third_packet<S, R>(rows.at[s]);
  TRIFAC_UNROLL
  for (int c = 0; c < base_columns; ++c) {
    R* const column = P.A + c * ld;
    TRIFAC_UNROLL
    for (int s = 0; s < S; ++s) {
      vec<R> y = select_rows<S, R>(t[c], rows.at[s], upper[s]);
      if constexpr (W > base_columns)
        if (s == 0) y = blend<R>(load(column), y, mine);
      store(column + s * W, y);
    }
  }
  for (index_t c = -P.before; c < 0; ++c) {
    R* const column = P.A + c * ld;
    vec<R> x[as_size(S)];
    TRIFAC_UNROLL
    for (int s = 0; s < S; ++s) x[s] = load(column + s * W);
    TRIFAC_UNROLL
    for (int s = 0; s < S; ++s) store(column + s * W, select_rows<S, R>(x, rows.at[s], upper[s]));
  }
  if (P.behind == 0) return true;

  alignas(64) R inverse[as_size(W + inverse_size<R>)];
  R* const X = inverse + W;
  invert_unit_lower(P.A + first, ld, X);
  // Four columns at a time: with one, order 24 takes a quarter more. Zero columns follow the last.
  constexpr int N = 4;
  for (index_t c = base_columns; c < base_columns + P.behind; c += N) {
    R* const columns = P.A + c * ld;
    vec<R> x[as_size(N)][as_size(S)];
    TRIFAC_UNROLL
    for (int i = 0; i < N; ++i) {
      vec<R> y[as_size(S)];
      TRIFAC_UNROLL
      for (int s = 0; s < S; ++s) y[s] = load(columns + i * ld + s * W);
      TRIFAC_UNROLL
      for (int s = 0; s < S; ++s) x[i][s] = select_rows<S, R>(y, rows.at[s], upper[s]);
    }
    solve_register_columns<S, N, R>(P, X - first, P.A, x);
    TRIFAC_UNROLL
    for (int i = 0; i < N; ++i) {
      TRIFAC_UNROLL
      for (int s = 0; s < S; ++s) store(columns + i * ld + s * W, x[i][s]);
    }
  }
  return true;
}

/// The panels of the n×n matrix at A whose first row is in one of the last S packets of rows.
template <int S, class R>
TRIFAC_INLINE bool factor_register_panels(R* A, index_t ld, index_t n, index_t* interchanges) {
  constexpr int W = width<R>;
  const index_t packet = ld - S * W;  // the first row of the packets that are left
  for (index_t j = packet; j < packet + W && j < n; j += base_columns) {
    const index_t columns = n - j < base_columns ? n - j : base_columns;
    const register_panel<R> P = {A + packet + j * ld,
                                 ld,
                                 j,
                                 n - j - columns,
                                 static_cast<int>(j - packet),
                                 static_cast<int>(n - j),
                                 static_cast<int>(columns)};
    if (!factor_register_panel<S>(P, interchanges + j)) return false;
    for (index_t k = j; k < j + columns; ++k) interchanges[k] += packet;
  }
  if constexpr (S > 1)
    return factor_register_panels<S - 1>(A, ld, n, interchanges);
  else
    return true;
}
template <int S, class R>
TRIFAC_INLINE bool factor_packets_of_registers(R* A, index_t ld, index_t n, index_t* interchanges) {
  if (ld == S * width<R>) return factor_register_panels<S>(A, ld, n, interchanges);
  if constexpr (S > 1)
    return factor_packets_of_registers<S - 1>(A, ld, n, interchanges);
  else
    return false;
}

/// P·A = L·U of a square A of up to register_packets packets of rows. False, and A unchanged, where
/// a pivot is not ordinary or one of several largest: to choose the first of them here costs 4 % at
/// order 8 without ties; by panel.inl such matrices take 1.4 to 1.9 times as long.
template <class R>
TRIFAC_ENTRY bool factor_lu_in_registers(target, const matrix_view<R>& A, index_t* interchanges) {
  constexpr int W = width<R>, M = register_packets<R>;
  static_assert(lu_in_registers(target::set).of<R>() <= M * W);
  const index_t n = A.rows(), ld = round_up(n, W);
  // One panel, stored once all pivots are known, needs no copy; special path register-panel.
  if constexpr (W == base_columns)
    if (n == W && A.row_stride() == 1) {
      const register_panel<R> P = {A.data(), A.col_stride(), 0, 0, 0, W, W};
      return factor_register_panel<1>(P, interchanges);
    }
  // Zero columns up to a whole panel; a packet more, as vectors begin within a column.
  alignas(64) R memory[as_size((M * W + 1) * M * W)];
  if (A.row_stride() == 1) {
    for (index_t j = 0; j < n; ++j) {
      const R* const from = A.data() + j * A.col_stride();
      index_t i = 0;
      for (; i + W <= n; i += W) store(memory + i + j * ld, load(from + i));
      if (i < n) store(memory + i + j * ld, load_first(from + i, static_cast<int>(n - i)));
    }
    for (index_t j = n; j < round_up(n, base_columns); ++j)
      for (index_t i = 0; i < ld; i += W) store(memory + i + j * ld, vec<R>{});
  } else {
    copy_in(A, memory, ld, ld);
  }
  if (!factor_packets_of_registers<M>(memory, ld, n, interchanges)) return false;
  copy_out(memory, ld, A);
  return true;
}
