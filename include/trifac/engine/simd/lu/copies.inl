// Panels into memory that kernels may use freely, and back: columns as they are, rows through
// registers, where W packets of W columns each become columns of W rows.

/// Where rows of a panel are: numbers[i] or, where there is no list, i itself.
TRIFAC_INLINE index_t row_number(const index_t* numbers, index_t i) {
  return numbers ? numbers[i] : i;
}

/// `count` rows of `cols` contiguous elements, `stride` apart and numbered as row_number says, into
/// columns.
template <class T>
inline __attribute__((noinline)) void rows_to_columns(const T* A, index_t stride,
                                                      const index_t* numbers, index_t count,
                                                      index_t cols, T* to, index_t ld) {
  constexpr int W = packet_rows<T>;
  for (index_t i = 0; i < count; i += W) {
    const index_t whole = count - i < W ? 0 : cols / W * W, rows = count - i < W ? count - i : W;
    for (index_t j = 0; j < whole; j += W) {
      packet<T> x[as_size(W)];
      TRIFAC_UNROLL
      for (int r = 0; r < W; ++r) x[r] = load_packet(A + row_number(numbers, i + r) * stride + j);
      transpose_packets<T, W>(x);
      TRIFAC_UNROLL
      for (int c = 0; c < W; ++c) store_packet(to + i + (j + c) * ld, x[c]);
    }
    for (index_t r = i; r < i + rows; ++r) {
      const T* const row = A + row_number(numbers, r) * stride;
      for (index_t j = whole; j < cols; ++j) to[r + j * ld] = row[j];
    }
  }
}

/// The way back, to rows 0 … count − 1.
template <class T>
inline __attribute__((noinline)) void columns_to_rows(const T* from, index_t ld, index_t count,
                                                      index_t cols, T* A, index_t stride) {
  constexpr int W = packet_rows<T>;
  for (index_t i = 0; i < count; i += W) {
    const index_t whole = count - i < W ? 0 : cols / W * W, rows = count - i < W ? count - i : W;
    for (index_t j = 0; j < whole; j += W) {
      packet<T> x[as_size(W)];
      TRIFAC_UNROLL
      for (int c = 0; c < W; ++c) x[c] = load_packet(from + i + (j + c) * ld);
      transpose_packets<T, W>(x);
      TRIFAC_UNROLL
      for (int r = 0; r < W; ++r) store_packet(A + (i + r) * stride + j, x[r]);
    }
    for (index_t r = i; r < i + rows; ++r)
      for (index_t j = whole; j < cols; ++j) A[r * stride + j] = from[r + j * ld];
  }
}

/// Copies `count` rows of A, numbered as row_number says, into memory with whole packets and
/// micro-panels: zeros below the last row, down to row `padded_rows`, and zero columns up to the
/// next micro-panel.
template <class T>
inline __attribute__((noinline)) void copy_rows_in(const matrix_view<const T>& A,
                                                   const index_t* numbers, index_t count, T* to,
                                                   index_t ld, index_t padded_rows) {
  constexpr int W = packet_rows<T>;
  const index_t n = A.cols();
  index_t done = 0;  // rows of every column
  if (A.runs_along_rows()) {
    rows_to_columns(A.data(), A.row_stride(), numbers, count, n, to, ld);
    done = count;
  }
  for (index_t j = 0; j < round_up(n, base_columns); ++j, to += ld) {
    index_t i = j < n ? done : 0;
    if (j < n) {
      if (i == 0 && A.row_stride() == 1) {
        const T* const from = A.data() + j * A.col_stride();
        if (numbers) {
          for (; i + W <= count; i += W) store_packet(to + i, gather_packet(from, numbers + i));
        } else {
          for (; i + W <= count; i += W) store_packet(to + i, load_packet(from + i));
          if (i < count) {
            store_packet(to + i, load_packet(from + i, 0, static_cast<int>(count - i)));
            i += W;
          }
        }
      }
      for (; i < count; ++i) to[i] = A(row_number(numbers, i), j);
    }
    for (; i < padded_rows; ++i) to[i] = T(0);
  }
}

/// The same for all rows, in order.
template <class T>
TRIFAC_INLINE void copy_in(const matrix_view<T>& A, T* to, index_t ld, index_t padded_rows) {
  copy_rows_in<T>(A, nullptr, A.rows(), to, ld, padded_rows);
}

template <class T>
inline __attribute__((noinline)) void copy_out(const T* from, index_t ld, const matrix_view<T>& A) {
  constexpr int W = packet_rows<T>;
  const index_t m = A.rows();
  if (A.runs_along_rows()) return columns_to_rows(from, ld, m, A.cols(), A.data(), A.row_stride());
  for (index_t j = 0; j < A.cols(); ++j, from += ld) {
    index_t i = 0;
    if (A.row_stride() == 1) {
      T* const to = A.data() + j * A.col_stride();
      for (; i + W <= m; i += W) store_packet(to + i, load_packet(from + i));
      if (i < m) store_packet(to + i, load_packet(from + i), 0, static_cast<int>(m - i));
      continue;
    }
    for (; i < m; ++i) A(i, j) = from[i];
  }
}
