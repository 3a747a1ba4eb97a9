#pragma once
// The systems of solve() on a batch as kernels see them, from a factor of the batch, of one matrix
// for all of it, or from the triangles of a factor.

#include <cstdint>
#include <span>
#include <vector>

#include "trifac/engine/batch/calls/factor.hpp"
#include "trifac/engine/batch/layout/batch_like.hpp"
#include "trifac/engine/call/factor_state.hpp"
#include "trifac/engine/calls/batch_calls.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

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

/// A factor as that of a batch of one; `info`: memory for its outcome, which is success.
template <class T>
batch_cholesky_factor<T> as_batch(const cholesky_factor<T>& f, std::span<std::int32_t> info) {
  return {one_matrix(f.matrix()), f.part(),
          batch_outcome({}, int32_buffer(info, 1), status_kind::not_positive_definite)};
}
template <class T>
batch_lu_factor<T> as_batch(const lu_factor<T>& f, std::span<std::int32_t> info) {
  const index_t n = f.rows();
  int32_buffer rows({}, batch_interchanges_size(1, n, n));
  store_pivots({rows.span().data(), n}, 0, f.interchanges().span());
  return {one_matrix(f.matrix()), pivoting::partial, std::move(rows),
          batch_outcome({}, int32_buffer(info, 1), status_kind::singular)};
}

/// One factor for several systems: S gets its interchanges for every lane of a group, in `rows`.
template <class T>
void repeat_interchanges(batch_systems<T>& S, std::vector<std::int32_t>& rows) {
  if (!S.is_one_factor() || S.sides.batch() <= 1) return;
  rows.resize(S.interchanges.size());
  for (index_t k = 0; k < static_cast<index_t>(rows.size()); ++k)
    rows[as_size(k)] = S.interchanges[as_size(k / simd::most_lanes * simd::most_lanes)];
  S.interchanges = rows;
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
