#pragma once
// The last columns of Cholesky by columns on the host (cutoff): counterpart of cholesky_elements.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "trifac/engine/device/view.hpp"
#include "trifac/engine/variants/device/host_loops.hpp"

namespace trifac::device {
inline namespace TRIFAC_ABI {

/// Whether changes by the host are written back to the device.
enum class host_access { read, read_and_write };

/// Host access to a matrix in device memory for the object's lifetime; construction and destruction
/// wait for the device. Memory that the host cannot access is copied, and copied back if written:
/// everything between the first and last element.
template <class Runtime, class T>
class host_window {
 public:
  using view_type = device_view<T, typename Runtime::handle>;

  host_window(Runtime& runtime, const view_type& A, host_access access)
      : runtime_(runtime), memory_(A.memory()), access_(access) {
    const auto all = reach_of(A);
    offset_ = static_cast<std::uint64_t>(A.offset() + all.lowest) * sizeof(T);
    const auto count = static_cast<std::size_t>(all.count());
    if constexpr (Runtime::shares_memory) {
      data_ = static_cast<T*>(runtime_.map(memory_, offset_, count * sizeof(T)));
    } else {
      copy_.resize(count);
      data_ = copy_.data();
      runtime_.read(memory_, offset_, data_, count * sizeof(T));
    }
    host_ = {data_ - all.lowest, A.rows(), A.cols(), A.row_stride(), A.col_stride()};
  }
  host_window(const host_window&) = delete;
  host_window& operator=(const host_window&) = delete;
  ~host_window() {
    try {
      close();
    } catch (...) {  // the queue is broken and runs nothing any more
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

/// The host's part of a factorization by columns. Copies the remaining rows to packed memory and
/// runs the rest of the nest there with a `Loop` of host_loops.hpp; finish() writes the computed
/// columns.
template <class Runtime, class T, class Loop>
class host_columns {
 public:
  using view = device_view<T, typename Runtime::handle>;
  using R = real_t<T>;

  /// sums: of the nest with distributed sums, else unused.
  host_columns(Runtime& runtime, typename Runtime::handle state, typename Runtime::handle sums,
               Loop loop)
      : runtime_(runtime), state_(state), sums_memory_(sums), loop_(std::move(loop)) {
    runtime_.read(state_, 0, words_, sizeof words_);
  }

  bool stopped() const { return words_[0] != 0; }

  void factor_diagonal(const view& A, const view& L, index_t j) {
    begin(A, L, j);
    if (!stopped()) record(loop_.factor_diagonal(j));
  }
  void factor_diagonal(const view& A, const view& L, index_t j, R*) {
    begin(A, L, j);
    if (stopped()) return;
    if (sums_.empty()) {
      sums_.resize(static_cast<std::size_t>(L.rows()));
      if (j > 0) runtime_.read(sums_memory_, 0, sums_.data(), sums_.size() * sizeof(R));
    }
    record(loop_.factor_diagonal(j, std::as_const(sums_).data()));
  }
  void factor_column(const view&, const view&, index_t j) {
    if (stopped()) return;
    loop_.factor_column(j);
    done_ = j + 1;
  }
  void factor_column(const view&, const view&, index_t j, R*) {
    if (stopped()) return;
    loop_.factor_column(j, sums_.data());
    done_ = j + 1;
  }

  /// Writes the columns and the status to the device.
  void finish() {
    if (first_ >= 0) {
      for_each(first_, done_, window_->host(),
               [&](T& x, index_t i, index_t j) { x = loop_.get(i, j); });
      window_->close();
    }
    runtime_.write(state_, 0, words_, sizeof words_);
  }

 private:
  /// Packs the rows from `first` on: factored columns from L, the others from A.
  void begin(const view& A, const view& L, index_t first) {
    if (stopped() || first_ >= 0) return;
    first_ = done_ = first;
    const index_t n = L.rows();
    loop_.reserve(first, n);
    window_.emplace(runtime_, L, host_access::read_and_write);
    const auto take = [&](T& x, index_t i, index_t j) { loop_.set(i, j, x); };
    for_each(0, first, window_->host(), take);
    if (A.memory() == L.memory() && A.offset() == L.offset())
      for_each(first, n, window_->host(), take);
    else
      for_each(first, n, host_window<Runtime, T>(runtime_, A, host_access::read).host(), take);
  }
  /// visit(x, i, j) for the elements x of columns from ≤ j < to, rows i ≥ first_, i ≥ j; in storage
  /// order.
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

  void record(const status& s) {
    if (s) return;
    words_[0] = static_cast<index_t>(s.kind());
    words_[1] = s.index();
  }

  Runtime& runtime_;
  typename Runtime::handle state_, sums_memory_;
  Loop loop_;
  index_t words_[2] = {};
  index_t first_ = -1, done_ = -1;                 // the range of columns computed here
  std::optional<host_window<Runtime, T>> window_;  // L
  std::vector<R> sums_;
};

}  // namespace TRIFAC_ABI
}  // namespace trifac::device
