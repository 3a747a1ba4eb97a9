// Reflectors found on a diagonal block and applied to it, column by column: after reflectors.inl
// and rotations.inl.

/// The lower triangle of D := that of L, zeros around it in the packets that have a part of it; and
/// back. D: n·ld elements.
template <class T>
TRIFAC_INLINE void copy_triangle(const matrix_view<T>& L, T* D, index_t ld) {
  constexpr int w = packet_rows<T>;
  const index_t n = L.rows();
  if (L.row_stride() != 1) {
    for (index_t i = 0; i < n * ld; i += w) store_packet(D + i, packet<T>{});
    for (index_t i = 0; i < n; ++i)
      for (index_t j = 0; j <= i; ++j) D[i + j * ld] = L(i, j);
    return;
  }
  for (index_t j = 0; j < n; ++j)
    for (index_t i = j / w * w; i < n; i += w)
      store_packet(D + i + j * ld,
                   load_packet(&L(i, j), i < j ? static_cast<int>(j - i) : 0, at_most(n - i, w)));
}
template <class T>
TRIFAC_INLINE void copy_triangle_back(const T* D, index_t ld, const matrix_view<T>& L) {
  constexpr int w = packet_rows<T>;
  const index_t n = L.rows();
  if (L.row_stride() != 1) {
    for (index_t i = 0; i < n; ++i)
      for (index_t j = 0; j <= i; ++j) L(i, j) = D[i + j * ld];
    return;
  }
  for (index_t j = 0; j < n; ++j)
    for (index_t i = j / w * w; i < n; i += w)
      store_packet(&L(i, j), load_packet(D + i + j * ld), i < j ? static_cast<int>(j - i) : 0,
                   at_most(n - i, w));
}

/// Column j of a diagonal block with n columns, and a group's K columns of X, both of whole packets
/// of rows: of the rows above the diagonal nothing is used. False where it has no reflector.
template <int K, class T>
TRIFAC_INLINE bool reflect_column(reflector<T>& h, modification how, index_t width, index_t n,
                                  index_t j, T* L, index_t ldl, T* X, index_t ldx) {
  using R = real_t<T>;
  constexpr int w = packet_rows<T>;
  constexpr R least = least_ordinary_pivot<R>, most = 1 / least;  // of squares, too
  T* const l = L + j * ldl;
  const R alpha = detail::real_part(l[j]), square_of_alpha = alpha * alpha;
  T x[as_size(K)];
  R size(0);
  TRIFAC_UNROLL
  for (int c = 0; c < K; ++c) {
    x[c] = X[j + c * ldx];
    size += detail::squared_abs(x[c]);
  }
  const R square = how == modification::update ? square_of_alpha + size : square_of_alpha - size;
  R beta = alpha;
  spread_reflector<K, T> all;
  // As blas::make_reflector has ordinary numbers.
  if (square_of_alpha > least && square_of_alpha < most && square > least && square < most) {
    beta = detail::square_root(square);
    const R to_s = R(how == modification::update ? 1 : -1) / beta, to_w = R(1) / (alpha + beta);
    h.a = alpha / beta;
    all.a = broadcast(h.a);
    const auto all_to_s = broadcast(to_s), all_to_w = broadcast(to_w);
    TRIFAC_UNROLL
    for (int c = 0; c < K; ++c) {
      h.s[c] = T(detail::conjugate(x[c]) * to_s);
      h.w[c] = T(x[c] * to_w);
      all.s[c] = scale(spread(T(detail::conjugate(x[c]))), all_to_s);
      all.w[c] = scale(spread(x[c]), all_to_w);
    }
  } else {
    if (!blas::make_reflector<T>(how, beta, {X + j, 1, width, 1, ldx}, h)) return false;
    all = spread<K>(h);
  }
  for (index_t i = (j + 1) / w * w; i < n; i += w) {
    packet<T> part[1] = {load_packet(l + i)}, y[as_size(K)][1];
    TRIFAC_UNROLL
    for (int c = 0; c < K; ++c) y[c][0] = load_packet(X + i + c * ldx);
    reflect_once<K, 1>(all, part, y);
    store_packet(l + i, part[0]);
    TRIFAC_UNROLL
    for (int c = 0; c < K; ++c) store_packet(X + i + c * ldx, y[c][0]);
  }
  l[j] = T(beta);
  return true;
}

/// The same by rotations in D. False, with x unchanged, where a column has none.
template <class T>
TRIFAC_INLINE bool rotate_diagonal(modification how, reflector<T>* h, index_t n, T* D, index_t ld,
                                   T* x) {
  alignas(64) T saved[rotation_columns];
  for (index_t i = 0; i < n; ++i) saved[i] = x[i];
  if (how == modification::update ? rotate_columns<modification::update>(h, n, D, ld, x)
                                  : rotate_columns<modification::downdate>(h, n, D, ld, x))
    return true;
  for (index_t i = 0; i < n; ++i) x[i] = saved[i];
  h->to_x = 0;
  return false;
}

/// simd::reflect_diagonal. A group is one column behind the one before it: their square roots and
/// quotients, for which nothing else waits, overlap.
template <class T>
TRIFAC_ENTRY last_reflector reflect_diagonal(target, reflector_block<T> Q, reflector<T>* reflectors,
                                             matrix_view<T> L, matrix_view<T> X, T* D) {
  const index_t n = L.rows(), ld = whole_packets(n), ldx = X.col_stride(), groups = Q.groups();
  last_reflector end = {n, 0};
  copy_triangle(L, D, ld);
  if (Q.vectors == 1) {
    if (rotate_diagonal(Q.how, reflectors, n, D, ld, X.data())) {
      copy_triangle_back(D, ld, L);
      return end;
    }
    copy_triangle(L, D, ld);
  }
  for (index_t step = 0; step < end.column + groups - 1; ++step)
    for (index_t g = 0; g < groups; ++g) {
      const index_t j = step - g, width = Q.width(g);
      if (j < 0 || j >= end.column) continue;
      reflector<T>& h = reflectors[g * Q.stride + j];
      T* const x = X.data() + g * reflector_width * ldx;
      const bool found = width <= 2 ? reflect_column<2>(h, Q.how, width, n, j, D, ld, x, ldx)
                                    : reflect_column<4>(h, Q.how, width, n, j, D, ld, x, ldx);
      if (!found) end = {j, g};
    }
  copy_triangle_back(D, ld, L);
  return end;
}
