#pragma once
// A Cholesky factor whose matrix changes: update(), downdate() by X·Xᴴ, append() and remove() of
// rows and columns.

#include <concepts>
#include <type_traits>

#include "trifac/engine/modify/append.hpp"
#include "trifac/engine/modify/update.hpp"
#include "trifac/solve.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {

/// The factor f of A becomes that of A + X·Xᴴ; X: n×k, or a vector; it is only read, and may be any
/// memory. No exception leaves it. On serial, threads and openmp.
/// @return  not_finite with the first row of X that has a NaN or an infinity: f is unchanged.
///          not_finite with the first pivot that overflowed: f has that status then, its matrix the
///          factor of the leading block before the pivot, the rest of the triangle is unspecified.
///          The factor's own status where the factorization failed, invalid_argument where f is
///          empty or of a const matrix or X does not fit, and out_of_memory: f is unchanged.
/// f.norm() is NaN afterwards. 2n²k flops, where a factorization has n³/3; memory for n·k elements,
/// k rounded up to a multiple of four. LINPACK: dchud. Householder reflectors of four columns of X
/// at a time, rotations for one vector of LAPACK's types; the factor is read and written once. X of
/// up to 8 rows and 4 columns, both known at compile time, float or double: as try_cholesky.
/// Source: Gill, Golub, Murray, Saunders, Math. Comp. 28, 1974, method C1 (one vector).
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
/// 1987; for one vector as update().
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

/// What the last argument of append may be: a matrix, or a number for one row and column.
template <class C, class T>
concept CornerOf = MatrixLike<C> || std::convertible_to<C, T>;

/// The factor f of A, n×n, becomes that of
///
///     | A   B |    B: n×k, or a vector for k = 1; C: k×k, of which the triangle part() is read,
///     | Bᴴ  C |    or a number for k = 1
///
/// in a matrix of its own, which f has from then on and which grows by a quarter where it is full.
/// B and C may lie in the matrix that f owns, such as in rows that remove() has cut off; it may be
/// freed by the call. No exception leaves it. On serial, threads and openmp.
/// @return  not_positive_definite or not_finite with the index of the first bad pivot, from n on;
///          not_finite with i < n where row i of L⁻¹·B is the first with a NaN or an infinity. The
///          factor's own status where the factorization failed, invalid_argument where f is empty
///          or B or C does not fit, and out_of_memory. In all these cases f is unchanged.
/// f.norm() is NaN afterwards. n²k + 2nk² + k³/3 flops; k² elements of memory, now and then a copy
/// of the factor. Source: Golub, Van Loan, Matrix Computations, 6.5.4.
template <Backend Where, class T, RightHandSides M, CornerOf<T> N>
requires NestBackend<Where, T> status try_append(const Where& backend, cholesky_factor<T>& factor,
                                                 const M& B, const N& C)
noexcept {
  detail::check_appended<T, const M, const N>();
  const std::conditional_t<MatrixLike<const N>, const N&, T> last = C;
  return detail::append_checked<Where, T>(backend, factor, nullptr, detail::right_hand_sides(B),
                                          detail::corner<T>(last));
}
template <class T, RightHandSides M, CornerOf<T> N>
status try_append(cholesky_factor<T>& factor, const M& B, const N& C) noexcept {
  return try_append(backend::serial{}, factor, B, C);
}

/// The same in the caller's memory: `room` begins with the matrix that f refers to, and has room
/// for the new rows and columns. Of these part() is written, unspecified after a failure; f refers
/// to the leading (n + k)×(n + k) block then. invalid_argument, and nothing written, where f owns
/// its matrix, room does not begin with it or is too small, or B or C overlaps the new rows and
/// columns.
template <Backend Where, class T, RightHandSides M, CornerOf<T> N>
requires NestBackend<Where, T> status
try_append_in(const Where& backend, cholesky_factor<T>& factor,
              const matrix_view<std::type_identity_t<T>>& room, const M& B, const N& C)
noexcept {
  detail::check_appended<T, const M, const N>();
  const std::conditional_t<MatrixLike<const N>, const N&, T> last = C;
  return detail::append_checked<Where, T>(backend, factor, &room, detail::right_hand_sides(B),
                                          detail::corner<T>(last));
}
template <class T, RightHandSides M, CornerOf<T> N>
status try_append_in(cholesky_factor<T>& factor, const matrix_view<std::type_identity_t<T>>& room,
                     const M& B, const N& C) noexcept {
  return try_append_in(backend::serial{}, factor, room, B, C);
}

/// The factor f of A becomes that of A without the rows and columns first … first+count−1, in its
/// place: of a matrix of the caller f refers to the leading block then. No exception leaves it. On
/// serial, threads and openmp.
/// @return  not_finite with the first pivot that overflowed: f has that status then, and the rows
///          from `first` on are unspecified. The factor's own status where the factorization
///          failed, invalid_argument where f is empty or of a const matrix or has not these rows,
///          and out_of_memory: f is unchanged.
/// f.norm() is NaN afterwards. An update of the m rows below, of rank count: 2m²·count flops,
/// memory for m·count elements.
/// Source: Golub, Van Loan, Matrix Computations, 6.5.4.
template <Backend Where, class T>
requires NestBackend<Where, T> status try_remove(const Where& backend, cholesky_factor<T>& factor,
                                                 index_t first, index_t count = 1)
noexcept {
  return detail::remove_checked(backend, factor, first, count);
}
template <class T>
status try_remove(cholesky_factor<T>& factor, index_t first, index_t count = 1) noexcept {
  return try_remove(backend::serial{}, factor, first, count);
}

#if TRIFAC_EXCEPTIONS
/// The calls above that throw what belongs to their status: numerical_error, argument_error,
/// backend_error or std::bad_alloc.
template <Backend B, class T, RightHandSides M>
requires NestBackend<B, T> TRIFAC_INLINE void update(const B& backend, cholesky_factor<T>& factor,
                                                     const M& X) {
  detail::throw_unless_ok(try_update(backend, factor, X));
}
template <class T, RightHandSides M>
TRIFAC_INLINE void update(cholesky_factor<T>& factor, const M& X) {
  update(backend::serial{}, factor, X);
}
template <Backend B, class T, RightHandSides M>
requires NestBackend<B, T> TRIFAC_INLINE void downdate(const B& backend, cholesky_factor<T>& factor,
                                                       const M& X) {
  detail::throw_unless_ok(try_downdate(backend, factor, X));
}
template <class T, RightHandSides M>
TRIFAC_INLINE void downdate(cholesky_factor<T>& factor, const M& X) {
  downdate(backend::serial{}, factor, X);
}
template <Backend Where, class T, RightHandSides M, CornerOf<T> N>
requires NestBackend<Where, T>
void append(const Where& backend, cholesky_factor<T>& factor, const M& B, const N& C) {
  detail::throw_unless_ok(try_append(backend, factor, B, C));
}
template <class T, RightHandSides M, CornerOf<T> N>
void append(cholesky_factor<T>& factor, const M& B, const N& C) {
  append(backend::serial{}, factor, B, C);
}
template <Backend Where, class T, RightHandSides M, CornerOf<T> N>
requires NestBackend<Where, T>
void append_in(const Where& backend, cholesky_factor<T>& factor,
               const matrix_view<std::type_identity_t<T>>& room, const M& B, const N& C) {
  detail::throw_unless_ok(try_append_in(backend, factor, room, B, C));
}
template <class T, RightHandSides M, CornerOf<T> N>
void append_in(cholesky_factor<T>& factor, const matrix_view<std::type_identity_t<T>>& room,
               const M& B, const N& C) {
  append_in(backend::serial{}, factor, room, B, C);
}
template <Backend Where, class T>
requires NestBackend<Where, T>
void remove(const Where& backend, cholesky_factor<T>& factor, index_t first, index_t count = 1) {
  detail::throw_unless_ok(try_remove(backend, factor, first, count));
}
template <class T>
void remove(cholesky_factor<T>& factor, index_t first, index_t count = 1) {
  remove(backend::serial{}, factor, first, count);
}
#endif

}  // namespace TRIFAC_ABI
}  // namespace trifac
