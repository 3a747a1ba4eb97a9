// The diagonal tile of a Cholesky panel with pivots of any size.

// subtract_sum for a tile of one strip in memory: slower, but a few lines for the compiler.
template <class T, int N>
TRIFAC_INLINE void subtract_in_memory(
    real_t<T> (&y)[as_size(N)][as_size(planes<T>)][as_size(width<real_t<T>>)], const real_t<T>* a,
    const real_t<T>* b, index_t count) {
  using R = real_t<T>;
  for (index_t k = 0; k < count; ++k, a += k_step<T>, b += k_step<T>)
    for (int c = 0; c < N; ++c) {
      vec<R> x[planes<T>], left[planes<T>], right[planes<T>];
      for (int p = 0; p < planes<T>; ++p) {
        x[p] = load(y[c][p]);
        left[p] = load(a + p * width<R>);
      }
      broadcast_element<T>(right, b + c);
      subtract_product<T>(x, left, right);
      for (int p = 0; p < planes<T>; ++p) store(y[c][p], x[p]);
    }
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
  if constexpr (elimination_of<T>::parts > 1)
    subtract_in_memory<T, n>(y, at.packed + at.finished * k_step<T>,
                             at.block->u[at.part][0][0] + offset, at.pending());

  if (at.part == 0) block.scaled_before = false;
  R root[as_size(n)];
  int done = 0;
  for (; done < columns; ++done) {
    const int c = done;
    const R D = y[c][0][offset + c];
    if (!(D > 0 && D <= limits::max())) break;
    const bool subnormal = D < limits::min();
    const R one = 1, sqrt_D = square_root(broadcast(D))[0];
    const R scale = subnormal ? one / sqrt_D : sqrt_D * (one / D);
    root[c] = sqrt_D;
    block.before[w + first + c] = subnormal ? scale : one;
    block.after[w + first + c] = subnormal ? one : scale;
    block.reciprocal[w + first + c] = subnormal ? one : one / D;
    block.scaled_before |= subnormal;

    vec<R> column[planes<T>];
    for (int p = 0; p < planes<T>; ++p) {
      column[p] = load(y[c][p]) * broadcast(block.before[w + first + c]);
      store(y[c][p], column[p]);
      store(block.u[at.part][first + c][p], column[p] * broadcast(block.reciprocal[w + first + c]));
    }
    R next = 0;  // pivot, as factor_diagonal has it
    if (has_short_chain(c + 1) && c + 1 < n && D >= least_ordinary_pivot<R>) {
      vec<R> m[planes<T>];
      for (int p = 0; p < planes<T>; ++p) m[p] = broadcast(y[c][p][offset + c + 1]);
      const vec<R> d = broadcast(y[c + 1][0][offset + c + 1]);
      next = next_pivot<T>(d, m, broadcast(one / D))[0];
    }
    for (int d = c + 1; d < n; ++d) {
      vec<R> rest[planes<T>], m[planes<T>];
      for (int p = 0; p < planes<T>; ++p) {
        rest[p] = load(y[d][p]);
        m[p] = broadcast(block.u[at.part][first + c][p][offset + d]);
      }
      subtract_product<T>(rest, column, m);
      for (int p = 0; p < planes<T>; ++p) store(y[d][p], rest[p]);
    }
    if (next >= least_ordinary_pivot<R> && next <= limits::max())
      y[c + 1][0][offset + c + 1] = next;
  }

  for (int c = 0; c < done; ++c)
    for (int p = 0; p < planes<T>; ++p) {
      const vec<R> unscaled = load(y[c][p]);
      const vec<R> scaled = unscaled * broadcast(block.after[w + first + c]);
      store(at.packed_here() + c * k_step<T> + p * w, at.last_part() ? scaled : unscaled);
      store(y[c][p], scaled);
      y[c][p][offset + c] = p == 0 ? root[c] : R(0);
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
