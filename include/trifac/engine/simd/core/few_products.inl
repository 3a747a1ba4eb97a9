// Products with a few columns. What takes time is reading A, so A is read once and where it lies,
// eight columns or a few rows at a time, whichever are contiguous.
//
// All sums are over real numbers. Of a complex A the columns (rows) are real ones of twice the
// length, re, im, re, im, …, and a column x of B becomes two:
//
//   by columns   P = A·Re x,  Q = A·Im x;           A·x = P_re − Q_im + i·(P_im + Q_re)
//   by rows      Re and Im of a·x are a·(x_re, −x_im, …) and a·(x_im, x_re, …)

/// Rows of A that are taken at a time: as many vectors are transposed to add their lanes.
template <class R>
inline constexpr int rows_at_once = at_most(width<R>, registers / 4);

/// y_c −= Σ_k a_k·s_kc for `rows` reals and the columns a_0, a_1, … of A, of which `count` exist.
template <int N, class R>
inline __attribute__((noinline)) void subtract_columns(const R* A, index_t ld, int count,
                                                       const R (&s)[few_steps][as_size(N)], R* y,
                                                       index_t ldy, index_t rows) {
  constexpr int w = width<R>;
  const R* a[few_steps];
  vec<R> x[few_steps][as_size(N)];
  TRIFAC_UNROLL
  for (int k = 0; k < few_steps; ++k) {
    a[k] = A + (k < count ? k : count - 1) * ld;  // those that do not exist count zero times
    TRIFAC_UNROLL
    for (int c = 0; c < N; ++c) x[k][c] = broadcast(s[k][c]);
  }
  index_t i = 0;
  for (; i + w <= rows; i += w) {
    vec<R> sum[as_size(N)];
    TRIFAC_UNROLL
    for (int c = 0; c < N; ++c) sum[c] = load(y + c * ldy + i);
    TRIFAC_UNROLL
    for (int k = 0; k < few_steps; ++k) {
      const vec<R> column = load(a[k] + i);
      TRIFAC_UNROLL
      for (int c = 0; c < N; ++c) sum[c] = fnma(column, x[k][c], sum[c]);
    }
    TRIFAC_UNROLL
    for (int c = 0; c < N; ++c) store(y + c * ldy + i, sum[c]);
  }
  if (i == rows) return;
  const int rest = static_cast<int>(rows - i);
  TRIFAC_UNROLL
  for (int c = 0; c < N; ++c) {
    vec<R> sum = load_first(y + c * ldy + i, rest);
    TRIFAC_UNROLL
    for (int k = 0; k < few_steps; ++k) sum = fnma(load_first(a[k] + i, rest), x[k][c], sum);
    store_first(y + c * ldy + i, sum, rest);
  }
}

/// sums[c][r] := Σ_k a_rk·x_ck for rows_at_once rows of A, of which `count` exist, and `cols`
/// reals; x is readable up to the next multiple of a vector's lanes.
template <int N, class R>
inline __attribute__((noinline)) void multiply_rows(
    const R* A, index_t ld, int count, const R* x, index_t ldx, index_t cols,
    R (&sums)[as_size(N)][as_size(rows_at_once<R>)]) {
  constexpr int w = width<R>, M = rows_at_once<R>;
  const R* a[as_size(M)];
  vec<R> sum[as_size(N)][as_size(M)];
  TRIFAC_UNROLL
  for (int r = 0; r < M; ++r) {
    a[r] = A + (r < count ? r : count - 1) * ld;
    TRIFAC_UNROLL
    for (int c = 0; c < N; ++c) sum[c][r] = vec<R>{};
  }
  index_t k = 0;
  for (; k + w <= cols; k += w) {
    TRIFAC_UNROLL
    for (int r = 0; r < M; ++r) {
      const vec<R> row = load(a[r] + k);
      TRIFAC_UNROLL
      for (int c = 0; c < N; ++c) sum[c][r] = fma(row, load(x + c * ldx + k), sum[c][r]);
    }
  }
  if (k < cols) {
    TRIFAC_UNROLL
    for (int r = 0; r < M; ++r) {
      const vec<R> row = load_first(a[r] + k, static_cast<int>(cols - k));
      TRIFAC_UNROLL
      for (int c = 0; c < N; ++c) sum[c][r] = fma(row, load(x + c * ldx + k), sum[c][r]);
    }
  }
  TRIFAC_UNROLL
  for (int c = 0; c < N; ++c) {
    transpose<R, M>(sum[c]);  // lane r of each group of M lanes belongs to row r now
    vec<R> all = sum[c][0];
    TRIFAC_UNROLL
    for (int r = 1; r < M; ++r) all = all + sum[c][r];
    TRIFAC_UNROLL
    for (int r = 0; r < M; ++r) {
      R one = all[r];
      TRIFAC_UNROLL
      for (int lane = r + M; lane < w; lane += M) one += all[lane];
      sums[c][r] = one;
    }
  }
}

/// Room for a copy of two real columns, or of one complex column in two forms: of a piece of C for
/// subtract_columns, which needs none for contiguous real columns, or of B for multiply_rows.
template <class T>
struct few_columns_piece {
  using R = real_t<T>;
  static constexpr index_t most = 512;  // rows
  alignas(64) R copy[2 * planes<T> * most];
};

/// Columns j … j+N−1 of a piece C of at most few_columns_piece::most rows −= A·B, A by columns; for
/// complex T one column, N = 2 being its P and Q.
template <int N, class T>
TRIFAC_INLINE void subtract_by_columns(const matrix_view<T>& C, const operand<T>& A,
                                       const operand<T>& B, index_t j) {
  using R = real_t<T>;
  constexpr index_t p = planes<T>, ldy = few_columns_piece<T>::most * p;
  few_columns_piece<T> piece;
  const index_t m = C.rows();
  const bool direct = !is_complex<T> && C.row_stride() == 1;
  R* const y = direct ? reinterpret_cast<R*>(&C(0, j)) : piece.copy;
  const index_t distance = direct ? C.col_stride() : ldy;
  if (!direct) {
    for (int c = 0; c < N; ++c)
      for (index_t i = 0; i < m * p; ++i) {
        if constexpr (is_complex<T>)
          y[c * ldy + i] = R(0);
        else
          y[c * ldy + i] = C(i, j + c);
      }
  }
  for (index_t k = 0; k < A.cols(); k += few_steps) {
    const int count = at_most(A.cols() - k, few_steps);
    R s[few_steps][as_size(N)];
    for (int q = 0; q < few_steps; ++q)
      for (int c = 0; c < N; ++c) {
        if constexpr (is_complex<T>) {
          const T b = q < count ? B(k + q, j) : T(0);
          s[q][c] = reinterpret_cast<const R*>(&b)[c];
        } else {
          s[q][c] = q < count ? B(k + q, j + c) : T(0);
        }
      }
    subtract_columns<N>(reinterpret_cast<const R*>(&A.view(0, k)), A.view.col_stride() * p, count,
                        s, y, distance, m * p);
  }
  if (direct) return;
  for (index_t i = 0; i < m; ++i) {
    if constexpr (is_complex<T>) {
      const R *const P = y + 2 * i, *const Q = y + ldy + 2 * i, sign = A.conjugated ? R(-1) : R(1);
      R* const x = reinterpret_cast<R*>(&C(i, j));
      x[0] += P[0] - sign * Q[1];
      x[1] += sign * P[1] + Q[0];
    } else {
      for (int c = 0; c < N; ++c) C(i, j + c) = y[c * ldy + i];
    }
  }
}

/// Columns j … j+N−1 of C −= A·B, A by rows, at most few_columns_piece::most columns of it; for
/// complex T one column, N = 2 being its real and its imaginary parts.
template <int N, class T>
TRIFAC_INLINE void subtract_by_rows(const matrix_view<T>& C, const operand<T>& A,
                                    const operand<T>& B, index_t j) {
  using R = real_t<T>;
  constexpr int M = rows_at_once<R>;
  constexpr index_t p = planes<T>, ldx = few_columns_piece<T>::most * p;
  few_columns_piece<T> piece;
  R* const x = piece.copy;
  const index_t count = A.cols(), padded = (count * p + width<R> - 1) / width<R> * width<R>;
  for (index_t k = 0; k < count; ++k) {
    if constexpr (is_complex<T>) {
      const T b = B(k, j);
      const R re = reinterpret_cast<const R*>(&b)[0], im = reinterpret_cast<const R*>(&b)[1];
      x[2 * k] = re;
      x[2 * k + 1] = A.conjugated ? im : -im;
      x[ldx + 2 * k] = im;
      x[ldx + 2 * k + 1] = A.conjugated ? -re : re;
    } else {
      for (int c = 0; c < N; ++c) x[c * ldx + k] = B(k, j + c);
    }
  }
  for (index_t k = count * p; k < padded; ++k)
    for (int c = 0; c < N; ++c) x[c * ldx + k] = R(0);
  for (index_t row = 0; row < C.rows(); row += M) {
    const int rows = at_most(C.rows() - row, M);
    R sums[as_size(N)][as_size(M)];
    multiply_rows<N>(reinterpret_cast<const R*>(&A.view(row, 0)), A.view.row_stride() * p, rows, x,
                     ldx, count * p, sums);
    for (int r = 0; r < rows; ++r) {
      if constexpr (is_complex<T>) {
        R* const y = reinterpret_cast<R*>(&C(row + r, j));
        y[0] -= sums[0][r];
        y[1] -= sums[1][r];
      } else {
        for (int c = 0; c < N; ++c) C(row + r, j + c) -= sums[c][r];
      }
    }
  }
}

/// C −= A·B, all columns of C, a piece of A at a time.
template <class T>
inline __attribute__((noinline)) void subtract_few(const matrix_view<T>& C, const operand<T>& A,
                                                   const operand<T>& B) {
  constexpr index_t most = few_columns_piece<T>::most;
  const bool by_columns = A.view.row_stride() == 1;
  const index_t all = by_columns ? A.rows() : A.cols(), columns = C.cols();
  for (index_t at = 0; at < all; at += most) {
    const index_t some = all - at < most ? all - at : most;
    const auto C1 = by_columns ? C.block(at, 0, some, columns) : C;
    const auto A1 = by_columns ? A.block(at, 0, some, A.cols()) : A.block(0, at, A.rows(), some);
    const auto B1 = by_columns ? B : B.block(at, 0, some, columns);
    index_t j = 0;
    for (constexpr int some_columns = is_complex<T> ? 1 : 2; j + some_columns <= columns;
         j += some_columns)
      by_columns ? subtract_by_columns<2>(C1, A1, B1, j) : subtract_by_rows<2>(C1, A1, B1, j);
    if constexpr (!is_complex<T>)
      if (j < columns)
        by_columns ? subtract_by_columns<1>(C1, A1, B1, j) : subtract_by_rows<1>(C1, A1, B1, j);
  }
}
