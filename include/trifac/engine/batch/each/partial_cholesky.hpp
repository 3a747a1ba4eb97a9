#pragma once
// partial_cholesky() of each matrix of a batch, with the two halves of a solve.

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

#include "trifac/engine/batch/each/each.hpp"
#include "trifac/partial_cholesky.hpp"

namespace trifac {

/// Options of partial_cholesky() on a batch.
struct batch_partial_cholesky_options {
  triangle part = triangle::lower;    ///< which triangle is read and overwritten
  std::span<std::int32_t> info = {};  ///< memory for info of each matrix; empty: the factor's own
};

/// The result of partial_cholesky() on a batch: L11, L21 and S of each matrix whose status is ok.
/// It refers to the caller's matrices, which must outlive it.
template <class T>
class batch_partial_cholesky_factor : public batch_outcome,
                                      public with_status<batch_partial_cholesky_factor<T>> {
  using result = with_status<batch_partial_cholesky_factor>;

 public:
  using result::ok, result::or_throw, result::operator bool;
  using value_type = T;

  batch_partial_cholesky_factor() = default;
  batch_partial_cholesky_factor(const batch_view<T>& A, triangle part, index_t columns,
                                batch_outcome&& outcome)
      : batch_outcome(std::move(outcome)), A_(batch_view<T>(A)), part_(part), columns_(columns) {}

  index_t batch() const { return A_.batch(); }
  index_t rows() const { return A_.rows(); }
  index_t cols() const { return A_.cols(); }
  /// k, the columns that are factored.
  index_t columns() const { return detail::clamp<index_t>(columns_, 0, rows()); }
  triangle part() const { return part_; }
  /// The matrices as they lie in memory.
  batch_view<const T> matrices() const { return batch_view<T>(A_); }
  /// S of each, batch × (n−k) × (n−k), of which the triangle part() is stored; it may be written.
  batch_view<T> schur() const {
    return A_.block(columns(), columns(), rows() - columns(), rows() - columns());
  }
  /// That of matrix b: it refers to the caller's matrix.
  partial_cholesky_factor<T> operator[](index_t b) const {
    const trifac::status s = status(b);
    return {s.of_the_matrix() ? A_[b] : matrix_view<T>(), part_, columns(), s};
  }

 private:
  detail::emptied_by_move<batch_view<T>> A_;
  triangle part_ = triangle::lower;
  index_t columns_ = 0;
};

inline namespace TRIFAC_ABI {
namespace detail {

template <class T>
status check_partial_batch(const batch_view<T>& A, index_t columns,
                           const batch_partial_cholesky_options& options) {
  if (const status s = check_batch(A, "A"); !s) return s;
  if (A.rows() != A.cols()) return status::argument("A", "is not square");
  if (!is_one_of(options.part))
    return status::argument("options.part", "is not one of its enumeration");
  if (columns < 0 || columns > A.rows())
    return status::argument("columns", "must be between 0 and the order of A");
  return {};
}

/// Up to order 64 (complex: 128) in lanes; above one by one is faster, as for all of Cholesky.
template <PackingBackend B, class T>
status run_partial_batch(const B& backend, const batch_view<T>& A, index_t columns, triangle part,
                         std::span<std::int32_t> info) {
  const index_t order = A.rows();
  const double n = static_cast<double>(order), kept = n - static_cast<double>(columns);
  const double flops = (n * n * n - kept * kept * kept) / 3;
  if constexpr (LapackScalar<T>)
    if (const index_t lanes = lanes_for<T>(order, order);
        lanes > 0 && order <= largest_packed_cholesky<T>)
      return run_batch<T>(
          backend, A.batch(), lanes, flops * static_cast<double>(A.batch()),
          slot_bytes<T>(order, order, 0), {}, [&](index_t from, index_t to, std::byte* memory) {
            batch_calls<T>::partial_cholesky(part == triangle::upper ? A.transposed() : A, columns,
                                             from, to, info.data(), memory);
          });
  return run_each<T>(backend, info, order, flops, [&](index_t b) {
    return try_partial_cholesky(A[b], columns, {.part = part}).status();
  });
}

template <PackingBackend B, class T>
batch_outcome partial_batch(const B& backend, const batch_view<T>& A, index_t columns,
                            const batch_partial_cholesky_options& options) noexcept {
  int32_buffer info;
  status s = check_partial_batch(A, columns, options);
  if (s) s = check_backend(backend);
  if (s)
    s = without_exceptions([&] {
      if (const status made = make_info(options.info, A.batch(), info); !made) return made;
      if (A.empty()) return all_succeeded(info.span());
      return run_partial_batch(backend, A, columns, options.part, info.span());
    });
  return outcome_of_call(s, std::move(info), status_kind::not_positive_definite);
}

/// One half of a solve of each matrix that is factored, in lanes where its factorization was.
template <PackingBackend B, class T>
status run_partial_solve(const B& backend, const batch_partial_cholesky_factor<T>& f,
                         const batch_view<T>& X, typename batch_systems<T>::task half,
                         std::span<std::int32_t> info) {
  const index_t n = f.rows(), k = f.columns(), r = X.cols();
  const double flops =
      static_cast<double>(k) * static_cast<double>(2 * n - k) * static_cast<double>(r);
  std::ranges::copy(f.info(), info.begin());
  if (X.empty() || k == 0) return {};
  if constexpr (LapackScalar<T>)
    if (const index_t lanes = lanes_for<T>(n, n);
        lanes > 0 && n <= largest_packed_cholesky<T> && (is_complex<T> || n < 16 || r <= lanes)) {
      const bool upper = f.part() == triangle::upper;
      const batch_view<const T> A = f.matrices();
      const batch_systems<T> S = {.factors = (upper ? A.transposed() : A).block(0, 0, n, k),
                                  .sides = X,
                                  .info = f.info(),
                                  .conjugated = is_complex<T> && upper,
                                  .what = half};
      return run_batch<T>(backend, X.batch(), lanes, flops * static_cast<double>(X.batch()),
                          slot_bytes<T>(n, k, r), {},
                          [&](index_t from, index_t to, std::byte* memory) {
                            batch_calls<T>::solve(S, from, to, memory);
                          });
    }
  return run_each<T>(backend, info, n, flops, [&](index_t b) {
    if (const status failed = f.status(b); !failed) return failed;
    const matrix_view<T> X1 = X[b].block(0, 0, k, r), X2 = X[b].block(k, 0, n - k, r);
    return half == batch_systems<T>::task::solve_forward
               ? solve_forward(backend::serial{}, f[b], X1, X2)
               : solve_backward(backend::serial{}, f[b], X1, X2);
  });
}

template <PackingBackend B, class T, class M>
batch_outcome partial_solve_batch(const B& backend, const batch_partial_cholesky_factor<T>& f, M& X,
                                  typename batch_systems<T>::task half) {
  constexpr bool same = std::is_same_v<batch_scalar_t<M&>, T>;
  static_assert(same, "B has another scalar type than the factor: it must be a batch of that type");
  if constexpr (same) {
    const batch_view<T> view = batch_view_of(X);
    status s = check_batch_factor(f);
    if (s) s = check_batch(view, "B");
    if (s && (view.batch() != f.batch() || view.rows() != f.rows()))
      s = status::argument("B", "has not the batch or the rows of the factor");
    if (s && batches_overlap<T>(f.matrices(), view))
      s = status::argument("B", misfits_of_factor.overlap);
    if (s) s = check_backend(backend);
    return with_outcomes(f, s, [&](std::span<std::int32_t> info) {
      return run_partial_solve(backend, f, view, half, info);
    });
  } else {
    return {};
  }
}

}  // namespace detail

/// The first `columns` columns of A = L·Lᴴ of each matrix and its Schur complement, in place, as
/// try_partial_cholesky of one; A: batch × n × n in any layout. On serial, threads and openmp,
/// which share the matrices; up to order 64 (complex: 128) in the lanes of vectors, where
/// cholesky() of the batch schur() continues to the bits of one call. No exception leaves it.
/// @return  status of the call (invalid_argument: nothing is written; out_of_memory: any of them
///          may be factored), and info for each matrix, indices as of one; the named triangle of
///          one that failed is unspecified.
template <PackingBackend B, WritableBatch M>
[[nodiscard]] auto try_partial_cholesky(
    const B& backend, M&& A, index_t columns,
    const batch_partial_cholesky_options& options = {}) noexcept {
  const auto view = batch_view_of(A);
  return batch_partial_cholesky_factor<batch_scalar_t<M>>(
      view, options.part, columns, detail::partial_batch(backend, view, columns, options));
}
template <WritableBatch M>
[[nodiscard]] auto try_partial_cholesky(
    M&& A, index_t columns, const batch_partial_cholesky_options& options = {}) noexcept {
  return try_partial_cholesky(backend::serial{}, std::forward<M>(A), columns, options);
}

/// try_forward_solve and try_backward_solve with each factor; X: batch × n × r, in place. In lanes
/// up to the order of try_partial_cholesky; real types from n = 16 on only with r up to the number
/// of lanes. Systems whose factorization failed are left as they are.
template <PackingBackend B, class T, WritableBatch M>
[[nodiscard]] batch_outcome try_forward_solve(const B& backend,
                                              const batch_partial_cholesky_factor<T>& f,
                                              M&& X) noexcept {
  return detail::partial_solve_batch(backend, f, X, batch_systems<T>::task::solve_forward);
}
template <class T, WritableBatch M>
[[nodiscard]] batch_outcome try_forward_solve(const batch_partial_cholesky_factor<T>& f,
                                              M&& X) noexcept {
  return try_forward_solve(backend::serial{}, f, std::forward<M>(X));
}
template <PackingBackend B, class T, WritableBatch M>
[[nodiscard]] batch_outcome try_backward_solve(const B& backend,
                                               const batch_partial_cholesky_factor<T>& f,
                                               M&& X) noexcept {
  return detail::partial_solve_batch(backend, f, X, batch_systems<T>::task::solve_backward);
}
template <class T, WritableBatch M>
[[nodiscard]] batch_outcome try_backward_solve(const batch_partial_cholesky_factor<T>& f,
                                               M&& X) noexcept {
  return try_backward_solve(backend::serial{}, f, std::forward<M>(X));
}

#if TRIFAC_EXCEPTIONS
/// The calls above that throw: the factorization where no matrix is to blame, the solves what
/// belongs to the first status that is no success.
template <PackingBackend B, WritableBatch M>
[[nodiscard]] auto partial_cholesky(const B& backend, M&& A, index_t columns,
                                    const batch_partial_cholesky_options& options = {}) {
  return detail::or_throw(try_partial_cholesky(backend, std::forward<M>(A), columns, options));
}
template <WritableBatch M>
[[nodiscard]] auto partial_cholesky(M&& A, index_t columns,
                                    const batch_partial_cholesky_options& options = {}) {
  return partial_cholesky(backend::serial{}, std::forward<M>(A), columns, options);
}
template <PackingBackend B, class T, WritableBatch M>
void forward_solve(const B& backend, const batch_partial_cholesky_factor<T>& f, M&& X) {
  detail::throw_unless_ok(try_forward_solve(backend, f, std::forward<M>(X)).status());
}
template <class T, WritableBatch M>
void forward_solve(const batch_partial_cholesky_factor<T>& f, M&& X) {
  forward_solve(backend::serial{}, f, std::forward<M>(X));
}
template <PackingBackend B, class T, WritableBatch M>
void backward_solve(const B& backend, const batch_partial_cholesky_factor<T>& f, M&& X) {
  detail::throw_unless_ok(try_backward_solve(backend, f, std::forward<M>(X)).status());
}
template <class T, WritableBatch M>
void backward_solve(const batch_partial_cholesky_factor<T>& f, M&& X) {
  backward_solve(backend::serial{}, f, std::forward<M>(X));
}
#endif

}  // namespace TRIFAC_ABI
}  // namespace trifac
