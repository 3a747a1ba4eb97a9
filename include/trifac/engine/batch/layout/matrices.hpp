#pragma once
// batch: owns matrices of one size, padded and aligned for their layout; and copies between
// layouts.

#include <algorithm>
#include <cstddef>
#include <limits>
#include <new>
#include <utility>

#include "trifac/batch_view.hpp"
#include "trifac/engine/base/elements.hpp"
#include "trifac/engine/base/min_max.hpp"
#include "trifac/engine/simd/isa/isa.hpp"
#include "trifac/engine/views/matrix_like.hpp"

namespace trifac {

/// How the matrices of a batch lie: `chunk` of them interleaved; 1 is one matrix after another, 0
/// the whole batch interleaved, `one_line` as many as a cache line of 64 bytes has real numbers: 16
/// for float, 8 for double. That is a whole number of vectors of every instruction set, and a
/// vector of 64 bytes then uses all sets of the cache.
struct batch_layout {
  static constexpr index_t one_line = -1;

  index_t chunk = one_line;

  /// One matrix after another, each column-major.
  static constexpr batch_layout canonical() { return {1}; }
  /// The whole batch interleaved.
  static constexpr batch_layout interleaved() { return {0}; }
  static constexpr batch_layout chunked(index_t chunk = one_line) { return {chunk}; }
};

inline namespace TRIFAC_ABI {
namespace detail {

/// B := A in column j from row first(j) on. Matrices that are interleaved in both go together.
template <class T, class First>
void copy_columns(const batch_view<const T>& A, const batch_view<T>& B, First first) {
  const auto end_of_chunk = [](const auto& of, index_t b) {
    const auto& s = of.strides();
    return of.has_pointers() || s.chunk == 1 ? b + 1 : b + s.chunk - (s.first + b) % s.chunk;
  };
  const index_t a = A.strides().lane_stride, c = B.strides().lane_stride;
  for (index_t b = 0, end = 0; b < A.batch(); b = end) {
    end = min(A.batch(), min(end_of_chunk(A, b), end_of_chunk(B, b)));
    const matrix_view<const T> from = A[b];
    const matrix_view<T> to = B[b];
    const index_t together = end - b;
    const bool contiguous = from.row_stride() == together && to.row_stride() == together &&
                            (together == 1 || (a == 1 && c == 1));
    for (index_t j = 0; j < A.cols(); ++j) {
      index_t i = first(j);
      if (contiguous && i < A.rows()) {
        std::copy_n(&from(i, j), (A.rows() - i) * together, &to(i, j));
        continue;
      }
      for (; i < A.rows(); ++i)
        for (index_t l = 0; l < together; ++l) (&to(i, j))[l * c] = (&from(i, j))[l * a];
    }
  }
}

/// The lower triangles alone.
template <class T>
void copy_lower(const batch_view<const T>& A, const batch_view<T>& B) {
  copy_columns(A, B, [](index_t j) { return j; });
}

}  // namespace detail
}  // namespace TRIFAC_ABI

/// B := A, element by element, from any layout to any other. Shapes must agree; A and B do not
/// overlap.
template <class T>
void copy(const batch_view<const T>& A, const batch_view<T>& B) {
  detail::copy_columns(A, B, [](index_t) { return index_t{0}; });
}

/// batch × rows × cols elements of T, aligned to a cache line, set to T() at the start, the padding
/// too: chunks are whole, and columns of interleaved matrices have one element more where their
/// distance would be a multiple of 2048 bytes, so that few of them share a set of the cache. Throws
/// std::bad_alloc, also for sizes that are negative or do not fit in memory at all.
template <class T>
class batch {
 public:
  using value_type = T;

  batch() = default;
  batch(index_t count, index_t rows, index_t cols, batch_layout layout = {}) : batch() {
    count_ = count;
    rows_ = rows;
    cols_ = cols;
    constexpr index_t line = sizeof(real_t<T>) < 64 ? 64 / index_t{sizeof(real_t<T>)} : 1;
    chunk_ = layout.chunk == batch_layout::one_line ? line
             : layout.chunk > 0                     ? layout.chunk
             : count > simd::most_lanes && count <= most
                 ? (count + simd::most_lanes - 1) / simd::most_lanes * simd::most_lanes
                 : simd::most_lanes;
    const bool fits = count >= 0 && count <= most && rows >= 0 && cols >= 0 &&
                      layout.chunk >= batch_layout::one_line;
    if (fits) ld_ = rows;
    if (fits && chunk_ > 1 && rows > 0 && cols > 1 && chunk_ <= most / rows &&
        chunk_ * rows * size % 2048 == 0)
      ++ld_;
    const index_t chunks = count / chunk_ + (count % chunk_ != 0);
    const index_t wanted = fits ? product(product(chunks, chunk_), product(ld_, cols)) : most;
    const bool small = wanted < most;
    const index_t all = small ? wanted : 0;
    const index_t bytes = small ? all * size : std::numeric_limits<index_t>::max() / 64 * 64;
    data_ = static_cast<T*>(::operator new(static_cast<std::size_t>(bytes), alignment));
    elements::construct(data_, all);  // the memory is given back where a T() throws
    elements_ = all;
  }
  /// A copy of the elements of any view in a layout of its own.
  explicit batch(const batch_view<const T>& A, batch_layout layout = {})
      : batch(A.batch(), A.rows(), A.cols(), layout) {
    if (!A.empty()) copy<T>(A, view());
  }
  batch(const batch& other) : batch(other.count_, other.rows_, other.cols_, {other.chunk_}) {
    for (index_t i = 0; i < elements_; ++i) data_[i] = other.data_[i];
  }
  batch(batch&& other) noexcept { swap(other); }
  batch& operator=(batch other) noexcept {
    swap(other);
    return *this;
  }
  ~batch() {
    if (data_ == nullptr) return;
    elements::destroy(data_, elements_);
    ::operator delete(data_, alignment);
  }

  /// Matrices.
  index_t count() const { return count_; }
  index_t rows() const { return rows_; }
  index_t cols() const { return cols_; }
  /// Matrices that are interleaved.
  index_t chunk() const { return chunk_; }
  T* data() { return data_; }
  const T* data() const { return data_; }

  matrix_view<T> operator[](index_t b) { return view()[b]; }
  matrix_view<const T> operator[](index_t b) const { return view()[b]; }
  T& operator()(index_t b, index_t i, index_t j) { return view()(b, i, j); }
  const T& operator()(index_t b, index_t i, index_t j) const { return view()(b, i, j); }

  batch_view<T> view() & { return chunked(data_, count_, rows_, cols_, chunk_, ld_); }
  batch_view<const T> view() const& {
    return chunked<const T>(data_, count_, rows_, cols_, chunk_, ld_);
  }
  // A view of a batch that ends with the statement: name the batch first.
  void view() const&& = delete;
  /// Of a temporary, too: as the argument of a call, after which it ends.
  operator batch_view<T>() { return view(); }
  operator batch_view<const T>() const { return view(); }

 private:
  static constexpr std::align_val_t alignment{64};
  static constexpr index_t size = static_cast<index_t>(sizeof(T));
  static constexpr index_t most = std::numeric_limits<index_t>::max() / 64 / size;

  // At most `most`.
  static constexpr index_t product(index_t a, index_t b) {
    return a == 0 || b == 0 ? 0 : a > most / b ? most : a * b;
  }
  void swap(batch& other) noexcept {
    std::swap(count_, other.count_);
    std::swap(rows_, other.rows_);
    std::swap(cols_, other.cols_);
    std::swap(chunk_, other.chunk_);
    std::swap(ld_, other.ld_);
    std::swap(elements_, other.elements_);
    std::swap(data_, other.data_);
  }

  index_t count_ = 0, rows_ = 0, cols_ = 0;
  index_t chunk_ = 1, ld_ = 0, elements_ = 0;
  T* data_ = nullptr;
};

}  // namespace trifac
