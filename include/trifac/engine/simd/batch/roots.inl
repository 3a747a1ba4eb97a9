// The roots of W pivots d of a Cholesky factorization, and what it multiplies with instead of
// dividing by them: rounded correctly or, float_model::fast, from an estimate y of 1/√d,
//
//   e = 1 − d·y²,  |e| < 2⁻¹³,    1/√d = y·(1 + e/2 + 3e²/8 + 5e³/16 + …),    √d = d·(1/√d)
//
// cut off at a quarter of a unit in the last place; 1/√d and √d are within two units.

template <class R>
struct lane_root {
  vec<R> root, reciprocal;
};

/// NaN where d is not positive and finite.
template <class R>
TRIFAC_INLINE lane_root<R> estimated_root(vec<R> d) {
  const vec<R> y = estimate_reciprocal_root(d);
  const vec<R> e = fnma(d * y, y, broadcast(R(1)));
  vec<R> p = broadcast(R(0.375));
  if constexpr (sizeof(R) == 8) p = fma(e, broadcast(R(0.3125)), p);
  p = fma(e, p, broadcast(R(0.5)));
  const vec<R> r = fma(y, p * e, y);
  return {d * r, r};
}

/// The roots of the C columns of a tile; `Last`: of the matrix, whose last 1/√d is not used. There
/// every second column goes to the divider, which is idle: order 4 is 1.12 times as fast.
template <class R, float_model Floats, int C, bool Last>
struct tile_roots {
  unsigned bad = 0;  ///< lanes in which some d is not positive and finite

  TRIFAC_INLINE lane_root<R> root_of(vec<R> d, int column) {
    if constexpr (Floats == float_model::fast) {
      if (!Last || column % 2 == 0) {
        const lane_root<R> x = estimated_root<R>(d);
        // NaN has spread from a bad column to all after it.
        if (column + 1 == C) bad |= bad_lanes(x.root);
        return x;
      }
    }
    lane_root<R> x = {square_root(d), {}};
    bad |= bad_lanes(x.root);
    if (!Last || column + 1 < C) x.reciprocal = broadcast(R(1)) / x.root;
    return x;
  }
  /// √d tells what d is: that of a subnormal d is normal, so that no subnormal number is compared,
  /// which the processor may have been told to take for 0 (docs/numerics.md).
  TRIFAC_INLINE static unsigned bad_lanes(vec<R> root) {
    return lanes_outside(root, std::numeric_limits<R>::min(), std::numeric_limits<R>::max());
  }
};
