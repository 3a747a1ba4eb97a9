#pragma once
// More forms of solve(): out of place, X = op(A)⁻¹·B, written by solve(f, B, X) and returned by
// solved(f, B); in pieces of columns that report progress.

#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "trifac/engine/blas/copy.hpp"
#include "trifac/engine/solve/pieces.hpp"
#include "trifac/triangular_solve.hpp"

namespace trifac {

template <class T>
class modified_cholesky_factor;

inline namespace TRIFAC_ABI {
namespace detail {

template <class T, class R, class M>
inline constexpr bool can_be_solved_to =
    can_be_solved<T, M>&& std::is_same_v<std::remove_const_t<right_hand_side_t<R>>, T>;

/// Asserts why can_be_solved_to is false: of a B that is only read and an X for the solution.
template <class T, class R, class M>
constexpr void check_solved_to() {
  using element = right_hand_side_t<M>;
  constexpr bool is_same = std::is_same_v<std::remove_const_t<element>, T>;
  static_assert(std::is_same_v<std::remove_const_t<right_hand_side_t<R>>, T>,
                "B has another scalar type than the factor: copy it into a matrix or vector of "
                "that type, or factor a matrix of the type of B");
  static_assert(is_same, "X has another scalar type than the factor");
  static_assert(!is_same || !std::is_const_v<element>, "X is const: the solution is written to it");
  if constexpr (MatrixLike<M>) check_owns<M>();
  static_assert(!can_be_solved<T, M> || !owning_right_hand_sides<M>(),
                "X is a temporary: the solution would be lost; give it a name, or take X = "
                "solved(factor, B)");
}

/// What solve() finds before it writes to X: wrong arguments, a failed factorization, a zero on the
/// diagonal of a triangle.
template <Backend B, class F, class T>
constexpr status check_before_solve(const B& backend, const F& f, const matrix_view<T>& X,
                                    const char* name, operation op) {
  for (const status& s : {check_solve(f, X, name), check_operation(op), check_backend(backend)})
    if (!s) return s;
  if constexpr (std::is_same_v<F, triangular_view<T>>)
    if (f.diag() == diagonal::non_unit)
      if (const status s = check_diagonal(f.elements()); s.kind() == status_kind::singular)
        return s;
  return {};
}
/// Whether X may receive the solution with the right-hand sides B.
template <class T>
constexpr status check_source(const matrix_view<const T>& right, const matrix_view<T>& X) {
  if (const status s = check_view(right, "B"); !s) return s;
  if (right.rows() != X.rows() || right.cols() != X.cols())
    return status::argument("B", "has not the size of X");
  if (!is_same_view(right, X) &&
      (std::is_constant_evaluated() ? shares_elements(right, X)
                                    : overlap(right, part_in_use::whole, X, part_in_use::whole)))
    return status::argument("B", "overlaps X without being the same view");
  return {};
}

/// X := op(A)⁻¹·X, which passes check_before_solve.
template <Backend B, class F, class M>
constexpr status solve_columns(const B& backend, const F& f, M& X, operation op,
                               const solve_options& options) {
  if (!options.progress) return try_solve(backend, f, X, op);
  const matrix_view<typename F::value_type> all = right_hand_sides(X);
  if (all.empty()) return {};
  return solve_in_pieces(all, options.progress,
                         [&](const auto& piece) { return try_solve(backend, f, piece, op); });
}

/// X := op(A)⁻¹·B.
template <Backend B, class F, class R, class M>
constexpr status solve_to(const B& backend, const F& f, const R& right, M& X, operation op,
                          const solve_options& options) noexcept {
  using T = typename F::value_type;
  const matrix_view<const T> from = right_hand_sides(right);
  const matrix_view<T> to = right_hand_sides(X);
  for (const status& s : {check_before_solve(backend, f, to, "X", op), check_source(from, to)})
    if (!s) return s;
  return without_exceptions([&]() -> status {
    if (!is_same_view(from, to)) {
      const bool by_rows = to.runs_along_rows();
      blas::copy(by_rows ? from.transposed() : from, by_rows ? to.transposed() : to);
    }
    return solve_columns(backend, f, X, op, options);
  });
}

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

/// The first argument of solve(): a factor, including that of modified_cholesky(), or a triangle.
template <class A>
concept Solvable = Factor<A> || std::same_as<A, triangular_view<typename A::value_type>> ||
    std::same_as<A, modified_cholesky_factor<typename A::value_type>>;

/// X := op(A)⁻¹·B. A: a factor or a triangle; B: n×r or a vector, only read; X: of the size of B,
/// in any layout: the same view as B, or apart from it and from the factor. No exception leaves it.
/// @return  as try_solve(factor, X), with the names B and X: X is unchanged where an argument is
///          wrong, the backend is not available, the factorization failed or the triangle has a
///          zero on its diagonal. X holds B where the backend fails later or memory runs out.
///          `cancelled` by options.progress, with which the columns that were done before a failure
///          are solutions, too.
/// The cost of solve() and a copy of B. LAPACK: lacpy, then potrs, getrs, trtrs.
template <Backend B, Solvable F, RightHandSides R, RightHandSides M>
constexpr status try_solve(const B& backend, const F& factor, const R& right, M&& X,
                           operation op = operation::none,
                           const solve_options& options = {}) noexcept {
  using T = typename F::value_type;
  detail::check_solved_to<T, const R&, M>();
  if constexpr (detail::can_be_solved_to<T, const R&, M>)
    return detail::solve_to(backend, factor, right, X, op, options);
  else
    return {};
}
template <Solvable F, RightHandSides R, RightHandSides M>
constexpr status try_solve(const F& factor, const R& right, M&& X, operation op = operation::none,
                           const solve_options& options = {}) noexcept {
  return try_solve(backend::serial{}, factor, right, std::forward<M>(X), op, options);
}

/// B := op(A)⁻¹·B in place, as try_solve without options, which tell the progress.
template <Backend B, Solvable F, RightHandSides M>
status try_solve(const B& backend, const F& factor, M&& X, operation op,
                 const solve_options& options) noexcept {
  using T = typename F::value_type;
  detail::check_solved<T, M>();
  if constexpr (detail::can_be_solved<T, M>) {
    const matrix_view<T> all = detail::right_hand_sides(X);
    if (const status s = detail::check_before_solve(backend, factor, all, "B", op); !s) return s;
    return detail::without_exceptions(
        [&] { return detail::solve_columns(backend, factor, X, op, options); });
  } else {
    return {};
  }
}
template <Solvable F, RightHandSides M>
status try_solve(const F& factor, M&& X, operation op, const solve_options& options) noexcept {
  return try_solve(backend::serial{}, factor, std::forward<M>(X), op, options);
}

#if TRIFAC_EXCEPTIONS
/// try_solve that throws what belongs to its status, as solve(factor, X); cancelled_error.
template <Backend B, Solvable F, RightHandSides R, RightHandSides M>
constexpr void solve(const B& backend, const F& factor, const R& right, M&& X,
                     operation op = operation::none, const solve_options& options = {}) {
  detail::throw_unless_ok(try_solve(backend, factor, right, std::forward<M>(X), op, options));
}
template <Solvable F, RightHandSides R, RightHandSides M>
constexpr void solve(const F& factor, const R& right, M&& X, operation op = operation::none,
                     const solve_options& options = {}) {
  solve(backend::serial{}, factor, right, std::forward<M>(X), op, options);
}
template <Backend B, Solvable F, RightHandSides M>
void solve(const B& backend, const F& factor, M&& X, operation op, const solve_options& options) {
  detail::throw_unless_ok(try_solve(backend, factor, std::forward<M>(X), op, options));
}
template <Solvable F, RightHandSides M>
void solve(const F& factor, M&& X, operation op, const solve_options& options) {
  solve(backend::serial{}, factor, std::forward<M>(X), op, options);
}

/// X = op(A)⁻¹·B, B unchanged (or moved in). A: a factor or a triangle; B: n×r or a vector, of the
/// factor's scalar type; X has the type of B if that owns its elements, of Eigen's other objects
/// their plain type, else it is a matrix or a std::vector. Throws as solve(). The cost of solve()
/// and a copy of B. LAPACK: potrs, getrs, trtrs.
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
