#pragma once
// Eigen::LLT and Eigen::PartialPivLU of float, double and complex of both factor with trifac, in
// any storage order: what they call inside Eigen is specialized, as Eigen's glue to LAPACKE does
// it. Solves, norms and rank updates stay Eigen's; the classes of eigen_solvers.hpp are trifac's.
//
// For all files of a target or for none: two files of which one has this header define the same
// functions of Eigen's differently. The CMake target trifac::eigen_plugin compiles every file with
// it (docs/eigen.md). In a file it comes before the first use of the two classes.

#include <Eigen/Core>  // which defines EIGEN_USE_LAPACKE for its other names

#if defined(EIGEN_USE_LAPACKE)
  #error \
      "EIGEN_USE_LAPACKE (also EIGEN_USE_LAPACKE_STRICT, EIGEN_USE_MKL_ALL) specializes what trifac/eigen_plugin.hpp does: define only one of them"
#endif
// 3.4 calls itself 3, 4, 0; 5.0.1 calls itself 3, 5, 0 and 1.
#if EIGEN_WORLD_VERSION != 3 || \
    !(EIGEN_MAJOR_VERSION == 4 || (EIGEN_MAJOR_VERSION == 5 && EIGEN_MINOR_VERSION == 0))
  #error "trifac/eigen_plugin.hpp is written for the inside of Eigen 3.4 and 5.0"
#endif

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include "trifac/cholesky.hpp"
#include "trifac/eigen.hpp"
#include "trifac/lu.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

template <triangle Part>
struct eigen_llt {
  /// A := its factor; only the triangle Part is read and written. Returns the index of the pivot
  /// that is not positive or not finite, −1 where there is none; 0 where A cannot be factored in
  /// its place, as columns that interleave, and assertions are off.
  template <class M>
  static Eigen::Index blocked(M& A) {
    const status s = try_cholesky(A, {.part = Part}).status();
    check_in_eigen(s);
    return s ? -1 : static_cast<Eigen::Index>(max<index_t>(0, s.index()));
  }
  /// Of A + sigma·x·xᴴ: Eigen's own.
  template <class M, class V>
  static Eigen::Index rankUpdate(M& A, const V& x, const typename M::RealScalar& sigma) {
    if constexpr (Part == triangle::lower) {
      return Eigen::internal::llt_rank_update_lower(A, x, sigma);
    } else {
      Eigen::Transpose<M> transposed(A);
      return Eigen::internal::llt_rank_update_lower(transposed, x.conjugate(), sigma);
    }
  }
};

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac

namespace Eigen::internal {

template <trifac::LapackScalar S>
struct llt_inplace<S, Lower> : trifac::detail::eigen_llt<trifac::triangle::lower> {};
template <trifac::LapackScalar S>
struct llt_inplace<S, Upper> : trifac::detail::eigen_llt<trifac::triangle::upper> {};

/// Size: that of a square matrix where it is known at compile time, or Dynamic. Of orders 1 and 2
/// LU is Eigen's, inlined: trifac's takes twice its time.
template <trifac::LapackScalar S, int Order, class Integer, int Size>
requires(Size == Dynamic || Size > 2) struct partial_lu_impl<S, Order, Integer, Size> {
  /// P·A = L·U in place. Writes the row with which each row is exchanged, and how many exchanges
  /// move something. Returns the index of the first pivot that is zero, −1 where there is none.
  static Index blocked_lu(Index rows, Index cols, S* data, Index stride, Integer* transpositions,
                          Integer& moves) {
    using object = Map<Matrix<S, Size, Size, Order>, 0, OuterStride<>>;
    trifac::pivots p;  // up to 64 on the stack
    const trifac::status s =
        trifac::try_lu(object(data, rows, cols, OuterStride<>(stride)), p).status();
    trifac::detail::check_in_eigen(s);
    moves = 0;
    for (trifac::index_t k = 0; k < p.size(); ++k) {
      transpositions[k] = static_cast<Integer>(p[k]);
      moves += p[k] != k;
    }
    return s.kind() == trifac::status_kind::singular ? static_cast<Index>(s.index()) : -1;
  }
};

}  // namespace Eigen::internal
