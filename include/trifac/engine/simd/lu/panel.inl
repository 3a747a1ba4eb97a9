// LU of a panel in memory that kernels may use freely: rows padded with zeros to whole packets,
// columns to micro-panels of eight. Blocks of columns, each factored in the same way, down to the
// eight columns of the base.

/// Rows in memory are a multiple of this.
template <class T>
inline constexpr index_t row_padding =
    packet_rows<T> < base_columns ? base_columns : packet_rows<T>;

/// Memory of one panel; see panel_memory.
template <class T>
struct panel_work {
  T* inverses;  // of the diagonal blocks of the block in hand, and F: see inverted_blocks
  T* F;
  T* U;             // a micro-panel of U
  index_t* row_at;  // i for every row
  growing_permutation<T> last_pass;
  permutation moves;  // of the block in hand
  std::byte* step;    // of a block in the panel: lu_step_bytes
  index_t step_block;
  pivot_choice choice;
};

/// At most eight columns. work.moves are those of the panel afterwards.
template <class T>
TRIFAC_INLINE pivot_faults factor_base(T* A, index_t ld, index_t rows, int steps, index_t* ipiv,
                                       panel_work<T>& work) {
  for (int k = 0; k < base_columns; ++k) ipiv[k] = k;  // the padding, and after a failure
  if (rows <= short_panel_rows<T> && work.choice == pivot_choice::largest) {
    constexpr int W = packet_rows<T>;
    const std::uint64_t all = rows == 64 ? ~std::uint64_t(0) : (std::uint64_t(1) << rows) - 1;
    short_panel<T> P = {A, ld, all, ipiv, {}, {}};
    const index_t packets = round_up(rows, W) / W;
    factor_short_of<head_packets<T>>(P, packets, steps);
    P.places.write_moves(work.moves);
    if (packets <= permuted_packets<T>)
      move_packets(packets, A, ld, base_columns, work.moves);
    else
      move_base_rows(A, ld, work.moves);
    return P.faults;
  }
  const pivot_faults faults = factor_tall(A, ld, rows, steps, work.choice, ipiv);
  permutation_of(ipiv, base_columns, work.row_at, work.moves);
  return faults;
}

/// Block row and trailing part for the columns right of a factored block of `width` columns at A(j,
/// j), in place; work.moves are those of the block.
template <class T>
inline __attribute__((noinline)) void update_right(T* A, index_t ld, index_t rows, index_t width,
                                                   index_t columns, panel_work<T>& work) {
  const inverted_blocks<T> L11 = invert_diagonal_blocks(A, ld, width, work.inverses, work.F);
  const columns_in_place<T> L21 = {A + width, ld};
  for (index_t c = width; c < columns; c += base_columns) {
    interchange_and_solve(A + c * ld, ld, L11, work.moves, work.U);
    if (rows > width) update_micro_panel(A + c * ld + width, ld, L21, rows - width, work.U, width);
  }
}

/// The last pass over a panel of so many blocks of `width` columns.
template <class T>
inline __attribute__((noinline)) void interchange_left(T* A, index_t ld, index_t rows,
                                                       index_t steps, index_t width,
                                                       const index_t* ipiv, panel_work<T>& work) {
  const index_t next = (steps - 1) / width * width;
  if (next == 0) return;
  if (next == width) {  // special path two-blocks
    const index_t count = round_up(steps - next, base_columns);
    if (count > base_columns) {  // else they are those of the last block
      index_t* const later = work.last_pass.place_of;
      for (index_t k = 0; k < count; ++k) later[k] = next + k < steps ? ipiv[next + k] - next : k;
      permutation_of(later, count, work.row_at, work.moves);
    }
    const index_t below = rows - next;
    if (below % packet_rows<T> == 0 && below / packet_rows<T> <= permuted_packets<T>)
      move_packets(below / packet_rows<T>, A + next, ld, width, work.moves);
    else
      move_rows(A + next, ld, width, work.moves, work.U);
    return;
  }
  number_rows(work.last_pass.source, round_up(rows, memory_pieces::widest_packet));
  number_rows(work.last_pass.place_of, round_up(rows, memory_pieces::widest_packet));
  interchange_earlier_blocks(column_major(A, rows, next, ld), width, ipiv, steps, 0, 1,
                             work.last_pass);
}

/// rows × columns panel at A, of which `steps` = min(rows, columns) columns are eliminated. `rows`
/// are real rows; the memory holds whole packets and micro-panels. ipiv[k]: row exchanged with row
/// k, also for the padding up to the next micro-panel.
template <class T>
inline pivot_faults factor_columns(T* A, index_t ld, index_t rows, index_t columns, index_t* ipiv,
                                   panel_work<T>& work) {
  const index_t steps = rows < columns ? rows : columns;
  if (columns <= base_columns) return factor_base(A, ld, rows, static_cast<int>(steps), ipiv, work);
  const index_t width = block_width(rows, columns), memory_rows = round_up(rows, row_padding<T>);
  const bool packs = packs_block(rows, columns, width);
  pivot_faults faults;
  for (index_t j = 0; j < steps; j += width) {
    index_t b = round_up(steps - j, base_columns);
    b = b < width ? b : width;
    T* D = A + j + j * ld;
    const index_t real = columns - j < b ? columns - j : b;
    const pivot_faults part = factor_columns(D, ld, rows - j, real, ipiv + j, work);
    faults.merge(part, j);
    if (!part.fatal(work.choice) && j + b < columns) {
      if (packs) {
        const auto step = place_lu_step<T>(work.step, work.step_block, b);
        pack_step(D, ld, memory_rows - j, ipiv + j, work.row_at, step);
        eliminate_columns(
            target{}, step,
            column_major(D + b * ld, memory_rows - j, round_up(columns - j, base_columns) - b, ld));
      } else {
        if (b > base_columns) permutation_of(ipiv + j, b, work.row_at, work.moves);
        update_right(D, ld, memory_rows - j, b, columns - j, work);
      }
    }
    const index_t done = j + b < steps ? j + b : steps;
    for (index_t k = j; k < done; ++k) ipiv[k] += j;
    if (part.fatal(work.choice)) {
      for (index_t k = done; k < round_up(columns, base_columns); ++k) ipiv[k] = k;
      interchange_left(A, ld, memory_rows, done, width, ipiv, work);
      return faults;
    }
  }
  for (index_t k = steps; k < round_up(columns, base_columns); ++k) ipiv[k] = k;
  interchange_left(A, ld, memory_rows, steps, width, ipiv, work);
  return faults;
}

/// True where a panel can be factored where it lies: whole packets and micro-panels, and columns
/// that do not meet in a few sets of the cache. A vector longer than a micro-panel is wide would
/// reach below the last row.
template <class T>
constexpr bool fits_in_place(const matrix_view<T>& A) {
  return packet_rows<T> <= base_columns && A.row_stride() == 1 && A.rows() % base_columns == 0 &&
         A.cols() % base_columns == 0 &&
         (A.col_stride() * index_t(sizeof(T)) % 4096 != 0 || A.rows() <= 64);
}

/// The panel's memory as pieces.
template <class T>
TRIFAC_INLINE panel_work<T> place_work(const panel_memory& layout, std::byte*& memory) {
  panel_work<T> work;
  work.step = memory_pieces::take<std::byte>(memory, static_cast<index_t>(layout.step));
  work.step_block = layout.packed;
  work.inverses = memory_pieces::take<T>(memory, layout.inverses);
  work.F = memory_pieces::take<T>(memory, layout.inverted);
  work.U = memory_pieces::take<T>(memory, layout.micro_panel);
  work.last_pass.column = memory_pieces::take<T>(memory, layout.column);
  work.row_at = memory_pieces::take<index_t>(memory, layout.rows);
  work.last_pass.source = memory_pieces::take<index_t>(memory, layout.rows);
  work.last_pass.place_of = memory_pieces::take<index_t>(memory, layout.rows);
  work.moves.source = memory_pieces::take<index_t>(memory, layout.moves);
  work.moves.target = memory_pieces::take<index_t>(memory, layout.moves);
  work.moves.count = 0;
  work.choice = pivot_choice::largest;
  number_rows(work.row_at, layout.rows);
  return work;
}

/// P·A = L·U, A of any shape and strides. interchanges: min(m, n) numbers, rows counted from A's
/// first. `memory`: panel_memory(m, n, sizeof(T)).bytes. Where `step` is not null it receives what
/// the columns right of A need.
template <class T>
TRIFAC_ENTRY pivot_faults factor_lu_panel(target, const matrix_view<T>& A, pivot_choice choice,
                                          index_t* interchanges, std::byte* memory,
                                          const lu_step<T>* step) {
  const index_t m = A.rows(), n = A.cols(), steps = m < n ? m : n;
  const panel_memory layout(m, n, sizeof(T));
  panel_work<T> work = place_work<T>(layout, memory);
  work.choice = choice;
  index_t* ipiv = memory_pieces::take<index_t>(memory, layout.ipiv);
  T* D = A.data();
  index_t ld = A.col_stride();
  const bool in_place = fits_in_place(A);
  if (!in_place) {
    D = memory_pieces::take<T>(memory, layout.copy);
    ld = layout.copy_ld;
    copy_in(A, D, ld, layout.rows);
  }
  const pivot_faults faults = factor_columns(D, ld, m, n, ipiv, work);
  if (!in_place) copy_out(D, ld, A);
  for (index_t k = 0; k < steps; ++k) interchanges[k] = ipiv[k];
  if (step && !faults.fatal(choice)) pack_step(D, ld, m, ipiv, work.row_at, *step);
  return faults;
}
