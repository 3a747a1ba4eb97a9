#pragma once
// cholesky_run: one Cholesky factorization by a method of methods.hpp, in the storage that belongs
// to it.

#include <optional>

#include "bench/study/methods.hpp"
#include "bench/study/row_pointers.hpp"
#include "trifac/variants.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {

/// One Cholesky factorization by a method of cholesky_methods, in three steps so that only the
/// second need be timed: the storage is filled by load(), factored by factor(), and read by
/// store().
template <Scalar T>
class cholesky_run {
 public:
  /// Room for matrices of order n in the method's storage.
  cholesky_run(const cholesky_method& method, index_t n) : method_(method) {
    if (method.layout == storage::row_pointers) {
      A_rows_.emplace(n, n);
      L_rows_.emplace(n, n);
    } else {
      A_ = matrix<T>(n, n);
      if (!method.in_place) L_ = matrix<T>(n, n);
    }
  }

  /// Fills the storage with A, all of it.
  void load(matrix_view<const T> A) {
    if (A_rows_)
      copy_elements(A, *A_rows_);
    else
      copy_elements(A, oriented(A_));
  }
  /// The timed part: factors the lower triangle.
  template <Backend B>
  status factor(const B& backend, cholesky_options options = {}) {
    options.part = triangle::lower;
    if (A_rows_)
      return method_.algorithm == variant::banachiewicz
                 ? try_cholesky<variant::banachiewicz>(backend, *A_rows_, *L_rows_, options)
                 : try_cholesky<variant::crout>(backend, *A_rows_, *L_rows_, options);
    if (method_.in_place)
      return try_cholesky(method_.algorithm, backend, oriented(A_), options).status();
    return try_cholesky<B, T>(method_.algorithm, backend, oriented(A_), oriented(L_), options)
        .status();
  }
  /// L := the factor, its lower triangle only.
  void store(matrix_view<T> L) {
    for (index_t j = 0; j < L.cols(); ++j)
      for (index_t i = j; i < L.rows(); ++i)
        L(i, j) = L_rows_ ? (*L_rows_)(i, j) : oriented(method_.in_place ? A_ : L_)(i, j);
  }

 private:
  matrix_view<T> oriented(matrix<T>& A) const {
    return method_.layout == storage::row_major ? A.view().transposed() : A.view();
  }
  template <class Destination>
  static void copy_elements(matrix_view<const T> A, const Destination& B) {
    for (index_t j = 0; j < A.cols(); ++j)
      for (index_t i = 0; i < A.rows(); ++i) B(i, j) = A(i, j);
  }

  cholesky_method method_;
  matrix<T> A_, L_;
  std::optional<row_pointer_matrix<T>> A_rows_, L_rows_;
};

}  // namespace TRIFAC_ABI
}  // namespace trifac
