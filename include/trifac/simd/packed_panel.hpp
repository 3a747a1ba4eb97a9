#pragma once
// packed_panel: a panel of a Cholesky factorization as the loop nest sees it, for one instruction
// set. Its members are safe to call from several threads on different strips or columns.

#include <algorithm>
#include <type_traits>

#include "trifac/simd/cholesky_panel.hpp"
#include "trifac/simd/solve_triangular.hpp"
#include "trifac/status.hpp"
#include "trifac/verb/factor_block.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace simd {

#if TRIFAC_SIMD

/// The first `cols` columns of a trailing matrix A, to be factored, solved and packed in memory of
/// packed_panel::bytes, and then subtracted from the rest of A:
///
///       | A11           |    A11: cols × cols
///   A = |               |
///       | A21   A22     |    rows of A21 in strips of strip_rows
///
template <class Target, class T>
class packed_panel {
 public:
  static constexpr index_t strip_rows = rows_per_strip<Target, T>;
  /// A tile's part of a row is less than a cache line.
  static constexpr bool splits_lines = Target::template tile<T>.columns * sizeof(T) < 64;

  static constexpr std::size_t bytes(index_t rows, index_t cols) {
    return panel_bytes<Target, T>(rows, cols);
  }

  packed_panel(matrix_view<T> A, index_t cols, std::byte* memory)
      : A_(A), panel_(place_panel(Target{}, A, cols, memory)) {}

  index_t rows() const { return A_.rows(); }
  index_t cols() const { return panel_.A.cols(); }

  /// A11 := L11 with A11 = L11·L11ᴴ; the index of a failure counts from A's first row.
  status factor_block() const {
    const index_t bad = factor_panel(Target{}, panel_, cols());
    if (bad < 0) return {};
    return verb::check_pivot(detail::real_part(A_(bad, bad)), bad);  // left there by the kernel
  }

  /// Strips of A21, and how many there are.
  index_t strips() const {
    return count_strips<Target, T>(rows()) - count_strips<Target, T>(cols());
  }
  /// A21 := A21·L11⁻ᴴ for its strips from … to − 1.
  void solve(index_t from, index_t to) const {
    const index_t above = count_strips<Target, T>(cols());
    solve_rows(Target{}, panel_, above + from, above + to);
  }

  /// The lower triangle of A22 −= A21·A21ᴴ in columns from … to − 1 of A22, and there from row
  /// `first_row` on: all multiples of panel_unit, or the end of A22.
  void update(index_t from, index_t to, index_t first_row) const {
    if (cols() + first_row < rows())
      update_trailing(Target{}, panel_, A_, cols() + from, cols() + to, cols() + first_row);
  }
  /// The same for the leading n×n block of A22 only.
  void update_block(index_t n) const {
    const index_t m = cols() + n;
    update_trailing(Target{}, panel_, A_.block(0, 0, m, m), cols(), m, cols());
  }

 private:
  matrix_view<T> A_;
  cholesky_panel<T> panel_;
};

/// The largest packed_panel::bytes of any instruction set here.
template <class T>
constexpr std::size_t most_panel_bytes(index_t rows, index_t cols) {
  std::size_t bytes = packed_panel<baseline::target, T>::bytes(rows, cols);
  #if TRIFAC_SIMD_X86
  bytes = std::max(bytes, packed_panel<avx2::target, T>::bytes(rows, cols));
  bytes = std::max(bytes, packed_panel<avx512::target, T>::bytes(rows, cols));
  #endif
  return bytes;
}

/// Calls f(std::type_identity<packed_panel<…, T>>{}) for the instruction set in use.
template <class T, class F>
decltype(auto) with_packed_panels(F&& f) {
  return with_isa(
      [&](auto target) { return f(std::type_identity<packed_panel<decltype(target), T>>{}); });
}

#else

// has_kernels<T> is false: named, but never called.
inline constexpr index_t panel_unit = 16;
template <class T>
constexpr std::size_t most_panel_bytes(index_t, index_t) {
  return 0;
}
template <class T, class F>
status with_packed_panels(F&&) {
  return {};
}

#endif

/// Panels up to this size are on the stack: 128×128 for double.
inline constexpr std::size_t panel_bytes_on_stack = 144 << 10;

template <Scalar T>
status factor_halves(const matrix_view<T>& A);

/// One panel in memory on the stack. A frame of its own, which the halves below do not pile up.
template <Scalar T>
__attribute__((noinline)) status factor_on_stack(const matrix_view<T>& A) {
  alignas(64) std::byte memory[panel_bytes_on_stack];
  return with_packed_panels<T>(
      [&](auto kind) { return typename decltype(kind)::type(A, A.rows(), memory).factor_block(); });
}

/// Lower triangle of A := L with A = L·Lᴴ as verb::factor_block: one panel where the stack has room
/// for it, else by halves. LAPACK: potrf2.
template <Scalar T>
status factor_block(const matrix_view<T>& A) {
  if constexpr (has_kernels<T>) {
    if (A.empty()) return {};
    return most_panel_bytes<T>(A.rows(), A.rows()) <= panel_bytes_on_stack ? factor_on_stack(A)
                                                                           : factor_halves(A);
  } else {
    return verb::factor_block(A);
  }
}

/// The same by halves: A11 := L11, A21 := A21·L11⁻ᴴ, A22 := L22 of A22 − A21·A21ᴴ.
template <Scalar T>
status factor_halves(const matrix_view<T>& A) {
  const index_t half = A.rows() / 2 / panel_unit * panel_unit;
  const auto [A11, A12, A21, A22] = A.split(half, half);
  if (const status s = factor_block(A11); !s) return s;
  solve_right_upper(operand<T>(adjoint(A11)), A21, A21.rows());
  update_lower<T>(A22, A21);
  const status s = factor_block(A22);
  return s ? s : status::at(s.kind(), half + s.index());
}

}  // namespace simd
}  // namespace TRIFAC_ABI
}  // namespace trifac
