#pragma once
// Accepts Eigen's matrices, arrays, vectors, blocks, maps and refs wherever trifac takes a matrix,
// in their own storage order. Include before or after Eigen's headers; no other trifac header
// depends on Eigen.

#include <Eigen/Core>
#include <type_traits>

#include "trifac/engine/views/matrix_like.hpp"
#include "trifac/status.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

// The D of DenseBase<D> that an object is or derives from, also for v.head(3), whose class derives
// from Block, and for a parameter `const MatrixBase<D>&`.
template <class D>
D eigen_object(const Eigen::DenseBase<D>*);
template <class M>
using eigen_t = decltype(eigen_object(static_cast<M*>(nullptr)));

template <class M>
concept EigenWithMemory = requires(M* A) {
  eigen_object(A);
}
&&bool(eigen_t<M>::Flags& Eigen::DirectAccessBit);

/// A sum, a product, Ones(n): has no elements until evaluated.
template <class M>
concept EigenExpression = requires(M* A) {
  eigen_object(A);
}
&&!EigenWithMemory<M>;

/// A status where Eigen's callers expect none: short memory throws what Eigen's own does, a mistake
/// is an assertion.
inline void check_in_eigen(const status& s) {
  if (s.kind() == status_kind::out_of_memory) Eigen::internal::throw_std_bad_alloc();
  eigen_assert(s.of_the_matrix() && "trifac: a wrong argument");
}

}  // namespace detail
}  // namespace TRIFAC_ABI

/// Any Eigen object with direct access to its elements. The view is const if the object is const or
/// read-only. Matrix and Array own their elements; all others refer to some.
template <detail::EigenWithMemory M>
struct view_traits<M> {
  using object = detail::eigen_t<M>;
  using value = typename object::Scalar;

  using owner = typename object::PlainObject;  ///< see solved()
  static constexpr bool owns = std::is_base_of_v<Eigen::PlainObjectBase<object>, object>;

  static constexpr index_t rows = object::RowsAtCompileTime, cols = object::ColsAtCompileTime;

  static auto view(M& A) {
    if constexpr (bool(object::Flags & Eigen::LvalueBit))
      return make<value>(const_cast<value*>(A.derived().data()), A.derived());
    else
      return view(static_cast<const M&>(A));
  }
  static auto view(const M& A) { return make<const value>(A.derived().data(), A.derived()); }

 private:
  template <class T>
  static matrix_view<T> make(T* data, const object& A) {
    const index_t inner = A.innerStride(), outer = A.outerStride();
    constexpr bool by_rows = object::IsRowMajor;
    return {data, A.rows(), A.cols(), by_rows ? outer : inner, by_rows ? inner : outer};
  }
};

/// Rejects Eigen expressions with advice.
template <detail::EigenExpression M>
struct view_traits<M> {
  using owner = typename detail::eigen_t<M>::PlainObject;
  static constexpr bool owns = false;

  static matrix_view<typename detail::eigen_t<M>::Scalar> view(const M&) {
    static_assert(!detail::EigenExpression<M>,
                  "an expression of Eigen's has no elements in memory: evaluate it first, as in "
                  "MatrixXd(expression)");
    return {};
  }
};

}  // namespace trifac
