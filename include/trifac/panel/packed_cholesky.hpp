#pragma once
// packed_panel: a panel of a Cholesky factorization as the loop nest sees it. Its members are safe to
// call from several threads on different strips or columns.

#include <type_traits>

#include "trifac/blas/factor_block.hpp"
#include "trifac/detail/min_max.hpp"
#include "trifac/simd/cholesky/panel.hpp"
#include "trifac/simd/core/solve_triangular.hpp"
#include "trifac/status.hpp"

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
/// The instruction set is a value, not a type, so that a nest is compiled once for all of them.
template <class T>
class packed_panel {
 public:
  packed_panel(isa set, matrix_view<T> A, index_t cols, std::byte* memory)
      : A_(A),
        set_(set),
        panel_(with_isa(set, [&](auto target) { return place_panel(target, A, cols, memory); })) {}

  index_t rows() const { return A_.rows(); }
  index_t cols() const { return panel_.A.cols(); }

  /// A11 := L11 with A11 = L11·L11ᴴ; the index of a failure counts from A's first row.
  status factor_block() const {
    return status_of(
        A_, with_isa(set_, [&](auto target) { return factor_panel(target, panel_, cols()); }));
  }

  /// Strips of A21, and how many there are.
  index_t strips() const { return count(rows()) - count(cols()); }
  /// A21 := A21·L11⁻ᴴ for its strips from … to − 1.
  void solve(index_t from, index_t to) const {
    const index_t above = count(cols());
    with_isa(set_, [&](auto target) { solve_rows(target, panel_, above + from, above + to); });
  }

  /// The lower triangle of A22 −= A21·A21ᴴ in columns from … to − 1 of A22, and there from row
  /// `first_row` on: all multiples of panel_unit, or the end of A22.
  void update(index_t from, index_t to, index_t first_row) const {
    if (cols() + first_row < rows()) subtract(A_, from, to, first_row);
  }
  /// The same for the leading n×n block of A22 only.
  void update_block(index_t n) const {
    const index_t m = cols() + n;
    subtract(A_.block(0, 0, m, m), 0, n, 0);
  }

  /// What factor_panel says of A; it leaves a bad pivot where it was found.
  static status status_of(const matrix_view<T>& A, index_t bad) {
    return bad < 0 ? status() : blas::check_pivot(detail::real_part(A(bad, bad)), bad);
  }

 private:
  index_t count(index_t some_rows) const {
    return with_isa(set_,
                    [&](auto target) { return count_micro_panels<decltype(target), T>(some_rows); });
  }
  void subtract(matrix_view<T> A, index_t from, index_t to, index_t first_row) const {
    const index_t k = cols();
    with_isa(set_, [&](auto target) {
      update_trailing(target, panel_, A, k + from, k + to, k + first_row);
    });
  }

  matrix_view<T> A_;
  isa set_;
  cholesky_panel<T> panel_;
};

/// The panels of one instruction set.
template <class T>
struct packed_panels {
  isa set = active_isa();

  packed_panel<T> at(matrix_view<T> A, index_t cols, std::byte* memory) const {
    return {set, A, cols, memory};
  }
  /// Memory of one.
  std::size_t bytes(index_t rows, index_t cols) const {
    return with_isa(set, [&](auto target) { return panel_bytes<decltype(target), T>(rows, cols); });
  }
  /// A tile's part of a row is less than a cache line.
  bool splits_lines() const {
    return with_isa(set, [](auto target) {
      return decltype(target)::template tile<T>.columns * sizeof(T) < 64;
    });
  }
};

/// The largest panel_bytes of any instruction set here.
template <class T>
constexpr std::size_t most_panel_bytes(index_t rows, index_t cols) {
  std::size_t bytes = panel_bytes<baseline::target, T>(rows, cols);
  #if TRIFAC_SIMD_X86
  bytes = detail::max(bytes, panel_bytes<avx2::target, T>(rows, cols));
  bytes = detail::max(bytes, panel_bytes<avx512::target, T>(rows, cols));
  #endif
  return bytes;
}

/// Panels up to this size are on the stack: 128×128 for double.
inline constexpr std::size_t panel_bytes_on_stack = 144 << 10;

/// The largest order up to which all matrices are one panel on the stack.
template <class T>
inline constexpr index_t small_cholesky = [] {
  index_t n = panel_unit;
  while (most_panel_bytes<T>(n + panel_unit, n + panel_unit) <= panel_bytes_on_stack)
    n += panel_unit;
  return n;
}();

/// Lower triangle of the n×n matrix at A := L with A = L·Lᴴ, n ≤ small_cholesky. −1, or the index of
/// the first bad pivot. A frame of its own, which the halves below do not pile up; the matrix comes
/// in registers, since a view in memory costs a tenth of the time of order 16.
template <class T>
TRIFAC_ENTRY index_t factor_small_at(T* A, index_t n, index_t row_stride, index_t col_stride) {
  alignas(64) std::byte memory[panel_bytes_on_stack];
  return with_isa([&](auto target) {
    const matrix_view<T> view(A, n, n, row_stride, col_stride);
    return factor_panel(target, place_panel(target, view, n, memory), n);
  });
}

/// The same with a status.
template <class T>
status factor_small_cholesky(const matrix_view<T>& A) {
  return packed_panel<T>::status_of(
      A, factor_small_at(A.data(), A.rows(), A.row_stride(), A.col_stride()));
}

#else

// has_kernels<T> is false: named, but never called.
inline constexpr index_t panel_unit = 16;
inline constexpr std::size_t panel_bytes_on_stack = 64;
template <class T>
constexpr std::size_t most_panel_bytes(index_t, index_t) {
  return 0;
}
template <class T>
struct packed_panels;
template <class T>
inline constexpr index_t small_cholesky = 0;
template <class T>
index_t factor_small_at(T*, index_t, index_t, index_t) {
  return -1;
}
template <class T>
status factor_small_cholesky(const matrix_view<T>&) {
  return {};
}

#endif

template <Scalar T>
status factor_halves(const matrix_view<T>& A);

/// Lower triangle of A := L with A = L·Lᴴ as blas::factor_block: one panel where the stack has room
/// for it, else by halves. LAPACK: potrf2.
template <Scalar T>
status factor_block(const matrix_view<T>& A) {
  if constexpr (has_kernels<T>) {
    if (A.empty()) return {};
    return A.rows() <= small_cholesky<T> ? factor_small_cholesky(A) : factor_halves(A);
  } else {
    return blas::factor_block(A);
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
