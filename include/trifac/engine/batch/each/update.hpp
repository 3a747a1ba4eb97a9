#pragma once
// update() and downdate() of each matrix of a batch of Cholesky factors.

#include "trifac/engine/batch/each/each.hpp"
#include "trifac/engine/modify/update.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

template <class T>
status check_modification(const batch_cholesky_factor<T>& f, const batch_view<const T>& X) {
  if (const status s = check_batch_factor(f); !s) return s;
  if (const status s = check_batch(X, "X"); !s) return s;
  if (X.batch() != f.batch())
    return status::argument("X", "must have as many matrices as the factored batch");
  if (X.rows() != f.rows()) return status::argument("X", misfits_of_factor.rows);
  if (batches_overlap<T>(f.matrices(), X)) return status::argument("X", misfits_of_factor.overlap);
  return {};
}

/// The factors of A ± X·Xᴴ.
template <PackingBackend B, class T, class M>
batch_outcome modify_batch(const B& backend, modification how, batch_cholesky_factor<T>& f,
                           const M& given) {
  constexpr bool same = std::is_same_v<batch_scalar_t<const M&>, T>;
  static_assert(same,
                "X has another scalar type than the factor: copy it into a batch of that type");
  if constexpr (same) {
    const batch_view<const T> X = batch_view_of(given);
    const double n = static_cast<double>(f.rows()), k = static_cast<double>(X.cols());
    const auto info = factor_access::info(f);
    const batch_outcome outcome =
        for_each_matrix(backend, f, check_modification(f, X), 2 * n * n * k, [&](index_t b) {
          const matrix_view<const T> A = f.matrices()[b];
          // The batch that was factored could be written.
          const matrix_view<T> writable(const_cast<T*>(A.data()), A.rows(), A.cols(),
                                        A.row_stride(), A.col_stride());
          cholesky_factor<T> one(writable, f.part(), f.status(b));
          const status s = update_checked<backend::serial, T>({}, how, one, X[b]);
          if (info[as_size(b)] == 0) info[as_size(b)] = info_of(one.status());
          return s;
        });
    factor_access::count_failures(f);
    return outcome;
  } else {
    return {};
  }
}

}  // namespace detail

/// The factor of each A becomes that of A + X·Xᴴ; X: batch × n × k in any layout, which is only
/// read and shares no memory with the factors. On serial, threads and openmp, which share the
/// matrices, each as try_update of one. No exception leaves it.
/// @return  status of the call (invalid_argument: nothing is written; out_of_memory: any of the
///          factors may be updated), and that of each matrix: not_finite with the first row of X
///          that has a NaN or an infinity, its factor unchanged; not_finite with a pivot that
///          overflowed, which f.status(b) has then too; its own where it had failed before.
/// 2n²k flops for each. LINPACK: dchud for each.
template <PackingBackend B, class T, class M>
requires BatchLike<const M&>
[[nodiscard]] batch_outcome try_update(const B& backend, batch_cholesky_factor<T>& factor,
                                       const M& X) noexcept {
  return detail::modify_batch(backend, modification::update, factor, X);
}
template <class T, class M>
requires BatchLike<const M&>
[[nodiscard]] batch_outcome try_update(batch_cholesky_factor<T>& factor, const M& X) noexcept {
  return try_update(backend::serial{}, factor, X);
}

/// The factor of each A becomes that of A − X·Xᴴ, as try_update.
/// @return  besides, not_positive_definite of a matrix with the index of the first pivot that is
///          not positive: f.status(b) has it too, and matrix b is as try_downdate of one leaves it.
/// LINPACK: dchdd for each.
template <PackingBackend B, class T, class M>
requires BatchLike<const M&>
[[nodiscard]] batch_outcome try_downdate(const B& backend, batch_cholesky_factor<T>& factor,
                                         const M& X) noexcept {
  return detail::modify_batch(backend, modification::downdate, factor, X);
}
template <class T, class M>
requires BatchLike<const M&>
[[nodiscard]] batch_outcome try_downdate(batch_cholesky_factor<T>& factor, const M& X) noexcept {
  return try_downdate(backend::serial{}, factor, X);
}

#if TRIFAC_EXCEPTIONS
/// try_update and try_downdate that throw what belongs to the first status that is no success,
/// after the factors of the other matrices were modified.
template <PackingBackend B, class T, class M>
requires BatchLike<const M&>
void update(const B& backend, batch_cholesky_factor<T>& factor, const M& X) {
  detail::throw_unless_ok(try_update(backend, factor, X).status());
}
template <class T, class M>
requires BatchLike<const M&>
void update(batch_cholesky_factor<T>& factor, const M& X) {
  update(backend::serial{}, factor, X);
}
template <PackingBackend B, class T, class M>
requires BatchLike<const M&>
void downdate(const B& backend, batch_cholesky_factor<T>& factor, const M& X) {
  detail::throw_unless_ok(try_downdate(backend, factor, X).status());
}
template <class T, class M>
requires BatchLike<const M&>
void downdate(batch_cholesky_factor<T>& factor, const M& X) {
  downdate(backend::serial{}, factor, X);
}
#endif

}  // namespace TRIFAC_ABI
}  // namespace trifac
