#pragma once
// The steps of a factorization by tasks, each on one thread, as calls. See calls.hpp.

#include <cstddef>

#include "trifac/engine/calls/calls.hpp"

namespace trifac {
inline namespace TRIFAC_CALLS {

/// How a matrix is divided into panels, and bytes of memory, each a multiple of 64.
struct task_plan {
  index_t block = 0;             ///< columns of a panel; all of them where one thread is better
  std::size_t work = 0;          ///< of one panel that is being factored
  std::size_t packed = 0;        ///< of a factored panel, for the columns on its right
  std::size_t columns = 0;       ///< of a block column that is being interchanged
  bool has_tournaments = false;  ///< `work` has room for them; else partial pivoting
};

/// Packed panels where each task has views of its own: of the panel's columns and of the block
/// column that it writes, which need not be parts of one matrix in memory.
template <class T>
struct TRIFAC_SHARED_CALLS task_calls {
  /// The panels of an m×n matrix are those of `best` on every CPU, and so are its bits; with scaled
  /// selection those of a tournament with plain selection.
  TRIFAC_CALL static task_plan plan_lu(index_t m, index_t n, const lu_options& options) noexcept;
  /// The first min(block, n) columns of A := L\U, the interchanges counted from A's first row; of
  /// A's other columns only the number matters. What they need is left in `packed`.
  TRIFAC_CALL static status factor_lu(const matrix_view<T>& A, index_t block, index_t* interchanges,
                                      const lu_options& options, std::byte* work,
                                      std::byte* packed) noexcept;
  /// C: columns on the panel's right, from its first row on: interchanged, solved, updated.
  /// `panel`: the columns that factor_lu has factored.
  TRIFAC_CALL static void eliminate(const matrix_view<T>& panel, index_t block, std::byte* packed,
                                    const matrix_view<T>& C) noexcept;
  /// Interchanges from … to − 1 of the rows of C.
  TRIFAC_CALL static void interchange(const matrix_view<T>& C, const index_t* interchanges,
                                      index_t from, index_t to, std::byte* memory) noexcept;

  TRIFAC_CALL static task_plan plan_cholesky(index_t n, const cholesky_options& options) noexcept;
  /// panel: rows × b, b ≤ rows, from the diagonal on. Its lower part := [L11; L21], packed too.
  TRIFAC_CALL static status factor_cholesky(const matrix_view<T>& panel,
                                            std::byte* packed) noexcept;
  /// C: a block column from its diagonal on, the last rows of the panel's. Its lower part −= L2·L1ᴴ
  /// with the panel's rows L2 beside it, of which L1 are the first.
  TRIFAC_CALL static void subtract(const matrix_view<T>& panel, std::byte* packed,
                                   const matrix_view<T>& C) noexcept;
};

}  // namespace TRIFAC_CALLS
}  // namespace trifac
