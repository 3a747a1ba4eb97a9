#pragma once
// Compile-time checks of the argument types of public calls: one line that names the argument and
// the remedy instead of errors from deep inside.

#include <type_traits>
#include <utility>

#include "trifac/engine/views/matrix_like.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// A temporary or moved-in object that owns its elements. M is deduced as a forwarding reference.
template <class M>
concept OwningTemporary = !std::is_reference_v<M> && owns_elements<M>();

template <class M>
inline constexpr bool is_const = std::is_const_v<element_t<M>>;
template <class M>
inline constexpr bool has_scalars = Scalar<scalar_t<M>>;
template <class M, class N>
inline constexpr bool same_scalars = std::is_same_v<scalar_t<M>, scalar_t<N>>;

/// True if an argument is the value of an option; an assertion then says where to pass it.
template <class Option, class... Arguments>
concept PassesOption = (std::is_same_v<std::remove_cvref_t<Arguments>, Option> || ...);

/// The triangle as an argument, or LAPACK's letter for it.
template <class... Arguments>
concept PassesTriangle = PassesOption<triangle, Arguments...> || PassesOption<char, Arguments...>;

/// The scalar type of M. After a failed assertion, calls return an empty factor of double, so that
/// no further errors follow.
template <class M>
using scalar_or_double = std::conditional_t<has_scalars<M>, scalar_t<M>, double>;

/// True if M may be overwritten by its factor.
template <class M>
inline constexpr bool can_be_factored = has_scalars<M> && !is_const<M>;

/// Asserts that the elements are Scalars. trifac::matrix has an assertion of its own.
template <class M>
constexpr void check_scalars() {
  constexpr bool said = std::is_same_v<std::remove_cvref_t<M>, matrix<scalar_t<M>>>;
  static_assert(has_scalars<M> || said,
                "A: its elements are no Scalar, a type with division and square roots; integers "
                "and numbers of 16 bits are none: copy A into a matrix of double");
}
/// Asserts that the type of a temporary defines `owns`: if true, the factor keeps it.
template <class M>
constexpr void check_owns() {
  static_assert(std::is_reference_v<M> || SaysWhetherItOwns<M>,
                "view_traits<M> does not say whether M owns its elements: add static constexpr "
                "bool owns = true, or false where M only refers to them");
}
/// Asserts why can_be_factored is false.
template <class M>
constexpr void check_factored() {
  check_scalars<M>();
  check_owns<M>();
  static_assert(
      !has_scalars<M> || !is_const<M>,
      "A is const: it is overwritten by its factor; hand in a copy, matrix<T>(view_of(A)), "
      "or for Cholesky a second matrix, cholesky(A, L)");
}

/// True if M can be read and N written.
template <class M, class N>
inline constexpr bool can_be_factored_to = has_scalars<M>&& same_scalars<M, N> && !is_const<N>;

/// Asserts why can_be_factored_to is false.
template <class M, class N>
constexpr void check_factored_to() {
  check_scalars<M>();
  check_owns<N>();
  static_assert(!has_scalars<M> || same_scalars<M, N>,
                "L has another scalar type than A: make both the same");
  static_assert(!same_scalars<M, N> || !is_const<N>,
                "L is const: the factor is written into it; hand in a matrix that can be written");
}

/// The view of right-hand sides: of a matrix, or of a vector as one column.
template <class B>
constexpr auto right_hand_sides(B&& X) {
  if constexpr (MatrixLike<B>)
    return view_of(X);
  else
    return column_of(X);
}
template <class B>
using right_hand_side_t = typename decltype(right_hand_sides(std::declval<B&>()))::element_type;

/// True for a temporary matrix or vector that owns its elements. B is deduced as a forwarding
/// reference.
template <class B>
constexpr bool owning_right_hand_sides() {
  if constexpr (std::is_reference_v<B>)
    return false;
  else if constexpr (MatrixLike<B>)
    return OwningTemporary<B>;
  else
    return !std::ranges::enable_view<std::remove_cv_t<B>> &&
           !std::ranges::enable_borrowed_range<std::remove_cv_t<B>>;
}

/// True if solve(factor of T, B) may overwrite B.
template <class T, class B>
inline constexpr bool can_be_solved = std::is_same_v<right_hand_side_t<B>, T>;

/// Asserts why can_be_solved is false.
template <class T, class B>
constexpr void check_solved() {
  using element = right_hand_side_t<B>;
  constexpr bool is_same = std::is_same_v<std::remove_const_t<element>, T>;
  static_assert(is_same,
                "B has another scalar type than the factor: copy it into a matrix or vector of "
                "that type, or factor a matrix of the type of B");
  static_assert(!is_same || !std::is_const_v<element>,
                "B is const: the solution overwrites it; hand in a copy that can be written");
  if constexpr (MatrixLike<B>) check_owns<B>();
  static_assert(!can_be_solved<T, B> || !owning_right_hand_sides<B>(),
                "B is a temporary: its solution would be lost; give it a name, or take x = "
                "solved(factor, B)");
}

/// The same for the matrix that receives an inverse.
template <class T, class M>
constexpr void check_inverted() {
  using element = right_hand_side_t<M>;
  constexpr bool is_same = std::is_same_v<std::remove_const_t<element>, T>;
  static_assert(is_same, "X has another scalar type than the factor");
  static_assert(!is_same || !std::is_const_v<element>, "X is const: the inverse is written to it");
  check_owns<M>();
  static_assert(!can_be_solved<T, M> || !owning_right_hand_sides<M>(),
                "X is a temporary: the inverse would be lost; give it a name, or take X = "
                "inverse(factor)");
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
