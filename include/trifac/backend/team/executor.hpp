#pragma once
// The executor of a team of threads: all walk the same loop nest and take pieces of each verb. Knows
// no OpenMP: whoever starts the threads gives each one its executor.

#include <algorithm>
#include <span>

#include "trifac/backend/serial.hpp"
#include "trifac/backend/team/panels.hpp"

namespace trifac {
namespace backend {
inline namespace TRIFAC_ABI {

/// One thread of a team: the verbs of backend.hpp. All threads call the same verbs in the same
/// order.
class team_executor : public team_panels {
 public:
  using team_panels::team_panels;

  int threads() const { return size(); }

  template <class Source, class View, class... Sums>
  void factor_diagonal(const Source& A, const View& L, index_t j, Sums... sums) {
    serially([&](auto& here) { here.factor_diagonal(A, L, j, sums...); });
  }
  template <class Source, class View, class... Sums>
  void factor_column(const Source& A, const View& L, index_t j, Sums... sums) {
    shared(A.rows() - j - 1, 1, [&](index_t from, index_t to) {
      blas::factor_column(A, L, j, j + 1 + from, j + 1 + to, sums...);
    });
  }
  /// A row in pieces of `row_piece` columns: one thread solves a piece, all subtract it from the
  /// rest of the row. The pieces keep each element's sum in the order of k, so that the bits are
  /// those of the serial row.
  template <class Source, class View>
  void factor_row(const Source& A, const View& L, index_t i) {
    if (i > 0) once([&] { blas::factor_row(A, L, i, 0, std::min(i, row_piece)); });
    for (index_t done = row_piece; done < i; done += row_piece) {
      const index_t next = std::min(i, done + row_piece);
      const bool first = done == row_piece;
      shared(i - done, 1, [&](index_t from, index_t to) {
        if (first)
          blas::reduce_row(A, L, i, 0, done, done + from, done + to);
        else
          blas::reduce_row(L, L, i, done - row_piece, done, done + from, done + to);
      });
      once([&] { blas::factor_row(L, L, i, done, next); });
    }
  }

  template <class T>
  void factor_block(matrix_view<T> A, index_t first) {
    serially([&](auto& here) { here.factor_block(A, first); });
  }
  template <class T>
  void factor_block_lu(matrix_view<T> A, index_t first) {
    serially([&](auto& here) { here.factor_block_lu(A, first); });
  }
  template <class T>
  void factor_panel(matrix_view<T> A, index_t first, std::span<index_t> interchanges) {
    serially([&](auto& here) { here.factor_panel(A, first, interchanges); });
  }
  template <class T>
  void swap_rows(matrix_view<T> A, index_t from, index_t to,
                 std::span<const index_t> interchanges) {
    shared(A.cols(), 4, [&](index_t c, index_t end) {
      blas::swap_rows(A.block(0, c, A.rows(), end - c), from, to, interchanges);
    });
  }

  template <class T>
  void swap_rows_back(matrix_view<T> A, index_t from, index_t to,
                      std::span<const index_t> interchanges) {
    shared(A.cols(), 4, [&](index_t c, index_t end) {
      blas::swap_rows_back(A.block(0, c, A.rows(), end - c), from, to, interchanges);
    });
  }

  template <class L, class T>
  void solve_lower(const L& A, matrix_view<T> B, diagonal diag) {
    shared(B.cols(), column_grain, [&](index_t c, index_t end) {
      simd::solve_lower(operand<T>(A), B.block(0, c, B.rows(), end - c), diag, B.cols());
    });
  }
  template <class U, class T>
  void solve_upper(const U& A, matrix_view<T> B, diagonal diag) {
    shared(B.cols(), column_grain, [&](index_t c, index_t end) {
      simd::solve_upper(operand<T>(A), B.block(0, c, B.rows(), end - c), diag, B.cols());
    });
  }
  template <class U, class T>
  void solve_right_upper(const U& A, matrix_view<T> B) {
    shared(B.rows(), row_grain, [&](index_t r, index_t end) {
      simd::solve_right_upper(operand<T>(A), B.block(r, 0, end - r, B.cols()), B.rows());
    });
  }
  template <class T, class A, class B>
  void update(matrix_view<T> C, const A& left, const B& right) {
    const operand<T> a(left), b(right);
    if (C.cols() >= C.rows())
      shared(C.cols(), column_grain, [&](index_t c, index_t end) {
        simd::update(C.block(0, c, C.rows(), end - c), a, b.block(0, c, b.rows(), end - c));
      });
    else
      shared(C.rows(), row_grain, [&](index_t r, index_t end) {
        simd::update(C.block(r, 0, end - r, C.cols()), a.block(r, 0, end - r, a.cols()), b);
      });
  }
  template <class T>
  void update_lower(matrix_view<T> C, matrix_view<T> A) {
    const index_t steps = (C.rows() + blas::lower_step - 1) / blas::lower_step;
    taken(steps, [&](index_t s) { simd::update_lower_step<T>(C, A, s * blas::lower_step); });
  }
  template <class T>
  void copy(matrix_view<T> A, matrix_view<T> B) {
    shared(A.cols(), 4, [&](index_t c, index_t end) {
      blas::copy<T>(A.block(0, c, A.rows(), end - c), B.block(0, c, B.rows(), end - c));
    });
  }

  template <class T>
  void play(const tournament_round<T>& round) {
    taken(round.games, [&](index_t g) { blas::play(round, g); });
  }
  void adopt_winners(std::span<const index_t> winners, index_t first,
                     std::span<index_t> interchanges, std::span<index_t> places) {
    serially([&](auto& here) { here.adopt_winners(winners, first, interchanges, places); });
  }
  template <class T>
  void judge(matrix_view<T> A11, matrix_view<T> A21, double limit) {
    shared(std::max<index_t>(1, A21.rows()), row_grain, [&](index_t r, index_t end) {
      const index_t rows = std::min(end, A21.rows()) - r;
      if (!blas::is_good_panel<T>(A11, A21.block(r, 0, rows, A21.cols()), limit))
        fallback_flag() = true;
    });
  }
  /// On one thread: a panel that no tournament can do is rare.
  template <class Nest>
  void fallback(Nest nest) {
    serially([&](auto& here) {
      if (fallback_flag()) nest(here);
      fallback_flag() = false;
    });
  }
  template <class Nest>
  void sequential(Nest nest) {
    serially(nest);
  }

 private:
  static constexpr index_t row_piece = 64;  // columns of a row that one thread solves
  // Parts are multiples of these: whole vectors, whole tiles.
  static constexpr index_t column_grain = 8, row_grain = 16;

  // One thread, with the serial verbs.
  template <class Body>
  void serially(Body body) {
    once([&] {
      serial_executor here(outcome());
      body(here);
    });
  }
};

}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac
