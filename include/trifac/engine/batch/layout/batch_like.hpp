#pragma once
// What calls take as a batch: a view, or a batch that owns; and one matrix that serves a whole
// batch, as in the C++ paper P2901.

#include <type_traits>
#include <utility>

#include "trifac/batch_view.hpp"
#include "trifac/engine/batch/layout/matrices.hpp"
#include "trifac/engine/views/matrix_like.hpp"

namespace trifac {

/// The view of a batch.
template <class T>
constexpr batch_view<T> batch_view_of(const batch_view<T>& A) {
  return A;
}
template <class T>
batch_view<T> batch_view_of(batch<T>& A) {
  return A.view();
}
template <class T>
batch_view<const T> batch_view_of(const batch<T>& A) {
  return A.view();
}
// The factor of a temporary would refer to what has ended: name the batch first.
template <class T>
void batch_view_of(batch<T>&&) = delete;
template <class T>
void batch_view_of(const batch<T>&&) = delete;

/// Anything that has a batch_view; no temporary that owns its elements.
template <class M>
concept BatchLike = requires(M&& A) {
  batch_view_of(std::forward<M>(A));
};

/// The scalar type of a BatchLike.
template <BatchLike M>
using batch_scalar_t = typename decltype(batch_view_of(std::declval<M>()))::value_type;

/// A BatchLike whose elements can be written.
template <class M>
concept WritableBatch = BatchLike<M> &&
    !std::is_const_v<typename decltype(batch_view_of(std::declval<M>()))::element_type>;

/// What cholesky_solve() and lu_solve() of a batch factor: a batch, or one matrix for all of it.
template <class M>
concept SystemsForBatch = WritableBatch<M> ||
    (MatrixLike<M> && !std::is_const_v<element_t<std::remove_reference_t<M>>>);

inline namespace TRIFAC_ABI {
namespace detail {

/// One matrix as a batch of one.
template <class T>
batch_view<T> one_matrix(const matrix_view<T>& A) {
  return {A.data(),
          1,
          A.rows(),
          A.cols(),
          {.row_stride = A.row_stride(), .col_stride = A.col_stride()}};
}

/// The matrices of a SystemsForBatch.
template <class M>
auto matrices_of(M& A) {
  if constexpr (BatchLike<M&>)
    return batch_view_of(A);
  else
    return one_matrix(matrix_view<scalar_t<M>>(view_of(A)));
}
template <class M>
using scalar_of_systems = typename decltype(matrices_of(std::declval<M&>()))::value_type;

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
