// Where a kernel reads and writes a tile: in the matrix itself or in a copy.

// Layouts that a kernel has code for. Everything else goes by way of a copy.
enum class tile_layout { columns, columns_or_rows };

// Room for a copy of a tile. Of reals: an array of std::complex would be filled with zeros.
template <class T, int N, int V>
struct tile_buffer {
  alignas(64) real_t<T> parts[N * V * planes<T> * width<real_t<T>>];
};

// Where a kernel reads and writes a tile of the matrix C: there, or in a column-major copy, where C
// has other strides, columns are missing, or another part of the tile belongs to the kernel than
// the one that its loads and stores take. So the kernels have one short text, and the copying is
// compiled once for all of them.
//
// Its members are numbers, not views, and stay in registers: a view that is handed on by reference
// would be written to the stack and read again by vectors, which waits for the writing.
template <tile_layout Layout, region Region, int Offset, class T, int N, int V>
class tile_place {
 public:
  TRIFAC_INLINE tile_place(const matrix_view<T>& C, tile_buffer<T, N, V>& buffer, region part,
                           int offset)
      : data_(C.data()),
        rows_(C.rows()),
        cols_(C.cols()),
        row_stride_(C.row_stride()),
        col_stride_(C.col_stride()),
        part_(part),
        offset_(offset) {
    const bool by_rows = Layout == tile_layout::columns_or_rows && col_stride_ == 1 && cols_ >= N &&
                         ((V == 1 && Region == region::whole) || rows_ >= V * w);
    const bool direct = row_stride_ == 1 ? Region == region::lower || cols_ >= N : by_rows;
    if (__builtin_expect(part == Region && direct, 1)) return;
    copy_ = reinterpret_cast<T*>(buffer.parts);
    gather_tile(copy_, matrix(), extent());
  }

  TRIFAC_INLINE void load(tile<T, N, V>& t) const {
    if constexpr (Layout == tile_layout::columns_or_rows)
      if (__builtin_expect(row_stride_ != 1, 0) && !copy_)
        return load_rows<Region, Offset>(t, data_, row_stride_, last());
    T* const C = copy_ ? copy_ : data_;
    load_columns<Region, Offset>(t, C, ld(), last(), cols_);
  }
  TRIFAC_INLINE void store(const tile<T, N, V>& t) const {
    if constexpr (Layout == tile_layout::columns_or_rows)
      if (__builtin_expect(row_stride_ != 1, 0) && !copy_)
        return store_rows<Region, Offset>(t, data_, row_stride_, last());
    T* const C = copy_ ? copy_ : data_;
    store_columns<Region, Offset>(t, C, ld(), last(), cols_);
    if (__builtin_expect(copy_ != nullptr, 0)) scatter_tile(copy_, matrix(), extent());
  }

 private:
  static constexpr int w = width<real_t<T>>;

  TRIFAC_INLINE index_t ld() const { return copy_ ? V * w : col_stride_; }
  TRIFAC_INLINE int last() const { return copy_ ? w : at_most(rows_ - (V - 1) * w, w); }
  TRIFAC_INLINE matrix_view<T> matrix() const {
    return {data_, rows_, cols_, row_stride_, col_stride_};
  }
  TRIFAC_INLINE tile_extent extent() const { return {V * w, N, part_, offset_}; }

  T* data_;
  index_t rows_, cols_, row_stride_, col_stride_;
  T* copy_ = nullptr;
  region part_;
  int offset_;
};

template <tile_layout Layout, region Region = region::whole, int Offset = 0, class T, int N, int V>
TRIFAC_INLINE tile_place<Layout, Region, Offset, T, N, V> place_tile(const matrix_view<T>& C,
                                                                     tile_buffer<T, N, V>& buffer,
                                                                     region part = Region,
                                                                     int offset = Offset) {
  return {C, buffer, part, offset};
}
