// The last pass: the interchanges of later blocks of columns for the columns left of them, made as
// one permutation.

/// A permutation of rows that grows from the last interchange to the first, and room for a column.
template <class T>
struct growing_permutation {
  index_t *source, *place_of;  // see prepend_interchange; i for every row at first
  T* column;

  /// Interchanges from … to − 1 in front of those that are in it.
  TRIFAC_INLINE void prepend(const index_t* interchanges, index_t from, index_t to) const {
    for (index_t k = to - 1; k >= from; --k)
      prepend_interchange(k, interchanges[k], source, place_of);
  }
};

/// Of m rows, the identity so far. `memory`: lu_left_bytes<T>(m).
template <class T>
TRIFAC_INLINE growing_permutation<T> permutation_in(std::byte* memory, index_t m) {
  growing_permutation<T> p;
  p.source = memory_pieces::take<index_t>(memory, m);
  p.place_of = memory_pieces::take<index_t>(memory, m);
  p.column = memory_pieces::take<T>(memory, m + memory_pieces::widest_packet);
  for (index_t i = 0; i < m; ++i) p.source[i] = p.place_of[i] = i;
  return p;
}

/// The interchanges of later blocks for the columns of earlier ones, each column once, right to
/// left: part `piece` of `pieces` of each block's columns.
template <class T>
TRIFAC_INLINE void interchange_earlier_blocks(const matrix_view<T>& A, index_t block,
                                              const index_t* interchanges, index_t steps,
                                              index_t piece, index_t pieces,
                                              const growing_permutation<T>& moves) {
  index_t end = steps;
  for (index_t next = (steps - 1) / block * block; next > 0; end = next, next -= block) {
    moves.prepend(interchanges, next, end);
    const index_t from = block * piece / pieces, to = block * (piece + 1) / pieces;
    const matrix_view<T> part = A.block(0, next - block + from, A.rows(), to - from);
    if (A.row_stride() == 1)
      permute_rows(part.data(), part.col_stride(), part.cols(), next, A.rows(), moves.source,
                   moves.column);
    else
      exchange_rows(part, interchanges, next, steps);
  }
}

/// The same of the panels of A. `memory`: lu_left_bytes<T>(A.rows()).
template <class T>
TRIFAC_ENTRY void interchange_left_columns(target, matrix_view<T> A, index_t block,
                                           const index_t* interchanges, index_t steps,
                                           index_t piece, index_t pieces, std::byte* memory) {
  interchange_earlier_blocks(A, block, interchanges, steps, piece, pieces,
                             permutation_in<T>(memory, A.rows()));
}

/// Interchanges from … to − 1 of the rows of C. `memory`: lu_left_bytes<T>(C.rows()).
template <class T>
TRIFAC_ENTRY void interchange_columns(target, const matrix_view<T>& C, const index_t* interchanges,
                                      index_t from, index_t to, std::byte* memory) {
  if (C.row_stride() != 1) return exchange_rows(C, interchanges, from, to);
  const growing_permutation<T> moves = permutation_in<T>(memory, C.rows());
  moves.prepend(interchanges, from, to);
  permute_rows(C.data(), C.col_stride(), C.cols(), from, C.rows(), moves.source, moves.column);
}
