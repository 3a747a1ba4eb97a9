// The diagonal tile of a Cholesky panel with pivots of any size.

// subtract_left for a tile of one micro-panel in memory: slower, but a few lines for the compiler.
template <class T, int N>
TRIFAC_INLINE void subtract_in_memory(
    real_t<T> (&y)[as_size(N)][as_size(planes<T>)][as_size(width<real_t<T>>)], const real_t<T>* a,
    const real_t<T>* b, index_t count) {
  using R = real_t<T>;
  for (index_t k = 0; k < count; ++k, a += k_step<T>, b += k_step<T>)
    for (int c = 0; c < N; ++c) {
      R* const x = y[c][0];
      store_parts<T>(x, subtract_product<conjugation::first>(
                            load_parts<T>(x), spread_parts<T>(b + c), load_parts<T>(a)));
    }
}

template <class R>
TRIFAC_INLINE bool has_ordinary_root(R pivot) {
  return pivot >= least_ordinary_pivot<R> && pivot <= std::numeric_limits<R>::max();
}

// factor_diagonal for any positive finite pivots, column by column in memory. Returns the columns
// that have one; they are stored, and so is the first bad pivot. What it computes for normal pivots
// is the same bit for bit.
template <class T>
TRIFAC_ENTRY int factor_diagonal_exactly(target, const cholesky_panel<T>& panel, index_t q) {
  using R = real_t<T>;
  using limits = std::numeric_limits<R>;
  constexpr int n = tile_columns<T>, w = width<R>;
  const panel_tile<T> at = tile_of(panel, q, q * n / w, 1);
  const int offset = static_cast<int>(q * n % w);
  const int columns = at_most(at.C.cols(), n);
  elimination_of<T>& block = *at.block;
  const int first = static_cast<int>(at.pending());

  alignas(64) R y[as_size(n)][as_size(planes<T>)][as_size(w)];
  tile_buffer<T, n, 1> buffer;
  T* const copy = reinterpret_cast<T*>(buffer.parts);
  gather_tile(copy, at.C, {w, n, region::lower, offset});
  for (int c = 0; c < n; ++c)
    for (int r = 0; r < w; ++r) {
      const T x = copy[c * w + r];
      y[c][0][r] = detail::real_part(x);
      if constexpr (is_complex<T>) y[c][1][r] = x.imag();
    }
  prepare_pending(at);
  subtract_in_memory<T, n>(y, at.packed, at.right, at.finished);
  const bool short_chain = first_has_short_chain(at);
  const index_t summed = short_chain ? at.pending() - 1 : at.pending();
  if constexpr (elimination_of<T>::parts > 1)
    subtract_in_memory<T, n>(y, at.packed_pending(0), block.u[at.part][0][0] + offset, summed);
  if (short_chain) {
    const packet<T> m = spread_parts<T>(at.packed_pending(summed) + offset);
    const vec<R> r = broadcast(block.reciprocal[w + summed]);
    const R D = next_pivot(broadcast(y[0][0][offset]), m, r)[0];
    subtract_in_memory<T, n>(y, at.packed_pending(summed), block.u[at.part][summed][0] + offset, 1);
    if (has_ordinary_root(D)) y[0][0][offset] = D;
  }

  if (at.part == 0) block.scaled_before = false;
  R root[as_size(n)];
  int done = 0;
  for (; done < columns; ++done) {
    const int c = done;
    const R D = y[c][0][offset + c];
    if (!(D > 0 && D <= limits::max())) break;
    const bool subnormal = D < limits::min();
    const R one = 1, sqrt_D = square_root(broadcast(D))[0];
    const R factor = subnormal ? one / sqrt_D : sqrt_D * (one / D);
    root[c] = sqrt_D;
    block.before[w + first + c] = subnormal ? factor : one;
    block.after[w + first + c] = subnormal ? one : factor;
    block.reciprocal[w + first + c] = subnormal ? one : one / D;
    block.scaled_before |= subnormal;

    const packet<T> column = scale(load_parts<T>(y[c][0]), broadcast(block.before[w + first + c]));
    R* const u = block.u[at.part][first + c][0];
    store_parts<T>(y[c][0], column);
    store_parts<T>(u, scale(column, broadcast(block.reciprocal[w + first + c])));
    R next = 0;  // pivot, as factor_diagonal has it
    if (has_short_chain(c + 1) && c + 1 < n && D >= least_ordinary_pivot<R>) {
      const packet<T> m = spread_parts<T>(y[c][0] + offset + c + 1);
      const vec<R> d = broadcast(y[c + 1][0][offset + c + 1]);
      next = next_pivot(d, m, broadcast(one / D))[0];
    }
    for (int d = c + 1; d < n; ++d) {
      const packet<T> m = spread_parts<T>(u + offset + d);
      store_parts<T>(y[d][0],
                     subtract_product<conjugation::first>(load_parts<T>(y[d][0]), m, column));
    }
    if (has_ordinary_root(next)) y[c + 1][0][offset + c + 1] = next;
  }

  for (int c = 0; c < done; ++c) {
    const packet<T> unscaled = load_parts<T>(y[c][0]);
    const packet<T> scaled = scale(unscaled, broadcast(block.after[w + first + c]));
    store_parts<T>(at.packed_here() + c * k_step<T>, at.last_part() ? scaled : unscaled);
    store_parts<T>(y[c][0], scaled);
    y[c][0][offset + c] = root[c];
    if constexpr (is_complex<T>) y[c][1][offset + c] = R(0);
  }
  for (int c = 0; c < done; ++c)
    for (int r = offset + c; r < w && r < at.C.rows(); ++r) {
      if constexpr (is_complex<T>)
        at.C(r, c) = T(y[c][0][r], y[c][1][r]);
      else
        at.C(r, c) = y[c][0][r];
    }
  if (done < columns)
    at.C(offset + done, done) = T(y[done][0][offset + done]);
  else if (at.last_part())
    finish_pending<1>(at);
  return done;
}
