#pragma once
// The argument that a factor keeps: by reference, or as a matrix of its own.

#include <type_traits>
#include <utility>

#include "trifac/engine/call/argument_types.hpp"
#include "trifac/engine/call/call.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// What a factor is made in: the view of A, a matrix<T> that is a temporary itself, or of another
/// temporary that owns its elements a copy, which costs n², the factorization n³. `s`: what is wrong
/// with such an A or the memory for the copy. M as a forwarding reference has it.
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

/// The factor, made by its constructor from what it keeps of `own`: its view; a matrix<T> itself
/// where the matrix decided the outcome, else an empty view, and the matrix stays the caller's.
template <class Factor, class T, class... Rest>
constexpr Factor factor_keeping(matrix<T>& own, const status& s, Rest&&... rest) {
  return s.of_the_matrix() ? Factor(std::move(own), std::forward<Rest>(rest)...)
                           : Factor(matrix_view<T>(), std::forward<Rest>(rest)...);
}
template <class Factor, class T, class... Rest>
constexpr Factor factor_keeping(const matrix_view<T>& view, const status&, Rest&&... rest) {
  return Factor(view, std::forward<Rest>(rest)...);
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
