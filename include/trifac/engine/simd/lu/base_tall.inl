// LU of at most eight columns and any number of rows: left-looking, rows exchanged as they are
// chosen. Each pass over a column divides the one before it, updates, and searches the next pivot;
// with pivot_choice::diagonal what was found is not used.

/// Lanes of packet `v` whose rows are ≥ first.
template <class T>
constexpr unsigned rows_from(int first, int v) {
  const int lane = first - v * packet_rows<T>;
  return lane <= 0 ? ~0u : lane >= packet_rows<T> ? 0u : ~0u << lane;
}

template <class T>
struct tall_panel {
  T* A;
  index_t ld;
  index_t packets;  // of rows, zeros below the last row included
  index_t rows;
  pivot_choice choice;
  packet<T> r;  // by which the column before is still to be multiplied
  pivot_faults faults;
};

/// The rows of the largest keys seen so far, lane by lane: `number` counts packets.
template <class R>
struct search {
  keys<R> largest;
  keys<R> number;

  TRIFAC_INLINE void see(keys<R> candidate, keys<R> packet_number) {
    const keys<R> better = (keys<R>)(candidate > largest);
    largest = larger_key<R>(largest, candidate);
    number = (number & ~better) | (packet_number & better);
  }
};

/// Row of the largest key; the lowest one of equals.
template <class R>
TRIFAC_INLINE index_t first_row(const search<R>& s, keys<R> largest) {
  key<R> numbers[width<R>];
  __builtin_memcpy(numbers, &s.number, sizeof numbers);
  index_t row = -1;
  for (unsigned set = equal_lanes<R>(s.largest, largest); set != 0; set &= set - 1) {
    const int lane = __builtin_ctz(set);
    const index_t candidate = static_cast<index_t>(numbers[lane]) * width<R> + lane;
    if (row < 0 || candidate < row) row = candidate;
  }
  return row;
}

template <int J, int K, class T>
TRIFAC_INLINE void solve_head_from(const tall_panel<T>& P, packet<T> (&x)[head_packets<T>],
                                   packet<T> (&u)[base_columns]) {
  constexpr int W = packet_rows<T>;
  u[J] = packet_lane<J % W>(x[J / W]);
  TRIFAC_UNROLL
  for (int v = 0; v < head_packets<T>; ++v) {
    const packet<T> l = load_packet(P.A + v * W + J * P.ld);
    x[v] = subtract_product(x[v], masked_packet(l, rows_from<T>(J + 1, v)), u[J]);
  }
  if constexpr (J + 1 < K) solve_head_from<J + 1, K>(P, x, u);
}

/// Rows 0 … K−1 of column K of U, and rows K … of the head of that column updated; u: U's elements,
/// each in all lanes.
template <int K, class T>
TRIFAC_INLINE void solve_head(const tall_panel<T>& P, packet<T> (&x)[head_packets<T>],
                              packet<T> (&u)[base_columns]) {
  constexpr int H = head_packets<T>, W = packet_rows<T>;
  TRIFAC_UNROLL
  for (int v = 0; v < H; ++v) x[v] = load_packet(P.A + v * W + K * P.ld);
  if constexpr (K > 0) {
    T* before = P.A + (K - 1) * P.ld;
    TRIFAC_UNROLL
    for (int v = 0; v < H; ++v) {
      const packet<T> l = load_packet(before + v * W);
      store_packet(before + v * W, blend_packet(l, multiply(l, P.r), rows_from<T>(K, v)));
    }
    solve_head_from<0, K>(P, x, u);
    TRIFAC_UNROLL
    for (int v = 0; v < H; ++v) store_packet(P.A + v * W + K * P.ld, x[v]);
  }
}

/// Divides by the pivot of column K, now in row K: the product with r is left to the next pass over
/// the column.
template <int K, class T>
TRIFAC_INLINE void prepare_division(tall_panel<T>& P) {
  using R = real_t<T>;
  const T pivot = P.A[K + K * P.ld];
  const R size = pivot_magnitude(pivot);
  if (__builtin_expect(is_ordinary_size<T>(size), 1)) {
    P.r = spread(reciprocal(pivot));
    return;
  }
  note_fault(P.faults, K, finite_magnitude(pivot));
  const divisor<T> d = extreme_divisor(pivot);
  P.r = spread(d.r);
  for (index_t i = K + 1; i < P.rows; ++i) P.A[i + K * P.ld] *= d.s;
}

/// Column K of the panel; from `steps` on, where rows have ended, only of U.
template <int K, class T>
TRIFAC_INLINE void factor_tall_column(tall_panel<T>& P, int steps, index_t* ipiv) {
  using R = real_t<T>;
  constexpr int H = head_packets<T>, W = packet_rows<T>;
  const index_t ld = P.ld;
  packet<T> x[as_size(H)], u[base_columns];
  solve_head<K>(P, x, u);
  if (K >= steps) return;

  search<R> s = {masked<R>(pivot_keys(x[0]), rows_from<T>(K, 0)), keys<R>{}};
  keys<R> number = {};
  TRIFAC_UNROLL
  for (int v = 1; v < H; ++v) s.see(masked<R>(pivot_keys(x[v]), rows_from<T>(K, v)), number += 1);
  T* a = P.A + H * W;
  for (index_t i = H; i < P.packets; ++i, a += W) {
    packet<T> y = load_packet(a + K * ld);
    if constexpr (K > 0) {
      TRIFAC_UNROLL
      for (int k = 0; k + 1 < K; ++k) y = subtract_product(y, load_packet(a + k * ld), u[k]);
      const packet<T> l = multiply(load_packet(a + (K - 1) * ld), P.r);
      store_packet(a + (K - 1) * ld, l);
      y = subtract_product(y, l, u[K - 1]);
      store_packet(a + K * ld, y);
    }
    s.see(pivot_keys(y), number += 1);
  }

  const keys<R> largest = largest_in_all_lanes<R>(s.largest);
  index_t row = first_row(s, largest);
  if constexpr (is_complex<T>)
    if (__builtin_expect(may_have_overflowed<R>(largest), 0))
      row = K + blas::find_pivot<T>({P.A + K + K * ld, P.rows - K, 1, 1, ld}, nullptr);
  // 0 · Inf may have put a NaN below the last row; then no row of the column is finite, and any
  // will do.
  if (row < K || row >= P.rows || P.choice == pivot_choice::diagonal) row = K;
  ipiv[K] = row;
  if (row != K) {
    TRIFAC_UNROLL
    for (int c = 0; c < base_columns; ++c) {
      const T upper = P.A[K + c * ld];
      P.A[K + c * ld] = P.A[row + c * ld];
      P.A[row + c * ld] = upper;
    }
  }
  prepare_division<K>(P);
}

template <int K, class T>
TRIFAC_INLINE void factor_tall_from(tall_panel<T>& P, int steps, index_t* ipiv) {
  if (K >= steps && K < P.rows) return;
  factor_tall_column<K>(P, steps, ipiv);
  if (P.faults.fatal(P.choice)) return;
  if constexpr (K + 1 < base_columns) factor_tall_from<K + 1>(P, steps, ipiv);
}

/// rows × steps panel at A, in memory eight columns and a multiple of a packet's rows, at least
/// eight.
template <class T>
inline __attribute__((noinline)) pivot_faults factor_tall(T* A, index_t ld, index_t rows, int steps,
                                                          pivot_choice choice, index_t* ipiv) {
  constexpr int H = head_packets<T>, W = packet_rows<T>;
  tall_panel<T> P = {A, ld, round_up(rows, W) / W, rows, choice, packet<T>{}, pivot_faults{}};
  factor_tall_from<0>(P, steps, ipiv);
  if (P.faults.fatal(P.choice)) return P.faults;
  T* last = A + (steps - 1) * ld;
  for (index_t i = 0; i < P.packets; ++i, last += W) {
    const packet<T> l = load_packet(last);
    const unsigned below = i < H ? rows_from<T>(steps, static_cast<int>(i)) : ~0u;
    store_packet(last, blend_packet(l, multiply(l, P.r), below));
  }
  return P.faults;
}
