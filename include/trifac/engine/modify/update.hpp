#pragma once
// From the checked arguments of update(), downdate() and remove() to calls<T>::modify.

#include <limits>
#include <type_traits>

#include "trifac/engine/call/argument_types.hpp"
#include "trifac/engine/call/call.hpp"
#include "trifac/engine/call/factor_state.hpp"
#include "trifac/engine/call/lower_operand.hpp"
#include "trifac/engine/calls/calls.hpp"
#include "trifac/engine/cholesky/factor.hpp"
#include "trifac/engine/modify/known_order.hpp"
#include TRIFAC_DEFINITIONS(modify, calls)

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// Checks that f may be modified; A: its matrix, null if that is const.
template <class T>
status check_modified(const cholesky_factor<T>& f, const matrix_view<T>& A) {
  const status& outcome = f.status();
  if (outcome.kind() == status_kind::empty) return status::argument("factor", outcome.what());
  if (!outcome.ok()) return outcome;
  if (A.data() == nullptr && !A.empty())
    return status::argument("factor", "refers to a const matrix");
  return {};
}

/// Records the status of a modified factor, whose norm is unknown from now on.
template <class T>
status record_change(cholesky_factor<T>& f, const status& s) {
  if (s.of_the_matrix()) {
    factor_access::state(f).outcome = s;
    factor_access::norm(f) = std::numeric_limits<real_t<T>>::quiet_NaN();
  }
  return s;
}

template <Backend B, class T>
status update_checked(const B& backend, modification how, cholesky_factor<T>& f,
                      const matrix_view<const T>& X) {
  const matrix_view<T> A = factor_access::state(f).writable_view();
  for (const status& s : {check_modified(f, A), check_view(X, "X"), check_backend(backend)})
    if (!s) return s;
  if (X.rows() != A.rows())
    return status::argument("X", "must have as many rows as the factored matrix");
  if (A.empty() || X.empty()) return {};
  for (index_t i = 0; i < X.rows(); ++i)
    for (index_t c = 0; c < X.cols(); ++c)
      if (!is_finite(X(i, c))) return status::at(status_kind::not_finite, i);
  // A = Uᴴ·U: Uᵀ is the lower factor of Aᵀ = conj(A).
  const bool upper = f.part() == triangle::upper;
  return record_change(
      f, calls_on<B, T>::modify(nest_backend<T>(backend), how, upper ? A.transposed() : A,
                                operand<T>(X, upper && is_complex<T>)));
}

/// Selects the call by the sizes of X: known at compile time, or at run time.
template <class M, Backend B, class T>
TRIFAC_INLINE status modify(const B& backend, modification how, cholesky_factor<T>& f,
                            const matrix_view<const T>& X) noexcept {
  if constexpr (constexpr index_t n = known_modified_order<T, M, B>(); n > 0)
    if (modify_known<n, columns_added<M>()>(backend, how, f, X)) return record_change(f, {});
  return update_checked<B, T>(backend, how, f, X);
}

template <class T, class M>
constexpr void check_added() {
  static_assert(std::is_same_v<std::remove_const_t<right_hand_side_t<M>>, T>,
                "X has another scalar type than the factor: copy it into a matrix or vector of "
                "that type");
  static_assert(has_limits<real_t<T>>,
                "update and downdate need std::numeric_limits of the real scalar type");
}

template <Backend Where, class T>
status remove_checked(const Where& backend, cholesky_factor<T>& f, index_t first, index_t count) {
  static_assert(has_limits<real_t<T>>, "remove needs std::numeric_limits of the real scalar type");
  auto& state = factor_access::state(f);
  const matrix_view<T> A = state.writable_view();
  for (const status& s : {check_modified(f, A), check_backend(backend)})
    if (!s) return s;
  const index_t n = A.rows();
  if (first < 0 || first > n) return status::argument("first", "is no row of the factored matrix");
  if (count < 0 || count > n - first)
    return status::argument("count", "is more than there are rows from the first on");
  if (count == 0) return {};
  //     | L00            |
  // L = | …    …         |    L20 stays, L22 := L22′ with L22′·L22′ᴴ = L22·L22ᴴ + L21·L21ᴴ
  //     | L20  L21  L22  |
  const index_t next = first + count, rest = n - next;
  const auto L = lower_view(A, f.part());
  if (rest > 0) {
    const status s = calls_on<Where, T>::modify(nest_backend<T>(backend), modification::update,
                                                L.block(next, next, rest, rest),
                                                operand<T>(L.block(next, first, rest, count)));
    if (!s)
      return record_change(f, s.of_the_matrix() ? status::at(s.kind(), first + s.index()) : s);
  }
  for (index_t j = 0; j < first; ++j)
    for (index_t i = first; i < n - count; ++i) L(i, j) = L(i + count, j);
  for (index_t j = first; j < n - count; ++j)
    for (index_t i = j; i < n - count; ++i) L(i, j) = L(i + count, j + count);
  if (state.owns)
    state.order = n - count;
  else
    state.caller = A.block(0, 0, n - count, n - count);
  return record_change(f, {});
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
