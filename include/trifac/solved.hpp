#pragma once
// solved(): X = op(A)⁻¹·B, returned.

#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "trifac/triangular_solve.hpp"

namespace trifac {

template <class T>
class modified_cholesky_factor;

inline namespace TRIFAC_ABI {
namespace detail {

/// True for right-hand sides of a type that owns its elements and can be returned.
template <class M>
constexpr bool is_owner() {
  using object = std::remove_cvref_t<M>;
  if constexpr (std::is_array_v<object> || std::is_const_v<right_hand_side_t<object>>)
    return false;
  else if constexpr (MatrixLike<object> && !SaysWhetherItOwns<object>)
    return false;
  else
    return owning_right_hand_sides<object>();
}

/// The result of solved() for a B of type M: M if it owns its elements, else the owner named by its
/// view_traits (Eigen's plain object), else a matrix or a vector.
template <class M>
auto copied_right_hand_sides(M&& B) {
  using object = std::remove_cvref_t<M>;
  using T = std::remove_const_t<right_hand_side_t<M>>;
  if constexpr (is_owner<M>())
    return object(std::forward<M>(B));
  else if constexpr (requires { typename view_traits<object>::owner; })
    return typename view_traits<object>::owner(B);
  else if constexpr (MatrixLike<M>)
    return matrix<T>(matrix_view<const T>(view_of(B)));
  else {
    const std::span elements(B);
    return std::vector<T>(elements.begin(), elements.end());
  }
}

}  // namespace detail

#if TRIFAC_EXCEPTIONS

/// The first argument of solve(): a factor, including that of modified_cholesky(), or a triangle.
template <class A>
concept Solvable = Factor<A> || std::same_as<A, triangular_view<typename A::value_type>> ||
    std::same_as<A, modified_cholesky_factor<typename A::value_type>>;

/// X = op(A)⁻¹·B, B unchanged (or moved in). A: a factor or a triangle; B: n×r or a vector, of the
/// factor's scalar type; X has the type of B if that owns its elements, else it is a matrix or a
/// std::vector. Throws as solve(). The cost of solve() and a copy of B. LAPACK: potrs, getrs,
/// trtrs.
template <Backend B, Solvable F, RightHandSides M>
[[nodiscard]] TRIFAC_INLINE auto solved(const B& backend, const F& factor, M&& right,
                                        operation op = operation::none) {
  using T = typename F::value_type;
  constexpr bool fits = std::is_same_v<std::remove_const_t<detail::right_hand_side_t<M>>, T>;
  static_assert(fits,
                "B has another scalar type than the factor: copy it into a matrix or vector of "
                "that type, or factor a matrix of the type of B");
  auto X = detail::copied_right_hand_sides(std::forward<M>(right));
  if constexpr (fits) solve(backend, factor, X, op);
  return X;
}
template <Solvable F, RightHandSides M>
[[nodiscard]] TRIFAC_INLINE auto solved(const F& factor, M&& right,
                                        operation op = operation::none) {
  return solved(backend::serial{}, factor, std::forward<M>(right), op);
}

#endif

}  // namespace TRIFAC_ABI
}  // namespace trifac
