// One step of right-looking LU for the columns right of its panel: rows interchanged, multiplied by
// L11⁻¹, and subtracted, a few micro-panels of eight columns at a time.

/// Micro-panels whose rows of U are ready before the update starts: a block of L21 is used for all
/// of them while it is in a cache. What comes after them is fetched meanwhile. 8 cost 4 %, 2 make
/// no difference.
inline constexpr int micro_panels_at_once = 4;
/// Of L21; whole tiles of every type. From half to twice as many the difference is below 8 %.
inline constexpr index_t rows_at_once = 1920;

/// Rows of L21 from `row` on.
template <class T>
TRIFAC_INLINE packed_operand<T> rows_of(const lu_step<T>& S, index_t row) {
  const packed_operand<T> L21 = {reinterpret_cast<const real_t<T>*>(S.packed),
                                 panel_stride<T>(S.K)};
  return L21.from(row);
}

// The first K rows of a micro-panel: where the next interchanges send rows.
template <class T>
TRIFAC_INLINE void fetch_top(const T* C, index_t ldc, index_t K) {
  constexpr index_t line = cache_line / index_t(sizeof(T));
  for (int c = 0; c < base_columns; ++c)
    for (index_t k = 0; k < K; k += line) __builtin_prefetch(C + c * ldc + k, 1, 2);
}

/// Whole micro-panels, columns contiguous, at least K rows.
template <class T>
inline __attribute__((noinline)) void eliminate_micro_panels(const lu_step<T>& S, T* C, index_t ldc,
                                                             index_t rows, index_t micro_panels) {
  micro_panel_buffer<T, micro_panels_at_once> buffer;
  const inverted_blocks<T> L11 = {S.inverses, S.F, S.K};
  for (index_t first = 0; first < micro_panels; first += micro_panels_at_once) {
    const index_t count =
        micro_panels - first < micro_panels_at_once ? micro_panels - first : micro_panels_at_once;
    T* group = C + first * base_columns * ldc;
    const index_t ahead = count * base_columns, with_next = micro_panels - first - count;
    for (index_t s = 0; s < count; ++s) {
      T* const micro_panel = group + s * base_columns * ldc;
      interchange_and_solve(micro_panel, ldc, L11, S.moves, buffer.micro_panel(s));
      if (s < with_next) fetch_top(micro_panel + ahead * ldc, ldc, S.K);
    }
    for (index_t row = S.K; row < rows; row += rows_at_once) {
      const index_t some = rows - row < rows_at_once ? rows - row : rows_at_once;
      for (index_t s = 0; s < count; ++s)
        update_micro_panel(group + s * base_columns * ldc + row, ldc, rows_of(S, row - S.K), some,
                           buffer.micro_panel(s), S.K, s < with_next ? ahead : 0);
    }
  }
}

/// At most eight columns of any strides, or with fewer rows than the padded panel: by way of
/// copies.
template <class T>
inline __attribute__((noinline)) void eliminate_by_copy(const lu_step<T>& S, matrix_view<T> C) {
  constexpr index_t chunk = 96;  // rows; whole tiles
  micro_panel_buffer<T, 1> micro_panel;
  alignas(64) real_t<T>
      parts[as_size(base_columns * (chunk + 16) * index_t(sizeof(T) / sizeof(real_t<T>)))];
  T* copy = reinterpret_cast<T*>(parts);
  T* U = micro_panel.micro_panel(0);
  const index_t rows = C.rows(), top = S.K < rows ? S.K : rows;
  for (index_t k = 0; k < S.K; ++k) {
    const index_t from = S.moves.source[k];
    for (index_t c = 0; c < base_columns; ++c)
      U[k + c * micro_ld] = c < C.cols() && from < rows ? C(from, c) : T(0);
  }
  for (index_t k = 0; k < top; ++k)
    for (index_t c = 0; c < C.cols(); ++c) C(S.moves.target[k], c) = C(k, c);
  solve_gathered(inverted_blocks<T>{S.inverses, S.F, S.K}, U);
  for (index_t k = 0; k < top; ++k)
    for (index_t c = 0; c < C.cols(); ++c) C(k, c) = U[k + c * micro_ld];
  for (index_t row = S.K; row < rows; row += chunk) {
    const index_t some = rows - row < chunk ? rows - row : chunk;
    const matrix_view<T> part = C.block(row, 0, some, C.cols());
    copy_in(part, copy, chunk + 16, round_up(some, packet_rows<T>));
    update_micro_panel(copy, chunk + 16, rows_of(S, row - S.K), some, U, S.K);
    copy_out(copy, chunk + 16, part);
  }
}

/// The columns C right of a factored panel, from the panel's first row on.
template <class T>
TRIFAC_ENTRY void eliminate_columns(target, const lu_step<T>& S, const matrix_view<T>& panel,
                                    matrix_view<T> C) {
  if (C.runs_along_rows() && S.K <= C.rows()) return eliminate_row_major(S, panel, C);
  index_t done = 0;
  if (C.row_stride() == 1 && S.K <= C.rows()) {
    const index_t micro_panels = C.cols() / base_columns;
    eliminate_micro_panels(S, C.data(), C.col_stride(), C.rows(), micro_panels);
    done = micro_panels * base_columns;
  }
  for (; done < C.cols(); done += base_columns) {
    const index_t some = C.cols() - done < base_columns ? C.cols() - done : base_columns;
    eliminate_by_copy(S, C.block(0, done, C.rows(), some));
  }
}

/// The interchanges of later panels for the columns of earlier ones: part `piece` of `pieces` of
/// each panel's columns. `memory`: lu_left_bytes<T>(A.rows()).
template <class T>
TRIFAC_ENTRY void interchange_left_columns(target, matrix_view<T> A, index_t block,
                                           const index_t* interchanges, index_t steps,
                                           index_t piece, index_t pieces, std::byte* memory) {
  const index_t m = A.rows();
  index_t* source = panel_memory::take<index_t>(memory, m);
  index_t* place_of = panel_memory::take<index_t>(memory, m);
  T* column = panel_memory::take<T>(memory, m + panel_memory::widest_packet);
  for (index_t i = 0; i < m; ++i) source[i] = place_of[i] = i;
  index_t end = steps;
  for (index_t next = (steps - 1) / block * block; next > 0; end = next, next -= block) {
    for (index_t k = end - 1; k >= next; --k)
      prepend_interchange(k, interchanges[k], source, place_of);
    const index_t from = block * piece / pieces, to = block * (piece + 1) / pieces;
    const matrix_view<T> part = A.block(0, next - block + from, m, to - from);
    if (A.row_stride() == 1) {
      permute_rows(part.data(), part.col_stride(), part.cols(), next, m, source, column);
    } else {
      exchange_rows(part, interchanges, next, steps);
    }
  }
}

/// Interchanges from … to − 1 of the rows of C. `memory`: lu_left_bytes<T>(C.rows()).
template <class T>
TRIFAC_ENTRY void interchange_columns(target, const matrix_view<T>& C, const index_t* interchanges,
                                      index_t from, index_t to, std::byte* memory) {
  if (C.row_stride() != 1) return exchange_rows(C, interchanges, from, to);
  const index_t m = C.rows();
  index_t* source = panel_memory::take<index_t>(memory, m);
  index_t* place_of = panel_memory::take<index_t>(memory, m);
  T* column = panel_memory::take<T>(memory, m + panel_memory::widest_packet);
  for (index_t i = 0; i < m; ++i) source[i] = place_of[i] = i;
  for (index_t k = to - 1; k >= from; --k)
    prepend_interchange(k, interchanges[k], source, place_of);
  permute_rows(C.data(), C.col_stride(), C.cols(), from, m, source, column);
}
