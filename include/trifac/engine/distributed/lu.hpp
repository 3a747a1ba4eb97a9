#pragma once
// distributed::lu: P·A = L·U of a matrix on a process grid.

#include "trifac/engine/blas/all_finite.hpp"
#include "trifac/engine/distributed/call.hpp"
#include "trifac/engine/distributed/lu_panel.hpp"
#include "trifac/engine/lu/blocked.hpp"

namespace trifac {
namespace distributed {
inline namespace TRIFAC_ABI {

/// A := L\U with P·A = L·U, in place, L with a unit diagonal. Collective: every process of the grid
/// calls it with its part of the same matrix. No exception leaves it; the status is the same on all
/// processes.
/// @param backend  how each process computes its part: serial, openmp or threads
/// @param A  m×n with square blocks
/// Errors: invalid_argument if a process has an invalid descriptor, or a matrix, type, option or
/// call that differs from the others', A untouched; singular (completed) and not_finite with the
/// 0-based index of the first bad pivot, or min(m, n) − 1 if all pivots are finite; out_of_memory
/// as try_cholesky. mn² − n³/3 flops in total for m ≥ n; messages: docs/scale.md. ScaLAPACK:
/// p?getrf with ia = ja = 1.
template <Backend B, LapackScalar T>
[[nodiscard]] array_lu_factor<T> try_lu(const B& backend, const array<T>& A,
                                        const array_lu_options& options = {}) noexcept {
  traffic moved;
  index_t refactored = 0;
  std::vector<index_t> interchanges;
  const auto conditions = [&](agreement& all) {
    all.same(static_cast<std::int64_t>(options.pivoting), "options.pivoting");
    all.same(options.max_l, "options.max_l");
    all.holds(options.pivoting == pivoting::tournament || options.pivoting == pivoting::partial,
              status::argument("options.pivoting", "is neither tournament nor partial"));
    all.holds(options.max_l >= 1, status::argument("options.max_l", "is less than 1"));
  };
  const auto nest = [&](process_executor& on, const local_part<T>& mine, lu_memory<T>& memory) {
    for (index_t l = 0; l < mine.rows.local_count(); ++l)
      memory.interchanges[detail::as_size(l)] = mine.rows.global(l);
    lu_of<B, T> work = {{&backend, mine, &memory, &moved}, options};
    lu_blocked(on, lu_panel<B, T>(work));
    refactored = work.refactored;
    interchanges = std::move(memory.interchanges);
    const index_t last = std::min(A.desc().rows, A.desc().cols) - 1;
    return on.stopped() || detail::all_finite<T>(mine.local) ? no_index : last;
  };
  const status s = run_factorization<lu_memory<T>>(call::lu, backend, A, triangle::lower, moved,
                                                   conditions, nest);
  return {A, std::move(interchanges), s, moved, refactored};
}
template <LapackScalar T>
[[nodiscard]] array_lu_factor<T> try_lu(const array<T>& A,
                                        const array_lu_options& options = {}) noexcept {
  return distributed::try_lu(backend::serial{}, A, options);
}

#if TRIFAC_EXCEPTIONS
/// try_lu that throws, on all processes, if the status is not a property of the matrix.
template <Backend B, LapackScalar T>
[[nodiscard]] array_lu_factor<T> lu(const B& backend, const array<T>& A,
                                    const array_lu_options& options = {}) {
  return detail::throwing(distributed::try_lu(backend, A, options));
}
template <LapackScalar T>
[[nodiscard]] array_lu_factor<T> lu(const array<T>& A, const array_lu_options& options = {}) {
  return distributed::lu(backend::serial{}, A, options);
}
#endif

}  // namespace TRIFAC_ABI
}  // namespace distributed
}  // namespace trifac
