#pragma once
// determinant() and log_determinant() of each matrix of a factored batch.

#include "trifac/determinant.hpp"
#include "trifac/engine/batch/each/each.hpp"

namespace trifac {

template <class T>
struct determinant_type<batch_cholesky_factor<T>> {
  using type = real_t<T>;
};

inline namespace TRIFAC_ABI {

/// values[b] := det A of matrix b, as try_determinant(f[b], …), 0 of a singular one; values: one
/// for each matrix. On serial, threads and openmp, which share the matrices. No exception
/// leaves it.
/// @return  status of the call (invalid_argument: nothing is written), and that of each matrix: its
///          own where its factorization stopped, not_finite with index n − 1 where its determinant
///          is too large. Values of such matrices are unchanged.
/// n multiplications for each.
template <PackingBackend B, BatchFactor F>
[[nodiscard]] batch_outcome try_determinant(const B& backend, const F& factor,
                                            std::span<determinant_t<F>> values) noexcept {
  return detail::for_each_matrix(backend, factor, detail::check_values(factor, values, "values"),
                                 static_cast<double>(factor.rows()), [&](index_t b) {
                                   return try_determinant(factor[b], values[detail::as_size(b)]);
                                 });
}
template <BatchFactor F>
[[nodiscard]] batch_outcome try_determinant(const F& factor,
                                            std::span<determinant_t<F>> values) noexcept {
  return try_determinant(backend::serial{}, factor, values);
}

/// values[b] := the sign (or phase) of det A of matrix b and log |det A|. Else as above, but
/// nothing is too large.
template <PackingBackend B, BatchFactor F>
[[nodiscard]] batch_outcome try_log_determinant(
    const B& backend, const F& factor,
    std::span<signed_logarithm<determinant_t<F>>> values) noexcept {
  return detail::for_each_matrix(
      backend, factor, detail::check_values(factor, values, "values"),
      static_cast<double>(factor.rows()),
      [&](index_t b) { return try_log_determinant(factor[b], values[detail::as_size(b)]); });
}
template <BatchFactor F>
[[nodiscard]] batch_outcome try_log_determinant(
    const F& factor, std::span<signed_logarithm<determinant_t<F>>> values) noexcept {
  return try_log_determinant(backend::serial{}, factor, values);
}

#if TRIFAC_EXCEPTIONS
/// The determinants of all matrices. Throws what belongs to the first status that is no success;
/// the try_ form has the values of the other matrices.
template <PackingBackend B, BatchFactor F>
[[nodiscard]] auto determinant(const B& backend, const F& factor) {
  return detail::values_of_each<determinant_t<F>>(
      factor, [&](auto values) { return try_determinant(backend, factor, values); });
}
template <BatchFactor F>
[[nodiscard]] auto determinant(const F& factor) {
  return determinant(backend::serial{}, factor);
}
/// The same with try_log_determinant.
template <PackingBackend B, BatchFactor F>
[[nodiscard]] auto log_determinant(const B& backend, const F& factor) {
  return detail::values_of_each<signed_logarithm<determinant_t<F>>>(
      factor, [&](auto values) { return try_log_determinant(backend, factor, values); });
}
template <BatchFactor F>
[[nodiscard]] auto log_determinant(const F& factor) {
  return log_determinant(backend::serial{}, factor);
}
#endif

}  // namespace TRIFAC_ABI
}  // namespace trifac
