#pragma once
// Matrices that stay in a device's memory, and factorizations that do not wait: device_matrix, and
// cholesky(), solve() and inverse() on it. For any backend whose device has its own memory
// (opencl.hpp).

#include <limits>
#include <memory>
#include <type_traits>
#include <utility>

#include "trifac/backend/device/cholesky.hpp"
#include "trifac/backend/device/factor.hpp"
#include "trifac/backend/device/inverse.hpp"
#include "trifac/backend/device/triangle.hpp"

namespace trifac {

/// rows × cols elements of T in the memory of a backend's device, column-major without gaps. Moved,
/// not copied. The session with the device lives as long as the matrix.
template <LapackScalar T, DeviceBackend B>
class device_matrix {
 public:
  using value_type = T;
  using backend_type = B;
  using view_type = device::device_view<T, typename B::runtime::handle>;

  /// Memory without defined contents. Throws argument_error, and backend_error where the device has
  /// not so much in one piece.
  device_matrix(const B& where, index_t rows, index_t cols) : where_(where) {
    if (const availability a = where.available(); !a) throw backend_error(std::string(a.reason));
    if (rows < 0 || cols < 0)
      throw argument_error(status::argument("rows, cols", "must not be negative"));
    constexpr auto most = std::numeric_limits<index_t>::max() / index_t{sizeof(T)};
    if (cols > 0 && rows > most / cols)
      throw argument_error(
          status::argument("rows, cols", "are more elements than there are bytes"));
    memory_ = where.session().runtime.allocate(static_cast<std::uint64_t>(rows) *
                                               static_cast<std::uint64_t>(cols) * sizeof(T));
    view_ = {memory_.get(), 0, rows, cols, 1, rows};
  }
  /// A copy of a host's matrix.
  device_matrix(const B& where, matrix_view<const T> A) : device_matrix(where, A.rows(), A.cols()) {
    assign(A);
  }

  /// What was moved from has no elements.
  device_matrix(device_matrix&& other) noexcept
      : where_(other.where_),
        memory_(std::move(other.memory_)),
        view_(std::exchange(other.view_, {})) {}
  device_matrix& operator=(device_matrix&& other) noexcept {
    where_ = other.where_;
    memory_ = std::move(other.memory_);
    view_ = std::exchange(other.view_, {});
    return *this;
  }

  index_t rows() const { return view_.rows(); }
  index_t cols() const { return view_.cols(); }
  const B& backend() const { return where_; }
  const view_type& view() const { return view_; }

  /// Elements := those of A, which has the same size. Returns when A may be changed.
  void assign(matrix_view<const T> A) {
    check_size(A.rows(), A.cols());
    device::copy_to_device(where_.session().runtime, A, memory_.get(), device::extent_of_use::all);
  }
  /// Elements of A := these. Waits for all that was enqueued.
  void copy_to(matrix_view<T> A) const {
    check_size(A.rows(), A.cols());
    device::copy_to_host(where_.session().runtime, memory_.get(), A, device::extent_of_use::all);
  }
  /// A matrix in the host's memory with these elements. Waits.
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

namespace device {

/// What a Cholesky factorization has besides its status: nothing.
struct no_results {
  template <class Executor>
  void fetch(Executor&) {}
};

/// Throws where X is not what a factor's call can work on.
template <class Factor, class T, class B>
void check_sides(const Factor& f, const device_matrix<T, B>& X) {
  if (X.rows() != f.rows())
    throw argument_error(status::argument("X", "must have as many rows as the factored matrix"));
  if (&X.backend().session() != &f.backend().session())
    throw argument_error(status::argument("X", "is on another device than the factor"));
}
template <class Factor, class T, class B>
void check_solve(const Factor& f, const device_matrix<T, B>& X, operation op) {
  check_sides(f, X);
  if (X.rows() > 0 && X.cols() > 0 && X.view().memory() == f.view().memory())
    throw argument_error(status::argument("X", "is the factored matrix"));
  if (const status s = trifac::detail::check_operation(op); !s) throw argument_error(s);
}

/// L or U of a factor in a device's memory, which must outlive it: for solve().
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

/// The result of cholesky() on a device_matrix, which must outlive it. Until status() is asked the
/// factorization may still be under way; nothing but status(), ok() and or_throw() waits. Copies
/// share the answer; any thread may ask. The factor's other triangle is the caller's.
template <LapackScalar T, DeviceBackend B>
class device_cholesky_factor
    : public device::cholesky_factor_base<device_cholesky_factor<T, B>, T, B> {
 public:
  using value_type = T;
  using base = device::cholesky_factor_base<device_cholesky_factor, T, B>;

  /// What `on` was given to do with A.
  device_cholesky_factor(const device_matrix<T, B>& A, triangle part,
                         std::unique_ptr<typename base::executor> on)
      : base(A.view(), A.backend(), std::move(on), {}), part_(part) {}

  triangle part() const { return part_; }
  device::device_triangle<device_cholesky_factor> L() const { return triangle_of(triangle::lower); }
  device::device_triangle<device_cholesky_factor> U() const { return triangle_of(triangle::upper); }

 private:
  // L = Uᴴ.
  device::device_triangle<device_cholesky_factor> triangle_of(triangle wanted) const {
    const bool stored = wanted == part_;
    return {*this, stored ? this->view() : this->view().transposed(), is_complex<T> && !stored,
            wanted, diagonal::general};
  }

  triangle part_;
};

inline namespace TRIFAC_ABI {

/// A := L with A = L·Lᴴ (or U with A = Uᴴ·U), in place in the device's memory. Enqueues and
/// returns; only cutoff > 0 waits, as the last columns are the host's. A numerical failure is the
/// factor's status. Throws argument_error and backend_error. LAPACK: potrf.
template <variant V = variant::best, class T, class B>
[[nodiscard]] device_cholesky_factor<T, B> cholesky(device_matrix<T, B>& A,
                                                    const cholesky_options& options = {}) {
  static_assert(is_cholesky_variant(V), "this variant is one of LU");
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

/// X := op(A)⁻¹·X on the device, but X stays B where the factorization fails: f.or_throw() comes
/// before X is used. Enqueues and returns, so that a failure still to come is only in f.status();
/// one that status() has told already is thrown, as by solve() of LU. Throws argument_error and
/// backend_error. LAPACK: potrs.
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

/// X := op(A)⁻¹·X with a triangle A = f.L() or f.U() of a square factor, on the device. Enqueues and
/// returns; waits for the factorization, as a factor that failed is a numerical_error. Throws
/// argument_error and backend_error. Unlike on the host a zero on the diagonal, which only U of LU can
/// have, is not told: its unknown is left undivided. LAPACK: trtrs.
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

/// The factor's triangle of X := A⁻¹ on the device, n×n, where the factorization succeeds; X may be
/// the factored matrix, whose factor is then not to be used any more. Enqueues and returns, errors as
/// for solve(); whether an element overflowed is not looked at. LAPACK: potri.
template <class T, class B>
void inverse(const device_cholesky_factor<T, B>& f, device_matrix<T, B>& X) {
  if (const auto known = f.known_status(); known && !*known) detail::throw_status(*known);
  device::check_sides(f, X);
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

}  // namespace TRIFAC_ABI
}  // namespace trifac
