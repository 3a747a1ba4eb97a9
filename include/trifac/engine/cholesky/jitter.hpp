#pragma once
// Cholesky of A + shift·I with the smallest shift of a sequence that makes it positive definite.

#include "trifac/engine/base/from_double.hpp"
#include "trifac/engine/base/min_max.hpp"
#include "trifac/engine/call/lower_operand.hpp"
#include "trifac/engine/cholesky/check.hpp"
#include "trifac/engine/cholesky/options.hpp"
#include "trifac/matrix.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

template <FromDouble R>
status check_jitter(const cholesky_jitter& jitter) {
  if (!(jitter.first >= 0) || !is_finite(jitter.first))
    return status::argument("options.jitter", "first is negative or not finite");
  if (!is_finite(from_double<R>(jitter.first)))
    return status::argument("options.jitter", "first is beyond the range of the type of A");
  if (!(jitter.factor > 1) || !is_finite(jitter.factor) || jitter.tries < 0)
    return status::argument("options.jitter", "factor is not above 1, or tries is negative");
  return {};
}
template <class R>
status check_jitter(const cholesky_jitter&) {
  return status::argument("options.jitter", "is of double, which this type is not made from");
}

/// What the shifts of a matrix are measured by.
template <class R>
struct diagonal_size {
  R mean = R(0), largest = R(0);
  /// shift := relative·mean. False where it or the diagonal with it would leave the range of R.
  bool scale(double relative, R& shift) const {
    const R candidate = from_double<R>(relative) * mean;
    if (!is_finite(candidate) || !is_finite(R(largest + candidate))) return false;
    shift = candidate;
    return true;
  }
};

/// The mean of |a_ii| and the largest a_ii. For a mean that underflows to 0 the largest |a_ii|, 1
/// where that is 0.
template <class T>
diagonal_size<real_t<T>> size_of_diagonal(const matrix_view<const T>& A) {
  using R = real_t<T>;
  diagonal_size<R> size;
  R most(0);
  for (index_t i = 0; i < A.rows(); ++i) {
    const R a = real_part(A(i, i));
    size.mean = size.mean + absolute(a) / from_index<R>(A.rows());
    size.largest = max_or_nan(size.largest, a);
    most = max(most, R(absolute(a)));
  }
  if (size.mean == R(0)) size.mean = most > R(0) ? most : R(1);
  return size;
}

/// A factorization into L without variant and backend in its type: the tries below are compiled
/// once for each scalar type (once for each variant and backend they were a fifth of the program
/// trifac).
template <class T>
struct any_factorization {
  const void* call;
  status (*made)(const void* call, const matrix_view<const T>& A);
  status operator()(const matrix_view<const T>& A) const { return made(call, A); }
};

/// factor(A), then factor(L) with A + shift·I in L for one shift after another until one suffices.
/// In place each try starts from the other triangle, and so does A where memory or a device fails.
template <class T>
status factor_with_shifts(const cholesky_jitter& jitter, const matrix_view<const T>& A,
                          const matrix_view<T>& L, triangle part, real_t<T>& shift,
                          const any_factorization<T>& factor) {
  if (const status s = check_jitter<real_t<T>>(jitter); !s) return s;
  const diagonal_size<real_t<T>> size = size_of_diagonal(A);
  matrix<real_t<T>> diagonal(A.rows(), 1);
  for (index_t i = 0; i < A.rows(); ++i) diagonal(i, 0) = real_part(A(i, i));
  const bool in_place = is_same_view(A, L);
  const matrix_view<T> lower = lower_view(L, part);
  if (in_place)
    for (index_t j = 0; j < L.cols(); ++j)
      for (index_t i = j + 1; i < L.rows(); ++i) lower(j, i) = conjugate(lower(i, j));
  const operand<T> kept =
      in_place ? adjoint(matrix_view<const T>(lower)) : operand<T>(lower_view(A, part));
  const auto begin = [&](const real_t<T>& added) {  // L := A + added·I
    for (index_t j = 0; j < L.cols(); ++j) {
      lower(j, j) = T(diagonal(j, 0) + added);
      for (index_t i = j + 1; i < L.rows(); ++i) lower(i, j) = kept(i, j);
    }
  };
  status s = without_exceptions([&] { return factor(A); });
  double relative = jitter.first;
  for (int k = 0; k < jitter.tries; ++k, relative *= jitter.factor) {
    if (s.kind() != status_kind::not_positive_definite || !size.scale(relative, shift)) break;
    begin(shift);
    s = without_exceptions([&] { return factor(matrix_view<const T>(L)); });
  }
  if (in_place && !s.of_the_matrix()) begin(real_t<T>(0));
  return s;
}

/// A = L·Lᴴ or Uᴴ·U, else that of A + shift·I with the first shift of `jitter` that suffices;
/// shift: that one, or the last that was tried. factor(A) is the factorization into L without
/// jitter. n²/2 copies a try besides.
template <class T, class Factor>
status cholesky_with_jitter(const matrix_view<const T>& A, const matrix_view<T>& L,
                            const cholesky_jitter& jitter, triangle part, real_t<T>& shift,
                            const Factor& factor) {
  if constexpr (!FromDouble<real_t<T>>)
    return check_jitter<real_t<T>>(jitter);
  else
    return factor_with_shifts<T>(jitter, A, L, part, shift,
                                 {&factor, [](const void* made, const matrix_view<const T>& from) {
                                    return (*static_cast<const Factor*>(made))(from);
                                  }});
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
