#pragma once
// lu() and solve() on matrices that stay in a device's memory (device_matrix.hpp); neither waits.

#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "trifac/backend/device_lu.hpp"
#include "trifac/device_matrix.hpp"

namespace trifac {

/// The result of lu() on a device_matrix, which must outlive it. Until status() or interchanges()
/// is asked the factorization may still be under way. Copies share the answer; any thread may ask.
template <LapackScalar T, DeviceBackend B>
class [[nodiscard]] device_lu_factor {
 public:
  using value_type = T;
  using executor = device::lu_executor<typename B::runtime, T>;
  using view_type = typename device_matrix<T, B>::view_type;

  /// What `on` was given to do with A.
  device_lu_factor(const device_matrix<T, B>& A, std::unique_ptr<executor> on)
      : view_(A.view()),
        pending_(
            std::make_shared<pending>(A.backend(), std::move(on), std::min(A.rows(), A.cols()))) {}

  /// How the factorization ended; waits for it.
  const trifac::status& status() const { return pending_->wait(); }
  bool ok() const { return status().ok(); }
  explicit operator bool() const { return ok(); }
  const device_lu_factor& or_throw() const {
    if (!ok()) throw numerical_error(status());
    return *this;
  }
  /// The min(rows, cols) row interchanges of P; waits for them.
  const pivots& interchanges() const {
    static_cast<void>(pending_->wait());
    return pending_->interchanges;
  }

  index_t rows() const { return view_.rows(); }
  index_t cols() const { return view_.cols(); }
  /// L\U where it lies.
  const view_type& view() const { return view_; }
  const B& backend() const { return pending_->where; }
  /// For solve(): has the interchanges, and where the device keeps the status.
  executor& pending_executor() const { return *pending_->on; }

 private:
  struct pending {
    pending(const B& b, std::unique_ptr<executor> e, index_t steps)
        : where(b), on(std::move(e)), interchanges(steps) {}
    const trifac::status& wait() {
      const std::scoped_lock lock(mutex);
      if (!outcome) {
        outcome = on->finish();
        on->read_interchanges(interchanges.span());
      }
      return *outcome;
    }
    B where;  // before `on`, which refers to its session
    std::unique_ptr<executor> on;
    pivots interchanges;
    std::mutex mutex;
    std::optional<trifac::status> outcome;
  };

  view_type view_;
  std::shared_ptr<pending> pending_;
};

inline namespace TRIFAC_ABI {

/// A := L\U with P·A = L·U, in place in the device's memory. Enqueues and returns; a numerical
/// failure is the factor's status. Runs trifac's own kernels whatever the backend's settings;
/// growth is not measured. Throws argument_error and backend_error. LAPACK: getrf.
template <variant V = variant::best, class T, class B>
device_lu_factor<T, B> lu(device_matrix<T, B>& A, const lu_options& options = {}) {
  static_assert(is_lu_variant(V), "this variant is one of Cholesky");
  const matrix_view<T> shape(nullptr, A.rows(), 0, std::max<index_t>(1, A.rows()));
  if (const status s = detail::check_lu_arguments(shape, V, options); !s) throw argument_error(s);
  using factor = device_lu_factor<T, B>;
  auto& session = A.backend().session();
  const index_t steps = std::min(A.rows(), A.cols());
  auto on = std::make_unique<typename factor::executor>(session, A.backend().settings(), steps);
  if (steps > 0) {
    device::run_lu<V>(*on, session, A.view(), {}, options);
    on->check_edges(A.view());
  }
  session.runtime.flush();
  return factor(A, std::move(on));
}

/// X := op(A)⁻¹·X on the device. Enqueues and returns. Throws argument_error and backend_error;
/// waits for the factorization, as a factor that failed is an argument_error. LAPACK: getrs.
template <class T, class B>
void solve(const device_lu_factor<T, B>& f, device_matrix<T, B>& X,
           operation op = operation::none) {
  if (!f.ok())
    throw argument_error(status::argument("f", "comes from a factorization that failed"));
  if (f.rows() != f.cols()) throw argument_error(status::argument("f", "is not square"));
  if (X.rows() != f.rows())
    throw argument_error(status::argument("X", "has not as many rows as the factored matrix"));
  if (&X.backend().session() != &f.backend().session())
    throw argument_error(status::argument("X", "lies on another device than the factor"));
  device::lu_executor<typename B::runtime, T> on(f.backend().session(), f.backend().settings(),
                                                 f.rows());
  on.write_interchanges(f.interchanges().span());
  device::solve_with_lu(on, f.view(), {}, op, X.view());
  f.backend().session().runtime.flush();
}

}  // namespace TRIFAC_ABI
}  // namespace trifac
