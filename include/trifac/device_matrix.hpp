#pragma once
// Asynchronous factorizations of matrices that stay in device memory: cholesky(), solve() and
// inverse() on a device_matrix. For backends whose device has its own memory (opencl.hpp,
// cuda.hpp).

#include <memory>
#include <optional>

#include "trifac/engine/calls/variant_calls.hpp"
#include "trifac/engine/cholesky/check.hpp"
#include "trifac/engine/device/cholesky.hpp"
#include "trifac/engine/device/factor.hpp"
#include "trifac/engine/device/inverse.hpp"
#include "trifac/engine/device/matrix.hpp"
#include "trifac/engine/device/triangle.hpp"

namespace trifac {

namespace device {

/// Results of a Cholesky factorization besides its status: none.
struct no_results {
  template <class Executor>
  void fetch(Executor&) {}
};

template <class Factor, class T, class B>
void check_solve(const Factor& f, const device_matrix<T, B>& X, operation op) {
  check_sides(f, X, "X");
  if (X.rows() > 0 && X.cols() > 0 && X.view().memory() == f.view().memory())
    throw argument_error(status::argument("X", "is the factored matrix"));
  if (const status s = trifac::detail::check_operation(op); !s) throw argument_error(s);
}

/// L or U of a factor in device memory, which must outlive it: for solve().
template <class Factor>
class device_triangle {
 public:
  using view_type = typename Factor::view_type;

  device_triangle(const Factor& f, const view_type& elements, bool conjugated, triangle part,
                  diagonal diag)
      : factor_(f), elements_(elements), conjugated_(conjugated), part_(part), diagonal_(diag) {}

  const Factor& factor() const { return factor_; }
  const view_type& elements() const { return elements_; }
  bool conjugated() const { return conjugated_; }
  triangle part() const { return part_; }
  diagonal diag() const { return diagonal_; }

 private:
  Factor factor_;
  view_type elements_;
  bool conjugated_;
  triangle part_;
  diagonal diagonal_;
};

/// The base of device_cholesky_factor.
template <class Factor, class T, class B>
using cholesky_factor_base = device_factor<Factor, typename device_matrix<T, B>::view_type, B,
                                           cholesky_executor<typename B::runtime, T>, no_results>;

}  // namespace device

/// The result of cholesky() on a device_matrix, which must outlive it. The factorization may be
/// pending until the first call of status(); only status(), ok(), or_throw() and the conversion to
/// bool wait. Copies share the result; any thread may query it. The factor's other triangle is the
/// caller's.
template <LapackScalar T, DeviceBackend B>
class device_cholesky_factor
    : public device::cholesky_factor_base<device_cholesky_factor<T, B>, T, B> {
 public:
  using value_type = T;
  using base = device::cholesky_factor_base<device_cholesky_factor, T, B>;

  /// on: the executor that has enqueued the factorization of A.
  device_cholesky_factor(const device_matrix<T, B>& A, triangle part,
                         std::unique_ptr<typename base::executor> on)
      : base(A.view(), A.backend(), std::move(on), {}), part_(part) {}
  /// The factor of a call that failed before it enqueued anything.
  device_cholesky_factor(const device_matrix<T, B>& A, triangle part, const trifac::status& failure)
      : base(A.view(), A.backend(), failure, {}), part_(part) {}

  triangle part() const { return part_; }
  device::device_triangle<device_cholesky_factor> L() const { return triangle_of(triangle::lower); }
  device::device_triangle<device_cholesky_factor> U() const { return triangle_of(triangle::upper); }

 private:
  // L = Uᴴ.
  device::device_triangle<device_cholesky_factor> triangle_of(triangle wanted) const {
    const bool stored = wanted == part_;
    return {*this, stored ? this->view() : this->view().transposed(), is_complex<T> && !stored,
            wanted, diagonal::non_unit};
  }

  triangle part_;
};

inline namespace TRIFAC_ABI {

/// A := L with A = L·Lᴴ (or U with A = Uᴴ·U), in place in device memory. Asynchronous, but for
/// variants by columns with cutoff > 0, whose last columns the host computes. A numerical failure
/// is the factor's status; the norm is not measured. Throws argument_error and backend_error. n³/3
/// flops. LAPACK: potrf.
template <variant V = variant::best, class T, class B>
[[nodiscard]] device_cholesky_factor<T, B> cholesky(device_matrix<T, B>& A,
                                                    const cholesky_options& options = {}) {
  static_assert(is_cholesky_variant(V), "this variant is one of LU");
  detail::check_variant<V>();
  if (A.rows() != A.cols()) throw argument_error(status::argument("A", "is not square"));
  if (const status s = detail::check_cholesky_options(options); !s) throw argument_error(s);
  using factor = device_cholesky_factor<T, B>;
  auto& session = A.backend().session();
  auto on = std::make_unique<typename factor::executor>(session, A.backend().settings());
  const auto lower = options.part == triangle::upper ? A.view().transposed() : A.view();
  if (A.rows() > 0) device::run_cholesky<V>(*on, lower, lower, options);
  session.runtime.flush();
  return factor(A, options.part, std::move(on));
}

/// cholesky() whose errors, too, are the factor's status. Does not throw.
template <variant V = variant::best, class T, class B>
[[nodiscard]] device_cholesky_factor<T, B> try_cholesky(
    device_matrix<T, B>& A, const cholesky_options& options = {}) noexcept {
  std::optional<device_cholesky_factor<T, B>> f;
  const status s = device::status_of_call([&] { f.emplace(cholesky<V>(A, options)); });
  return s ? *f : device_cholesky_factor<T, B>(A, options.part, s);
}

/// X := op(A)⁻¹·X on the device. If the factorization fails, X keeps the right-hand sides: call
/// f.or_throw() before using X. Asynchronous, so a failure not yet known appears only in
/// f.status(); one that status() has already returned is thrown, as by solve() for LU. Throws
/// argument_error and backend_error. LAPACK: potrs.
template <class T, class B>
void solve(const device_cholesky_factor<T, B>& f, device_matrix<T, B>& X,
           operation op = operation::none) {
  if (const auto known = f.known_status(); known && !*known) detail::throw_status(*known);
  device::check_solve(f, X, op);
  const bool upper = f.part() == triangle::upper;
  device::cholesky_executor<typename B::runtime, T> on(f.backend().session(),
                                                       f.backend().settings());
  on.continue_after(f.pending_executor());
  device::solve_with_cholesky(on, upper ? f.view().transposed() : f.view(),
                              is_complex<T> && upper != (op == operation::transpose), X.view());
  f.backend().session().runtime.flush();
}

/// X := op(A)⁻¹·X with a triangle A = f.L() or f.U() of a square factor, on the device. Waits for
/// the factorization, since a failed factor throws numerical_error; the solve is asynchronous.
/// Throws argument_error and backend_error. Unlike on the host, a zero on the diagonal, possible
/// only in U of LU, is not reported: the unknown becomes infinite or NaN. LAPACK: trtrs.
template <class Factor, class T, class B>
void solve(const device::device_triangle<Factor>& A, device_matrix<T, B>& X,
           operation op = operation::none) {
  const Factor& f = A.factor();
  if (const status& outcome = f.status(); !outcome.completed()) detail::throw_status(outcome);
  if (A.elements().rows() != A.elements().cols())
    throw argument_error(status::argument("triangle", "is not square"));
  device::check_solve(f, X, op);
  const bool turned = op != operation::none, lower = A.part() == triangle::lower;
  device::cholesky_executor<typename B::runtime, T> on(f.backend().session(),
                                                       f.backend().settings());
  device::solve_with_triangle(on,
                              {turned ? A.elements().transposed() : A.elements(),
                               is_complex<T> && A.conjugated() != (op == operation::adjoint)},
                              lower != turned ? triangle::lower : triangle::upper, A.diag(),
                              X.view());
  f.backend().session().runtime.flush();
}

/// The factor's triangle of X := A⁻¹ on the device, n×n, if the factorization succeeds; X may be
/// the factored matrix, whose factor is then invalid. Asynchronous; errors as for solve(); overflow
/// of elements is not checked. LAPACK: potri.
template <class T, class B>
void inverse(const device_cholesky_factor<T, B>& f, device_matrix<T, B>& X) {
  if (const auto known = f.known_status(); known && !*known) detail::throw_status(*known);
  device::check_sides(f, X, "X");
  if (X.cols() != f.rows()) throw argument_error(status::argument("X", "is not square"));
  if (X.rows() == 0) return;
  const bool upper = f.part() == triangle::upper;
  const auto L = upper ? f.view().transposed() : f.view();
  const auto A = upper ? X.view().transposed() : X.view();
  device::cholesky_executor<typename B::runtime, T> on(f.backend().session(),
                                                       f.backend().settings());
  on.continue_after(f.pending_executor());
  if (X.view().memory() != f.view().memory()) on.copy_lower(L, A);
  device::invert_cholesky(on, A);
  f.backend().session().runtime.flush();
}

/// solve() and inverse() of this header and of device_matrix_lu.hpp that return the status of what
/// these throw. Asynchronous or not as these are. Do not throw.
template <class Solvable, class T, class B>
status try_solve(const Solvable& A, device_matrix<T, B>& X,
                 operation op = operation::none) noexcept {
  return device::status_of_call([&] { solve(A, X, op); });
}
template <class Factor, class T, class B>
status try_inverse(const Factor& f, device_matrix<T, B>& X) noexcept {
  return device::status_of_call([&] { inverse(f, X); });
}

}  // namespace TRIFAC_ABI
}  // namespace trifac
