// Panels of a Cholesky factorization: which tiles there are, in which order. Entry points for one
// thread or for the threads of a team, each with its own range of strips or columns.

#include "trifac/simd/cholesky_diagonal.inl"
#include "trifac/simd/cholesky_rows.inl"

// Strips in one tile when `left` are left: no single strip remains where two tiles of two do.
template <class T>
constexpr int next_strips(index_t left) {
  constexpr int most = target::tile<T>.vectors;
  if (left >= most) return left == most + 1 && most > 2 ? most - 1 : most;
  return static_cast<int>(left);
}

// Calls f.template tile<V>() with V = strips, which is at most that of the tile.
template <int V, class T, class F>
TRIFAC_INLINE void with_strips(int strips, const F& f) {
  if constexpr (V > 1) {
    if (strips < V) return with_strips<V - 1, T>(strips, f);
  }
  f.template tile<V>();
}

template <class T>
struct solve_call {
  const cholesky_panel<T>& panel;
  index_t q, strip;
  template <int V>
  TRIFAC_INLINE void tile() const {
    solve_tile<V>(target{}, panel, q, strip);
  }
};

template <class T>
struct update_call {
  const trailing_tile<T>& at;
  template <int V>
  TRIFAC_INLINE void tile() const {
    update_tile<region::whole, 0, V>(target{}, at);
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
  const bool good = columns == n ? factor_diagonal<Offset, tile_kind::full>(target{}, panel, q)
                                 : factor_diagonal<Offset, tile_kind::partial>(target{}, panel, q);
  return __builtin_expect(good, 1) ? columns : factor_diagonal_exactly(target{}, panel, q);
}

template <class T>
TRIFAC_INLINE void solve_strips(const cholesky_panel<T>& panel, index_t q, index_t strip,
                                int strips) {
  with_strips<target::tile<T>.vectors, T>(strips, solve_call<T>{panel, q, strip});
}

/// Factors the diagonal block of a panel and solves `rows` rows in all, at least the block's, at
/// most the panel's. Returns −1, or the column of the first bad pivot.
///
/// Each diagonal tile comes as early as it can, before the rest of the rows left of it are solved:
/// its chain of pivots then runs beside their sums.
template <class T>
TRIFAC_ENTRY index_t factor_panel(target, const cholesky_panel<T>& panel, index_t rows) {
  constexpr index_t n = tile_columns<T>, w = strip_rows<T>;
  const index_t strips = count_strips<target, T>(rows), tiles = (panel.A.cols() + n - 1) / n;
  for (index_t q = 0; q < tiles; ++q) {
    if (q == 0)
      if (const int good = diagonal_tile(panel, 0); good < n && good < panel.A.cols()) return good;
    index_t strip = q * n / w + 1;
    if (q + 1 < tiles) {
      if ((q + 1) * n / w == strip) solve_strips(panel, q, strip++, 1);
      const index_t column = (q + 1) * n;
      const int good = diagonal_tile(panel, q + 1);
      if (good < n && column + good < panel.A.cols()) return column + good;
    }
    while (strip < strips) {
      const int some = next_strips<T>(strips - strip);
      solve_strips(panel, q, strip, some);
      strip += some;
    }
  }
  return -1;
}

/// Solves strips from … to − 1 below the diagonal block, which factor_panel has done.
template <class T>
TRIFAC_ENTRY void solve_rows(target, const cholesky_panel<T>& panel, index_t from, index_t to) {
  const index_t tiles = panel.A.cols() / tile_columns<T>;
  while (from < to) {
    const int some = next_strips<T>(to - from);
    for (index_t q = 0; q < tiles; ++q) solve_strips(panel, q, from, some);
    from += some;
  }
}

// Strips that stay in a second-level cache of 1 MiB while columns pass by.
template <class T>
constexpr index_t strips_at_hand(index_t strip_stride) {
  constexpr index_t most = target::tile<T>.vectors;
  const index_t strips = (index_t{480} << 10) / (strip_stride * index_t{sizeof(real_t<T>)});
  return strips < most ? most : strips / most * most;
}

// Operands of the tile whose vectors run along `strips` strips from `strip`, and whose columns
// belong to the N rows from `row`.
template <class T>
TRIFAC_INLINE trailing_tile<T> trailing_of(const cholesky_panel<T>& panel, matrix_view<T> C,
                                           index_t strip, index_t row) {
  constexpr index_t w = strip_rows<T>;
  return {C,
          panel.packed + strip * panel.strip_stride,
          panel.packed + row / w * panel.strip_stride + row % w,
          panel.strip_stride,
          panel.A.cols(),
          false,
          nullptr};
}

template <region Region, class T, int Offset = 0>
TRIFAC_INLINE void update_diagonal_tile(const trailing_tile<T>& at, index_t offset) {
  constexpr int n = tile_columns<T>, w = width<real_t<T>>;
  if constexpr (Offset + n < w)
    if (offset != Offset) return update_diagonal_tile<Region, T, Offset + n>(at, offset);
  update_tile<Region, Offset, 1>(target{}, at);
}

// Tiles along the columns of A: strips of rows on the left, N columns on the right.
template <class T>
inline void update_by_columns(const cholesky_panel<T>& panel, matrix_view<T> A, index_t from,
                              index_t to, index_t first_row) {
  constexpr index_t n = tile_columns<T>, w = strip_rows<T>;
  const index_t end = count_strips<target, T>(A.rows()),
                at_hand = strips_at_hand<T>(panel.strip_stride);
  for (index_t top = first_row / w; top < end; top += at_hand) {
    const index_t bottom = top + at_hand < end ? top + at_hand : end;
    for (index_t column = from; column < to && column < bottom * w; column += n) {
      const index_t cols = to - column < n ? to - column : n;
      index_t strip = top;
      if (column >= top * w) {
        strip = column / w;
        const index_t rows = A.rows() - strip * w;
        const auto C = A.block(strip * w, column, rows < w ? rows : w, cols);
        update_diagonal_tile<region::lower>(trailing_of(panel, C, strip, column), column % w);
        ++strip;
      }
      while (strip < bottom) {
        const int some = next_strips<T>(bottom - strip);
        const index_t rows = A.rows() - strip * w;
        const auto C = A.block(strip * w, column, rows < some * w ? rows : some * w, cols);
        trailing_tile<T> at = trailing_of(panel, C, strip, column);
        strip += some;
        if (strip < bottom)
          at.next = &A(strip * w, column);
        else if (column + n < to && (column + n) / w + 1 < bottom)
          at.next = &A(column + n < top * w ? top * w : ((column + n) / w + 1) * w, column + n);
        with_strips<target::tile<T>.vectors, T>(some, update_call<T>{at});
      }
    }
  }
}

// Row-major: tiles along the rows of A, which are columns of Aᵀ. Strips of columns on the left, N
// rows on the right; Aᵀ takes the conjugate product.
template <class T>
inline void update_by_rows(const cholesky_panel<T>& panel, matrix_view<T> A, index_t from,
                           index_t to, index_t first_row) {
  constexpr index_t n = tile_columns<T>, w = strip_rows<T>;
  const index_t end = count_strips<target, T>(to), at_hand = strips_at_hand<T>(panel.strip_stride);
  for (index_t left = from / w; left < end; left += at_hand) {
    const index_t right = left + at_hand < end ? left + at_hand : end;
    const index_t top = first_row > left * w ? first_row : left * w;
    for (index_t row = top; row < A.rows(); row += n) {
      const index_t rows = A.rows() - row < n ? A.rows() - row : n;
      const index_t diagonal = row / w, whole = diagonal < right ? diagonal : right;
      for (index_t strip = left; strip < whole;) {
        const int some = next_strips<T>(whole - strip);
        const index_t cols = to - strip * w;
        const auto C = A.block(row, strip * w, rows, cols < some * w ? cols : some * w);
        trailing_tile<T> at = trailing_of(panel, C.transposed(), strip, row);
        at.conjugated = is_complex<T>;
        strip += some;
        if (strip < whole)
          at.next = &A(row, strip * w);
        else if (row + 2 * n <= A.rows())
          at.next = &A(row + n, left * w);
        with_strips<target::tile<T>.vectors, T>(some, update_call<T>{at});
      }
      if (diagonal < right) {
        const index_t cols = A.rows() - diagonal * w;
        const auto C = A.block(row, diagonal * w, rows, cols < w ? cols : w);
        trailing_tile<T> at = trailing_of(panel, C.transposed(), diagonal, row);
        at.conjugated = is_complex<T>;
        update_diagonal_tile<region::upper>(at, row % w);
      }
    }
  }
}

/// Subtracts the panel's product with itself from columns from … to − 1 of A, rows `first_row` and
/// below, on and under the diagonal. A is the matrix whose first columns the panel is; `from`,
/// `first_row` and, unless it is the end, `to` are multiples of panel_unit.
template <class T>
TRIFAC_ENTRY void update_trailing(target, const cholesky_panel<T>& panel, matrix_view<T> A,
                                  index_t from, index_t to, index_t first_row) {
  if (A.col_stride() == 1 && A.row_stride() != 1)
    update_by_rows(panel, A, from, to, first_row);
  else
    update_by_columns(panel, A, from, to, first_row);
}
