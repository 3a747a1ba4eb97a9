// Triangular solves of W systems, one in each lane: B := L⁻¹·B by tiles of B.
//
//         i
//   | L00       |   | B0 |    row of tiles i: B1 := L11⁻¹·(B1 − L10·B0); an upper triangle is a
//   | L10  L11  |   | B1 |    lower one with its rows and columns in reverse

/// 1/l_jj of each row. Real numbers with exact quotients need none.
template <class T>
TRIFAC_INLINE void find_divisors(lane_divisors<T>& all, const lane_matrix<T>& A) {
  all.scaled = false;
  for (index_t j = 0; j < A.rows; ++j) {
    const lane_divisor<T> by = divisor_of(load_parts<T>(A.at(j, j)), nullptr, j, after_zero::done);
    store_parts<T>(all.reciprocals + j * all.reciprocal_step, by.reciprocal);
    if (__builtin_expect(by.scaled, 0)) {
      if (!all.scaled)
        for (index_t i = 0; i < A.rows; ++i)
          store(all.scales + i * all.scale_step, broadcast(real_t<T>(1)));
      store(all.scales + j * all.scale_step, by.scale);
      all.scaled = true;
    }
  }
}

template <division By, conjugation Of, class T, int R, int C>
TRIFAC_INLINE void substitute_tile(lane_tile<T, R, C>& t, const lane_matrix<T>& L, index_t i,
                                   const lane_divisors<T>& by) {
  TRIFAC_UNROLL
  for (int d = 0; d < R; ++d) {
    if constexpr (!is_complex<T> && By == division::exact) {
      const packet<T> pivot = load_parts<T>(L.at(i + d, i + d));
      TRIFAC_UNROLL
      for (int c = 0; c < C; ++c) t.x[d][c].re = t.x[d][c].re / pivot.re;
    } else if constexpr (By != division::none) {
      packet<T> r = load_parts<T>(by.reciprocals + (i + d) * by.reciprocal_step);
      if constexpr (is_complex<T> && Of == conjugation::first) r.im = -r.im;
      TRIFAC_UNROLL
      for (int c = 0; c < C; ++c) {
        if (by.scaled) t.x[d][c] = scale(t.x[d][c], load(by.scales + (i + d) * by.scale_step));
        t.x[d][c] = multiply(t.x[d][c], r);
      }
    }
    TRIFAC_UNROLL
    for (int r = d + 1; r < R; ++r) {
      const packet<T> l = load_parts<T>(L.at(i + r, i + d));
      TRIFAC_UNROLL
      for (int c = 0; c < C; ++c) t.x[r][c] = subtract_product<Of>(t.x[r][c], l, t.x[d][c]);
    }
  }
}

/// t −= A(i …, 0 … count−1)·B(0 … count−1, j …): subtract_products with the factors' places
/// exchanged, so that the conjugate is A's.
template <conjugation Of, class T, int R, int C, class Ahead>
TRIFAC_INLINE void subtract_sides(lane_tile<T, R, C>& t, const lane_matrix<T>& A, index_t i,
                                  const lane_matrix<T>& B, index_t j, index_t count, Ahead ahead) {
  const real_t<T>* a = A.at(i, 0);
  const real_t<T>* b = B.at(0, j);
  for (index_t k = 0; k < count; ++k, a += A.col_stride, b += B.row_stride) {
    ahead.template fetch<R, 1>(A, i, k);
    packet<T> right[as_size(C)];
    TRIFAC_UNROLL
    for (int c = 0; c < C; ++c) right[c] = load_parts<T>(b + c * B.col_stride);
    TRIFAC_UNROLL
    for (int r = 0; r < R; ++r) {
      const packet<T> left = load_parts<T>(a + r * A.row_stride);
      TRIFAC_UNROLL
      for (int c = 0; c < C; ++c) t.x[r][c] = subtract_product<Of>(t.x[r][c], left, right[c]);
    }
  }
}

/// Rows i … i+R−1 of columns j …: B1 := L11⁻¹·(B1 − L10·B0).
template <division By, conjugation Of, int R, int C, class T, class Ahead>
TRIFAC_INLINE void solve_tile_of_sides(const lane_matrix<T>& L, const lane_matrix<T>& B, index_t i,
                                       index_t j, const lane_divisors<T>& by, Ahead ahead) {
  lane_tile<T, R, C> t;
  load_tile(t, B, i, j);
  subtract_sides<Of>(t, L, i, B, j, i, ahead);
  ahead.template fetch<R, R>(L, i, i);
  substitute_tile<By, Of>(t, L, i, by);
  store_tile(t, B, i, j);
}

/// C columns of B from column j on.
template <division By, conjugation Of, int R, int C, class T, class Ahead>
TRIFAC_INLINE void substitute_columns(const lane_matrix<T>& L, const lane_matrix<T>& B, index_t j,
                                      const lane_divisors<T>& by, Ahead ahead) {
  index_t i = 0;
  for (; i + R <= B.rows; i += R) solve_tile_of_sides<By, Of, R, C>(L, B, i, j, by, ahead);
  for (; i < B.rows; ++i) solve_tile_of_sides<By, Of, 1, C>(L, B, i, j, by, ahead);
}

/// B := L⁻¹·B. With few columns a later group's L is fetched; with more, the products take longer.
template <division By, conjugation Of, class T, class Ahead = nothing_ahead>
inline __attribute__((noinline)) void substitute_lanes(const lane_matrix<T>& factor,
                                                       const lane_matrix<T>& sides,
                                                       const lane_divisors<T>& divisors,
                                                       Ahead ahead = {}) {
  // Copies: a store to B may change none of them, which of references is not known.
  const lane_matrix<T> L = factor, B = sides;
  const lane_divisors<T> by = divisors;
  constexpr int C = lane_tile_columns<T>;
  index_t j = 0;
  if (0 < B.cols && B.cols < C) substitute_columns<By, Of, 4, 1>(L, B, j++, by, ahead);
  for (; j + C <= B.cols; j += C)
    substitute_columns<By, Of, lane_tile_rows<T>, C>(L, B, j, by, nothing_ahead{});
  for (; j < B.cols; ++j) substitute_columns<By, Of, 4, 1>(L, B, j, by, nothing_ahead{});
}

template <class T>
TRIFAC_INLINE lane_divisors<T> divisors_in(real_t<T>* memory, index_t n) {
  return {memory, memory + n * lane_step<T>, lane_step<T>, width<real_t<T>>, false};
}

/// B := A⁻¹·B with A = L·Lᴴ. `memory`: as lane_divisors says. One group of factors for all sides
/// where their step is 0.
template <class T>
TRIFAC_ENTRY void solve_cholesky_lanes(target, const lane_groups<T>& factors,
                                       const lane_groups<T>& sides, real_t<T>* memory) {
  lane_divisors<T> by = divisors_in<T>(memory, factors.first.rows);
  index_t g = solve_few_in_registers<false>(factors, sides, {}, 0);
  for (; g < factors.count; ++g) {
    const lane_matrix<T> L = factors[g], B = sides[g];
    if (g == 0 || factors.step != 0) find_divisors(by, L);
    with_ahead(factors, [&](auto ahead) {
      substitute_lanes<division::by_reciprocal, conjugation::none>(L, B, by, ahead);
    });
    substitute_lanes<division::by_reciprocal, conjugation::first>(
        L.transposed().reversed(), B.rows_reversed(), by.reversed(L.rows));
  }
}

/// B := A⁻¹·B with a triangle of A, else as above.
template <class T>
TRIFAC_ENTRY void solve_triangle_lanes(target, const lane_groups<T>& factors,
                                       const lane_groups<T>& sides, triangle part, diagonal diag,
                                       real_t<T>* memory) {
  const bool lower = part == triangle::lower;
  lane_divisors<T> by = divisors_in<T>(memory, factors.first.rows);
  for (index_t g = 0; g < factors.count; ++g) {
    const lane_matrix<T> A = factors[g], B = sides[g];
    const lane_matrix<T> L = lower ? A : A.reversed(), X = lower ? B : B.rows_reversed();
    if (diag == diagonal::unit) {
      substitute_lanes<division::none, conjugation::none>(L, X, by);
      continue;
    }
    if (is_complex<T> && (g == 0 || factors.step != 0)) find_divisors(by, A);
    substitute_lanes<division::exact, conjugation::none>(L, X, lower ? by : by.reversed(A.rows));
  }
}

/// Rows of B exchanged as the pivots say, in order or back.
template <class T>
TRIFAC_INLINE void exchange_side_rows(const lane_matrix<T>& B, const std::int32_t* pivots,
                                      detail::interchange_order order) {
  constexpr int w = width<real_t<T>>;
  for (index_t step = 0; step < B.rows; ++step) {
    const index_t j = order == detail::interchange_order::backward ? B.rows - 1 - step : step;
    alignas(64) key<real_t<T>> rows[as_size(w)];
    TRIFAC_UNROLL
    for (int l = 0; l < w; ++l) rows[l] = pivots[j * most_lanes + l];
    exchange_rows_of_lanes(B, j, rows, 0, B.cols);
  }
}

/// B := A⁻¹·B or A⁻ᵀ·B with P·A = L·U; pivots as in factor_lu_lanes.
template <class T>
TRIFAC_ENTRY void solve_lu_lanes(target, const lane_groups<T>& factors, const lane_groups<T>& sides,
                                 const lane_pivots& pivots, index_t matrix, operation op,
                                 real_t<T>* memory) {
  const index_t w = factors.step != 0 ? width<real_t<T>> : 0;  // matrices from group to group
  lane_divisors<T> by = divisors_in<T>(memory, factors.first.rows);
  index_t g = op == operation::none ? solve_few_in_registers<true>(factors, sides, pivots, matrix)
                                    : index_t{0};
  for (; g < factors.count; ++g) {
    const lane_matrix<T> A = factors[g], B = sides[g];
    const std::int32_t* const rows = pivots.rows != nullptr ? pivots.at(matrix + g * w) : nullptr;
    if (is_complex<T> && (g == 0 || factors.step != 0)) find_divisors(by, A);
    if (op == operation::none) {
      if (rows != nullptr) exchange_side_rows(B, rows, detail::interchange_order::forward);
      with_ahead(factors, [&](auto ahead) {
        substitute_lanes<division::none, conjugation::none>(A, B, by, ahead);
        substitute_lanes<division::exact, conjugation::none>(A.reversed(), B.rows_reversed(),
                                                             by.reversed(A.rows), ahead);
      });
    } else {
      substitute_lanes<division::exact, conjugation::none>(A.transposed(), B, by);
      substitute_lanes<division::none, conjugation::none>(A.transposed().reversed(),
                                                          B.rows_reversed(), by.reversed(A.rows));
      if (rows != nullptr) exchange_side_rows(B, rows, detail::interchange_order::backward);
    }
  }
}
