#pragma once
// Types accepted as matrices: trifac's own, std::vector and std::span as one column, and every type
// that specializes view_traits (eigen.hpp does so for Eigen's objects).

#include <span>
#include <type_traits>

#include "trifac/fixed_size.hpp"
#include "trifac/matrix.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// An extent of a standard span or mdspan as a number of rows or columns.
constexpr index_t fixed_extent(std::size_t extent) {
  return extent == std::dynamic_extent ? dynamic : static_cast<index_t>(extent);
}

}  // namespace detail
}  // namespace TRIFAC_ABI

/// Customization point: the static member view(M&) of view_traits<M> returns the matrix_view of an
/// M. `static constexpr bool owns`: true if M owns its elements, false if it refers to them, as a
/// view does, and a temporary M may be destroyed before the factor. A temporary M without `owns`
/// does not compile. `static constexpr index_t rows, cols`: sizes known at compile time.
template <class M>
struct view_traits;

template <class T>
struct view_traits<matrix_view<T>> {
  static constexpr bool owns = false;
  static constexpr matrix_view<T> view(const matrix_view<T>& A) { return A; }
};
template <class T>
struct view_traits<matrix<T>> {
  static constexpr bool owns = true;
  static constexpr matrix_view<T> view(matrix<T>& A) { return A.view(); }
  static constexpr matrix_view<const T> view(const matrix<T>& A) { return A.view(); }
};
template <class T, index_t Rows, index_t Cols>
requires(Rows > 0) struct view_traits<matrix_view<T, Rows, Cols>> {
  static constexpr bool owns = false;
  static constexpr index_t rows = Rows, cols = Cols;
  static constexpr matrix_view<T> view(const matrix_view<T>& A) { return A; }
};
template <class T, index_t Rows, index_t Cols>
requires(Rows > 0) struct view_traits<matrix<T, Rows, Cols>> {
  static constexpr bool owns = true;
  static constexpr index_t rows = Rows, cols = Cols;
  static constexpr matrix_view<T> view(matrix<T, Rows, Cols>& A) { return A.view(); }
  static constexpr matrix_view<const T> view(const matrix<T, Rows, Cols>& A) { return A.view(); }
};
#if defined(__cpp_lib_mdspan)
/// Two dimensions are a matrix, one is a column; others, and layouts without strides, are not
/// accepted.
template <class T, class Extents, class Layout>
requires((Extents::rank() == 1 || Extents::rank() == 2) &&
         Layout::template mapping<
             Extents>::is_always_strided()) struct view_traits<std::mdspan<T, Extents, Layout>> {
  static constexpr bool owns = false;
  static constexpr index_t rows = detail::fixed_extent(Extents::static_extent(0));
  static constexpr index_t cols =
      Extents::rank() == 1 ? 1 : detail::fixed_extent(Extents::static_extent(Extents::rank() - 1));
  static constexpr matrix_view<T> view(const std::mdspan<T, Extents, Layout>& A) {
    const auto rows = static_cast<index_t>(A.extent(0)), down = static_cast<index_t>(A.stride(0));
    if constexpr (Extents::rank() == 1)
      return {A.data_handle(), rows, 1, down, rows * down};
    else
      return A;
  }
};
#endif

/// Anything that has a matrix_view.
template <class M>
concept MatrixLike = requires(M& A) {
  view_traits<std::remove_cvref_t<M>>::view(A);
};

/// True if view_traits<M> defines `owns`.
template <class M>
concept SaysWhetherItOwns = requires {
  view_traits<std::remove_cvref_t<M>>::owns;
};

/// False for a MatrixLike that refers to the elements of another object.
template <SaysWhetherItOwns M>
constexpr bool owns_elements() {
  return view_traits<std::remove_cvref_t<M>>::owns;
}

/// The view of a MatrixLike. Does not compile for a temporary that owns its elements.
template <MatrixLike M>
constexpr auto view_of(M&& A) {
  if constexpr (!std::is_reference_v<M> && SaysWhetherItOwns<M>)
    static_assert(!owns_elements<M>(),
                  "A is a temporary: its view would refer to nothing; give it a name");
  return view_traits<std::remove_cvref_t<M>>::view(A);
}

/// The element type of a MatrixLike, const if the elements are read-only.
template <MatrixLike M>
using element_t = typename decltype(view_of(std::declval<M&>()))::element_type;
/// The scalar type of a MatrixLike.
template <MatrixLike M>
using scalar_t = std::remove_const_t<element_t<M>>;

/// Rows and columns of a MatrixLike; `dynamic` if known only at run time.
template <class M>
inline constexpr index_t rows_of = [] {
  if constexpr (requires { view_traits<std::remove_cvref_t<M>>::rows; })
    return view_traits<std::remove_cvref_t<M>>::rows;
  else
    return dynamic;
}();
template <class M>
inline constexpr index_t cols_of = [] {
  if constexpr (requires { view_traits<std::remove_cvref_t<M>>::cols; })
    return view_traits<std::remove_cvref_t<M>>::cols;
  else
    return dynamic;
}();

/// A contiguous range that may be a right-hand side of one column: std::vector, std::array,
/// std::span.
template <class V>
concept VectorLike = !MatrixLike<V> && requires(V & x) {
  std::span(x);
};

/// A vector as a matrix of one column.
template <VectorLike V>
constexpr auto column_of(V&& x) {
  const std::span elements(x);
  const auto n = static_cast<index_t>(elements.size());
  return column_major(elements.data(), n, 1, n > 0 ? n : 1);
}

}  // namespace trifac
