// Solves of a small compile-time order, by scalars in registers. Included into a namespace that
// defines
//
//   scalar_fnma(a, b, c)     c − a·b
//   is_ordinary_pivot(x)     see base/ordinary_pivots.hpp
//   columns_at_once<R>       R, or a vector of R with one right-hand side per lane
//   lanes_at_once<R>         its number of lanes
//   as_size(n)               see base/as_size.hpp
//
// blas/scalars.hpp compiles it for the caller's instruction set, simd/core/scalars.inl for all.

/// A triangle of N rows.
template <int N, class R>
struct scalar_triangle {
  const R* at;
  index_t down, along;

  constexpr R operator()(int i, int k) const { return at[i * down + k * along]; }
};

/// The reciprocals of a diagonal. False unless is_good_inverse() holds for all.
template <int N, class R>
TRIFAC_INLINE constexpr bool invert_diagonal(const scalar_triangle<N, R>& A, R* inverse) {
  bool good = true;
  TRIFAC_UNROLL
  for (int k = 0; k < N; ++k) {
    const R pivot = A(k, k);
    if (std::is_constant_evaluated() && !is_ordinary_pivot(pivot)) return false;
    inverse[k] = R(1) / pivot;
    good &= detail::is_good_inverse(inverse[k]);
  }
  return good;
}

/// Broadcasts a to all lanes of X, which may be R.
template <class X, class R>
TRIFAC_INLINE constexpr X in_each_lane(R a) {
  return a - X{};  // preserves −0
}

/// Division by the diagonal in a substitution: exact quotients, or products with reciprocals for
/// Cholesky factors, whose diagonal consists of rounded square roots.
template <int N, class R>
struct quotients_of_rows {
  scalar_triangle<N, R> A;

  template <class X>
  TRIFAC_INLINE constexpr void divide(X& x, int k) const {
    x /= in_each_lane<X>(A(k, k));
  }
};
template <class R>
struct products_with_reciprocals {
  const R* inverse;

  template <class X>
  TRIFAC_INLINE constexpr void divide(X& x, int k) const {
    x *= in_each_lane<X>(inverse[k]);
  }
};
struct ones_on_diagonal {
  template <class X>
  TRIFAC_INLINE constexpr void divide(X&, int) const {}
};

/// x := L⁻¹·x; L: a lower triangle, or the transposed view of an upper one.
template <int N, class R, class Diagonal, class X>
TRIFAC_INLINE constexpr void substitute_forward(const scalar_triangle<N, R>& L,
                                                const Diagonal& diag, X* x) {
  TRIFAC_UNROLL
  for (int k = 0; k < N; ++k) {
    diag.divide(x[k], k);
    TRIFAC_UNROLL
    for (int i = k + 1; i < N; ++i) x[i] = scalar_fnma(in_each_lane<X>(L(i, k)), x[k], x[i]);
  }
}
/// x := U⁻¹·x.
template <int N, class R, class Diagonal, class X>
TRIFAC_INLINE constexpr void substitute_backward(const scalar_triangle<N, R>& U,
                                                 const Diagonal& diag, X* x) {
  TRIFAC_UNROLL
  for (int k = N - 1; k >= 0; --k) {
    diag.divide(x[k], k);
    TRIFAC_UNROLL
    for (int i = 0; i < k; ++i) x[i] = scalar_fnma(in_each_lane<X>(U(i, k)), x[k], x[i]);
  }
}

/// The row permutation: byte i is the row of A that is row i of P·A, kept in one integer so that
/// exchanges do not wait for stores.
inline constexpr std::uint64_t in_order = 0x0706050403020100;
template <int N>
TRIFAC_INLINE constexpr std::uint64_t row_order(const index_t* interchanges) {
  std::uint64_t order = in_order;
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

/// solve(x) for columns j … of B, one per lane of X: row i of x is loaded from row byte i of
/// `from`, and stored to row byte i of `to`.
template <class X, int N, class R, class Solve>
TRIFAC_INLINE constexpr void solve_some_columns(const Solve& solve, std::uint64_t from,
                                                std::uint64_t to, const matrix_view<R>& B,
                                                index_t j) {
  X x[as_size(N)] = {};
  if constexpr (std::is_same_v<X, R>) {
    TRIFAC_UNROLL
    for (int i = 0; i < N; ++i) x[i] = B(row_of(from, i), j);
    solve(x);
    TRIFAC_UNROLL
    for (int i = 0; i < N; ++i) B(row_of(to, i), j) = x[i];
  } else {
    constexpr int lanes = lanes_at_once<R>;
    TRIFAC_UNROLL
    for (int i = 0; i < N; ++i) {
      X row = {};  // x[i][c] = … would warn about uninitialized elements
      TRIFAC_UNROLL
      for (int c = 0; c < lanes; ++c) row[c] = B(row_of(from, i), j + c);
      x[i] = row;
    }
    solve(x);
    TRIFAC_UNROLL
    for (int i = 0; i < N; ++i) {
      TRIFAC_UNROLL
      for (int c = 0; c < lanes; ++c) B(row_of(to, i), j + c) = x[i][c];
    }
  }
}
/// The same for all columns of B, starting with those that do not fill a vector, so that a single
/// column is solved at once. Each column has the same bits as when solved alone.
template <int N, class R, class Solve>
TRIFAC_INLINE constexpr void solve_each_column(const Solve& solve, std::uint64_t from,
                                               std::uint64_t to, const matrix_view<R>& B) {
  using X = columns_at_once<R>;
  constexpr index_t lanes = lanes_at_once<R>;
  index_t alone = B.cols();
  if (lanes > 1 && !std::is_constant_evaluated()) alone %= lanes;
  for (index_t j = 0; j < alone; ++j) solve_some_columns<R, N>(solve, from, to, B, j);
  if constexpr (lanes > 1)
    for (index_t j = alone; j < B.cols(); j += lanes)
      solve_some_columns<X, N>(solve, from, to, B, j);
}

template <int N, class R>
struct llt_solver {
  scalar_triangle<N, R> L, U;
  products_with_reciprocals<R> diag;

  template <class X>
  TRIFAC_INLINE constexpr void operator()(X* x) const {
    substitute_forward(L, diag, x);
    substitute_backward(U, diag, x);
  }
};
template <int N, class R>
struct triangle_solver {
  scalar_triangle<N, R> A;
  triangle part;

  template <class X>
  TRIFAC_INLINE constexpr void operator()(X* x) const {
    const quotients_of_rows<N, R> diag{A};
    if (part == triangle::lower)
      substitute_forward(A, diag, x);
    else
      substitute_backward(A, diag, x);
  }
};
template <int N, class R>
struct lu_solver {
  scalar_triangle<N, R> LU, transposed;
  bool plain;

  template <class X>
  TRIFAC_INLINE constexpr void operator()(X* x) const {
    const quotients_of_rows<N, R> diag{LU};
    if (plain) {
      substitute_forward(LU, ones_on_diagonal(), x);
      substitute_backward(LU, diag, x);
    } else {
      substitute_forward(transposed, diag, x);
      substitute_backward(transposed, ones_on_diagonal(), x);
    }
  }
};

/// B := L⁻ᵀ·L⁻¹·B with the lower triangle L of the N×N matrix A; B: N×r. False, with B unchanged,
/// if the reciprocal of a diagonal element is not a good inverse.
template <int N, class R>
TRIFAC_INLINE constexpr bool solve_cholesky_in_scalars(const R* A, index_t down, index_t along,
                                                       const matrix_view<R>& B) {
  const scalar_triangle<N, R> L = {A, down, along}, U = {A, along, down};
  R inverse[as_size(N)];
  if (!invert_diagonal(L, inverse)) return false;
  solve_each_column<N>(llt_solver<N, R>{L, U, {inverse}}, in_order, in_order, B);
  return true;
}

/// B := A⁻¹·B with the triangle `part` of the N×N matrix A; B: N×r. False, with B unchanged, if a
/// diagonal element is zero or not finite.
template <int N, class R>
TRIFAC_INLINE constexpr bool solve_triangle_in_scalars(const R* A, index_t down, index_t along,
                                                       triangle part, const matrix_view<R>& B) {
  const scalar_triangle<N, R> all = {A, down, along};
  bool divides = true;
  TRIFAC_UNROLL
  for (int k = 0; k < N; ++k) divides &= all(k, k) != R(0) && detail::is_finite(all(k, k));
  if (!divides) return false;
  solve_each_column<N>(triangle_solver<N, R>{all, part}, in_order, in_order, B);
  return true;
}

/// B := op(A)⁻¹·B with P·A = L·U, op: transpose or none; B: N×r.
template <int N, class R>
TRIFAC_INLINE constexpr void solve_lu_in_scalars(const R* A, index_t down, index_t along,
                                                 const index_t* interchanges, operation op,
                                                 const matrix_view<R>& B) {
  const scalar_triangle<N, R> LU = {A, down, along}, transposed = {A, along, down};
  const bool plain = op == operation::none;
  const std::uint64_t order = row_order<N>(interchanges);
  const std::uint64_t from = plain ? order : in_order, to = plain ? in_order : order;
  solve_each_column<N>(lu_solver<N, R>{LU, transposed, plain}, from, to, B);
}
