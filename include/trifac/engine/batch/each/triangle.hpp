#pragma once
// inverse(), norm() and reciprocal_condition() of the triangles of a factored batch.

#include <span>
#include <vector>

#include "trifac/engine/batch/each/each.hpp"
#include "trifac/engine/batch/each/inverse.hpp"
#include "trifac/triangle.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {

/// X := A⁻¹ of each triangle of a batch, f.L() or f.U(); X: batch × n × n in any layout, or the
/// factored batch itself, which the inverses then overwrite; only the triangles of X are written.
/// On serial, threads and openmp, which share the matrices, each as try_inverse(A[b], X[b]). No
/// exception leaves it.
/// @return  status of the call (invalid_argument: X is unchanged; out_of_memory: any of them may be
///          inverted), and that of each matrix: its own where its factorization failed, whose X is
///          unchanged; singular, whose X is unchanged; not_finite.
/// n³/3 flops for each. LAPACK: trtri for each.
template <PackingBackend B, class T, WritableBatch M>
[[nodiscard]] batch_outcome try_inverse(const B& backend, const batch_triangular_view<T>& A,
                                        M&& X) noexcept {
  constexpr bool same = std::is_same_v<batch_scalar_t<M>, T>;
  static_assert(same, "X has another scalar type than the factor: it must be a batch of that type");
  if constexpr (same) {
    const batch_view<T> view = batch_view_of(X);
    const double n = static_cast<double>(A.rows());
    return detail::for_each_matrix(
        backend, A, detail::check_batch_inverse(A, view), n * n * n / 3,
        [&](index_t b) { return try_inverse(backend::serial{}, A[b], view[b]); });
  } else {
    return {};
  }
}
template <class T, WritableBatch M>
[[nodiscard]] batch_outcome try_inverse(const batch_triangular_view<T>& A, M&& X) noexcept {
  return try_inverse(backend::serial{}, A, std::forward<M>(X));
}

/// values[b] := about 1 / (‖A‖·‖A⁻¹‖) of triangle b, as try_reciprocal_condition(A[b], …); values:
/// one for each matrix. Status as above; values of matrices whose factorization failed are
/// unchanged. LAPACK: trcon for each.
template <PackingBackend B, class T>
[[nodiscard]] batch_outcome try_reciprocal_condition(const B& backend,
                                                     const batch_triangular_view<T>& A,
                                                     norm_kind kind,
                                                     std::span<real_t<T>> values) noexcept {
  const double n = static_cast<double>(A.rows());
  status checked = detail::check_values(A, values, "values");
  if (checked && !detail::has_condition(kind))
    checked = status::argument("kind", "is neither one nor infinity");
  return detail::for_each_matrix(backend, A, checked, 9 * n * n, [&](index_t b) {
    return try_reciprocal_condition(backend::serial{}, A[b], kind, values[detail::as_size(b)]);
  });
}
template <class T>
[[nodiscard]] batch_outcome try_reciprocal_condition(const batch_triangular_view<T>& A,
                                                     norm_kind kind,
                                                     std::span<real_t<T>> values) noexcept {
  return try_reciprocal_condition(backend::serial{}, A, kind, values);
}

#if TRIFAC_EXCEPTIONS
/// norm(A[b], kind) of each triangle. Throws what belongs to the first factorization that failed.
/// LAPACK: lantr for each.
template <class T>
[[nodiscard]] std::vector<real_t<T>> norm(const batch_triangular_view<T>& A,
                                          norm_kind kind = norm_kind::one) {
  detail::throw_unless_ok(detail::check_batch_call(A));
  std::vector<real_t<T>> values;
  for (index_t b = 0; b < A.batch(); ++b) values.push_back(norm(A[b], kind));
  return values;
}

/// The calls above that throw what belongs to the first status that is no success.
template <PackingBackend B, class T, WritableBatch M>
void inverse(const B& backend, const batch_triangular_view<T>& A, M&& X) {
  detail::throw_unless_ok(try_inverse(backend, A, std::forward<M>(X)).status());
}
template <class T, WritableBatch M>
void inverse(const batch_triangular_view<T>& A, M&& X) {
  inverse(backend::serial{}, A, std::forward<M>(X));
}
template <PackingBackend B, class T>
[[nodiscard]] std::vector<real_t<T>> reciprocal_condition(const B& backend,
                                                          const batch_triangular_view<T>& A,
                                                          norm_kind kind = norm_kind::one) {
  return detail::values_of_each<real_t<T>>(
      A, [&](auto values) { return try_reciprocal_condition(backend, A, kind, values); });
}
template <class T>
[[nodiscard]] std::vector<real_t<T>> reciprocal_condition(const batch_triangular_view<T>& A,
                                                          norm_kind kind = norm_kind::one) {
  return reciprocal_condition(backend::serial{}, A, kind);
}
#endif

}  // namespace TRIFAC_ABI
}  // namespace trifac
