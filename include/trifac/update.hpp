#pragma once
// update(), downdate(): the Cholesky factor of A ± X·Xᴴ from that of A.

#include "trifac/engine/calls/calls.hpp"
#include "trifac/engine/modify/known_order.hpp"
#include "trifac/solve.hpp"
#include TRIFAC_DEFINITIONS(modify, calls)

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// Whether a call may change f; A: its matrix, null where that is const.
template <class T>
status check_modified(const cholesky_factor<T>& f, const matrix_view<T>& A) {
  const status& outcome = f.status();
  if (outcome.kind() == status_kind::empty) return status::argument("factor", outcome.what());
  if (!outcome.ok()) return outcome;
  if (A.data() == nullptr && !A.empty())
    return status::argument("factor", "refers to a const matrix");
  return {};
}

/// A factor after its matrix was changed: its norm is not known any more.
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

/// With sizes of X known at compile time, or at run time.
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

}  // namespace detail

/// The factor f of A becomes that of A + X·Xᴴ; X: n×k, or a vector; it is only read, and may be any
/// memory. No exception leaves it. On serial, threads and openmp.
/// @return  not_finite with the first row of X that has a NaN or an infinity: f is unchanged.
///          not_finite with the first pivot that overflowed: f has that status then, its matrix the
///          factor of the leading block before the pivot, the rest of the triangle is unspecified.
///          The factor's own status where the factorization failed, invalid_argument where f is
///          empty or of a const matrix or X does not fit, and out_of_memory: f is unchanged.
/// f.norm() is NaN afterwards. 2n²k flops, where a factorization has n³/3; memory for n·k elements,
/// k rounded up to a multiple of four. LINPACK: dchud. Householder reflectors of four columns of X
/// at a time; the factor is read and written once. Where X has up to 8 rows and 4 columns, both
/// known at compile time, float or double: as try_cholesky.
template <Backend B, class T, RightHandSides M>
requires NestBackend<B, T> TRIFAC_INLINE status try_update(const B& backend,
                                                           cholesky_factor<T>& factor, const M& X)
noexcept {
  detail::check_added<T, const M>();
  return detail::modify<const M, B, T>(backend, modification::update, factor,
                                       detail::right_hand_sides(X));
}
template <class T, RightHandSides M>
TRIFAC_INLINE status try_update(cholesky_factor<T>& factor, const M& X) noexcept {
  return try_update(backend::serial{}, factor, X);
}

/// The factor f of A becomes that of A − X·Xᴴ, as update().
/// @return  besides, not_positive_definite with index j where the leading minor of order j + 1 of
///          A − X·Xᴴ is not positive, as rounding errors of A show it: f has that status then, its
///          matrix the factor of the leading j×j block, the rest of the triangle is unspecified. To
///          go on from there keep a copy of the matrix (of f itself where f owns it). ‖L⁻¹x‖ < 1 is
///          the condition for a vector x.
/// LINPACK: dchdd. Source: Bojanczyk, Brent, van Dooren, de Hoog, SIAM J. Sci. Stat. Comput. 8,
/// 1987.
template <Backend B, class T, RightHandSides M>
requires NestBackend<B, T> TRIFAC_INLINE status try_downdate(const B& backend,
                                                             cholesky_factor<T>& factor, const M& X)
noexcept {
  detail::check_added<T, const M>();
  return detail::modify<const M, B, T>(backend, modification::downdate, factor,
                                       detail::right_hand_sides(X));
}
template <class T, RightHandSides M>
TRIFAC_INLINE status try_downdate(cholesky_factor<T>& factor, const M& X) noexcept {
  return try_downdate(backend::serial{}, factor, X);
}

#if TRIFAC_EXCEPTIONS
/// try_update and try_downdate that throw what belongs to their status: numerical_error,
/// argument_error, backend_error or std::bad_alloc.
template <Backend B, class T, RightHandSides M>
requires NestBackend<B, T> TRIFAC_INLINE void update(const B& backend, cholesky_factor<T>& factor,
                                                     const M& X) {
  if (const status s = try_update(backend, factor, X); !s) detail::throw_status(s);
}
template <class T, RightHandSides M>
TRIFAC_INLINE void update(cholesky_factor<T>& factor, const M& X) {
  update(backend::serial{}, factor, X);
}
template <Backend B, class T, RightHandSides M>
requires NestBackend<B, T> TRIFAC_INLINE void downdate(const B& backend, cholesky_factor<T>& factor,
                                                       const M& X) {
  if (const status s = try_downdate(backend, factor, X); !s) detail::throw_status(s);
}
template <class T, RightHandSides M>
TRIFAC_INLINE void downdate(cholesky_factor<T>& factor, const M& X) {
  downdate(backend::serial{}, factor, X);
}
#endif

}  // namespace TRIFAC_ABI
}  // namespace trifac
