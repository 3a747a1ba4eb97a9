#pragma once
// Shared by the policies of device backends: a session shared by all copies, settings, times, and
// calls on host matrices.

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "trifac/cholesky.hpp"
#include "trifac/engine/device/batch.hpp"
#include "trifac/engine/device/cholesky.hpp"
#include "trifac/engine/device/inverse.hpp"
#include "trifac/engine/device/lu.hpp"
#include "trifac/engine/device/triangle.hpp"
#include "trifac/lu.hpp"
#include "trifac/solve.hpp"

namespace trifac {
namespace backend {

inline namespace TRIFAC_ABI {

/// Shared by all copies of a policy: a session with a device.
template <class Runtime>
struct device_link {
  std::optional<device::session<Runtime>> session;
  std::atomic<int> users{1};
};

/// The base of a device backend `Policy` over a Runtime. Copies are cheap and share device, queue,
/// programs and scratch memory. Several threads may use one backend; their calls share one in-order
/// queue.
template <class Policy, class Runtime>
class device_policy {
 public:
  using runtime = Runtime;
  using session_type = device::session<Runtime>;

  /// Without a device: available() is false.
  constexpr device_policy() = default;
  constexpr device_policy(const device_policy& other)
      : settings_(other.settings_), link_(other.link_), why_none_(other.why_none_) {
    if (link_) ++link_->users;
  }
  constexpr device_policy(device_policy&& other) noexcept
      : settings_(other.settings_),
        link_(std::exchange(other.link_, nullptr)),
        why_none_(other.why_none_) {}
  constexpr device_policy& operator=(device_policy other) noexcept {
    std::swap(settings_, other.settings_);
    std::swap(link_, other.link_);
    std::swap(why_none_, other.why_none_);
    return *this;
  }
  constexpr ~device_policy() {
    if (link_ && --link_->users == 0) delete link_;
  }

  /// The same device with other settings.
  Policy with(const device::device_settings& settings) const {
    Policy copy = static_cast<const Policy&>(*this);
    copy.settings_ = settings;
    return copy;
  }
  const device::device_settings& settings() const { return settings_; }

  availability available() const noexcept {
    if (link_) return {true, ""};
    return {false, why_none_ ? why_none_ : Policy::without_device};
  }
  friend constexpr bool supports(const Policy&, variant) { return true; }

  /// Properties of the device; only if available().
  const device::device_facts& facts() const { return link_->session->runtime.facts(); }
  /// Times of the parts of the last call on host memory; only if available().
  device::device_times times() const { return link_->session->times(); }
  /// Only if available().
  session_type& session() const { return *link_->session; }

  /// Loads the programs of `best` for Cholesky, LU with pivoting and their solves with element type
  /// T by running small ones: later calls of these compile nothing, except tournaments if items
  /// work alone (OpenCL on CPUs). Throws backend_error.
  template <LapackScalar T>
  void warmup() const;

  /// Called by cholesky() with checked arguments: both views are lower triangles.
  template <variant V, class T>
  status cholesky(matrix_view<const T> A, matrix_view<T> L, const cholesky_options& options) const {
    return device::cholesky_of_host<V>(session(), settings_, A, L, options);
  }
  /// Called by solve() with checked arguments; K is a lower factor.
  template <class T>
  status solve_with_cholesky(const operand<T>& K, matrix_view<T> X) const {
    return device::solve_with_cholesky_of_host(session(), settings_, K, X);
  }
  /// Called by lu() with checked arguments.
  template <variant V, class T>
  status lu(matrix_view<T> A, std::span<index_t> interchanges, const lu_options& options) const {
    return device::lu_of_host<V>(session(), settings_, A, interchanges, options);
  }
  /// Called by solve() with checked arguments.
  template <class T>
  status solve_with_lu(matrix_view<const T> LU, std::span<const index_t> interchanges, operation op,
                       matrix_view<T> X) const {
    return device::solve_with_lu_of_host(session(), settings_, LU, interchanges, op, X);
  }
  /// Called by solve() with a checked triangle, and by inverse() with checked arguments.
  template <class T>
  status solve_with_triangle(const operand<T>& A, triangle part, diagonal diag,
                             matrix_view<T> X) const {
    return device::solve_with_triangle_of_host(session(), settings_, A, part, diag, X);
  }
  template <class T>
  status invert_cholesky(matrix_view<const T> L, matrix_view<T> X) const {
    return device::invert_cholesky_of_host(session(), settings_, L, X);
  }
  template <class T>
  status invert_lu(matrix_view<const T> LU, std::span<const index_t> interchanges,
                   matrix_view<T> X) const {
    return device::invert_lu_of_host(session(), settings_, LU, interchanges, X);
  }
  /// Checks parameters of batch groups against the device; only if available().
  template <class T>
  status check_batch_groups(batch_operation op, index_t rows, index_t cols,
                            const batch_tuning& tuning) const {
    return device::check_group_shape<T>(facts(), op, rows, cols, tuning);
  }
  /// Called by batch calls with checked arguments: call(batches), with the members of
  /// device::batch_calls.
  template <class T, class Call>
  status on_batches(const batch_tuning& tuning, float_model floats, Call call) const {
    return device::guarded([&] {
      device::batch_calls<Runtime, T> batches(session(), device::with_floats(settings_, floats),
                                              tuning);
      return call(batches);
    });
  }

 protected:
  /// A policy whose session connect(session) creates in an empty std::optional; if it throws, one
  /// that stores the reason instead.
  template <class Connect>
  static Policy linked(Connect connect) noexcept {
    Policy made;
    try {
      auto link = std::make_unique<device_link<Runtime>>();
      connect(link->session);
      made.link_ = link.release();
    } catch (const std::bad_alloc&) {
      made.why_none_ = "there is no memory to start with a device";
    } catch (const std::exception& e) {
      made.why_none_ = device::lasting_text_of(e);
    }
    return made;
  }

 private:
  device::device_settings settings_;
  device_link<Runtime>* link_ = nullptr;
  const char* why_none_ = nullptr;  ///< null if no device was requested
};

template <class Policy, class Runtime>
template <LapackScalar T>
void device_policy<Policy, Runtime>::warmup() const {
  const Policy& self = static_cast<const Policy&>(*this);
  const index_t n = 24, block = 8;  // three panels: every kernel of a factorization runs
  for (triangle part : {triangle::lower, triangle::upper}) {
    matrix<T> A(n, n), B(n, 1);
    for (index_t k = 0; k < n; ++k) A(k, k) = T(1);
    const auto f = trifac::cholesky(self, A, {.part = part, .block = block});
    trifac::solve(self, f, B);
  }
  matrix<T> A(n, n), B(n, 1);
  for (index_t k = 0; k < n; ++k) A(k, k) = T(1);
  const auto f = trifac::lu(self, A, {.block = block});
  trifac::solve(self, f, B);

  // Groups of many items have separate kernels for tournaments.
  device::lu_executor<Runtime, T> on(session(), settings_, 0);
  if (!on.uses_two_queues()) return;
  on.load_panels();
  for (index_t k = 0; k < n; ++k) A(k, k) = T(1);
  trifac::lu(self, A, {.pivoting = pivoting::tournament, .block = block, .leaves = 2}).or_throw();
}

}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac
