#pragma once
// Cholesky of A + shift·I with the smallest shift of a sequence that makes it positive definite.

#include <limits>
#include <type_traits>

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

/// The shifts of a sequence, with the diagonal that they are added to.
template <class R>
class shift_sequence {
 public:
  template <class T>
  shift_sequence(const cholesky_jitter& jitter, const matrix_view<const T>& A)
      : jitter_(jitter), next_(jitter.first), diagonal_(A.rows(), 1) {
    const index_t n = A.rows();
    for (index_t i = 0; i < n; ++i) {
      const R a = diagonal_(i, 0) = real_part(A(i, i));
      mean_ = mean_ + absolute(a) / from_index<R>(n);
      largest_ = max_or_nan(largest_, a);
    }
    if (mean_ == R(0)) mean_ = R(1);
  }

  /// shift := the next one. False where there is none, or where it or the diagonal with it leaves
  /// the range of R.
  bool advance(R& shift) {
    if (tries_++ == jitter_.tries) return false;
    const R candidate = from_double<R>(next_) * mean_;
    next_ *= jitter_.factor;
    if (!is_finite(candidate) || !is_finite(R(largest_ + candidate))) return false;
    shift = candidate;
    return true;
  }
  const R& diagonal(index_t i) const { return diagonal_(i, 0); }

 private:
  cholesky_jitter jitter_;
  double next_;
  int tries_ = 0;
  matrix<R> diagonal_;
  R mean_ = R(0), largest_ = R(0);
};

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
/// In place each try starts from the other triangle.
template <class T>
status factor_with_shifts(const cholesky_jitter& jitter, const matrix_view<const T>& A,
                          const matrix_view<T>& L, triangle part, real_t<T>& shift,
                          const any_factorization<T>& factor) {
  if (const status s = check_jitter<real_t<T>>(jitter); !s) return s;
  shift_sequence<real_t<T>> shifts(jitter, A);
  const bool in_place = is_same_view(A, L);
  const matrix_view<T> lower = lower_view(L, part);
  if (in_place)
    for (index_t j = 0; j < L.cols(); ++j)
      for (index_t i = j + 1; i < L.rows(); ++i) lower(j, i) = conjugate(lower(i, j));
  const operand<T> kept =
      in_place ? adjoint(matrix_view<const T>(lower)) : operand<T>(lower_view(A, part));
  status s = factor(A);
  while (s.kind() == status_kind::not_positive_definite && shifts.advance(shift)) {
    for (index_t j = 0; j < L.cols(); ++j) {
      lower(j, j) = T(shifts.diagonal(j) + shift);
      for (index_t i = j + 1; i < L.rows(); ++i) lower(i, j) = kept(i, j);
    }
    s = factor(matrix_view<const T>(L));
  }
  return s;
}

/// A = L·Lᴴ or Uᴴ·U, else that of A + shift·I with the first shift of `jitter` that suffices;
/// shift: that one, or the last that was tried. factor(A) is the factorization into L without
/// jitter; it needs no memory that it could lack once A is overwritten. n²/2 copies a try besides.
template <class T, class Factor>
status cholesky_with_jitter(const matrix_view<const T>& A, const matrix_view<T>& L,
                            const cholesky_jitter& jitter, triangle part, real_t<T>& shift,
                            const Factor& factor) {
  if constexpr (!FromDouble<real_t<T>>)
    return status::argument("options.jitter", "is of double, which this type is not made from");
  else
    return factor_with_shifts<T>(jitter, A, L, part, shift,
                                 {&factor, [](const void* made, const matrix_view<const T>& from) {
                                    return (*static_cast<const Factor*>(made))(from);
                                  }});
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
