#pragma once
// The matrix of a factor: the caller's by reference, or one that the factor owns.

#include <type_traits>
#include <utility>

#include "trifac/engine/call/argument_types.hpp"
#include "trifac/engine/call/call.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// The memory that is factored: the view of A; A itself if it is a temporary matrix<T>; a copy if
/// it is another temporary that owns its elements (n² operations, the factorization n³). `s`: the
/// status of making that copy. M is deduced as a forwarding reference.
template <class M, class T>
constexpr decltype(auto) factored_in(std::remove_reference_t<M>& A, const char* argument,
                                     matrix<T>& copy, status& s) noexcept {
  if constexpr (std::is_same_v<M, matrix<T>>) {
    return (A);
  } else if constexpr (OwningTemporary<M>) {
    s = without_exceptions([&] {
      const matrix_view<const T> view = view_of(A);
      const status checked = check_view(view, argument);
      if (checked) copy = matrix<T>(view);
      return checked;
    });
    return (copy);
  } else {
    return matrix_view<T>(view_of(A));
  }
}

/// A Factor that refers to `view` or takes over `owned`. After a wrong argument or without memory
/// it has an empty view, and the matrix remains the caller's.
template <class Factor, class T, class... Rest>
constexpr Factor make_factor(matrix<T>& owned, const status& s, Rest&&... rest) {
  return s.of_the_matrix() ? Factor(std::move(owned), std::forward<Rest>(rest)...)
                           : Factor(matrix_view<T>(), std::forward<Rest>(rest)...);
}
template <class Factor, class T, class... Rest>
constexpr Factor make_factor(const matrix_view<T>& view, const status&, Rest&&... rest) {
  return Factor(view, std::forward<Rest>(rest)...);
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
