#pragma once
// From the checked arguments of append() to a solve with the triangle, a product and a
// factorization.

#include <utility>

#include "trifac/engine/call/overlap.hpp"
#include "trifac/engine/cholesky/factorization.hpp"
#include "trifac/engine/modify/update.hpp"
#include "trifac/engine/solve/triangle.hpp"
#include "trifac/matrix.hpp"
#include TRIFAC_DEFINITIONS(cholesky, calls)
#include TRIFAC_DEFINITIONS(refine, calls)
#include TRIFAC_DEFINITIONS(solve, calls)

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// The last k rows of the enlarged factor, in the lower triangle of M, whose leading block is L:
///
///     | L          |    L21 = (L⁻¹·B)ᴴ, L22·L22ᴴ = C − L21·L21ᴴ; C: k×k, lower triangle
/// M = | L21   L22  |    S: k×k scratch
template <Backend Where, class T>
status append_rows(const Where& backend, const matrix_view<T>& M, const operand<T>& B,
                   const operand<T>& C, const matrix_view<T>& S) {
  const index_t n = B.rows(), k = B.cols();
  const auto L = M.block(0, 0, n, n), L21 = M.block(n, 0, k, n), L22 = M.block(n, n, k, k);
  for (index_t i = 0; i < n; ++i)
    for (index_t c = 0; c < k; ++c) L21(c, i) = conjugate(B(i, c));
  for (index_t c = 0; c < k; ++c)
    for (index_t i = 0; i < k; ++i) S(i, c) = i < c ? conjugate(C(c, i)) : C(i, c);
  if (n > 0) {  // conj(L)·L21ᵀ = conj(B);  Sᵀ = Sᵀ − conj(L21)·L21ᵀ
    const operand<T> conj_L(L, is_complex<T>);
    const status solved = run_triangular_solve(backend, conj_L, triangle::lower, diagonal::non_unit,
                                               L21.transposed());
    if (!solved) return solved;
    if (const status s = calls_on<Where, T>::subtract_product(nest_backend<T>(backend),
                                                              operand<T>(L21, is_complex<T>),
                                                              L21.transposed(), S.transposed());
        !s)
      return s;
  }
  if (const status s = factor_cholesky<variant::best>(backend, matrix_view<const T>(S), S, {}); !s)
    return s.of_the_matrix() ? status::at(s.kind(), n + s.index()) : s;
  for (index_t c = 0; c < k; ++c)
    for (index_t i = c; i < k; ++i) L22(i, c) = S(i, c);
  return {};
}

/// The last argument of append as a view: for one row and column it may be a number.
template <class T, class M>
matrix_view<const T> corner(const M& C) {
  if constexpr (MatrixLike<const M>)
    return view_of(C);
  else
    return {&C, 1, 1, 1};
}

/// True if `given`, B or C, overlaps the rows (of an upper factor: columns) that are appended to a
/// factor of order n in M: some of these are written before B and C are read.
template <class T>
bool overlaps_appended(const matrix_view<T>& M, triangle part, index_t n,
                       const matrix_view<const T>& given) {
  const index_t k = M.rows() - n;
  return overlap(given, part_in_use::whole,
                 part == triangle::lower ? M.block(n, 0, k, n + k) : M.block(0, n, n + k, k),
                 part_in_use::whole);
}

/// Appends in `room`, or if that is null in the factor's own matrix, which grows.
template <Backend Where, class T>
status append_checked(const Where& backend, cholesky_factor<T>& f, const matrix_view<T>* room,
                      const matrix_view<const T>& B, const matrix_view<const T>& C) {
  auto& state = factor_access::state(f);
  const index_t n = f.rows(), k = B.cols(), order = n + k;
  if (const status& s = f.status(); !s)
    return s.kind() == status_kind::empty ? status::argument("factor", s.what()) : s;
  for (const status& s : {check_view(B, "B"), check_view(C, "C"), check_backend(backend)})
    if (!s) return s;
  if (B.rows() != n) return status::argument("B", "must have as many rows as the factored matrix");
  if (C.rows() != k || C.cols() != k)
    return status::argument("C", "must have as many rows and columns as B has columns");
  if (room) {
    if (const status s = check_view(*room, "room"); !s) return s;
    const matrix_view<const T> A = f.matrix();
    if (state.owns || (n > 0 && !is_same_view(A, *room)))
      return status::argument("room", "does not begin with the factored matrix");
    if (room->rows() < order || room->cols() < order)
      return status::argument("room", "is too small");
    for (const auto& [given, name] : {std::pair(B, "B"), std::pair(C, "C")})
      if (overlaps_appended(room->block(0, 0, order, order), f.part(), n, given))
        return status::argument(name, "overlaps the new rows and columns");
  }
  if (k == 0) return {};
  return without_exceptions([&]() -> status {
    matrix<T> S(k, k), grown;
    matrix_view<T> M;
    if (room)
      M = room->block(0, 0, order, order);
    else if (state.owns && state.owned.rows() >= order)
      M = state.owned.view().block(0, 0, order, order);
    // B and C may lie in rows of the factor's own matrix that remove() has cut off.
    const bool fits =
        !M.empty() &&
        (room || (!overlaps_appended(M, f.part(), n, B) && !overlaps_appended(M, f.part(), n, C)));
    if (!fits) {  // a quarter more, so that growing by ones costs no more than a constant factor
      const index_t most = max(order, n + n / 4);
      grown = matrix<T>(most, most);
      M = grown.view().block(0, 0, order, order);
      const matrix_view<const T> A = f.matrix();
      for (index_t j = 0; j < n; ++j)
        for (index_t i = 0; i < n; ++i)
          if (f.part() == triangle::lower ? i >= j : i <= j) M(i, j) = A(i, j);
    }
    const bool upper = f.part() == triangle::upper;  // Uᵀ is the lower factor of Aᵀ = conj(A)
    const status s =
        append_rows(backend, upper ? M.transposed() : M, operand<T>(B, upper && is_complex<T>),
                    operand<T>(upper ? C.transposed() : C), S.view());
    if (!s) return s;
    if (!grown.empty()) {
      state.owned = std::move(grown);
      state.owns = true;
    }
    state.order = order;
    if (room) {
      state.caller = M;
      state.is_const = false;
    }
    return record_change(f, s);
  });
}

template <class T, class M, class N>
constexpr void check_appended() {
  constexpr bool same = std::is_same_v<std::remove_const_t<right_hand_side_t<M>>, T>;
  static_assert(same, "B has another scalar type than the factor");
  if constexpr (MatrixLike<N>)
    static_assert(std::is_same_v<scalar_t<N>, T>, "C has another scalar type than the factor");
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
