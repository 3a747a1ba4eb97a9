#pragma once
// The matrix of a factor: the caller's, or one of its own.

#include <utility>

#include "trifac/matrix.hpp"

namespace trifac {
namespace detail {

/// Refers to the caller's matrix, or owns one that was moved in and then travels with the factor.
template <class T>
class kept_matrix {
 public:
  kept_matrix(matrix_view<T> A) : view_(A) {}
  kept_matrix(matrix<T>&& A) : own_(std::move(A)), owns_(true) {}

  matrix_view<const T> view() const { return owns_ ? own_.view() : matrix_view<const T>(view_); }

 private:
  matrix<T> own_;
  bool owns_ = false;
  matrix_view<T> view_;
};

}  // namespace detail
}  // namespace trifac
