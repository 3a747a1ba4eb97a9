#pragma once
// lu(), solve() and inverse() on matrices that stay in device memory (device_matrix.hpp). lu() does
// not wait; the others wait for the factorization, not for their own work.

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "trifac/device_matrix.hpp"
#include "trifac/engine/device/lu.hpp"
#include "trifac/engine/lu/check.hpp"
#include "trifac/pivots.hpp"

namespace trifac {

namespace device {

/// Results of an LU factorization besides its status.
struct lu_results {
  pivots interchanges;

  template <class Executor>
  void fetch(Executor& on) {
    on.interchanges().read(interchanges.span());
  }
};

/// The base of device_lu_factor.
template <class Factor, class T, class B>
using lu_factor_base = device_factor<Factor, typename device_matrix<T, B>::view_type, B,
                                     lu_executor<typename B::runtime, T>, lu_results>;

}  // namespace device

/// The result of lu() on a device_matrix, which must outlive it: L\U in place. The factorization
/// may be pending until the first call of status() or interchanges(). Copies share the result; any
/// thread may query it.
template <LapackScalar T, DeviceBackend B>
class device_lu_factor : public device::lu_factor_base<device_lu_factor<T, B>, T, B> {
 public:
  using value_type = T;
  using base = device::lu_factor_base<device_lu_factor, T, B>;

  /// on: the executor that has enqueued the factorization of A.
  device_lu_factor(const device_matrix<T, B>& A, std::unique_ptr<typename base::executor> on)
      : base(A.view(), A.backend(), std::move(on), {pivots(std::min(A.rows(), A.cols()))}) {}
  /// The factor of a call that failed before it enqueued anything; it has no interchanges.
  device_lu_factor(const device_matrix<T, B>& A, const trifac::status& failure)
      : base(A.view(), A.backend(), failure, {}) {}

  /// The min(rows, cols) row interchanges of P; waits for them.
  const pivots& interchanges() const& { return this->results().interchanges; }
  pivots interchanges() const&& { return this->results().interchanges; }
  index_t cols() const { return this->view().cols(); }
  device::device_triangle<device_lu_factor> L() const {
    return {*this, this->view(), false, triangle::lower, diagonal::unit};
  }
  device::device_triangle<device_lu_factor> U() const {
    return {*this, this->view(), false, triangle::upper, diagonal::non_unit};
  }
};

inline namespace TRIFAC_ABI {

/// A := L\U with P·A = L·U, in place in device memory. Asynchronous; a numerical failure is the
/// factor's status. Uses trifac's own kernels whatever the backend's settings; norm and growth
/// are not measured. 2n³/3 flops. Throws argument_error and backend_error. LAPACK: getrf.
template <variant V = variant::best, class T, class B>
[[nodiscard]] device_lu_factor<T, B> lu(device_matrix<T, B>& A, const lu_options& options = {}) {
  static_assert(is_lu_variant(V), "this variant is one of Cholesky");
  detail::check_variant<V>();
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

/// lu() whose errors, too, are the factor's status. Does not throw.
template <variant V = variant::best, class T, class B>
[[nodiscard]] device_lu_factor<T, B> try_lu(device_matrix<T, B>& A,
                                            const lu_options& options = {}) noexcept {
  std::optional<device_lu_factor<T, B>> f;
  const status s = device::status_of_call([&] { f.emplace(lu<V>(A, options)); });
  return s ? *f : device_lu_factor<T, B>(A, s);
}

/// X := op(A)⁻¹·X on the device. Waits for the factorization, since a failed factor throws
/// numerical_error; the solve is asynchronous. Throws argument_error and backend_error. LAPACK:
/// getrs.
template <class T, class B>
void solve(const device_lu_factor<T, B>& f, device_matrix<T, B>& X,
           operation op = operation::none) {
  if (const status& outcome = f.status(); !outcome) detail::throw_status(outcome);
  if (f.rows() != f.cols()) throw argument_error(status::argument("f", "is not square"));
  device::check_solve(f, X, op);
  device::lu_executor<typename B::runtime, T> on(f.backend().session(), f.backend().settings(),
                                                 f.rows());
  on.interchanges().write(f.interchanges().span());
  device::solve_with_lu(on, f.view(), {}, op, X.view());
  f.backend().session().runtime.flush();
}

/// X := A⁻¹ on the device, n×n; X may be the factored matrix, whose factor is then invalid.
/// Waits for the factorization, not for the inverse. Errors as for solve(); overflow of elements is
/// not checked. LAPACK: getri.
template <class T, class B>
void inverse(const device_lu_factor<T, B>& f, device_matrix<T, B>& X) {
  if (const status& outcome = f.status(); !outcome) detail::throw_status(outcome);
  if (f.rows() != f.cols()) throw argument_error(status::argument("f", "is not square"));
  device::check_sides(f, X, "X");
  if (X.cols() != f.rows()) throw argument_error(status::argument("X", "is not square"));
  if (X.rows() == 0) return;
  using executor = device::lu_executor<typename B::runtime, T>;
  executor on(f.backend().session(), f.backend().settings(), f.rows());
  on.interchanges().write(f.interchanges().span());
  typename executor::scratch memory;
  auto LU = f.view();
  if (X.view().memory() == f.view().memory()) {
    LU = device::scratch_matrix(on, memory, X.rows(), X.rows());
    on.copy(X.view(), LU);
  }
  device::invert_lu(on, LU, {}, X.view());
  f.backend().session().runtime.flush();
}

}  // namespace TRIFAC_ABI
}  // namespace trifac
