#pragma once
// A matrix without the extent of the batch serves all of it, as in the C++ paper P2901: the factor
// of one matrix, or one matrix of right-hand sides.

#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "trifac/engine/batch/batch_like.hpp"
#include "trifac/engine/batch/check.hpp"
#include "trifac/engine/batch/overlap.hpp"
#include "trifac/engine/batch/systems.hpp"
#include "trifac/engine/call/argument_types.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// One matrix as a batch of one.
template <class T>
batch_view<T> one_matrix(const matrix_view<T>& A) {
  return {A.data(),
          1,
          A.rows(),
          A.cols(),
          {.row_stride = A.row_stride(), .col_stride = A.col_stride()}};
}

/// A factor as that of a batch of one; `info`: memory for its outcome, which is success.
template <class T>
batch_cholesky_factor<T> as_batch(const cholesky_factor<T>& f, std::span<std::int32_t> info) {
  return {one_matrix(f.matrix()), f.part(),
          batch_outcome({}, given_or_own(info, 1), status_kind::not_positive_definite)};
}
template <class T>
batch_lu_factor<T> as_batch(const lu_factor<T>& f, std::span<std::int32_t> info) {
  const index_t n = f.rows();
  given_or_own rows({}, batch_interchanges_size(1, n, n));
  for (index_t k = 0; k < n; ++k)
    rows.span()[as_size(k * simd::most_lanes)] = static_cast<std::int32_t>(f.interchanges()[k]);
  return {one_matrix(f.matrix()), pivoting::partial, std::move(rows),
          batch_outcome({}, given_or_own(info, 1), status_kind::singular)};
}

/// The interchanges of one factor for every lane of a group.
template <class T>
std::vector<std::int32_t> interchanges_for_all(const batch_systems<T>& S) {
  std::vector<std::int32_t> rows(S.interchanges.size());
  for (index_t k = 0; k < static_cast<index_t>(rows.size()); ++k)
    rows[as_size(k)] = S.interchanges[as_size(k / simd::most_lanes * simd::most_lanes)];
  return rows;
}

/// Matrices to be factored: those of a batch, or one for all.
template <class M>
auto matrices_of(M& A) {
  if constexpr (BatchLike<M&>)
    return batch_view_of(A);
  else
    return one_matrix(matrix_view<scalar_t<M>>(view_of(A)));
}
template <class M>
struct scalar_of_matrices {
  using type = scalar_t<M>;
};
template <BatchLike M>
struct scalar_of_matrices<M> {
  using type = batch_scalar_t<M>;
};

template <class R>
constexpr auto scalar_of_sides() {
  if constexpr (BatchLike<const R&>)
    return std::type_identity<batch_scalar_t<const R&>>();
  else
    return std::type_identity<std::remove_const_t<right_hand_side_t<const R>>>();
}
/// True for right-hand sides of T: a batch, a matrix or a vector.
template <class T, class R>
inline constexpr bool has_sides_of =
    std::is_same_v<typename decltype(scalar_of_sides<R>())::type, T>;

/// Right-hand sides as a batch: that of a batch, or one of a matrix or vector.
template <class T, class R>
batch_view<const T> sides_of(const R& right) {
  if constexpr (BatchLike<const R&>)
    return batch_view_of(right);
  else
    return one_matrix(matrix_view<const T>(right_hand_sides(right)));
}

template <class T>
status check_sides(const batch_view<const T>& from, const batch_view<T>& X) {
  if (const status s = check_batch(from, "B"); !s) return s;
  if (from.batch() != X.batch() && from.batch() != 1)
    return status::argument("B", "must have as many matrices as X, or be one for all");
  if (from.rows() != X.rows() || from.cols() != X.cols())
    return status::argument("B", "must have the rows and columns of X");
  return batches_overlap<T>(from, X) ? status::argument("B", "overlaps X") : status();
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
