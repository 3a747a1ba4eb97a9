#pragma once
// The last columns of Cholesky by columns on the host (cutoff): the twins of the verbs in
// elements.hpp.

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "trifac/backend/device/view.hpp"
#include "trifac/simd/fused_column.hpp"
#include "trifac/verb/factor_column.hpp"

namespace trifac::device {
inline namespace TRIFAC_ABI {

/// Whether what the host does with a matrix goes back to the device.
enum class host_access { read, read_and_write };

/// A matrix in device memory as the host sees it while this lives; beginning and end wait for the
/// device. Memory that the host cannot see is copied, and back where it is written to: all that lies
/// between the first and the last element.
template <class Runtime, class T>
class host_window {
 public:
  using view_type = device_view<T, typename Runtime::handle>;

  host_window(Runtime& runtime, const view_type& A, host_access access)
      : runtime_(runtime), memory_(A.memory()), access_(access) {
    const index_t down = (A.rows() - 1) * A.row_stride(), along = (A.cols() - 1) * A.col_stride();
    const index_t lowest = std::min<index_t>(down, 0) + std::min<index_t>(along, 0);
    const index_t highest = std::max<index_t>(down, 0) + std::max<index_t>(along, 0);
    offset_ = static_cast<std::uint64_t>(A.offset() + lowest) * sizeof(T);
    const auto count = static_cast<std::size_t>(highest - lowest + 1);
    if constexpr (Runtime::shares_memory) {
      data_ = static_cast<T*>(runtime_.map(memory_, offset_, count * sizeof(T)));
    } else {
      copy_.resize(count);
      data_ = copy_.data();
      runtime_.read(memory_, offset_, data_, count * sizeof(T));
    }
    host_ = {data_ - lowest, A.rows(), A.cols(), A.row_stride(), A.col_stride()};
  }
  host_window(const host_window&) = delete;
  host_window& operator=(const host_window&) = delete;
  ~host_window() {
    try {
      close();
    } catch (...) {  // the queue is broken: nothing runs any more
    }
  }
  const matrix_view<T>& host() const { return host_; }

  void close() {
    T* const data = std::exchange(data_, nullptr);
    if (!data) return;
    if constexpr (Runtime::shares_memory)
      runtime_.unmap(memory_, data);
    else if (access_ == host_access::read_and_write)
      runtime_.write(memory_, offset_, data, copy_.size() * sizeof(T));
  }

 private:
  Runtime& runtime_;
  typename Runtime::handle memory_;
  host_access access_;
  std::uint64_t offset_ = 0;
  std::vector<T> copy_;
  T* data_ = nullptr;
  matrix_view<T> host_;
};

/// x + |a|² with the roundings of the kernels (FMA_SQUARE in kernel/arithmetic.hpp).
template <class T>
real_t<T> add_square(real_t<T> x, T a) {
  if constexpr (is_complex<T>)
    return std::fma(a.imag(), a.imag(), std::fma(a.real(), a.real(), x));
  else
    return std::fma(a, a, x);
}

/// The host's part of a factorization by columns. It takes the rows that are left into packed
/// memory, walks the rest of the nest there, and finish() writes the columns it has made. Elements
/// have the bits that the device would have given them.
template <class Runtime, class T>
class host_columns {
 public:
  using view = device_view<T, typename Runtime::handle>;
  using R = real_t<T>;

  /// sums: of the nest with distributed sums, else not looked at. tree_items: the partial sums of
  /// the kernel element_diagonal_by_tree where that makes the diagonal, else 0.
  host_columns(Runtime& runtime, typename Runtime::handle state, typename Runtime::handle sums,
               std::size_t tree_items)
      : runtime_(runtime), state_(state), sums_memory_(sums), tree_(tree_items) {
    runtime_.read(state_, 0, words_, sizeof words_);
  }

  bool stopped() const { return words_[0] != 0; }

  void factor_diagonal(const view& A, const view& L, index_t j) {
    begin(A, L, j);
    if (stopped()) return;
    const R by_tree = tree_.empty() ? R(0) : diagonal(j) - square_by_tree(j);
    simd::reduce_column(packed_, j - first_, j);
    set_diagonal(j, tree_.empty() ? diagonal(j) : by_tree);
  }
  void factor_diagonal(const view& A, const view& L, index_t j, R*) {
    begin(A, L, j);
    if (stopped()) return;
    if (sums_.empty()) {
      sums_.resize(static_cast<std::size_t>(L.rows()));
      if (j > 0) runtime_.read(sums_memory_, 0, sums_.data(), sums_.size() * sizeof(R));
    }
    const R d = diagonal(j) - sums_[static_cast<std::size_t>(j)];
    simd::reduce_column(packed_, j - first_, j);
    set_diagonal(j, d);
  }
  void factor_column(const view&, const view&, index_t j) {
    if (stopped()) return;
    const R pivot = diagonal(j);
    R* const x = packed_.column(j);
    for (index_t i = j - first_ + 1; i < packed_.rows; ++i) {
      x[i] /= pivot;
      if constexpr (is_complex<T>) x[packed_.height + i] /= pivot;
    }
    done_ = j + 1;
  }
  void factor_column(const view& A, const view& L, index_t j, R*) {
    factor_column(A, L, j);
    if (stopped()) return;
    for (index_t i = j + 1; i < first_ + packed_.rows; ++i) {
      R& sum = sums_[static_cast<std::size_t>(i)];
      sum = add_square<T>(sum, get(i, j));
    }
  }

  /// Gives the columns to the device, the status too.
  void finish() {
    if (first_ >= 0) {
      for_each(first_, done_, window_->host(), [&](T& x, index_t i, index_t j) { x = get(i, j); });
      window_->close();
    }
    runtime_.write(state_, 0, words_, sizeof words_);
  }

 private:
  /// Packs the rows from `first` on: factored columns from L, the others from A.
  void begin(const view& A, const view& L, index_t first) {
    if (stopped() || first_ >= 0) return;
    first_ = done_ = first;
    const index_t n = L.rows(), rows = n - first, planes = is_complex<T> ? 2 : 1;
    const index_t height = (rows + 15) / 16 * 16 + simd::fused_rows;
    elements_.resize(static_cast<std::size_t>(n * planes * height));
    packed_ = {elements_.data(), rows, height};
    window_.emplace(runtime_, L, host_access::read_and_write);
    const auto take = [&](T& x, index_t i, index_t j) { set(i, j, x); };
    for_each(0, first, window_->host(), take);
    if (A.memory() == L.memory() && A.offset() == L.offset())
      for_each(first, n, window_->host(), take);
    else
      for_each(first, n, host_window<Runtime, T>(runtime_, A, host_access::read).host(), take);
  }
  /// visit(x, i, j) for the elements x of columns from ≤ j < to, in rows from first_ on and on and
  /// below the diagonal; along the storage.
  template <class Visit>
  void for_each(index_t from, index_t to, const matrix_view<T>& A, Visit visit) const {
    const index_t n = A.rows();
    if (A.col_stride() == 1)
      for (index_t i = first_; i < n; ++i)
        for (index_t j = from; j < std::min(to, i + 1); ++j) visit(A(i, j), i, j);
    else
      for (index_t j = from; j < to; ++j)
        for (index_t i = std::max(first_, j); i < n; ++i) visit(A(i, j), i, j);
  }

  T get(index_t i, index_t j) const {
    const R* const x = packed_.column(j) + (i - first_);
    if constexpr (is_complex<T>)
      return T(x[0], x[packed_.height]);
    else
      return x[0];
  }
  void set(index_t i, index_t j, const T& x) const {
    R* const to = packed_.column(j) + (i - first_);
    to[0] = detail::real_part(x);
    if constexpr (is_complex<T>) to[packed_.height] = x.imag();
  }
  R diagonal(index_t j) const { return detail::real_part(get(j, j)); }
  void set_diagonal(index_t j, R d) {
    const status s = verb::check_pivot(d, j);
    if (s) return set(j, j, T(std::sqrt(d)));
    words_[0] = static_cast<index_t>(s.kind());
    words_[1] = j;
  }
  /// Σ_{k<j} |l_jk|² as the kernel element_diagonal_by_tree adds it up.
  R square_by_tree(index_t j) {
    const std::size_t items = tree_.size();
    std::fill(tree_.begin(), tree_.end(), R(0));
    for (index_t k = 0; k < j; ++k) {
      R& part = tree_[static_cast<std::size_t>(k) % items];
      part = add_square<T>(part, get(j, k));
    }
    for (std::size_t upper = items / 2; upper > 0; upper /= 2)
      for (std::size_t item = 0; item < upper; ++item) tree_[item] += tree_[item + upper];
    return tree_[0];
  }

  Runtime& runtime_;
  typename Runtime::handle state_, sums_memory_;
  index_t words_[2] = {};
  index_t first_ = -1, done_ = -1;                 // the columns that were made here
  std::optional<host_window<Runtime, T>> window_;  // L
  std::vector<R> elements_, sums_, tree_;
  simd::packed_columns<T> packed_{};
};

}  // namespace TRIFAC_ABI
}  // namespace trifac::device
