#pragma once
// reciprocal_condition() of each matrix of a factored batch.

#include <span>

#include "trifac/condition.hpp"
#include "trifac/engine/batch/each/each.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

template <class F, class R>
status check_norms(const F& f, std::span<const R> norms, norm_kind kind,
                   const std::span<R>& values) {
  if (const status s = check_values(f, norms, "norms"); !s) return s;
  if (const status s = check_values(f, values, "values"); !s) return s;
  if (!has_condition(kind)) return status::argument("kind", "is neither one nor infinity");
  for (index_t b = 0; b < f.batch(); ++b)
    if (const R norm = norms[as_size(b)]; f.status(b).completed())
      if (!is_finite(norm) || !(norm >= R(0)))
        return status::argument("norms", "has one that is negative or not finite");
  return {};
}

}  // namespace detail

/// values[b] := about 1 / (‖A‖·‖A⁻¹‖) of matrix b, as try_reciprocal_condition(f[b], norms[b], …);
/// norms and values: one for each matrix. On serial, threads and openmp, which share the matrices.
/// No exception leaves it.
/// @return  status of the call (invalid_argument: nothing is written), and that of each matrix: its
///          own where its factorization stopped. Values of such matrices are unchanged, those of
///          singular ones 0. A norm that is negative or not finite is an argument error, but for a
///          matrix whose factorization stopped.
/// At most 9 solves with two right-hand sides for each, 36n² flops. LAPACK: gecon, pocon for each.
template <PackingBackend B, BatchFactor F>
[[nodiscard]] batch_outcome try_reciprocal_condition(
    const B& backend, const F& factor, std::span<const real_t<typename F::value_type>> norms,
    norm_kind kind, std::span<real_t<typename F::value_type>> values) noexcept {
  const double n = static_cast<double>(factor.rows());
  return detail::for_each_matrix(backend, factor, detail::check_norms(factor, norms, kind, values),
                                 18 * n * n,  // half of the most
                                 [&](index_t b) {
                                   return try_reciprocal_condition(backend::serial{}, factor[b],
                                                                   norms[detail::as_size(b)], kind,
                                                                   values[detail::as_size(b)]);
                                 });
}
template <BatchFactor F>
[[nodiscard]] batch_outcome try_reciprocal_condition(
    const F& factor, std::span<const real_t<typename F::value_type>> norms, norm_kind kind,
    std::span<real_t<typename F::value_type>> values) noexcept {
  return try_reciprocal_condition(backend::serial{}, factor, norms, kind, values);
}

#if TRIFAC_EXCEPTIONS
/// The values of all matrices. Throws what belongs to the first status that is no success.
template <PackingBackend B, BatchFactor F>
[[nodiscard]] auto reciprocal_condition(const B& backend, const F& factor,
                                        std::span<const real_t<typename F::value_type>> norms,
                                        norm_kind kind = norm_kind::one) {
  return detail::values_of_each<real_t<typename F::value_type>>(factor, [&](auto values) {
    return try_reciprocal_condition(backend, factor, norms, kind, values);
  });
}
template <BatchFactor F>
[[nodiscard]] auto reciprocal_condition(const F& factor,
                                        std::span<const real_t<typename F::value_type>> norms,
                                        norm_kind kind = norm_kind::one) {
  return reciprocal_condition(backend::serial{}, factor, norms, kind);
}
#endif

}  // namespace TRIFAC_ABI
}  // namespace trifac
