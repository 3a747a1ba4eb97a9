// Panels of a Cholesky factorization: which tiles there are, in which order. Entry points for one
// thread or for the threads of a team, each with its own range of micro-panels or columns.

template <class T>
struct solve_call {
  const cholesky_panel<T>& panel;
  index_t q, micro_panel;
  const T* next;
  template <int V>
  TRIFAC_INLINE void tile() const {
    solve_tile<V>(target{}, panel, q, micro_panel, next);
  }
};

// Tile column q of the diagonal. Returns how many of its columns have a good pivot.
template <class T, int Offset = 0>
inline int diagonal_tile(const cholesky_panel<T>& panel, index_t q) {
  constexpr int n = tile_columns<T>, w = width<real_t<T>>;
  const int offset = static_cast<int>(q * n % w);
  if constexpr (Offset + n < w)
    if (offset != Offset) return diagonal_tile<T, Offset + n>(panel, q);
  const int columns = at_most(panel.A.cols() - q * n, n);
  return __builtin_expect(factor_diagonal<Offset>(target{}, panel, q), 1)
             ? columns
             : factor_diagonal_exactly(target{}, panel, q);
}

// Micro-panels `micro_panel` … of tile column q, as many as a tile may have. Contiguous rows that
// end within a micro-panel are a tile of their own.
template <class T>
inline __attribute__((noinline)) void solve_micro_panels(const cholesky_panel<T>& panel, index_t q,
                                                         index_t micro_panel, int micro_panels,
                                                         const T* next = nullptr) {
  constexpr int most = target::tile<T>.vectors;
  const index_t block = q * tile_columns<T> / elimination_block;
  const auto* eliminations = reinterpret_cast<const elimination_of<T>*>(panel.eliminations);
  if (__builtin_expect(eliminations[block].scaled_before, 0)) {
    for (int s = 0; s < micro_panels; ++s)  // see elimination_triangle
      solve_tile<1, T>(target{}, panel, q, micro_panel + s, nullptr);
    return;
  }
  if (panel.A.row_stride() == 1 || (micro_panel + micro_panels) * micro_rows<T> <= panel.A.rows()) {
    with_vectors<most, T>(micro_panels, solve_call<T>{panel, q, micro_panel, next});
    return;
  }
  while (micro_panels > 0) {
    const int some = micro_panels == 1 ? 1 : next_vectors<T>(micro_panels - 1);
    with_vectors<most, T>(some, solve_call<T>{panel, q, micro_panel, nullptr});
    micro_panel += some;
    micro_panels -= some;
  }
}

// One micro-panel saturates the FMA units, so a diagonal tile depends on its own micro-panel only.
template <class T>
inline constexpr bool one_vector_is_enough = tile_columns<T>* planes<T> >= 8;

// Whether a diagonal tile is summed with rows below it, AVX2's choice: a tile of 16 registers has
// fewer chains of sums than FMA units need. AVX-512 gains nothing, SSE2 loses. Special path
// diagonal-with-rows.
template <class T>
inline constexpr bool sums_diagonal_with_rows =
    target::registers == 16 && target::has_fma && !one_vector_is_enough<T>;

// The first micro-panel that is not done, and how many columns of the diagonal have a good pivot.
struct diagonal_done {
  index_t micro_panel;
  int good;
};

// Tile column q of the diagonal, with V micro-panels below it; but not in the first columns, where
// the chain of pivots takes longer than the sums.
template <int V, class T, int Offset = 0>
inline diagonal_done diagonal_and_rows(const cholesky_panel<T>& panel, index_t q,
                                       index_t micro_panels) {
  constexpr int n = tile_columns<T>, w = width<real_t<T>>;
  if constexpr (Offset + n < w)
    if (q * n % w != Offset) return diagonal_and_rows<V, T, Offset + n>(panel, q, micro_panels);
  const index_t column = q * n, below = column / w + 1, end = below + V;
  const auto* const eliminations = reinterpret_cast<const elimination_of<T>*>(panel.eliminations);
  const bool together =
      column >= 3 * w && end <= micro_panels && end * w <= panel.A.rows() &&
      column + n <= panel.A.cols() &&
      (column % elimination_block == 0 || !eliminations[column / elimination_block].scaled_before);
  if (together && __builtin_expect(solve_tile<V, T, Offset>(target{}, panel, q, below, nullptr), 1))
    return {end, n};
  return {below, diagonal_tile(panel, q)};
}

/// Factors the diagonal block of a panel and solves `rows` rows in all, at least the block's, at
/// most the panel's. Returns −1, or the column of the first bad pivot.
///
/// A diagonal tile that is summed by itself comes as early as it can, before the rest of the rows
/// left of it are solved: its chain of pivots then runs beside their sums.
template <class T>
TRIFAC_ENTRY index_t factor_panel(target, const cholesky_panel<T>& panel, index_t rows) {
  constexpr index_t n = tile_columns<T>, w = micro_rows<T>;
  const index_t micro_panels = count_micro_panels<target, T>(rows),
                tiles = (panel.A.cols() + n - 1) / n;
  const auto solve_from = [&](index_t q, index_t micro_panel) {
    while (micro_panel < micro_panels) {
      const int some = next_vectors<T>(micro_panels - micro_panel);
      solve_micro_panels(panel, q, micro_panel, some);
      micro_panel += some;
    }
  };
  if constexpr (sums_diagonal_with_rows<T>) {
    for (index_t q = 0; q < tiles; ++q) {
      const auto [micro_panel, good] =
          diagonal_and_rows<target::tile<T>.vectors - 1>(panel, q, micro_panels);
      if (good < n && q * n + good < panel.A.cols()) return q * n + good;
      solve_from(q, micro_panel);
    }
    return -1;
  }
  for (index_t q = 0; q < tiles; ++q) {
    if (q == 0)
      if (const int good = diagonal_tile(panel, 0); good < n && good < panel.A.cols()) return good;
    index_t micro_panel = q * n / w + 1;
    if (q + 1 < tiles) {
      if ((q + 1) * n / w == micro_panel) {
        const int some = one_vector_is_enough<T> ? 1 : next_vectors<T>(micro_panels - micro_panel);
        solve_micro_panels(panel, q, micro_panel, some);
        micro_panel += some;
      }
      const index_t column = (q + 1) * n;
      const int good = diagonal_tile(panel, q + 1);
      if (good < n && column + good < panel.A.cols()) return column + good;
    }
    solve_from(q, micro_panel);
  }
  return -1;
}

/// Solves micro-panels from … to − 1 below the diagonal block, which factor_panel has done: two
/// rows of tiles by turns as in subtract_square, but row after row in row-major storage, where
/// the next tile may take the rest of a cache line.
template <class T>
TRIFAC_ENTRY void solve_rows(target, const cholesky_panel<T>& panel, index_t from, index_t to) {
  constexpr index_t n = tile_columns<T>, w = micro_rows<T>;
  const matrix_view<T>& A = panel.A;
  const index_t tiles = A.cols() / n;
  const bool by_columns = A.row_stride() == 1;
  const index_t height = (by_columns ? tiles_by_turns : 1) * target::tile<T>.vectors;
  for (index_t bottom; from < to; from = bottom) {
    bottom = detail::min(from + height, to);
    for (index_t q = 0; q < tiles; ++q)
      for (index_t micro_panel = from; micro_panel < bottom;) {
        const int some = next_vectors<T>(bottom - micro_panel);
        const index_t below = micro_panel + some;
        const T* next = nullptr;
        if (by_columns && below < bottom)
          next = &A(below * w, q * n);
        else if (by_columns && q + 1 < tiles)
          next = &A(from * w, (q + 1) * n);
        else if (by_columns && bottom < to)
          next = &A(bottom * w, 0);
        solve_micro_panels(panel, q, micro_panel, some, next);
        micro_panel = below;
      }
  }
}

/// Subtracts the panel's product with itself from columns from … to − 1 of A, rows `first_row` and
/// below, on and under the diagonal. A is the matrix whose first columns the panel is; `from`,
/// `first_row` and, unless it is the end, `to` are multiples of panel_unit.
template <class T>
TRIFAC_ENTRY void update_trailing(target, const cholesky_panel<T>& panel, matrix_view<T> A,
                                  index_t from, index_t to, index_t first_row) {
  subtract_square(tile_kernels_of<T>(target{}), panel.rows(), A, from, to, first_row);
}
