#pragma once
// The steps of a factorization by tasks, each on one thread, as calls of trifac::kernels. Their
// contracts are those of panel_tasks (cpu/panel_tasks.hpp).

#include <cstddef>

#include "trifac/engine/linked/calls.hpp"

namespace trifac {
namespace linked {

inline namespace TRIFAC_LINKED_VERSION {

/// How a matrix is divided into panels, and bytes of memory, each a multiple of 64.
struct task_plan {
  index_t block = 0;        ///< columns of a panel; all of them where one thread is better
  std::size_t work = 0;     ///< of one panel that is being factored
  std::size_t packed = 0;   ///< of a factored panel, for the columns on its right
  std::size_t columns = 0;  ///< of a block column that is being interchanged
  bool rounds = false;      ///< tournaments, for which `work` has room; else partial pivoting
};

/// As panel_tasks.
template <class T>
struct TRIFAC_SHARED task_calls {
  static task_plan plan_lu(index_t m, index_t n, const lu_options& options) noexcept;
  static status factor_lu(const matrix_view<T>& A, index_t block, index_t* interchanges,
                          const lu_options& options, std::byte* work, std::byte* packed) noexcept;
  static void eliminate(const matrix_view<T>& panel, index_t block, std::byte* packed,
                        const matrix_view<T>& C) noexcept;
  static void interchange(const matrix_view<T>& C, const index_t* interchanges, index_t from,
                          index_t to, std::byte* memory) noexcept;
  static task_plan plan_cholesky(index_t n, const cholesky_options& options) noexcept;
  static status factor_cholesky(const matrix_view<T>& panel, std::byte* packed) noexcept;
  static void subtract(const matrix_view<T>& panel, std::byte* packed,
                       const matrix_view<T>& C) noexcept;
};

}  // namespace TRIFAC_LINKED_VERSION
}  // namespace linked
}  // namespace trifac
