#pragma once
// A panel of Cholesky on packed copies: the CPU kernels of s, d, c, z. Also the small matrices that
// are one such panel.

#include "trifac/engine/base/min_max.hpp"
#include "trifac/engine/blas/factor_block.hpp"
#include "trifac/engine/panel/nest_step.hpp"
#include "trifac/engine/simd/cholesky/panel.hpp"
#include "trifac/engine/simd/core/small_kernels.hpp"
#include "trifac/engine/simd/core/solve_triangular.hpp"
#include "trifac/status.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace simd {

#if TRIFAC_SIMD

/// The first b columns of A, which is what is not factored yet, to be factored, solved and packed
/// in memory of bytes(), and then subtracted from the rest of A. `columns` of A are to be factored;
/// where these are not all, panels begin and end at multiples of panel_unit, and the last has none:
///
///       | A11           |    A11: b×b
///   A = |               |
///       | A21   A22     |    rows of A21 in micro-panels
///
/// The instruction set is a value, not a type, so that a nest is compiled once for all of them.
template <class T>
class packed_cholesky_panel {
 public:
  /// The panels that follow take turns in `memory` and `other`, which may be the same where the
  /// next panel is not factored before this one is done with.
  packed_cholesky_panel(isa set, matrix_view<T> A, index_t columns, index_t block,
                        std::byte* memory, std::byte* other, index_t first = 0)
      : A_(A),
        set_(set),
        columns_(columns),
        block_(block),
        first_(first),
        memory_(memory),
        other_(other),
        panel_(with_isa(set, [&](auto target) {
          return place_panel(target, A, detail::min(block, columns), memory);
        })) {}

  /// Of A21; 0 also where no column is left to factor.
  index_t rows_below() const { return cols() > 0 ? A_.rows() - cols() : 0; }
  packed_cholesky_panel next() const {
    return {set_, A_.trailing(cols()), columns_ - cols(), block_, other_, memory_, first_ + cols()};
  }

  template <class On>
  void factor(On& on) const {
    on.once(nest_step::factor_packed, [&] { on.record(factor(), first_); });
  }
  /// A21 := A21·L11⁻ᴴ.
  template <class On>
  void solve_below(On& on) const {
    const index_t above = count(cols());
    on.ranges(nest_step::solve_packed, count(A_.rows()) - above, solved_at_once,
              [&](index_t from, index_t to) {
                with_isa(set_, [&](auto target) {
                  solve_rows(target, panel_, above + from, above + to);
                });
              });
  }
  /// A22 −= A21·A21ᴴ. In a team piece 0 is the next diagonal block, update and factorization; the
  /// others are groups of columns without that block.
  template <class On>
  void update(On& on, const packed_cholesky_panel& next) const {
    const index_t n = rows_below(), b = next.cols();
    if (!on.is_team()) {
      on.once(nest_step::update_packed, [&] { subtract(A_, 0, n, 0); });
      return next.factor(on);
    }
    const index_t group = columns_at_once(n / (4 * on.threads()));
    on.pieces(nest_step::update_packed, 1 + (n + group - 1) / group, [&](index_t i) {
      if (i == 0) {
        subtract(A_.block(0, 0, cols() + b, cols() + b), 0, b, 0);
        on.record(next.factor(), next.first_);
        return;
      }
      const index_t from = (i - 1) * group, to = detail::min(n, i * group),
                    middle = detail::min(to, b);
      if (from < middle) subtract(A_, from, middle, b);
      if (middle < to) subtract(A_, detail::max(from, middle), to, 0);
    });
  }

  /// Memory of one panel.
  static std::size_t bytes(isa set, index_t rows, index_t cols) {
    return with_isa(set, [&](auto target) { return panel_bytes<decltype(target), T>(rows, cols); });
  }

 private:
  static constexpr index_t solved_at_once = 6;  // micro-panels

  index_t cols() const { return panel_.A.cols(); }
  /// Columns that a team's thread takes when there are n for each of its turns: many groups for a
  /// balance, wide ones for the caches.
  static constexpr index_t columns_at_once(index_t n) {
    return detail::clamp<index_t>(n / 16 * 16, 48, 256);
  }
  /// Micro-panels of so many rows.
  index_t count(index_t some_rows) const {
    return with_isa(
        set_, [&](auto target) { return count_micro_panels<decltype(target), T>(some_rows); });
  }
  /// A11 := L11 with A11 = L11·L11ᴴ; the index of a failure counts from A's first row.
  status factor() const {
    return blas::status_of_pivot(
        A_, with_isa(set_, [&](auto target) { return factor_panel(target, panel_, cols()); }));
  }
  /// The lower triangle of A22 −= A21·A21ᴴ in columns from … to − 1 of A22, and there from row
  /// `first_row` on: all multiples of panel_unit, or the end of A22.
  void subtract(const matrix_view<T>& A, index_t from, index_t to, index_t first_row) const {
    const index_t k = cols();
    if (k + first_row >= A.rows()) return;
    with_isa(set_, [&](auto target) {
      update_trailing(target, panel_, A, k + from, k + to, k + first_row);
    });
  }

  matrix_view<T> A_;
  isa set_;
  index_t columns_, block_, first_;
  std::byte *memory_, *other_;
  cholesky_panel<T> panel_;
};

/// The largest panel_bytes of any instruction set here.
template <class T>
constexpr std::size_t most_panel_bytes(index_t rows, index_t cols) {
  std::size_t bytes = 0;
  #define TRIFAC_FOR_ISA(set, is_here) \
    bytes = detail::max(bytes, panel_bytes<set::target, T>(rows, cols));
  #include "trifac/engine/simd/isa/list.inl"
  return bytes;
}

/// Panels up to this size are on the stack: 128×128 for double.
inline constexpr std::size_t panel_bytes_on_stack = 144 << 10;

/// Lower triangle of the n×n matrix at A := L with A = L·Lᴴ. −1, or the index of the first bad
/// pivot. A frame of its own, which the halves below do not pile up; the matrix comes in registers,
/// since a view in memory costs a tenth of the time of order 16.
template <class T>
TRIFAC_ENTRY index_t factor_one_panel_at(T* A, index_t n, index_t row_stride, index_t col_stride) {
  constexpr index_t most = cholesky_in_one_panel.of<T>();
  static_assert(most_panel_bytes<T>(most, most) <= panel_bytes_on_stack);
  alignas(64) std::byte memory[panel_bytes_on_stack];
  return with_isa([&](auto target) {
    const matrix_view<T> view(A, n, n, row_stride, col_stride);
    return factor_panel(target, place_panel(target, view, n, memory), n);
  });
}

/// The same by one of the kernels before `panels`.
template <class T>
index_t factor_small_at(cholesky_kernel kernel, T* A, index_t n, index_t row_stride,
                        index_t col_stride) {
  if constexpr (!is_complex<T>)
    if (kernel == cholesky_kernel::scalars && with_isa([&](auto target) {
          return factor_by_scalars(target, A, n, row_stride, col_stride);
        }))
      return -1;
  return factor_one_panel_at(A, n, row_stride, col_stride);
}

/// The same with a status.
template <class T>
status factor_small_cholesky(cholesky_kernel kernel, const matrix_view<T>& A) {
  return blas::status_of_pivot(
      A, factor_small_at(kernel, A.data(), A.rows(), A.row_stride(), A.col_stride()));
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
class packed_cholesky_panel;
template <class T>
index_t factor_small_at(cholesky_kernel, T*, index_t, index_t, index_t) {
  return -1;
}
template <class T>
status factor_small_cholesky(cholesky_kernel, const matrix_view<T>&) {
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
    const cholesky_kernel best = best_cholesky_kernel<T>(A.rows());
    return best < cholesky_kernel::panels ? factor_small_cholesky(best, A) : factor_halves(A);
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
