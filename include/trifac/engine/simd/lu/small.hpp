#pragma once
// LU of small matrices: one panel, in a fixed piece of the stack.

#include <cstddef>
#include <span>

#include "trifac/engine/base/min_max.hpp"
#include "trifac/engine/blas/few_rows.hpp"
#include "trifac/engine/simd/core/pivot_faults.hpp"
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
  for (index_t n = base_columns; n <= small_lu; n += base_columns)
    bytes = detail::max(bytes, panel_memory(small_lu, n, sizeof(T)).bytes);
  return bytes;
}

#if TRIFAC_SIMD

/// The instruction set for A, which makes no difference to the bits. A vector of more rows than a
/// micro-panel has columns (sixteen floats) copies A first (fits_in_place): up to 16 rows that
/// costs 6 to 24 %, so the widest set without it is taken.
template <class T>
isa small_lu_isa(const matrix_view<T>& A) {
  if (A.rows() > 16) return active_isa();
  isa widest{};
  #define TRIFAC_FOR_ISA(name, is_here) \
    if (name::target::vector_bytes <= base_columns * index_t{sizeof(real_t<T>)}) widest = isa::name;
  #include "trifac/engine/simd/isa/list.inl"
  return detail::min(active_isa(), widest);
}

/// P·A = L·U of an A of up to small_lu rows and columns. LAPACK: getrf.
template <class T>
TRIFAC_ENTRY status factor_one_lu_panel(const matrix_view<T>& A, std::span<index_t> interchanges,
                                        pivot_choice choice) {
  alignas(64) std::byte memory[small_lu_bytes<T>()];
  return with_isa(small_lu_isa(A), [&](auto target) {
    return status_of(factor_lu_panel<T>(target, A, choice, interchanges.data(), memory, nullptr));
  });
}

/// The same by scalars or in registers where the order allows it and all pivots are ordinary, in
/// registers also the only largest of their columns.
template <class T>
status factor_small_lu(const matrix_view<T>& A, std::span<index_t> interchanges,
                       pivot_choice choice = pivot_choice::largest) {
  if constexpr (!is_complex<T>)
    if (choice == pivot_choice::largest && A.rows() == A.cols() && with_isa([&](auto target) {
          if (A.rows() <= blas::few_rows_of_lu)
            return factor_few_lu_rows(target, A.data(), A.rows(), A.row_stride(), A.col_stride(),
                                      interchanges.data());
          return A.rows() <= most_in_registers(target, T()) &&
                 factor_lu_in_registers(target, A, interchanges.data());
        }))
      return {};
  return factor_one_lu_panel(A, interchanges, choice);
}

#else

// has_kernels<T> is false: named, but never called.
template <class T>
status factor_small_lu(const matrix_view<T>&, std::span<index_t>,
                       pivot_choice = pivot_choice::largest) {
  return {};
}

#endif

}  // namespace simd
}  // namespace TRIFAC_ABI
}  // namespace trifac
