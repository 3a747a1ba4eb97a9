// Solves of small orders with one right-hand side in registers.

/// One right-hand side of order N in registers. L·Lᵀ, where all roots are ordinary pivots; else
/// false, and B as it was. Or L\U with `pivots`, which may be null.
template <int N, bool IsLU, class T>
TRIFAC_INLINE bool solve_in_registers(const lane_matrix<T>& A, const lane_matrix<T>& B,
                                      const std::int32_t* pivots) {
  using R = real_t<T>;
  packet<T> x[as_size(N)], r[as_size(N)];  // r: what x is divided by, or multiplied by
  unsigned outside = 0;
  TRIFAC_UNROLL
  for (int i = 0; i < N; ++i) {
    const packet<T> d = load_parts<T>(A.at(i, i));
    if constexpr (!IsLU) outside |= extreme_lanes<T>(d);
    r[i] = IsLU ? d : reciprocal_of<T>(d);
    x[i] = load_parts<T>(B.at(i, 0));
  }
  if (__builtin_expect(outside != 0, 0)) return false;
  if (IsLU && pivots != nullptr) {
    TRIFAC_UNROLL
    for (int j = 0; j + 1 < N; ++j) {
      const keys<R> row = load_rows<R>(pivots + j * most_lanes);
      TRIFAC_UNROLL
      for (int i = j + 1; i < N; ++i) {
        const unsigned here = equal_lanes<R>(row, keys<R>{} + static_cast<key<R>>(i));
        const packet<T> upper = x[j];
        x[j] = blend_packet(upper, x[i], here);
        x[i] = blend_packet(x[i], upper, here);
      }
    }
  }
  TRIFAC_UNROLL
  for (int k = 0; k < N; ++k) {
    if constexpr (!IsLU) x[k] = multiply(x[k], r[k]);
    TRIFAC_UNROLL
    for (int i = k + 1; i < N; ++i) x[i] = subtract_product(x[i], load_parts<T>(A.at(i, k)), x[k]);
  }
  TRIFAC_UNROLL
  for (int k = N - 1; k >= 0; --k) {
    if constexpr (IsLU)
      x[k].re = x[k].re / r[k].re;
    else
      x[k] = multiply(x[k], r[k]);
    TRIFAC_UNROLL
    for (int i = 0; i < k; ++i)
      x[i] = subtract_product(x[i], load_parts<T>(IsLU ? A.at(i, k) : A.at(k, i)), x[k]);
  }
  TRIFAC_UNROLL
  for (int i = 0; i < N; ++i) store_parts<T>(B.at(i, 0), x[i]);
  return true;
}

/// The groups from the first on that solve_in_registers takes: how many.
template <int N, bool IsLU, class T>
inline __attribute__((noinline)) index_t solve_groups_in_registers(const lane_groups<T>& factors,
                                                                   const lane_groups<T>& sides,
                                                                   const lane_pivots& pivots,
                                                                   index_t matrix) {
  constexpr int w = width<real_t<T>>;
  lane_matrix<T> A = factors.first, B = sides.first;
  index_t g = 0;
  for (; g < factors.count; ++g, A.data += factors.step, B.data += sides.step) {
    fetch_group(A, factors.ahead, IsLU ? lane_part::whole : lane_part::lower);
    if (!solve_in_registers<N, IsLU>(A, B, pivots.rows ? pivots.at(matrix + g * w) : nullptr))
      break;
  }
  return g;
}
template <bool IsLU, class T>
TRIFAC_INLINE index_t solve_few_in_registers(const lane_groups<T>& factors,
                                             const lane_groups<T>& sides, const lane_pivots& pivots,
                                             index_t matrix) {
  if constexpr (!is_complex<T> && registers >= 32 && has_masks)
    if (sides.first.cols == 1 && factors.step != 0) switch (factors.first.rows) {
#define TRIFAC_ORDER(N) \
  case N:               \
    return solve_groups_in_registers<N, IsLU>(factors, sides, pivots, matrix);
        TRIFAC_LANE_ORDERS(TRIFAC_ORDER)
#undef TRIFAC_ORDER
      }
  return 0;
}
