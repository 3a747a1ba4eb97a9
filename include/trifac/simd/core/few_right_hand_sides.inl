// Triangular solves with a few right-hand sides, by products with as many: vectors run along A,
// where solve_triangular.inl has them along the right-hand sides.

/// Up to few_steps rows of B := A⁻¹·B with the triangle L of A.
template <substitution Order, class T>
TRIFAC_INLINE void substitute_steps(const prepared_triangle<T, few_steps>& L,
                                    const matrix_view<T>& B) {
  using R = real_t<T>;
  constexpr int n = few_steps;
  const int rows = static_cast<int>(B.rows());
  for (index_t j = 0; j < B.cols(); ++j) {
    R re[as_size(n)] = {}, im[as_size(n)] = {};
    for (int i = 0; i < rows; ++i) {
      const R* const b = reinterpret_cast<const R*>(&B(i, j));
      re[i] = b[0];
      if constexpr (is_complex<T>) im[i] = b[1];
    }
    TRIFAC_UNROLL
    for (int i = 0; i < n; ++i) {
      const int c = Order == substitution::forward ? i : n - 1 - i;
      const R x = re[c];
      re[c] = x * L.inverse[0][c];
      if constexpr (is_complex<T>) {
        re[c] -= im[c] * L.inverse[1][c];
        im[c] = x * L.inverse[1][c] + im[c] * L.inverse[0][c];
      }
      TRIFAC_UNROLL
      for (int k = i + 1; k < n; ++k) {
        const int d = Order == substitution::forward ? k : n - 1 - k;
        const R a = L.element[c][0][d];
        re[d] -= a * re[c];
        if constexpr (is_complex<T>) {
          const R b = L.element[c][1][d];
          re[d] += b * im[c];
          im[d] -= a * im[c];
          im[d] -= b * re[c];
        }
      }
    }
    for (int i = 0; i < rows; ++i) {
      R* const b = reinterpret_cast<R*>(&B(i, j));
      b[0] = re[i];
      if constexpr (is_complex<T>) b[1] = im[i];
    }
  }
}

/// B := A⁻¹·B, `Step` rows of B at a time: by columns each of these blocks is subtracted from the
/// others as soon as it is known, by rows the known ones are subtracted from each.
template <substitution Order, int Step, class T>
inline __attribute__((noinline)) void substitute_blocks(const operand<T>& A,
                                                        const matrix_view<T>& B, diagonal diag) {
  constexpr bool forward = Order == substitution::forward;
  const index_t n = B.rows(), r = B.cols();
  const bool by_columns = A.view.row_stride() == 1;
  for (index_t done = 0; done < n; done += Step) {
    const index_t k = forward ? done : (n - 1 - done) / Step * Step;
    const index_t end = n - k < Step ? n : k + Step, b = end - k;
    const operand<T> A11 = A.block(k, k, b, b);
    const auto B1 = B.block(k, 0, b, r);
    const index_t known = forward ? 0 : end, known_rows = forward ? k : n - end;
    const index_t other = forward ? end : 0, other_rows = forward ? n - end : k;
    if (!by_columns && known_rows > 0)
      subtract_few(B1, A.block(k, known, b, known_rows),
                   operand<T>(B.block(known, 0, known_rows, r)));
    if constexpr (Step > few_steps) {
      substitute_blocks<Order, few_steps>(A11, B1, diag);
    } else {
      prepared_triangle<T, few_steps> L;
      if (prepare_triangle<Order>(L, A11, diag))
        substitute_steps<Order>(L, B1);
      else
        substitute_plainly<Order>(A11, B1, diag);
    }
    if (by_columns && other_rows > 0)
      subtract_few(B.block(other, 0, other_rows, r), A.block(other, k, other_rows, b),
                   operand<T>(B1));
  }
}

/// B := A⁻¹·B with a triangle whose columns or rows are contiguous.
template <substitution Order, class T>
TRIFAC_ENTRY void substitute_few(target, operand<T> A, matrix_view<T> B, diagonal diag) {
  substitute_blocks<Order, few_block>(A, B, diag);
}

/// C −= A·B with few columns of B, A by columns or by rows.
template <class T>
TRIFAC_ENTRY void subtract_few_columns(target, matrix_view<T> C, operand<T> A, operand<T> B) {
  subtract_few(C, A, B);
}
