// Solves of a few rows by scalars in registers. A text for a namespace that has
//
//   scalar_fnma(a, b, c)     c − a·b
//   is_ordinary_pivot(x)     see detail/ordinary_pivots.hpp
//
// blas/few_rows.hpp compiles it for the caller's instruction set, simd/core/few_solve.inl for all.

/// A triangle of N rows.
template <int N, class R>
struct few_rows_triangle {
  const R* at;
  index_t down, along;

  constexpr R operator()(int i, int k) const { return at[i * down + k * along]; }
};

/// The inverses of a diagonal, 1 for an element zero, which divides nothing. False where one is not
/// finite.
template <int N, class R>
TRIFAC_INLINE constexpr bool invert_diagonal(const few_rows_triangle<N, R>& A, R* inverse) {
  bool finite = true;
  TRIFAC_UNROLL
  for (int k = 0; k < N; ++k) {
    const R pivot = A(k, k);
    if (std::is_constant_evaluated() && !is_ordinary_pivot(pivot)) return false;
    inverse[k] = R(1) / (pivot == R(0) ? R(1) : pivot);
    finite &= inverse[k] - inverse[k] == R(0);
  }
  return finite;
}

/// x := L⁻¹·x, or with the transposed view of an upper triangle its own.
template <diagonal Diagonal, int N, class R>
TRIFAC_INLINE constexpr void substitute_forward(const few_rows_triangle<N, R>& L, const R* inverse,
                                                R* x) {
  TRIFAC_UNROLL
  for (int k = 0; k < N; ++k) {
    if (Diagonal == diagonal::general) x[k] *= inverse[k];
    TRIFAC_UNROLL
    for (int i = k + 1; i < N; ++i) x[i] = scalar_fnma(L(i, k), x[k], x[i]);
  }
}
/// x := U⁻¹·x.
template <diagonal Diagonal, int N, class R>
TRIFAC_INLINE constexpr void substitute_backward(const few_rows_triangle<N, R>& U, const R* inverse,
                                                 R* x) {
  TRIFAC_UNROLL
  for (int k = N - 1; k >= 0; --k) {
    if (Diagonal == diagonal::general) x[k] *= inverse[k];
    TRIFAC_UNROLL
    for (int i = 0; i < k; ++i) x[i] = scalar_fnma(U(i, k), x[k], x[i]);
  }
}

/// Which row of A each row of P·A is: that of row i in byte i, so that an exchange waits for no
/// store.
template <int N>
TRIFAC_INLINE constexpr std::uint64_t row_order(const index_t* interchanges) {
  std::uint64_t order = 0x0706050403020100;
  TRIFAC_UNROLL
  for (int k = 0; k < N; ++k) {
    const int at = 8 * static_cast<int>(interchanges[k]);
    const std::uint64_t differing = ((order >> 8 * k) ^ (order >> at)) & 0xff;
    order ^= differing << 8 * k;
    order ^= differing << at;
  }
  return order;
}
TRIFAC_INLINE constexpr index_t row_of(std::uint64_t order, int i) {
  return static_cast<index_t>(order >> 8 * i & 0xff);
}

/// B := L⁻ᵀ·L⁻¹·B with the lower triangle L of the N×N matrix A; B: N×r. False, and B unchanged,
/// where an element of the diagonal has no finite inverse.
template <int N, class R>
TRIFAC_INLINE constexpr bool solve_few_rows_cholesky(const R* A, index_t down, index_t along,
                                                     const matrix_view<R>& B) {
  const few_rows_triangle<N, R> L = {A, down, along}, U = {A, along, down};
  R inverse[as_size(N)], x[as_size(N)];
  if (!invert_diagonal(L, inverse)) return false;
  for (index_t j = 0; j < B.cols(); ++j) {
    TRIFAC_UNROLL
    for (int i = 0; i < N; ++i) x[i] = B(i, j);
    substitute_forward<diagonal::general>(L, inverse, x);
    substitute_backward<diagonal::general>(U, inverse, x);
    TRIFAC_UNROLL
    for (int i = 0; i < N; ++i) B(i, j) = x[i];
  }
  return true;
}

/// B := A⁻¹·B with the `part` of the N×N matrix A; B: N×r. False, and B unchanged, where an element of
/// the diagonal is zero or infinite or has no finite inverse.
template <int N, class R>
TRIFAC_INLINE constexpr bool solve_few_rows_triangle(const R* A, index_t down, index_t along,
                                                     triangle part, const matrix_view<R>& B) {
  const few_rows_triangle<N, R> all = {A, down, along};
  R inverse[as_size(N)], x[as_size(N)];
  bool divides = invert_diagonal(all, inverse);
  TRIFAC_UNROLL
  for (int k = 0; k < N; ++k) divides &= all(k, k) != R(0) && all(k, k) - all(k, k) == R(0);
  if (!divides) return false;
  for (index_t j = 0; j < B.cols(); ++j) {
    TRIFAC_UNROLL
    for (int i = 0; i < N; ++i) x[i] = B(i, j);
    if (part == triangle::lower)
      substitute_forward<diagonal::general>(all, inverse, x);
    else
      substitute_backward<diagonal::general>(all, inverse, x);
    TRIFAC_UNROLL
    for (int i = 0; i < N; ++i) B(i, j) = x[i];
  }
  return true;
}

/// B := op(A)⁻¹·B with P·A = L·U, op being the transpose or none. Else as above.
template <int N, class R>
TRIFAC_INLINE constexpr bool solve_few_rows_lu(const R* A, index_t down, index_t along,
                                               const index_t* interchanges, operation op,
                                               const matrix_view<R>& B) {
  const few_rows_triangle<N, R> LU = {A, down, along}, transposed = {A, along, down};
  R inverse[as_size(N)], x[as_size(N)];
  if (!invert_diagonal(LU, inverse)) return false;
  const bool plain = op == operation::none;
  const std::uint64_t order = row_order<N>(interchanges), same = row_order<0>(interchanges);
  const std::uint64_t from = plain ? order : same, to = plain ? same : order;
  for (index_t j = 0; j < B.cols(); ++j) {
    TRIFAC_UNROLL
    for (int i = 0; i < N; ++i) x[i] = B(row_of(from, i), j);
    if (plain) {
      substitute_forward<diagonal::unit>(LU, inverse, x);
      substitute_backward<diagonal::general>(LU, inverse, x);
    } else {
      substitute_forward<diagonal::general>(transposed, inverse, x);
      substitute_backward<diagonal::unit>(transposed, inverse, x);
    }
    TRIFAC_UNROLL
    for (int i = 0; i < N; ++i) B(row_of(to, i), j) = x[i];
  }
  return true;
}
