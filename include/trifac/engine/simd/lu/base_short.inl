// LU with partial pivoting of at most eight columns and so few rows that a column stays in
// registers: right-looking, two pivots per sweep, and no row moves.

/// Packets of rows that this form takes: a column must fit the registers. At least eight rows,
/// since the tall form has as many rows as columns.
template <class T>
inline constexpr index_t short_panel_packets =
    target::vector_bytes / 8 < head_packets<T> ? head_packets<T> : target::vector_bytes / 8;
/// The same in rows, all of which fit a 64-bit set.
template <class T>
inline constexpr index_t short_panel_rows =
    short_panel_packets<T>* packet_rows<T> < 64 ? short_panel_packets<T>* packet_rows<T> : 64;

/// Rows 0 … of a short panel while it is eliminated. Rows keep their places; `active` has a bit for
/// each that has not been chosen yet, so the set of candidates costs no memory access.
template <class T>
struct short_panel {
  T* A;
  index_t ld;
  std::uint64_t active;
  index_t* ipiv;
  row_places places;
  pivot_faults faults;
};

/// Chooses the pivot of column k among the active rows of x, takes its row out of the set, and
/// divides: l = x / pivot in the rows still active, 0 elsewhere. Returns the pivot's row: of equal
/// candidates the first in the order that the interchanges have made. The maximum and the
/// reciprocal do not wait for the row.
template <int M, class T>
TRIFAC_INLINE index_t choose_pivot(short_panel<T>& P, int k, const packet<T> (&x)[as_size(M)],
                                   packet<T> (&l)[as_size(M)]) {
  using R = real_t<T>;
  constexpr int W = packet_rows<T>;
  keys<R> candidates[as_size(M)];
  TRIFAC_UNROLL
  for (int i = 0; i < M; ++i)
    candidates[i] = masked<R>(pivot_keys(x[i]), static_cast<unsigned>(P.active >> (i * W)));
  keys<R> largest = largest_in_all_lanes<R>(largest_of<R, M>(candidates));
  if constexpr (is_complex<T>) {
    if (__builtin_expect(may_have_overflowed<R>(largest), 0)) {
      TRIFAC_UNROLL
      for (int i = 0; i < M; ++i)
        candidates[i] =
            masked<R>(half_pivot_keys(x[i]), static_cast<unsigned>(P.active >> (i * W)));
      largest = largest_in_all_lanes<R>(largest_of<R, M>(candidates));
    }
  }

  std::uint64_t found = 0;
  TRIFAC_UNROLL
  for (int i = 0; i < M; ++i)
    found |= static_cast<std::uint64_t>(equal_lanes<R>(candidates[i], largest)) << (i * W);
  found &= P.active;
  std::uint64_t chosen = found & -found;
  if (__builtin_expect(chosen != found, 0)) chosen = P.places.first_of(found);
  const index_t row = __builtin_ctzll(chosen);
  P.active &= ~chosen;
  P.ipiv[k] = P.places.choose(k, row);

  const T* pivot = P.A + row + k * P.ld;
  const R size = ((vec<R>)largest)[0];
  if (__builtin_expect(is_ordinary_size<T>(size), 1)) {
    packet<T> r;
    if constexpr (is_complex<T>) {
      r = spread(reciprocal(*pivot));
    } else {
      const keys<R> sign = (keys<R>)broadcast(*pivot) & ~lanes<R>::magnitude;
      r.re = (vec<R>)((keys<R>)reciprocal_of_size<R>(largest) | sign);
    }
    TRIFAC_UNROLL
    for (int i = 0; i < M; ++i)
      l[i] = masked_packet(multiply(x[i], r), static_cast<unsigned>(P.active >> (i * W)));
  } else {
    note_fault(P.faults, k, size);
    const divisor<T> d = extreme_divisor(*pivot);
    const packet<T> r = spread(d.r);
    TRIFAC_UNROLL
    for (int i = 0; i < M; ++i)
      l[i] = masked_packet(multiply(scale(x[i], broadcast(d.s)), r),
                           static_cast<unsigned>(P.active >> (i * W)));
  }
  return row;
}

/// Column c := itself − l0·u0 − l1·u1, where the pivot rows are row0 and row1 and w is l0 in row1;
/// returned in z.
template <int M, class T>
TRIFAC_INLINE void subtract_two(T* column, index_t row0, index_t row1, packet<T> w,
                                const packet<T> (&l0)[as_size(M)],
                                const packet<T> (&l1)[as_size(M)], packet<T> (&z)[as_size(M)]) {
  constexpr int W = packet_rows<T>;
  const packet<T> u0 = spread(column[row0]);
  const packet<T> u1 = subtract_product(spread(column[row1]), w, u0);
  TRIFAC_UNROLL
  for (int i = 0; i < M; ++i) {
    z[i] = subtract_product(subtract_product(load_packet(column + i * W), l0[i], u0), l1[i], u1);
    store_packet(column + i * W, z[i]);
  }
}

/// Columns k and k+1 of a short panel; x is column k. Both pivots, then one sweep over the columns
/// to the right; x is column k+2 afterwards. With `steps` = k+1 there is no second pivot.
template <int M, class T>
TRIFAC_INLINE void eliminate_two(short_panel<T>& P, int k, int steps, packet<T> (&x)[as_size(M)]) {
  constexpr int W = packet_rows<T>;
  T* first = P.A + k * P.ld;
  T* second = first + P.ld;
  packet<T> l0[as_size(M)], l1[as_size(M)], y[as_size(M)];

  const index_t row0 = choose_pivot<M>(P, k, x, l0);
  const packet<T> u = spread(second[row0]);
  TRIFAC_UNROLL
  for (int i = 0; i < M; ++i) {
    y[i] = subtract_product(load_packet(second + i * W), l0[i], u);
    store_packet(second + i * W, y[i]);
  }
  TRIFAC_UNROLL
  for (int i = 0; i < M; ++i)
    store_packet(first + i * W,
                 blend_packet(x[i], l0[i], static_cast<unsigned>(P.active >> (i * W))));

  index_t row1 = row0;
  packet<T> w = {};
  if (k + 1 < steps) {
    row1 = choose_pivot<M>(P, k + 1, y, l1);
    w = spread(first[row1]);
    TRIFAC_UNROLL
    for (int i = 0; i < M; ++i)
      y[i] = blend_packet(y[i], l1[i], static_cast<unsigned>(P.active >> (i * W)));
  } else {
    TRIFAC_UNROLL
    for (int i = 0; i < M; ++i) l1[i] = packet<T>{};
  }
  if (k + 2 < base_columns) {
    T* column = second + P.ld;
    subtract_two<M>(column, row0, row1, w, l0, l1, x);
    for (int c = k + 3; c < base_columns; ++c) {
      packet<T> z[as_size(M)];
      column += P.ld;
      subtract_two<M>(column, row0, row1, w, l0, l1, z);
    }
  }
  TRIFAC_UNROLL
  for (int i = 0; i < M; ++i) store_packet(second + i * W, y[i]);
}

/// M packets of rows and eight columns, all in memory; rows from `rows` and columns from `steps` on
/// are padding or are only updated. ipiv[k] is written for k < steps; rows stay where they are,
/// and P.places tells where they belong.
template <int M, class T>
inline __attribute__((noinline)) void factor_short(short_panel<T>& P, int steps) {
  packet<T> x[as_size(M)];
  short_panel<T> local = P;
  TRIFAC_UNROLL
  for (int i = 0; i < M; ++i) x[i] = load_packet(P.A + i * packet_rows<T>);
  for (int k = 0; k < steps; k += 2) eliminate_two<M>(local, k, steps, x);
  P = local;
}

/// The same for a number of packets; all panels have eight rows in memory at least.
template <int M, class T>
TRIFAC_INLINE void factor_short_of(short_panel<T>& P, index_t packets, int steps) {
  if (packets <= M) {
    factor_short<M>(P, steps);
  } else {
    if constexpr ((M + 1) * packet_rows<T> <= short_panel_rows<T>)
      factor_short_of<M + 1>(P, packets, steps);
  }
}
