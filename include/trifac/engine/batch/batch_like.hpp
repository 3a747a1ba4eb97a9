#pragma once
// What calls take as a batch: a view, or a batch that owns.

#include <type_traits>
#include <utility>

#include "trifac/batch_view.hpp"
#include "trifac/engine/batch/matrices.hpp"

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

}  // namespace trifac
