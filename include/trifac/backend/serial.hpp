#pragma once
// The serial backend: every verb runs at once on the calling thread.

#include <span>

#include "trifac/backend/serial/policy.hpp"
#include "trifac/blas/copy.hpp"
#include "trifac/blas/factor_block.hpp"
#include "trifac/blas/factor_column.hpp"
#include "trifac/blas/factor_panel.hpp"
#include "trifac/blas/solve_triangular.hpp"
#include "trifac/blas/tournament.hpp"
#include "trifac/blas/update.hpp"
#include "trifac/detail/as_size.hpp"
#include "trifac/detail/min_max.hpp"
#include "trifac/panel/packed_cholesky.hpp"
#include "trifac/simd/core/product.hpp"
#include "trifac/simd/core/solve_triangular.hpp"

namespace trifac {
namespace backend {

inline namespace TRIFAC_ABI {

/// The executor: verbs as members, each a call of the verb's kernel. See backend.hpp for their
/// shapes and equations.
class serial_executor {
 public:
  explicit serial_executor(status& outcome) : outcome_(&outcome) {}

  int threads() const { return 1; }
  bool stopped() const { return !outcome_->completed(); }

  template <class Source, class View, class... Sums>
  void factor_diagonal(const Source& A, const View& L, index_t j, Sums... sums) {
    if (!stopped()) record(blas::factor_diagonal(A, L, j, sums...), 0);
  }
  template <class Source, class View, class... Sums>
  void factor_column(const Source& A, const View& L, index_t j, Sums... sums) {
    if (!stopped()) blas::factor_column(A, L, j, j + 1, A.rows(), sums...);
  }
  template <class Source, class View>
  void factor_row(const Source& A, const View& L, index_t i) {
    if (!stopped()) blas::factor_row(A, L, i, 0, i);
  }

  template <class T>
  void factor_block(matrix_view<T> A, index_t first) {
    if (!stopped()) record(simd::factor_block(A), first);
  }
  // The steps of cholesky_packed, on panels as in simd/packed_panel.hpp.
  static constexpr bool looks_ahead = false;
  template <class Panel>
  void factor_packed(const Panel& panel, index_t first) {
    if (!stopped()) record(panel.factor_block(), first);
  }
  template <class Panel>
  void solve_packed(const Panel& panel) {
    if (!stopped()) panel.solve(0, panel.strips());
  }
  template <class Panel>
  void update_packed(const Panel& panel, const Panel& next, index_t first) {
    if (stopped()) return;
    panel.update(0, next.rows(), 0);
    factor_packed(next, first);
  }

  // The steps of lu_packed, on panels as in simd/lu_packed_panel.hpp, besides factor_packed.
  template <class Panel>
  void eliminate_packed(const Panel& panel, const Panel& next) {
    if (stopped()) return;
    panel.eliminate(0, panel.columns_left());
    if (next.exists()) factor_packed(next, next.first());
  }
  template <class Panel, class Factor>
  void eliminate_packed(const Panel& panel, const Panel& next, const Factor& factor) {
    eliminate_packed(panel);
    if (next.exists() && !stopped()) factor(*this);
  }
  template <class Panel>
  void eliminate_packed(const Panel& panel) {
    if (!stopped()) panel.eliminate(0, panel.columns_left());
  }
  template <class Panel>
  void interchange_left_packed(const Panel& panel) {
    if (!stopped()) panel.interchange_left(0, 1);
  }
  template <class Panel, class Round, class Games>
  void play_packed(const Panel& panel, const Round& round, const Games& games) {
    for (index_t g = 0; g < round.games && !stopped(); ++g) panel.play(round, g, games, 0);
  }
  template <class Panel, class Games>
  void start_packed(const Panel& panel, const Games& games) {
    if (!stopped()) fallback_ = !panel.start(games);
  }
  template <class Panel, class Games>
  void solve_left_packed(const Panel& panel, const Games& games, double limit) {
    for (index_t i = 0; i < panel.left_chunks() && !fallback_ && !stopped(); ++i)
      fallback_ = !(panel.solve_left(games, i) <= limit);
  }
  /// The panel with tournament pivoting where nothing speaks against it, else with partial.
  template <class Panel, class Games>
  void finish_packed(const Panel& panel, const Games& games) {
    if (stopped()) return;
    if (fallback_)
      factor_packed(panel, panel.first());
    else
      for (index_t i = 0; i < panel.finish_pieces(); ++i) panel.finish(games, i);
    fallback_ = false;
  }

  template <class T>
  void factor_block_lu(matrix_view<T> A, index_t first) {
    if (!stopped()) record(blas::factor_block_lu(A), first);
  }
  template <class T>
  void factor_panel(matrix_view<T> A, index_t first, std::span<index_t> interchanges) {
    if (stopped()) return;
    const auto own = interchanges.subspan(detail::as_size(first),
                                          detail::as_size(detail::min(A.rows(), A.cols())));
    record(blas::factor_panel(A, own), first);
    for (index_t& row : own) row += first;
  }
  template <class T>
  void swap_rows(matrix_view<T> A, index_t from, index_t to,
                 std::span<const index_t> interchanges) {
    if (!stopped()) blas::swap_rows(A, from, to, interchanges);
  }

  template <class T>
  void swap_rows_back(matrix_view<T> A, index_t from, index_t to,
                      std::span<const index_t> interchanges) {
    if (!stopped()) blas::swap_rows_back(A, from, to, interchanges);
  }

  template <class L, class T>
  void solve_lower(const L& A, matrix_view<T> B, diagonal diag) {
    if (!stopped()) simd::solve_lower(operand<T>(A), B, diag, B.cols());
  }
  template <class U, class T>
  void solve_upper(const U& A, matrix_view<T> B, diagonal diag) {
    if (!stopped()) simd::solve_upper(operand<T>(A), B, diag, B.cols());
  }
  template <class U, class T>
  void solve_right_upper(const U& A, matrix_view<T> B) {
    if (!stopped()) simd::solve_right_upper(operand<T>(A), B, B.rows());
  }
  template <class T, class A, class B>
  void update(matrix_view<T> C, const A& left, const B& right) {
    if (!stopped()) simd::update(C, operand<T>(left), operand<T>(right));
  }
  template <class T>
  void update_lower(matrix_view<T> C, matrix_view<T> A) {
    if (!stopped()) simd::update_lower<T>(C, A);
  }
  template <class T>
  void copy(matrix_view<T> A, matrix_view<T> B) {
    if (!stopped()) blas::copy<T>(A, B);
  }

  template <class T>
  void play(const tournament_round<T>& round) {
    for (index_t g = 0; g < round.games && !stopped(); ++g) blas::play(round, g);
  }
  void adopt_winners(std::span<const index_t> winners, index_t first,
                     std::span<index_t> interchanges, std::span<index_t> places) {
    if (!stopped()) blas::adopt_winners(winners, first, interchanges, places);
  }
  template <class T>
  void judge(matrix_view<T> A11, matrix_view<T> A21, double limit) {
    if (!stopped()) fallback_ = !blas::is_good_panel<T>(A11, A21, limit);
  }
  template <class Nest>
  void fallback(Nest nest) {
    if (fallback_) nest(*this);
    fallback_ = false;
  }
  template <class Nest>
  void sequential(Nest nest) {
    nest(*this);
  }

 private:
  // The first failure stands, but a fatal one replaces a singular one: it tells where the
  // factorization ended.
  void record(const status& s, index_t first) {
    if (s || (!*outcome_ && s.completed())) return;
    *outcome_ = status::at(s.kind(), first + s.index());
  }

  status* outcome_;
  bool fallback_ = false;
};

/// Runs a loop nest: nest(on) with the serial executor.
template <class Nest>
void run(const serial&, status& outcome, double /*flops*/, Nest nest) {
  serial_executor on(outcome);
  nest(on);
}

}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac
