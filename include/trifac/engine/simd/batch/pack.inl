// Between matrices anywhere in memory and lanes.

/// Matrices whose elements lie side by side: lane l of element (i, j) is first[l].
template <class T>
TRIFAC_INLINE void pack_side_by_side(const T* first, index_t row_stride, index_t col_stride,
                                     lane_part part, const lane_matrix<T>& to) {
  for (index_t j = 0; j < to.cols; ++j)
    for (index_t i = first_row_of(part, j); i < end_row_of(part, j, to.rows); ++i) {
      const T* const p = first + i * row_stride + j * col_stride;
      store_parts<T>(to.at(i, j), load_packet(p));
    }
}
template <class T>
TRIFAC_INLINE void unpack_side_by_side(const lane_matrix<T>& from, T* first, index_t row_stride,
                                       index_t col_stride, lane_part part) {
  for (index_t j = 0; j < from.cols; ++j)
    for (index_t i = first_row_of(part, j); i < end_row_of(part, j, from.rows); ++i) {
      T* const p = first + i * row_stride + j * col_stride;
      store_packet(p, load_parts<T>(from.at(i, j)));
    }
}

/// Any strides, lane by lane.
template <class T>
inline __attribute__((noinline)) void pack_elements(const T* const* matrices, index_t row_stride,
                                                    index_t col_stride, lane_part part,
                                                    const lane_matrix<T>& to) {
  using R = real_t<T>;
  constexpr int w = packet_rows<T>;
  for (index_t j = 0; j < to.cols; ++j)
    for (index_t i = first_row_of(part, j); i < end_row_of(part, j, to.rows); ++i)
      for (int l = 0; l < w; ++l) {
        const R* const p =
            reinterpret_cast<const R*>(matrices[l] + i * row_stride + j * col_stride);
        for (int plane = 0; plane < planes<T>; ++plane) to.at(i, j)[plane * w + l] = p[plane];
      }
}
template <class T>
inline __attribute__((noinline)) void unpack_elements(const lane_matrix<T>& from,
                                                      T* const* matrices, unsigned lanes,
                                                      index_t row_stride, index_t col_stride,
                                                      lane_part part) {
  using R = real_t<T>;
  constexpr int w = packet_rows<T>;
  for (index_t j = 0; j < from.cols; ++j)
    for (index_t i = first_row_of(part, j); i < end_row_of(part, j, from.rows); ++i)
      for (int l = 0; l < w; ++l) {
        if (!(lanes >> l & 1)) continue;
        R* const p = reinterpret_cast<R*>(matrices[l] + i * row_stride + j * col_stride);
        for (int plane = 0; plane < planes<T>; ++plane) p[plane] = from.at(i, j)[plane * w + l];
      }
}

template <class T>
TRIFAC_INLINE bool are_side_by_side(T* const* matrices, int count) {
  for (int l = 1; l < count; ++l)
    if (matrices[l] != matrices[0] + l) return false;
  return true;
}

/// Lanes 0 … count−1 := the matrices at matrices[0 … count−1]; the other lanes the first one again,
/// so that nothing unusual happens in them. matrices has W entries.
template <class T>
TRIFAC_ENTRY void pack_lanes(target, const T** matrices, int count, index_t row_stride,
                             index_t col_stride, lane_part part, const lane_matrix<T>& to) {
  constexpr int w = packet_rows<T>;
  if (count == w && are_side_by_side(matrices, w))
    return pack_side_by_side(matrices[0], row_stride, col_stride, part, to);
  for (int l = count; l < w; ++l) matrices[l] = matrices[0];
  T* const* const from = const_cast<T* const*>(matrices);
  if (row_stride == 1) return copy_columns<column_packing>(from, col_stride, part, to);
  if (col_stride == 1)
    return copy_columns<column_packing>(from, row_stride, transposed(part), to.transposed());
  pack_elements(matrices, row_stride, col_stride, part, to);
}

/// The way back, for those of the count matrices whose lanes are in the mask. Lanes without a
/// matrix go to the first one, too, before its own.
template <class T>
TRIFAC_ENTRY void unpack_lanes(target, const lane_matrix<T>& from, T** matrices, int count,
                               unsigned lanes, index_t row_stride, index_t col_stride,
                               lane_part part) {
  constexpr int w = packet_rows<T>;
  const unsigned all = (1u << count) - 1;
  if ((lanes & all) == all) {
    if (count == w && are_side_by_side(matrices, w))
      return unpack_side_by_side(from, matrices[0], row_stride, col_stride, part);
    for (int l = count; l < w; ++l) matrices[l] = matrices[0];
    if (row_stride == 1) return copy_columns<column_unpacking>(matrices, col_stride, part, from);
    if (col_stride == 1)
      return copy_columns<column_unpacking>(matrices, row_stride, transposed(part),
                                            from.transposed());
  }
  unpack_elements(from, matrices, lanes & all, row_stride, col_stride, part);
}
