#pragma once
// inverse() of each matrix of a factored batch.

#include <span>

#include "trifac/engine/batch/each/each.hpp"
#include "trifac/engine/batch/layout/overlap.hpp"
#include "trifac/engine/call/factor_state.hpp"
#include "trifac/engine/calls/calls.hpp"
#include "trifac/inverse.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// Up to this order A⁻¹ is a solve with the identity in lanes, 2n³ flops for each: in double at
/// order 8 in 0.6 of the time of one by one, at 64 in 0.9 (Cholesky; canonical 1.4) and 0.7 (LU);
/// at 96 in 1.4 and 0.9 (Zen 3, AVX2).
inline constexpr index_t largest_inverse_in_lanes = 64;

template <class T, class U>
bool is_same_batch(const batch_view<T>& A, const batch_view<U>& B) {
  const auto& a = A.strides();
  const auto& b = B.strides();
  const bool matrices_are =
      A.batch() == 1 ||
      (A.pointers() == B.pointers() && a.chunk == b.chunk && a.chunk_stride == b.chunk_stride &&
       a.lane_stride == b.lane_stride && a.first == b.first);
  return matrices_are && is_same_view(A[0], B[0]);
}

template <class F, class T>
status check_batch_inverse(const F& f, const batch_view<T>& X) {
  if (const status s = check_batch_factor(f); !s) return s;
  if (const status s = check_batch(X, "X"); !s) return s;
  if (X.batch() != f.batch() || X.rows() != f.rows() || X.cols() != f.rows())
    return status::argument("X", "has not the size of the factored batch");
  if (!X.empty() && !is_same_batch(f.matrices(), X) && batches_overlap<T>(f.matrices(), X))
    return status::argument("X", "overlaps the factored matrices without being the same view");
  return {};
}

/// X := A⁻¹, up to largest_inverse_in_lanes in lanes; X is not empty. Of upper factors S has the
/// transposes, and that of X.
template <PackingBackend B, class F, class T>
status run_inverse_batch(const B& backend, const F& f, const batch_view<T>& X,
                         std::span<std::int32_t> info) {
  const index_t n = f.rows();
  const double order = static_cast<double>(n);
  const double flops = 2 * order * order * order;
  if constexpr (LapackScalar<T>)
    if (const index_t lanes = lanes_for<T>(n, n); lanes > 0 && n <= largest_inverse_in_lanes) {
      batch_systems<T> S = systems_of(f, X, operation::none);
      S.what = batch_systems<T>::task::invert;
      S.conjugated = false;
      if constexpr (HasTriangle<F>)
        if (f.part() == triangle::upper) S.sides = X.transposed();
      return run_batch<T>(
          backend, X.batch(), lanes, flops * static_cast<double>(X.batch()), slot_bytes<T>(n, n, n),
          {}, [&](index_t from, index_t to, std::byte* memory) {
            batch_calls<T>::solve(S, from, to, memory);
            for (index_t b = from; b < to; ++b) {
              std::int32_t& i = info[as_size(b)] = f.info()[as_size(b)];
              if (i == 0)
                i = info_of(S.is_lu ? check_finite_columns(X[b]) : check_finite_diagonal(X[b]));
              if constexpr (is_complex<T>)  // what the lanes round is not quite real
                for (index_t k = 0; k < n && i == 0 && !S.is_lu; ++k)
                  X(b, k, k) = T(X(b, k, k).real());
            }
          });
    }
  return run_each<T>(backend, info, n, flops,
                     [&](index_t b) { return try_inverse(backend::serial{}, f[b], X[b]); });
}

}  // namespace detail

/// X := A⁻¹ for each matrix; X: batch × n × n in any layout, or the factored batch itself, which
/// the inverses then overwrite: the factor is not to be used any more. Of Cholesky factors only the
/// factor's triangles of X are written. On serial, threads and openmp. No exception leaves it.
/// @return  status of the call (invalid_argument: X is unchanged; out_of_memory: of orders above 64
///          any of them may be inverted), and that of each matrix: its own where its factorization
///          failed, whose X is unchanged; not_finite with the index of a column that overflowed.
/// Up to n = 64 in the lanes of vectors, 2n³ flops for each; above matrix by matrix as
/// try_inverse(f[b], X[b]), shared among the threads. LAPACK: potri, getri for each.
template <PackingBackend B, BatchFactor F, WritableBatch M>
[[nodiscard]] batch_outcome try_inverse(const B& backend, const F& factor, M&& X) noexcept {
  using T = typename F::value_type;
  constexpr bool same = std::is_same_v<batch_scalar_t<M>, T>;
  static_assert(same, "X has another scalar type than the factor: it must be a batch of that type");
  if constexpr (same) {
    const batch_view<T> view = batch_view_of(X);
    status s = detail::check_batch_inverse(factor, view);
    if (s) s = detail::check_backend(backend);
    return detail::with_outcomes(factor, s, [&](std::span<std::int32_t> info) {
      return view.empty() ? status() : detail::run_inverse_batch(backend, factor, view, info);
    });
  } else {
    return {};
  }
}
template <BatchFactor F, WritableBatch M>
[[nodiscard]] batch_outcome try_inverse(const F& factor, M&& X) noexcept {
  return try_inverse(backend::serial{}, factor, std::forward<M>(X));
}

#if TRIFAC_EXCEPTIONS
/// try_inverse that throws what belongs to the first status that is no success, after all others
/// were inverted.
template <PackingBackend B, BatchFactor F, WritableBatch M>
void inverse(const B& backend, const F& factor, M&& X) {
  detail::throw_unless_ok(try_inverse(backend, factor, std::forward<M>(X)).status());
}
template <BatchFactor F, WritableBatch M>
void inverse(const F& factor, M&& X) {
  inverse(backend::serial{}, factor, std::forward<M>(X));
}
/// The inverses as a batch of their own, in chunks of a cache line, both triangles.
template <PackingBackend B, BatchFactor F>
[[nodiscard]] auto inverse(const B& backend, const F& factor) {
  detail::throw_unless_ok(detail::check_batch_factor(factor));
  batch<typename F::value_type> X(factor.batch(), factor.rows(), factor.rows());
  inverse(backend, factor, X);
  if constexpr (detail::HasTriangle<F>)
    for (index_t b = 0; b < X.count(); ++b) detail::mirror(X[b], factor.part());
  return X;
}
template <BatchFactor F>
[[nodiscard]] auto inverse(const F& factor) {
  return inverse(backend::serial{}, factor);
}
#endif

}  // namespace TRIFAC_ABI
}  // namespace trifac
