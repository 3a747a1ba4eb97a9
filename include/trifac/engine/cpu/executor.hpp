#pragma once
// The executor of a CPU: each block operation of backend.hpp, shared among the threads of a call.

#include <span>

#include "trifac/backend.hpp"
#include "trifac/engine/base/as_size.hpp"
#include "trifac/engine/base/min_max.hpp"
#include "trifac/engine/blas/copy.hpp"
#include "trifac/engine/blas/factor_block.hpp"
#include "trifac/engine/blas/factor_column.hpp"
#include "trifac/engine/blas/factor_panel.hpp"
#include "trifac/engine/blas/solve_triangular.hpp"
#include "trifac/engine/blas/tournament.hpp"
#include "trifac/engine/blas/update.hpp"
#include "trifac/engine/cpu/member.hpp"
#include "trifac/engine/panel/packed_cholesky.hpp"
#include "trifac/engine/simd/core/product.hpp"
#include "trifac/engine/simd/core/solve_triangular.hpp"

namespace trifac {
namespace backend {
inline namespace TRIFAC_ABI {

/// One thread of a call, alone or in a team, which computes its part of each block operation. One
/// class for both, so that a nest is compiled once.
class cpu_executor : public member {
 public:
  using member::member;

  /// nest(on) with an executor of one thread, within a piece of a step.
  template <class Nest>
  void single_threaded(const Nest& nest, const stopwatch* watch = nullptr) {
    cpu_executor on(outcome());
    on.member::watch(watch);
    nest(on);
  }

  // By elements.

  template <class Source, class View, class... Sums>
  void factor_diagonal(const Source& A, const View& L, index_t j, Sums... sums) {
    once(nest_step::factor_diagonal, [&] { record(blas::factor_diagonal(A, L, j, sums...), 0); });
  }
  template <class Source, class View, class... Sums>
  void factor_column(const Source& A, const View& L, index_t j, Sums... sums) {
    parts(nest_step::factor_column, A.rows() - j - 1, 1, [&](index_t from, index_t to) {
      blas::factor_column(A, L, j, j + 1 + from, j + 1 + to, sums...);
    });
  }
  /// In a team by pieces of `row_piece` columns: one thread solves a piece, all subtract it from
  /// the rest of the row. Each element keeps its order of k, so the bits are those of one piece.
  template <class Source, class View>
  void factor_row(const Source& A, const View& L, index_t i) {
    const auto begin = time();
    const index_t piece = is_team() ? row_piece : detail::max<index_t>(1, i);
    if (i > 0) share(1, [&](index_t) { blas::factor_row(A, L, i, 0, detail::min(i, piece)); });
    for (index_t done = piece; done < i; done += piece) {
      const index_t next = detail::min(i, done + piece);
      const bool first = done == piece;
      share_parts(i - done, 1, [&](index_t from, index_t to) {
        if (first)
          blas::reduce_row(A, L, i, 0, done, done + from, done + to);
        else
          blas::reduce_row(L, L, i, done - piece, done, done + from, done + to);
      });
      share(1, [&](index_t) { blas::factor_row(L, L, i, done, next); });
    }
    add_time(nest_step::factor_row, begin);
  }

  // By blocks.

  template <class T>
  void factor_block(matrix_view<T> A, index_t first) {
    once(nest_step::factor_block, [&] { record(simd::factor_block(A), first); });
  }
  template <class T>
  void factor_block_lu(matrix_view<T> A, index_t first) {
    once(nest_step::factor_block_lu, [&] { record(blas::factor_block_lu(A), first); });
  }
  template <class T>
  void factor_panel(matrix_view<T> A, index_t first, std::span<index_t> interchanges) {
    once(nest_step::factor_panel, [&] {
      const auto rows = interchanges.subspan(detail::as_size(first),
                                             detail::as_size(detail::min(A.rows(), A.cols())));
      record(blas::factor_panel(A, rows), first);
      for (index_t& row : rows) row += first;
    });
  }
  template <class T>
  void swap_rows(matrix_view<T> A, index_t from, index_t to,
                 std::span<const index_t> interchanges) {
    parts(nest_step::swap_rows, A.cols(), swap_grain, [&](index_t c, index_t end) {
      blas::swap_rows(A.block(0, c, A.rows(), end - c), from, to, interchanges);
    });
  }
  template <class T>
  void swap_rows_back(matrix_view<T> A, index_t from, index_t to,
                      std::span<const index_t> interchanges) {
    parts(nest_step::swap_rows_back, A.cols(), swap_grain, [&](index_t c, index_t end) {
      blas::swap_rows_back(A.block(0, c, A.rows(), end - c), from, to, interchanges);
    });
  }
  template <class L, class T>
  void solve_lower(const L& A, matrix_view<T> B, diagonal diag) {
    parts(nest_step::solve_lower, B.cols(), column_grain, [&](index_t c, index_t end) {
      simd::solve_lower(operand<T>(A), B.block(0, c, B.rows(), end - c), diag, B.cols());
    });
  }
  template <class U, class T>
  void solve_upper(const U& A, matrix_view<T> B, diagonal diag) {
    parts(nest_step::solve_upper, B.cols(), column_grain, [&](index_t c, index_t end) {
      simd::solve_upper(operand<T>(A), B.block(0, c, B.rows(), end - c), diag, B.cols());
    });
  }
  template <class U, class T>
  void solve_right_upper(const U& A, matrix_view<T> B) {
    parts(nest_step::solve_right_upper, B.rows(), row_grain, [&](index_t r, index_t end) {
      simd::solve_right_upper(operand<T>(A), B.block(r, 0, end - r, B.cols()), B.rows());
    });
  }
  template <class T, class A, class B>
  void update(matrix_view<T> C, const A& left, const B& right) {
    const operand<T> a(left), b(right);
    if (!is_team() || C.cols() >= C.rows())
      parts(nest_step::update, C.cols(), column_grain, [&](index_t c, index_t end) {
        simd::update(C.block(0, c, C.rows(), end - c), a, b.block(0, c, b.rows(), end - c));
      });
    else
      parts(nest_step::update, C.rows(), row_grain, [&](index_t r, index_t end) {
        simd::update(C.block(r, 0, end - r, C.cols()), a.block(r, 0, end - r, a.cols()), b);
      });
  }
  template <class T>
  void update_lower(matrix_view<T> C, matrix_view<T> A) {
    const index_t n = C.rows(), k = A.cols();
    ranges(nest_step::update_lower, n, blas::lower_step, [&](index_t from, index_t to) {
      const matrix_view<const T> A1 = A.block(from, 0, to - from, k);
      simd::update_lower<T>(C.block(from, from, to - from, to - from), A1);
      if (to < n)
        simd::update(C.block(to, from, n - to, to - from), operand<T>(A.block(to, 0, n - to, k)),
                     adjoint(A1));
    });
  }
  template <class T>
  void copy(matrix_view<T> A, matrix_view<T> B) {
    parts(nest_step::copy, A.cols(), swap_grain, [&](index_t c, index_t end) {
      blas::copy<T>(A.block(0, c, A.rows(), end - c), B.block(0, c, B.rows(), end - c));
    });
  }

  // For tournaments.

  template <class T>
  void local_lu(const tournament_round<T>& round) {
    pieces(nest_step::local_lu, round.groups, [&](index_t g) { blas::local_lu(round, g); });
  }
  void interchanges_from_candidates(std::span<const index_t> candidates, index_t first,
                                    std::span<index_t> interchanges, std::span<index_t> places) {
    once(nest_step::interchanges_from_candidates,
         [&] { blas::interchanges_from_candidates(candidates, first, interchanges, places); });
  }
  /// The piece with the first rows of A21 also checks A11.
  template <class T>
  void check_growth(matrix_view<T> A11, matrix_view<T> A21, double limit) {
    const index_t count = detail::max<index_t>(1, A21.rows());
    parts(nest_step::check_growth, count, row_grain, [&](index_t r, index_t end) {
      const index_t rows = detail::min(end, A21.rows()) - r;
      const matrix_view<T> top = r == 0 ? A11 : A11.block(0, 0, 0, 0);
      if (!blas::is_good_panel<T>(top, A21.block(r, 0, rows, A21.cols()), limit))
        fallback_flag() = true;
    });
  }
  /// On one thread, since panels whose tournament fails are rare. The steps inside are timed.
  template <class Nest>
  void fallback(const Nest& nest) {
    share(1, [&](index_t) {
      if (fallback_flag()) single_threaded(nest, watch());
      fallback_flag() = false;
    });
  }
  template <class Nest>
  void sequential(const Nest& nest) {
    share(1, [&](index_t) { single_threaded(nest, watch()); });
  }

 private:
  static constexpr index_t row_piece = 64;  // columns of a row that one thread solves
  // Parts are multiples of these: whole vectors, whole tiles.
  static constexpr index_t swap_grain = 4, column_grain = 8, row_grain = 16;
};

}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac
