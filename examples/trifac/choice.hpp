#pragma once
// Cholesky or LU, and why.

#include <string>

#include "options.hpp"
#include "trifac/matrix.hpp"

namespace program {

using trifac::index_t;
using trifac::matrix;

/// An algorithm and the reason for it, in one line.
struct choice {
  program::algorithm algorithm;
  std::string reason;
};

/// Why A cannot have a Cholesky factorization, as far as its elements show; empty where it may have
/// one.
template <class T>
std::string obstacle_to_cholesky(const matrix<T>& A) {
  if (A.rows() != A.cols()) return "the matrix is not square";
  const std::string kind = trifac::is_complex<T> ? "Hermitian" : "symmetric";
  for (index_t j = 0; j < A.cols(); ++j)
    for (index_t i = j; i < A.rows(); ++i)
      if (!(A(i, j) == trifac::detail::conjugate(A(j, i)))) return "the matrix is not " + kind;
  for (index_t j = 0; j < A.cols(); ++j)
    if (!(trifac::detail::real_part(A(j, j)) > 0))
      return "the matrix is " + kind + ", but element " + std::to_string(j) +
             " of its diagonal is not positive";
  return "";
}

template <class T>
choice choose(const matrix<T>& A, const options& o) {
  const std::string obstacle = obstacle_to_cholesky(A);
  if (o.algorithm == algorithm::lu) return {algorithm::lu, "as asked for"};
  if (asks_for(algorithm::lu, o)) return {algorithm::lu, "an option for LU asks for it"};
  if (asks_for(algorithm::cholesky, o)) {
    if (!obstacle.empty()) throw usage_error("Cholesky is not possible: " + obstacle);
    return {algorithm::cholesky, "as asked for"};
  }
  if (!obstacle.empty()) return {algorithm::lu, obstacle};
  return {algorithm::cholesky, std::string("the matrix is ") +
                                   (trifac::is_complex<T> ? "Hermitian" : "symmetric") +
                                   " with a positive diagonal"};
}

/// Whether LU may be tried where Cholesky fails.
inline bool may_go_on(const options& o) {
  return !asks_for(algorithm::cholesky, o);
}

}  // namespace program
