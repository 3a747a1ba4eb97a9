#pragma once
// The jobs that are timed: one factorization by a named method, or one solve. Each has load(A),
// run() and ratio(), as measure.hpp wants it.

#include <memory>

#include "bench/study/cholesky_run.hpp"
#include "residual.hpp"
#include "trifac/solve.hpp"

namespace bench {

using trifac::lu_method;
using trifac::lu_methods;

/// The matrices that belong to a method.
constexpr kind input_of(const lu_method& method) {
  return method.pivoting == trifac::pivoting::none ? kind::dominant : kind::general;
}

/// B := A, element by element.
template <class T>
void copy(matrix_view<const T> A, matrix_view<T> B) {
  for (index_t j = 0; j < A.cols(); ++j)
    for (index_t i = 0; i < A.rows(); ++i) B(i, j) = A(i, j);
}

/// Lower Cholesky by one of trifac::cholesky_methods.
template <class T, class B>
class cholesky_job {
 public:
  cholesky_job(const B& backend, const trifac::cholesky_method& method, index_t n, index_t block)
      : backend_(backend), block_(block), n_(n), run_(method, n) {}

  void load(matrix_view<const T> A) {
    input_ = A;
    run_.load(A);
  }
  trifac::status run() { return run_.factor(backend_, {.block = block_}); }
  double ratio() {
    matrix<T> L(n_, n_);
    run_.store(L.view());
    return cholesky_ratio<T>(input_, L.view());
  }

 private:
  B backend_;
  index_t block_, n_;
  matrix_view<const T> input_;
  trifac::cholesky_run<T> run_;
};

/// The library's best Cholesky of a column-major matrix in place, called as a user would.
template <class T, class B>
class best_cholesky_job {
 public:
  best_cholesky_job(const B& backend, trifac::triangle part, index_t n, index_t block)
      : backend_(backend), options_{.part = part, .block = block}, A_(n, n) {}

  void load(matrix_view<const T> A) {
    input_ = A;
    copy(A, A_.view());
  }
  trifac::status run() { return trifac::try_cholesky(backend_, A_.view(), options_).status(); }
  double ratio() {
    const matrix_view<const T> stored = A_.view();
    if (options_.part == trifac::triangle::lower) return cholesky_ratio<T>(input_, stored);
    // A = Uᴴ·U: Aᵀ = Uᵀ·(Uᵀ)ᴴ, and Uᵀ is lower triangular.
    return cholesky_ratio<T>(input_.transposed(), stored.transposed());
  }

 private:
  B backend_;
  trifac::cholesky_options options_;
  matrix_view<const T> input_;
  matrix<T> A_;
};

/// LU by one of lu_methods, interchanges in memory of its own.
template <class T, class B>
class lu_job {
 public:
  lu_job(const B& backend, const lu_method& method, index_t n, index_t block)
      : backend_(backend), method_(method), A_(n, n), interchanges_(n) {
    options_.pivoting = method.pivoting;
    options_.selection = method.selection;
    options_.block = block;
  }

  void load(matrix_view<const T> A) {
    input_ = A;
    copy(A, A_.view());
  }
  trifac::status run() {
    if (method_.algorithm == trifac::variant::best)
      return trifac::try_lu(backend_, A_.view(), interchanges_, options_).status();
    auto factor = trifac::try_lu(method_.algorithm, backend_, A_.view(), options_);
    interchanges_ = factor.interchanges();
    return factor.status();
  }
  double ratio() { return lu_ratio<T>(input_, A_.view(), interchanges_.span()); }

 private:
  B backend_;
  lu_method method_;
  trifac::lu_options options_;
  matrix_view<const T> input_;
  matrix<T> A_;
  trifac::pivots interchanges_;
};

/// A solve with factors that are ready: `Factor` is what cholesky() or lu() returned for the
/// matrix A, shared by all jobs; the inputs are right-hand sides.
template <class T, class B, class Factor>
class solve_job {
 public:
  solve_job(const B& backend, const Factor& factor, matrix_view<const T> A, index_t columns)
      : backend_(backend), factor_(&factor), A_(A), X_(A.rows(), columns), B_(A.rows(), columns) {}

  /// Takes the first columns of a matrix as right-hand sides.
  void load(matrix_view<const T> source) {
    for (index_t j = 0; j < B_.cols(); ++j)
      for (index_t i = 0; i < B_.rows(); ++i) B_(i, j) = source(i, j % source.cols());
    copy<T>(B_.view(), X_.view());
  }
  trifac::status run() { return trifac::try_solve(backend_, *factor_, X_.view()); }
  double ratio() { return solve_ratio<T>(A_, X_.view(), B_.view()); }

 private:
  B backend_;
  const Factor* factor_;
  matrix_view<const T> A_;
  matrix<T> X_, B_;
};

}  // namespace bench
