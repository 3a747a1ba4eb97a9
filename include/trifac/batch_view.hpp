#pragma once
// batch_view: a non-owning view of many matrices of one size. The batch is the leftmost extent, as
// in the C++ paper P2901. Subviews and transposes cost nothing.
//
// Element (i, j) of matrices 0, 1, 2, … (a, b, c, …), each 2×2 and column-major:
//
//   strided          a00 a10 a01 a11 · · b00 b10 b01 b11 · · c00 …     one matrix after another
//   interleaved      a00 b00 c00 d00 · a10 b10 c10 d10 · a01 …         one element after another
//   chunks of two    a00 b00 a10 b10 a01 b01 a11 b11 | c00 d00 c10 …   interleaved by chunks
//   pointers         *p[0] = a00 a10 a01 a11   *p[1] = b00 …           anywhere

#include <limits>
#include <span>
#include <type_traits>
#include <utility>

#include "trifac/matrix_view.hpp"

namespace trifac {
namespace batch_memory {  // not in TRIFAC_ABI, like the views

/// a·b, clamped to the largest number; 0 if one is negative: the call then reports an argument
/// error.
constexpr index_t product(index_t a, index_t b) {
  constexpr index_t most = std::numeric_limits<index_t>::max();
  return a <= 0 || b <= 0 ? 0 : a > most / b ? most : a * b;
}

}  // namespace batch_memory

/// batch × rows × cols elements: element (i, j) of matrix b is
///
///   data[b / chunk · chunk_stride + b % chunk · lane_stride + i·row_stride + j·col_stride]
///
/// or at pointers[b][i·row_stride + j·col_stride]. T may be const. Strides are in elements.
template <class T>
class batch_view {
 public:
  using element_type = T;
  using value_type = std::remove_const_t<T>;

  /// The parameters of the address above. Matrix 0 is matrix `first` of its chunk.
  struct place {
    index_t chunk = 1, chunk_stride = 0, lane_stride = 0;
    index_t row_stride = 1, col_stride = 0;
    index_t first = 0;
  };

  constexpr batch_view() = default;
  constexpr batch_view(T* data, index_t batch, index_t rows, index_t cols, const place& where)
      : data_(data), batch_(batch), rows_(rows), cols_(cols), place_(where) {}
  /// Matrices that begin `offset` elements after their pointers.
  constexpr batch_view(T* const* pointers, index_t batch, index_t rows, index_t cols,
                       index_t row_stride, index_t col_stride, index_t offset = 0)
      : pointers_(pointers),
        has_pointers_(true),
        offset_(offset),
        batch_(batch),
        rows_(rows),
        cols_(cols),
        place_{.row_stride = row_stride, .col_stride = col_stride} {}

  /// A view of constant elements from a view of mutable ones.
  template <class U>
  requires(std::is_const_v<T>&& std::same_as<U, value_type>) constexpr batch_view(
      const batch_view<U>& A)
      : data_(A.data_),
        pointers_(A.pointers_),
        has_pointers_(A.has_pointers_),
        offset_(A.offset_),
        batch_(A.batch_),
        rows_(A.rows_),
        cols_(A.cols_),
        place_{A.place_.chunk,      A.place_.chunk_stride, A.place_.lane_stride,
               A.place_.row_stride, A.place_.col_stride,   A.place_.first} {}

#if defined(__cpp_lib_mdspan)
  /// From a three-dimensional std::mdspan with strides: (batch, rows, cols).
  template <class U, class Extents, class Layout>
  requires(Extents::rank() == 3 && std::convertible_to<U (*)[], T (*)[]>) constexpr batch_view(
      const std::mdspan<U, Extents, Layout>& A)
      : batch_view(A.data_handle(), static_cast<index_t>(A.extent(0)),
                   static_cast<index_t>(A.extent(1)), static_cast<index_t>(A.extent(2)),
                   place{.chunk_stride = static_cast<index_t>(A.stride(0)),
                         .row_stride = static_cast<index_t>(A.stride(1)),
                         .col_stride = static_cast<index_t>(A.stride(2))}) {}
#endif

  constexpr index_t batch() const {
    return batch_;
  }
  constexpr index_t rows() const {
    return rows_;
  }
  constexpr index_t cols() const {
    return cols_;
  }
  constexpr bool empty() const {
    return batch_ == 0 || rows_ == 0 || cols_ == 0;
  }
  /// The data of matrix 0; null with pointers.
  constexpr T* data() const {
    return data_;
  }
  constexpr T* const* pointers() const {
    return pointers_;
  }
  constexpr bool has_pointers() const {
    return has_pointers_;
  }
  constexpr const place& strides() const {
    return place_;
  }

  /// The first element of matrix b.
  constexpr T* address(index_t b) const {
    if (has_pointers_) return pointers_[b] + offset_;
    if (place_.chunk == 1) return data_ + b * place_.chunk_stride;  // no division
    const index_t q = place_.first + b;
    return data_ + (q / place_.chunk * place_.chunk_stride +
                    (q % place_.chunk - place_.first) * place_.lane_stride);
  }
  /// Matrix b.
  constexpr matrix_view<T> operator[](index_t b) const {
    return {address(b), rows_, cols_, place_.row_stride, place_.col_stride};
  }
  constexpr T& operator()(index_t b, index_t i, index_t j) const {
    return address(b)[i * place_.row_stride + j * place_.col_stride];
  }

  /// Matrices b … b+count−1.
  constexpr batch_view matrices(index_t b, index_t count) const {
    batch_view part = *this;
    part.batch_ = count;
    if (count == 0 || b == 0) return part;
    if (has_pointers_) {
      part.pointers_ += b;
    } else {
      part.data_ = address(b);
      part.place_.first = (place_.first + b) % place_.chunk;
    }
    return part;
  }
  /// Rows i … i+m−1 of columns j … j+n−1 of each matrix.
  constexpr batch_view block(index_t i, index_t j, index_t m, index_t n) const {
    batch_view part = *this;
    part.rows_ = m;
    part.cols_ = n;
    if (m == 0 || n == 0) return part;
    const index_t distance = i * place_.row_stride + j * place_.col_stride;
    if (has_pointers_)
      part.offset_ += distance;
    else
      part.data_ += distance;
    return part;
  }
  /// The transposes: rows and columns of each matrix exchanged.
  constexpr batch_view transposed() const {
    batch_view turned = *this;
    turned.rows_ = cols_;
    turned.cols_ = rows_;
    turned.place_.row_stride = place_.col_stride;
    turned.place_.col_stride = place_.row_stride;
    return turned;
  }

 private:
  template <class U>
  friend class batch_view;

  T* data_ = nullptr;
  T* const* pointers_ = nullptr;
  bool has_pointers_ = false;
  index_t offset_ = 0;  // from each pointer
  index_t batch_ = 0, rows_ = 0, cols_ = 0;
  place place_;
};

/// Column-major matrices with leading dimension ld ≥ rows, `stride` ≥ ld·cols elements apart.
template <class T>
constexpr batch_view<T> strided(T* data, index_t batch, index_t rows, index_t cols, index_t ld,
                                index_t stride) {
  return {data, batch, rows, cols, {.chunk_stride = stride, .col_stride = ld}};
}
/// The same without gaps.
template <class T>
constexpr batch_view<T> strided(T* data, index_t batch, index_t rows, index_t cols) {
  return strided(data, batch, rows, cols, rows, batch_memory::product(rows, cols));
}

/// Chunks of `chunk` interleaved matrices; the last one is as large as the others, even if the
/// batch does not fill it. ld ≥ rows: distance of columns, in elements of all matrices.
template <class T>
constexpr batch_view<T> chunked(T* data, index_t batch, index_t rows, index_t cols, index_t chunk,
                                index_t ld) {
  return {data,
          batch,
          rows,
          cols,
          {.chunk = chunk < 1 ? 1 : chunk,
           .chunk_stride = batch_memory::product(batch_memory::product(chunk, ld), cols),
           .lane_stride = 1,
           .row_stride = batch_memory::product(chunk, 1),
           .col_stride = batch_memory::product(chunk, ld)}};
}
template <class T>
constexpr batch_view<T> chunked(T* data, index_t batch, index_t rows, index_t cols, index_t chunk) {
  return chunked(data, batch, rows, cols, chunk, rows);
}

/// All matrices interleaved: elements (i, j) are consecutive, in runs of `padded` ≥ batch.
template <class T>
constexpr batch_view<T> interleaved(T* data, index_t batch, index_t rows, index_t cols,
                                    index_t padded) {
  return {data,
          batch,
          rows,
          cols,
          {.chunk = batch < 1 ? 1 : batch,
           .chunk_stride = batch_memory::product(batch_memory::product(padded, rows), cols),
           .lane_stride = 1,
           .row_stride = batch_memory::product(padded, 1),
           .col_stride = batch_memory::product(padded, rows)}};
}
template <class T>
constexpr batch_view<T> interleaved(T* data, index_t batch, index_t rows, index_t cols) {
  return interleaved(data, batch, rows, cols, batch);
}

/// Column-major matrices with leading dimension ld ≥ rows, each at its own pointer. They must not
/// overlap. Calls compare only neighbours in the batch, which finds every overlap if addresses
/// ascend or descend; sorting them would take longer than small factorizations. The pointers must
/// outlive the view.
template <class T>
constexpr batch_view<T> pointers(std::span<T* const> matrices, index_t rows, index_t cols,
                                 index_t ld) {
  return {matrices.data(), static_cast<index_t>(matrices.size()), rows, cols, 1, ld};
}
template <class T>
constexpr batch_view<T> pointers(std::span<T*> matrices, index_t rows, index_t cols, index_t ld) {
  return pointers(std::span<T* const>(matrices), rows, cols, ld);
}
/// From a vector or array of pointers that outlives the view; temporaries do not compile.
template <class P, class Pointer = typename decltype(std::span(std::declval<P&>()))::value_type>
requires std::is_pointer_v<Pointer>
constexpr auto pointers(P& matrices, index_t rows, index_t cols, index_t ld) {
  return pointers(std::span<const Pointer>(matrices), rows, cols, ld);
}

}  // namespace trifac
