#pragma once
// The argument that a factor keeps: by reference, or as a matrix of its own.

#include <type_traits>
#include <utility>

#include "trifac/engine/call/argument_types.hpp"
#include "trifac/engine/call/call.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// call(A), where a temporary that owns its elements is passed as a matrix<T>&&: itself or a copy.
/// The copy costs n², the factorization n³. failed(status) if the copy cannot be allocated or A is
/// not a valid matrix.
template <class M, class Call, class Failed>
constexpr auto with_own(M&& A, const char* argument, Call call, Failed failed) noexcept {
  using T = scalar_t<M>;
  if constexpr (OwningTemporary<M> && !std::is_same_v<M, matrix<T>>) {
    matrix<T> own;
    const status s = without_exceptions([&] {
      const matrix_view<const T> view = view_of(A);
      const status checked = check_view(view, argument);
      if (checked) own = matrix<T>(view);
      return checked;
    });
    return s ? call(std::move(own)) : failed(s);
  } else {
    return call(std::forward<M>(A));
  }
}

/// make(what a factor with status s keeps of A): the view of A; for a moved-in matrix, the matrix
/// itself if s is a property of the matrix, else an empty view, and the caller keeps the matrix.
template <class M, class Make>
constexpr auto keeping(M&& A, const status& s, Make make) {
  using T = scalar_t<M>;
  if constexpr (std::is_same_v<M, matrix<T>>)
    return s.of_the_matrix() ? make(std::move(A)) : make(matrix_view<T>());
  else
    return make(matrix_view<T>(view_of(A)));
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
