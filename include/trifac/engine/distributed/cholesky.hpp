#pragma once
// distributed::cholesky: A = L·Lᴴ or Uᴴ·U of a matrix on a process grid.

#include "trifac/engine/cholesky/blocked.hpp"
#include "trifac/engine/distributed/call.hpp"
#include "trifac/engine/distributed/cholesky_panel.hpp"
#include "trifac/engine/distributed/factor.hpp"

namespace trifac {
namespace distributed {
inline namespace TRIFAC_ABI {

/// A := L with A = L·Lᴴ (options.part = lower) or U with A = Uᴴ·U (upper), in place. Collective:
/// every process of the grid calls it with its part of the same matrix. No exception leaves it; the
/// status is the same on all processes.
/// @param backend  how each process computes its part: serial, openmp or threads
/// @param A  n×n Hermitian with square blocks; of the local arrays the elements of the named
///           triangle are overwritten, the others neither read by the factorization nor changed
/// Errors: invalid_argument if a process has an invalid descriptor, or a matrix, type, option or
/// call that differs from the others', A untouched; not_positive_definite and not_finite with the
/// 0-based index of the first bad pivot; out_of_memory, A untouched if the buffers cannot be
/// allocated, unspecified if a local call runs out of memory later. n³/3 flops in total; messages:
/// docs/scale.md. ScaLAPACK: p?potrf with ia = ja = 1.
template <Backend B, LapackScalar T>
[[nodiscard]] array_cholesky_factor<T> try_cholesky(
    const B& backend, const array<T>& A, const array_cholesky_options& options = {}) noexcept {
  traffic moved;
  const auto conditions = [&](agreement& all) {
    all.same(static_cast<std::int64_t>(options.part), "options.part");
    all.holds(detail::is_one_of(options.part),
              status::argument("options.part", "is not one of its enumeration"));
    all.holds(A.desc().rows == A.desc().cols, status::argument("A", "is not square"));
  };
  const auto nest = [&](process_executor& on, const local_part<T>& lower,
                        cholesky_memory<T>& memory) {
    cholesky_of<B, T> work = {&backend, lower, &memory, &moved};
    cholesky_blocked(on, cholesky_panel<B, T>(work));
    return no_index;
  };
  const status s = run_factorization<cholesky_memory<T>>(call::cholesky, backend, A, options.part,
                                                         moved, conditions, nest);
  return {A, options.part, s, moved};
}
template <LapackScalar T>
[[nodiscard]] array_cholesky_factor<T> try_cholesky(
    const array<T>& A, const array_cholesky_options& options = {}) noexcept {
  return distributed::try_cholesky(backend::serial{}, A, options);
}

#if TRIFAC_EXCEPTIONS
/// try_cholesky that throws, on all processes, if the status is not a property of the matrix.
template <Backend B, LapackScalar T>
[[nodiscard]] array_cholesky_factor<T> cholesky(const B& backend, const array<T>& A,
                                                const array_cholesky_options& options = {}) {
  return detail::throwing(distributed::try_cholesky(backend, A, options));
}
template <LapackScalar T>
[[nodiscard]] array_cholesky_factor<T> cholesky(const array<T>& A,
                                                const array_cholesky_options& options = {}) {
  return distributed::cholesky(backend::serial{}, A, options);
}
#endif

}  // namespace TRIFAC_ABI
}  // namespace distributed
}  // namespace trifac
