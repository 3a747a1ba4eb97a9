#pragma once
// submit_cholesky(), submit_lu(): factorizations concurrent with the caller. Include also the
// header of a backend with tasks, such as backend/starpu.hpp.

#include <concepts>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#include "trifac/cholesky.hpp"
#include "trifac/engine/call/in_flight.hpp"
#include "trifac/engine/lu/check_finite.hpp"
#include "trifac/lu.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// A backend that can start a factorization of checked arguments and complete it later.
template <class B, class T>
concept SubmittingBackend = TaskBackend<B> &&
    requires(const B& b, matrix_view<T> A, std::span<index_t> p, const lu_options& options) {
  { b.template start_lu<variant::best>(A, p, options) } -> std::same_as<in_flight>;
};

template <class B, class M>
inline constexpr bool can_be_submitted = can_be_factored<M>&& SubmittingBackend<B, scalar_t<M>>;

template <class B, class M>
constexpr void check_submitted() {
  check_factored<M>();
  constexpr bool stays = std::is_reference_v<M> || !SaysWhetherItOwns<M> || !OwningTemporary<M>;
  static_assert(stays,
                "A is a temporary: its factorization would go on without it; give it a name");
  static_assert(
      !stays || !can_be_factored<M> || can_be_submitted<B, M>,
      "this backend has no factorizations in flight of this scalar type; backend::starpu, "
      "starpu_opencl and starpu_cuda have, of float, double and complex of both");
}

/// State of a call in flight, by the factor that it returns.
template <class Factor>
struct submission;

template <class T>
struct submission<lu_factor<T>> {
  bool begun = false;
  matrix_view<T> A = {};
  lu_options options = {};  // the tuned ones, once begun
  pivots p = {};
  lu_measures<T> measured = {};
  real_t<T> largest = {};  // of A, if growth is measured
  in_flight work;          // last member: its destructor waits for tasks that write p

  template <variant V, class B>
  void begin(const B& backend, const lu_options& tuned) {
    options = tuned;
    p.reset(min(A.rows(), A.cols()));
    largest = measure_before(A, options, measured);
    work = backend.template start_lu<V>(A, p.span(), options);
    begun = true;
  }
  lu_factor<T> finish() {
    const status s = check_finite(A, work.wait(), options.block);
    if (s.completed()) measure_growth(A, options, largest, measured);
    if (!s.of_the_matrix()) p = pivots();
    return lu_factor<T>(A, std::move(p), s, measured);
  }
};

template <class T>
struct submission<cholesky_factor<T>> {
  bool begun = false;
  matrix_view<T> A = {};
  triangle part = triangle::lower;
  real_t<T> norm = std::numeric_limits<real_t<T>>::quiet_NaN();
  in_flight work;

  cholesky_factor<T> finish() { return cholesky_factor<T>(A, part, work.wait(), norm); }
};

/// Null if memory runs out.
template <class Factor, class View>
std::unique_ptr<submission<Factor>> new_submission(const View& A) noexcept {
  std::unique_ptr<submission<Factor>> made(new (std::nothrow) submission<Factor>);
  if (made) made->A = A;
  return made;
}

/// B for the usual calls, which check their arguments, orient the triangle and look up the tuned
/// options before start_lu() or start_cholesky(): these start the work and return immediately, with
/// the status of no_result_yet().
template <class B, class T>
class starting : public B {
 public:
  starting(const B& backend, submission<lu_factor<T>>& call) : B(backend), lu_call_(&call) {}
  starting(const B& backend, submission<cholesky_factor<T>>& call)
      : B(backend), cholesky_call_(&call) {}

  template <variant V>
  in_flight start_lu(const matrix_view<T>&, std::span<index_t>, const lu_options& options) const {
    lu_call_->template begin<V>(static_cast<const B&>(*this), options);
    return no_result_yet();
  }
  template <variant V>
  in_flight start_cholesky(const matrix_view<const T>& A, const matrix_view<T>& L,
                           const cholesky_options& options) const {
    cholesky_call_->work = B::template start_cholesky<V>(A, L, options);
    cholesky_call_->begun = true;
    return no_result_yet();
  }

 private:
  /// With this status the usual calls return without reading the matrix.
  static in_flight no_result_yet() {
    return in_flight(status::failure(status_kind::backend_failure, "in flight"));
  }

  submission<lu_factor<T>>* lu_call_ = nullptr;
  submission<cholesky_factor<T>>* cholesky_call_ = nullptr;
};

}  // namespace detail

/// A factorization in flight. Refers to the matrix that was submitted, as will its factor: until
/// wait() returns, the matrix must not be moved, read or written. The destructor waits. It can be
/// moved, and another thread may call wait(), except in a task of the runtime system itself. In a
/// process forked in the meantime the result is backend_failure: the tasks are the parent's.
template <class Factor>
class [[nodiscard]] submitted {
 public:
  /// Nothing in flight; the factor is empty.
  submitted() = default;
  /// A completed factorization; nothing is in flight.
  explicit submitted(Factor factor) : factor_(std::move(factor)) {}
  explicit submitted(std::unique_ptr<detail::submission<Factor>> call) : call_(std::move(call)) {}
  submitted(submitted&&) noexcept = default;
  /// Waits for the previous factorization in flight.
  submitted& operator=(submitted&&) noexcept = default;
  /// Waits.
  ~submitted() = default;

  /// True if all tasks have run. wait() may still copy blocks back from a device.
  bool done() const noexcept { return !call_ || call_->work.done(); }

  /// The factor, as returned by try_cholesky or try_lu, with the status. Refers to the matrix.
  /// Further calls return the same.
  const Factor& wait() & noexcept {
    if (call_) {
      factor_ = call_->finish();
      call_.reset();
    }
    return factor_;
  }
  Factor wait() && noexcept {
    static_cast<void>(static_cast<submitted&>(*this).wait());
    return std::move(factor_);
  }

 private:
  std::unique_ptr<detail::submission<Factor>> call_;
  Factor factor_;
};

/// A := L\U as try_lu, in flight: returns when the tasks are submitted. Several may be in flight,
/// from one or many threads; the bits are those of sequential calls, except with
/// starpu_placement::dynamic. wait() writes backend.timeline: use one per call in flight, outliving
/// the call.
/// @param A  as for try_lu, but not a temporary that owns its elements
/// @return   submitted<lu_factor<T>>. Does not throw: wrong arguments are reported in the status,
///           which wait() then returns immediately. Calls without tasks (see
///           backend/starpu.hpp) factor before returning.
template <variant V = variant::best, Backend B, MatrixLike M>
auto submit_lu(const B& backend, M&& A, const lu_options& options = {}) noexcept {
  detail::check_submitted<B, M>();
  using T = detail::scalar_or_double<M>;
  using factor = lu_factor<T>;
  if constexpr (!detail::can_be_submitted<B, M>) {
    return submitted<factor>();
  } else {
    const matrix_view<T> view = view_of(A);
    if (auto call = detail::new_submission<factor>(view)) {
      pivots none;
      static_cast<void>(detail::without_exceptions([&] {
        return detail::factor_lu<V>(detail::starting<B, T>(backend, *call), view, none, options);
      }));
      if (call->begun) return submitted<factor>(std::move(call));
    }
    return submitted<factor>(try_lu<V>(backend, view, options));
  }
}

/// A := L as try_cholesky in place, in flight; as submit_lu. With options.jitter, which may need
/// several attempts, it factors before returning.
template <variant V = variant::best, Backend B, MatrixLike M>
auto submit_cholesky(const B& backend, M&& A, const cholesky_options& options = {}) noexcept {
  detail::check_submitted<B, M>();
  using T = detail::scalar_or_double<M>;
  using factor = cholesky_factor<T>;
  if constexpr (!detail::can_be_submitted<B, M>) {
    return submitted<factor>();
  } else {
    const matrix_view<T> view = view_of(A);
    auto call = options.jitter.first == 0 ? detail::new_submission<factor>(view) : nullptr;
    if (call) {
      call->part = options.part;
      call->norm = detail::measured_norm<T>(view, options);
      static_cast<void>(detail::without_exceptions([&] {
        return detail::factor_cholesky<V>(detail::starting<B, T>(backend, *call),
                                          matrix_view<const T>(view), view, options);
      }));
      if (call->begun) return submitted<factor>(std::move(call));
    }
    return submitted<factor>(try_cholesky<V>(backend, view, options));
  }
}

}  // namespace TRIFAC_ABI
}  // namespace trifac
