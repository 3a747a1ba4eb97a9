#pragma once
// The systems of solve() on a batch, as kernels see them, and one after another.

#include "trifac/engine/batch/factor.hpp"
#include "trifac/engine/batch/matrices.hpp"
#include "trifac/engine/call/factor_state.hpp"
#include "trifac/engine/linked/batch_calls.hpp"
#include "trifac/solve.hpp"
#include "trifac/triangular_solve.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

using linked::batch_systems;

template <class Factor, class T>
batch_systems<T> systems_of(const Factor& f, const batch_view<T>& X, operation op) {
  batch_systems<T> S{.factors = f.matrices(), .sides = X, .info = f.info(), .op = op};
  if constexpr (HasTriangle<Factor>) {
    const bool upper = f.part() == triangle::upper;
    if (upper) S.factors = S.factors.transposed();
    S.conjugated = is_complex<T> && upper != (op == operation::transpose);
  } else {
    S.is_lu = true;
    S.conjugated = is_complex<T> && op == operation::adjoint;
    if (f.pivoting() == pivoting::partial) S.interchanges = f.interchanges();
  }
  return S;
}
template <class T>
batch_systems<T> systems_of(const batch_triangular_view<T>& A, const batch_view<T>& X,
                            operation op) {
  const bool turned = op != operation::none, lower = A.part() == triangle::lower;
  const bool conjugated = is_complex<T> && A.conjugated() != (op == operation::adjoint);
  return {.factors = turned ? A.matrices().transposed() : A.matrices(),
          .sides = X,
          .info = A.outcome().info(),
          .conjugated = conjugated,
          .what = batch_systems<T>::task::solve_triangle,
          .part = lower != turned ? triangle::lower : triangle::upper,
          .diag = A.diag()};
}

/// How the matrices of a factor or of its triangles ended.
inline const batch_outcome& outcome_of(const batch_outcome& f) {
  return f;
}
template <class T>
const batch_outcome& outcome_of(const batch_triangular_view<T>& A) {
  return A.outcome();
}

/// X := B for matrices from … to−1; nothing where `right` is null, X being B. Only once nothing but
/// a matrix can fail any more: X is unchanged where memory runs out.
template <class T>
void copy_sides(const batch_view<const T>* right, const batch_view<T>& X, index_t from,
                index_t to) {
  if (right == nullptr) return;
  if (right->batch() == X.batch())
    return copy(right->matrices(from, to - from), X.matrices(from, to - from));
  for (index_t b = from; b < to; ++b) {
    const matrix_view<T> here = X[b];
    for (index_t j = 0; j < X.cols(); ++j)
      for (index_t i = 0; i < X.rows(); ++i) here(i, j) = (*right)(0, i, j);
  }
}

/// One after another, with the solve of one matrix. Stops where there is no memory for it; the
/// interchanges of a large factor may throw.
template <Backend B, class Factor, class T>
status solve_one_by_one(const B& backend, const Factor& f, const batch_view<const T>* right,
                        const batch_view<T>& X, operation op, index_t from, index_t to) {
  const auto info = outcome_of(f).info();
  status s;
  for (index_t b = from; b < to && s; ++b) {
    const index_t k = f.batch() == 1 ? 0 : b;  // one factor for all
    copy_sides(right, X, b, b + 1);
    if (info[as_size(k)] != 0) continue;
    s = try_solve(backend, f[k], X[b], op);
    if (s.of_the_matrix()) s = {};  // with a triangle: a solution that overflowed
  }
  return s;
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
