#pragma once
// Eigen's matrices, arrays, blocks, maps and refs wherever trifac takes a matrix, in their own
// storage order. Include after or before Eigen's headers; nothing else of trifac knows Eigen.

#include <Eigen/Core>

#include "trifac/matrix_like.hpp"

namespace trifac {

/// Any Eigen object with direct access to its elements. Of a const object, or one that cannot be
/// written, the view is const.
template <class M>
requires(std::is_base_of_v<Eigen::DenseBase<M>, M>&& bool(
    M::Flags& Eigen::DirectAccessBit)) struct view_traits<M> {
  using value = typename M::Scalar;

  static auto view(M& A) {
    if constexpr (bool(M::Flags & Eigen::LvalueBit))
      return make<value>(const_cast<value*>(A.derived().data()), A);
    else
      return view(static_cast<const M&>(A));
  }
  static auto view(const M& A) { return make<const value>(A.derived().data(), A); }

 private:
  template <class T>
  static matrix_view<T> make(T* data, const M& A) {
    const index_t inner = A.derived().innerStride(), outer = A.derived().outerStride();
    return {data, A.rows(), A.cols(), M::IsRowMajor ? outer : inner, M::IsRowMajor ? inner : outer};
  }
};

}  // namespace trifac
