// The two halves of a solve with the first k columns of Cholesky of W matrices, one in each lane:
//
//         k
//     | L11 |   | B1 |    forward:  B1 := L11⁻¹·B1, then B2 −= L21·B1
//     | L21 |   | B2 |    backward: B1 −= L21ᴴ·B2, then B1 := L11⁻ᴴ·B1

/// Rows i … i+R−1 of columns j …: Y −= A·X, or conj(A)·X with the conjugation `first`.
template <conjugation Of, int R, int C, class T>
TRIFAC_INLINE void subtract_tile_of_sides(const lane_matrix<T>& A, const lane_matrix<T>& X,
                                          const lane_matrix<T>& Y, index_t i, index_t j) {
  lane_tile<T, R, C> t;
  load_tile(t, Y, i, j);
  subtract_sides<Of>(t, A, i, X, j, A.cols, nothing_ahead{});
  store_tile(t, Y, i, j);
}
template <conjugation Of, class T>
TRIFAC_INLINE void subtract_from_sides(const lane_matrix<T>& A, const lane_matrix<T>& X,
                                       const lane_matrix<T>& Y) {
  constexpr int R = lane_tile_rows<T>;
  for_tiles<T>(0, Y.cols, [&]<int C>(index_t j) {
    index_t i = 0;
    for (; i + R <= Y.rows; i += R) subtract_tile_of_sides<Of, R, C>(A, X, Y, i, j);
    for (; i < Y.rows; ++i) subtract_tile_of_sides<Of, 1, C>(A, X, Y, i, j);
  });
}

/// The first `rows` rows of A, or those from row `rows` on.
template <class T>
TRIFAC_INLINE lane_matrix<T> first_rows(lane_matrix<T> A, index_t rows) {
  A.rows = rows;
  return A;
}
template <class T>
TRIFAC_INLINE lane_matrix<T> other_rows(const lane_matrix<T>& A, index_t rows) {
  return {A.at(rows, 0), A.rows - rows, A.cols, A.row_stride, A.col_stride};
}

/// work(L11, L21, B1, B2, divisors) for each group; `memory`: as lane_divisors says.
template <class T, class Work>
TRIFAC_INLINE void for_partial_systems(const lane_groups<T>& factors, const lane_groups<T>& sides,
                                       real_t<T>* memory, const Work& work) {
  const index_t k = factors.first.cols;
  lane_divisors<T> by = divisors_in<T>(memory, k);
  for (index_t g = 0; g < factors.count; ++g) {
    const lane_matrix<T> L = factors[g], B = sides[g], L11 = first_rows(L, k);
    if (is_complex<T>) find_divisors(by, L11);
    work(L11, other_rows(L, k), first_rows(B, k), other_rows(B, k), by);
  }
}

template <class T>
TRIFAC_ENTRY void solve_forward_lanes(target, const lane_groups<T>& factors,
                                      const lane_groups<T>& sides, real_t<T>* memory) {
  for_partial_systems(
      factors, sides, memory,
      [](const auto& L11, const auto& L21, const auto& B1, const auto& B2, const auto& by) {
        substitute_lanes<division::exact, conjugation::none>(L11, B1, by);
        subtract_from_sides<conjugation::none>(L21, B1, B2);
      });
}
template <class T>
TRIFAC_ENTRY void solve_backward_lanes(target, const lane_groups<T>& factors,
                                       const lane_groups<T>& sides, real_t<T>* memory) {
  for_partial_systems(
      factors, sides, memory,
      [](const auto& L11, const auto& L21, const auto& B1, const auto& B2, const auto& by) {
        subtract_from_sides<conjugation::first>(L21.transposed(), B2, B1);
        substitute_lanes<division::exact, conjugation::first>(
            L11.transposed().reversed(), B1.rows_reversed(), by.reversed(L11.rows));
      });
}
