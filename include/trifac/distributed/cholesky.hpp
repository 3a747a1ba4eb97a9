#pragma once
// distributed::cholesky: A = L·Lᴴ or Uᴴ·U of a matrix on a grid of processes.

#include "trifac/cholesky/blocked.hpp"
#include "trifac/distributed/call.hpp"
#include "trifac/distributed/cholesky_panel.hpp"
#include "trifac/distributed/factor.hpp"

namespace trifac {
namespace distributed {
inline namespace TRIFAC_ABI {

/// A := L with A = L·Lᴴ (options.part = lower) or U with A = Uᴴ·U (upper), in place. Collective: every
/// process of the grid calls it with its part of the same matrix. No exception leaves it; the status is
/// the same on all processes.
/// @param backend  how each process computes its part: serial, openmp or threads
/// @param A  n×n Hermitian with square blocks; of the local arrays the elements of the named triangle
///           are overwritten, the others neither read by the factorization nor changed
/// Errors: invalid_argument where a process has a wrong descriptor, or another matrix, type, option or
/// call than the others: nothing was touched then; not_positive_definite and not_finite with the 0-based
/// index of the first bad pivot. n³/3 flops, shared; docs/scale.md counts the messages.
/// ScaLAPACK: p?potrf with ia = ja = 1.
template <Backend B, LapackScalar T>
[[nodiscard]] cholesky_factor<T> try_cholesky(const B& backend, const array<T>& A,
                                              const cholesky_options& options = {}) noexcept {
  traffic moved;
  const auto factor = [&](const status& s) {
    return cholesky_factor<T>(A, options.part, s, moved);
  };
  if (!A.on().usable()) return factor(unusable_grid());
  agreement all;
  state_call<T>(all, call::cholesky);
  all.same(static_cast<std::int64_t>(options.part), "options.part");
  all.holds(detail::is_one_of(options.part),
            status::argument("options.part", "is not one of its enumeration"));
  all.matrix(A, "A");
  all.holds(A.how().rows == A.how().cols, status::argument("A", "is not square"));
  all.holds(A.how().row_block == A.how().col_block, unlike_blocks());
  all.holds(detail::check_backend(backend).ok(), no_backend());
  const bool upper = options.part == triangle::upper;
  const pieces<T> mine = all.good() ? A.pieces() : pieces<T>();
  const pieces<T> lower = upper ? mine.transposed() : mine;
  cholesky_memory<T> memory(lower);
  all.holds(!all.good() || memory.ok(), no_memory());
  if (const status s = all.reach(A.on(), moved); !s) return factor(s);
  if (A.how().rows == 0) return factor({});

  together on;
  cholesky_blocked(on, cholesky_panel<B, T>(backend, lower, memory, moved));
  return factor(settle(A.on(), on.outcome, on.mine, no_index, moved));
}
template <LapackScalar T>
[[nodiscard]] cholesky_factor<T> try_cholesky(const array<T>& A,
                                              const cholesky_options& options = {}) noexcept {
  return distributed::try_cholesky(backend::serial{}, A, options);
}

#if TRIFAC_EXCEPTIONS
/// try_cholesky that throws, on all processes, where the matrix is not to blame.
template <Backend B, LapackScalar T>
[[nodiscard]] cholesky_factor<T> cholesky(const B& backend, const array<T>& A,
                                          const cholesky_options& options = {}) {
  return detail::throwing([&] { return distributed::try_cholesky(backend, A, options); });
}
template <LapackScalar T>
[[nodiscard]] cholesky_factor<T> cholesky(const array<T>& A, const cholesky_options& options = {}) {
  return distributed::cholesky(backend::serial{}, A, options);
}
#endif

}  // namespace TRIFAC_ABI
}  // namespace distributed
}  // namespace trifac
