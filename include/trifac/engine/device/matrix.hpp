#pragma once
// Matrices that stay in device memory; calls on them: device_matrix.hpp.

#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "trifac/engine/device/host_matrix.hpp"
#include "trifac/engine/device/view.hpp"
#include "trifac/matrix.hpp"

namespace trifac {

/// rows × cols elements of T in the memory of a backend's device, column-major without gaps.
/// Movable, not copyable. Keeps the session with the device alive.
template <LapackScalar T, DeviceBackend B>
class device_matrix {
 public:
  using value_type = T;
  using backend_type = B;
  using view_type = device::device_view<T, typename B::runtime::handle>;

  /// Uninitialized memory. Throws argument_error, or backend_error if the device cannot allocate
  /// that much in one piece.
  device_matrix(const B& where, index_t rows, index_t cols) : where_(where) {
    if (const availability a = where.available(); !a) throw backend_error(std::string(a.reason));
    if (rows < 0 || cols < 0)
      throw argument_error(status::argument("rows, cols", "must not be negative"));
    constexpr auto most = std::numeric_limits<index_t>::max() / index_t{sizeof(T)};
    if (cols > 0 && rows > most / cols)
      throw argument_error(
          status::argument("rows, cols", "are more elements than there are bytes"));
    memory_ = where.session().allocate(static_cast<std::uint64_t>(rows) *
                                       static_cast<std::uint64_t>(cols) * sizeof(T));
    view_ = {memory_.get(), 0, rows, cols, 1, rows};
  }
  /// A copy of a host matrix.
  device_matrix(const B& where, matrix_view<const T> A) : device_matrix(where, A.rows(), A.cols()) {
    assign(A);
  }

  /// A moved-from matrix is empty.
  device_matrix(device_matrix&& other) noexcept
      : where_(other.where_),
        memory_(std::move(other.memory_)),
        view_(std::exchange(other.view_, {})) {}
  device_matrix& operator=(device_matrix&& other) noexcept {
    // Released before where_ may end the session that allocated it.
    memory_ = std::move(other.memory_);
    where_ = other.where_;
    view_ = std::exchange(other.view_, {});
    return *this;
  }

  index_t rows() const { return view_.rows(); }
  index_t cols() const { return view_.cols(); }
  const B& backend() const { return where_; }
  const view_type& view() const { return view_; }

  /// Copies the elements of A, which has the same size. A may be modified on return.
  void assign(matrix_view<const T> A) {
    check_size(A.rows(), A.cols());
    device::copy_to_device(where_.session().runtime, A, memory_.get(), device::extent_of_use::all);
  }
  /// Copies a matrix of the same size from another session, on the same or another device.
  /// Asynchronous: ordered after all earlier commands and before all later ones of both sessions.
  void assign(const device_matrix& from) requires requires(typename B::runtime& r) {
    r.copy_from(r, nullptr, nullptr, 0);
  }
  {
    check_size(from.rows(), from.cols());
    if (&from == this || view_.empty()) return;
    where_.session().runtime.copy_from(from.where_.session().runtime, from.memory_.get(),
                                       memory_.get(),
                                       static_cast<std::uint64_t>(rows() * cols()) * sizeof(T));
  }
  /// Copies the elements to A. Waits for all enqueued commands.
  void copy_to(matrix_view<T> A) const {
    check_size(A.rows(), A.cols());
    device::copy_to_host(where_.session().runtime, memory_.get(), A, device::extent_of_use::all);
  }
  /// A host matrix with these elements. Waits.
  trifac::matrix<T> to_host() const {
    trifac::matrix<T> A(rows(), cols());
    copy_to(A.view());
    return A;
  }

 private:
  void check_size(index_t rows, index_t cols) const {
    if (rows != view_.rows() || cols != view_.cols())
      throw argument_error(status::argument("A", "is not of the size of the device's matrix"));
  }

  B where_;
  typename B::runtime::memory memory_;
  view_type view_;
};

template <class T, class B>
device_matrix(const B&, matrix_view<T>) -> device_matrix<std::remove_const_t<T>, B>;

}  // namespace trifac
