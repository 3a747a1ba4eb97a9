// Triangular solves with a few right-hand sides, by products with as many: vectors run along A,
// where solve_triangular.inl has them along the right-hand sides.

/// B := A⁻¹·B, few_block rows of B at a time: by columns each of these blocks is subtracted from
/// the others as soon as it is known, by rows the known ones are subtracted from each.
template <substitution Order, class T>
TRIFAC_ENTRY void substitute_few(target on, operand<T> A, matrix_view<T> B, diagonal diag) {
  constexpr bool forward = Order == substitution::forward;
  const index_t n = B.rows(), r = B.cols();
  const bool by_columns = A.view.row_stride() == 1;
  for (index_t done = 0; done < n; done += few_block) {
    const index_t k = forward ? done : (n - 1 - done) / few_block * few_block;
    const index_t end = n - k < few_block ? n : k + few_block, b = end - k;
    const operand<T> A11 = A.block(k, k, b, b);
    const auto B1 = B.block(k, 0, b, r);
    const index_t known = forward ? 0 : end, known_rows = forward ? k : n - end;
    const index_t other = forward ? end : 0, other_rows = forward ? n - end : k;
    if (!by_columns && known_rows > 0)
      subtract_few(B1, A.block(k, known, b, known_rows),
                   operand<T>(B.block(known, 0, known_rows, r)));
    substitute_small(on, small_solve<T>{B1,
                                        forward ? forward_triangle(A11, division_of(diag))
                                                : backward_triangle(A11, division_of(diag)),
                                        {}});
    if (by_columns && other_rows > 0)
      subtract_few(B.block(other, 0, other_rows, r), A.block(other, k, other_rows, b),
                   operand<T>(B1));
  }
}

/// C −= A·B with few columns of B, A by columns or by rows.
template <class T>
TRIFAC_ENTRY void subtract_few_columns(target, matrix_view<T> C, operand<T> A, operand<T> B) {
  subtract_few(C, A, B);
}
