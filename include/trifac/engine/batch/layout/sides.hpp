#pragma once
// The right-hand sides of a batch of systems: in place, or beside their solutions; a batch, or one
// matrix or vector for all systems.

#include <optional>
#include <type_traits>

#include "trifac/engine/batch/layout/batch_like.hpp"
#include "trifac/engine/call/argument_types.hpp"

namespace trifac {

/// Right-hand sides that a call reads: a batch, or a matrix or vector for all of it.
template <class R>
concept SidesForBatch = BatchLike<const R&> || MatrixLike<const R&> || VectorLike<const R&>;

inline namespace TRIFAC_ABI {
namespace detail {

/// X := A⁻¹·X, or X := A⁻¹·B where there is a B: of as many matrices as X, or of one for all.
template <class T>
struct batch_sides {
  batch_view<T> X;
  std::optional<batch_view<const T>> B = std::nullopt;

  /// The name of X among the arguments of the call.
  const char* name() const { return B ? "X" : "B"; }

  /// X := B for matrices from … to−1; nothing if in place. To be called after all checks and
  /// allocations, so that X is unchanged if one of them fails.
  void copy_to_solutions(index_t from, index_t to) const {
    if (!B) return;
    if (B->batch() == X.batch())
      return copy(B->matrices(from, to - from), X.matrices(from, to - from));
    for (index_t b = from; b < to; ++b) {
      const matrix_view<T> one = X[b];
      for (index_t j = 0; j < X.cols(); ++j)
        for (index_t i = 0; i < X.rows(); ++i) one(i, j) = (*B)(0, i, j);
    }
  }
};

template <class R>
constexpr auto scalar_of_sides() {
  if constexpr (BatchLike<const R&>)
    return std::type_identity<batch_scalar_t<const R&>>();
  else
    return std::type_identity<std::remove_const_t<right_hand_side_t<const R>>>();
}

/// Right-hand sides X of T, to be solved in place. Another type is one error at compile time.
template <class T, class N>
batch_sides<T> sides_of(N& X) {
  constexpr bool same = std::is_same_v<batch_scalar_t<N&>, T>;
  static_assert(same,
                "B has another scalar type than the factor: copy it into a batch of that type");
  if constexpr (same)
    return {batch_view_of(X)};
  else
    return {};
}
/// The same with B, of which X becomes the solution.
template <class T, class R, class N>
batch_sides<T> sides_of(const R& B, N& X) {
  constexpr bool same = std::is_same_v<batch_scalar_t<N&>, T>,
                 same_B = std::is_same_v<typename decltype(scalar_of_sides<R>())::type, T>;
  static_assert(same_B,
                "B has another scalar type than the factor: copy it into a batch of that type");
  static_assert(same || !same_B,
                "X has another scalar type than the factor: make it a batch of that type");
  if constexpr (!same || !same_B)
    return {};
  else if constexpr (BatchLike<const R&>)
    return {batch_view_of(X), batch_view_of(B)};
  else
    return {batch_view_of(X), one_matrix(matrix_view<const T>(right_hand_sides(B)))};
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
