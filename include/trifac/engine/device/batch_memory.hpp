#pragma once
// A call's batch on the device: the host's memory if the device shares it, else a copy in chunks.

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "trifac/batch_view.hpp"
#include "trifac/engine/base/as_size.hpp"
#include "trifac/engine/device/batch_launches.hpp"
#include "trifac/engine/device/host_matrix.hpp"
#include "trifac/engine/device/wrapped_memory.hpp"

namespace trifac::device {
inline namespace TRIFAC_ABI {

/// An array of host numbers that a kernel writes, or reads if const. If it is empty, get() is
/// memory for one number, since kernels need a buffer.
template <class Runtime, class Number>
class host_numbers {
 public:
  host_numbers(session<Runtime>& s, std::span<Number> numbers) : session_(s), host_(numbers) {
    if (works_on_host_memory(s) && !numbers.empty())
      wrapped_.wrap(s.runtime, const_cast<plain*>(numbers.data()), numbers.size_bytes());
    if (wrapped_.holds()) return;
    copy_ = s.borrow(std::max<std::uint64_t>(numbers.size_bytes(), sizeof(Number)));
    if constexpr (std::is_const_v<Number>)
      s.runtime.write(copy_.get(), 0, numbers.data(), numbers.size_bytes());
  }
  typename Runtime::handle get() const { return wrapped_.holds() ? wrapped_.get() : copy_.get(); }
  /// Call before finishing the queue: maps shared host memory back.
  void give_back() { wrapped_.give_back(); }
  /// Copies the device's copy, if any, back to the host. Waits.
  void copy_back() {
    if (copy_.bytes() == 0) return;
    if constexpr (!std::is_const_v<Number>)
      session_.runtime.read(copy_.get(), 0, host_.data(), host_.size_bytes());
  }

 private:
  using plain = std::remove_const_t<Number>;

  session<Runtime>& session_;
  std::span<Number> host_;
  typename session<Runtime>::scratch copy_;
  [[no_unique_address]] wrapped_memory<Runtime> wrapped_;
};

/// Gives the device access to the batch for the object's lifetime; initially with the elements of
/// A.
template <class Runtime, class T>
class host_batch {
 public:
  /// With lower_triangle, elements above the diagonal are not copied in either direction.
  host_batch(session<Runtime>& s, const batch_view<T>& A, const lane_layout& how, extent_of_use use)
      : session_(s), host_(A), use_(use) {
    if (A.empty()) return;
    const auto& at = A.strides();
    const bool has_chunks = !A.has_pointers() && at.lane_stride == 1 && at.first == 0 &&
                            at.chunk % how.lanes == 0 && at.chunk > 1;
    const bool is_as_asked =
        has_chunks && (how.chunk == 0 ? at.chunk >= A.batch() : at.chunk == how.chunk);
    in_place_ = how.lanes == 1 ||
                (!is_complex<T> && has_chunks && (at.chunk <= most_lanes_in_place || is_as_asked));
    if (works_on_host_memory(s) && !A.has_pointers() && (!how.as_asked || is_as_asked))
      share();
    else
      copy_in(how);
  }
  host_batch(const host_batch&) = delete;
  host_batch& operator=(const host_batch&) = delete;

  typename Runtime::handle get() const { return wrapped_.holds() ? wrapped_.get() : copy_.get(); }
  batch_operand<typename Runtime::handle> operand() const { return {get(), place_, in_place_}; }
  /// True if the device has a copy of the batch.
  bool is_copy() const { return !wrapped_.holds(); }

  /// Call before finishing the queue: maps shared host memory back.
  void give_back() { wrapped_.give_back(); }
  /// Copies the device's copy, if any, back to the host. Waits.
  void copy_back() {
    if (elements_ == 0) return;
    if constexpr (!std::is_const_v<T>) {
      std::vector<element> elements(elements_);
      session_.runtime.read(copy_.get(), 0, elements.data(), elements.size() * sizeof(T));
      each_element(view_of(elements.data()), [](const element& from, T& to) { to = from; });
    }
  }

 private:
  using element = std::remove_const_t<T>;

  void share() {
    // The lowest and highest offset from matrix 0: at an end of the first, second, second-last or
    // last chunk.
    const auto& at = host_.strides();
    const index_t last_chunk = (at.first + host_.batch() - 1) / at.chunk;
    index_t low = 0, high = 0;
    for (const index_t q : {index_t{0}, index_t{1}, last_chunk - 1, last_chunk}) {
      if (q < 0 || q > last_chunk) continue;
      for (const index_t b : {std::max<index_t>(0, q * at.chunk - at.first),
                              std::min(host_.batch(), (q + 1) * at.chunk - at.first) - 1}) {
        const index_t distance = host_.address(b) - host_.data();
        low = std::min(low, distance);
        high = std::max(high, distance);
      }
    }
    const auto each = reach_of(host_.rows(), host_.cols(), at.row_stride, at.col_stride);
    low += each.lowest;
    high += each.highest;
    wrapped_.wrap(session_.runtime, const_cast<element*>(host_.data()) + low,
                  static_cast<std::uint64_t>(high - low + 1) * sizeof(T));
    place_ = {-low,           host_.batch(), host_.rows(),  host_.cols(), at.chunk, at.chunk_stride,
              at.lane_stride, at.row_stride, at.col_stride, at.first};
  }

  /// The copy: chunks without gaps, the last one padded.
  batch_view<element> view_of(element* data) const {
    return chunked(data, host_.batch(), host_.rows(), host_.cols(), chunk_);
  }
  void copy_in(const lane_layout& how) {
    const index_t lanes = std::max<index_t>(how.lanes, 1);
    chunk_ = how.chunk > 0 ? how.chunk : (host_.batch() + lanes - 1) / lanes * lanes;
    in_place_ = how.lanes == 1 || !is_complex<T>;
    const index_t chunks = (host_.batch() + chunk_ - 1) / chunk_;
    elements_ = trifac::detail::as_size(chunks * chunk_ * host_.rows() * host_.cols());
    std::vector<element> elements(elements_);
    each_element(view_of(elements.data()), [](element& to, const T& from) { to = from; });
    copy_ = session_.borrow(elements_ * sizeof(T));
    session_.runtime.write(copy_.get(), 0, elements.data(), elements_ * sizeof(T));
    const auto at = view_of(nullptr).strides();
    place_ = {0,
              host_.batch(),
              host_.rows(),
              host_.cols(),
              at.chunk,
              at.chunk_stride,
              1,
              at.row_stride,
              at.col_stride,
              0};
  }
  /// visit(element of the copy, element of the host) for each element in use.
  template <class Visit>
  void each_element(const batch_view<element>& copy, Visit visit) const {
    for (index_t b = 0; b < host_.batch(); ++b) {
      const auto in_copy = copy[b];
      const auto in_host = host_[b];
      for_each_used(in_host, use_,
                    [&](index_t i, index_t j) { visit(in_copy(i, j), in_host(i, j)); });
    }
  }

  session<Runtime>& session_;
  batch_view<T> host_;
  extent_of_use use_;
  bool in_place_ = false;
  index_t chunk_ = 1;
  std::size_t elements_ = 0;
  kernel::BATCH place_{};
  typename session<Runtime>::scratch copy_;
  [[no_unique_address]] wrapped_memory<Runtime> wrapped_;
};

}  // namespace TRIFAC_ABI
}  // namespace trifac::device
