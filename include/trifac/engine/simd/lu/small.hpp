#pragma once
// LU of small matrices: one panel, in a fixed piece of the stack.

#include <cstddef>
#include <span>

#include "trifac/engine/base/min_max.hpp"
#include "trifac/engine/simd/core/pivot_faults.hpp"
#include "trifac/engine/simd/core/small_kernels.hpp"
#include "trifac/engine/simd/lu/kernels.hpp"
#include "trifac/engine/simd/lu/memory.hpp"
#include "trifac/matrix_view.hpp"
#include "trifac/status.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace simd {

/// The most memory of such a panel: more columns may mean narrower blocks.
template <class T>
constexpr std::size_t small_lu_bytes() {
  std::size_t bytes = 0;
  for (index_t n = base_columns; n <= lu_in_one_panel; n += base_columns)
    bytes = detail::max(bytes, panel_memory(lu_in_one_panel, n, sizeof(T)).bytes);
  return bytes;
}

#if TRIFAC_SIMD

/// P·A = L·U of an A of up to lu_in_one_panel rows and columns. LAPACK: getrf.
template <class T>
TRIFAC_ENTRY status factor_one_lu_panel(isa set, const matrix_view<T>& A,
                                        std::span<index_t> interchanges, pivot_choice choice) {
  alignas(64) std::byte memory[small_lu_bytes<T>()];
  return with_isa(lu_panel_isa<T>(set, A.rows()), [&](auto target) {
    return status_of(factor_lu_panel<T>(target, A, choice, interchanges.data(), memory, nullptr),
                     choice);
  });
}

/// The same by one of the kernels before `panels`.
template <class T>
TRIFAC_INLINE status factor_small_lu(lu_kernel kernel, isa set, const matrix_view<T>& A,
                                     std::span<index_t> interchanges,
                                     pivot_choice choice = pivot_choice::largest) {
  if constexpr (!is_complex<T>)
    if (kernel < lu_kernel::one_panel && with_isa(set, [&](auto target) {
          if (kernel == lu_kernel::scalars)
            return factor_few_lu_rows(target, A.data(), A.rows(), A.row_stride(), A.col_stride(),
                                      interchanges.data());
          if constexpr (lu_in_registers(decltype(target)::set).template of<T>() > 0)
            return factor_lu_in_registers(target, A, interchanges.data());
          return false;
        }))
      return {};
  return factor_one_lu_panel(set, A, interchanges, choice);
}

#else

// has_kernels<T> is false: named, but never called.
template <class T>
status factor_small_lu(lu_kernel, isa, const matrix_view<T>&, std::span<index_t>,
                       pivot_choice = pivot_choice::largest) {
  return {};
}

#endif

}  // namespace simd
}  // namespace TRIFAC_ABI
}  // namespace trifac
