#pragma once
// The OpenMP backend: one parallel region for a whole factorization; all threads walk the loop
// nest, each verb shares its work out and ends with a barrier. The only header that looks at
// _OPENMP.

#include <algorithm>
#include <chrono>
#include <span>
#include <string_view>
#include <utility>

#include "trifac/backend/serial.hpp"
#include "trifac/backend/team.hpp"

#if defined(_OPENMP)
  #include <omp.h>
  #define TRIFAC_OPENMP_SWITCH openmp_on
#else
  #define TRIFAC_OPENMP_SWITCH openmp_off
#endif

namespace trifac {
namespace backend {

// Compiled with and without OpenMP the policy is two types, so that object files of both kinds link
// safely.
inline namespace TRIFAC_OPENMP_SWITCH {

/// A team of OpenMP threads for each call; serial inside a parallel region and where the work is
/// too small to share, and for some calls after a team of this caller that came late
/// (team_experience). No private pool. The bits of the result do not depend on the number of
/// threads.
struct openmp {
  static constexpr std::string_view name = "openmp";

  int threads = 0;  ///< 0: as many as OpenMP would use (OMP_NUM_THREADS, omp_set_num_threads)

  availability available() const noexcept {
#if defined(_OPENMP)
    return {true, ""};
#else
    return {false, "compiled without OpenMP (add -fopenmp)"};
#endif
  }
  static constexpr bool packs_panels = true;       ///< see PackingBackend
  static constexpr bool direct_when_small = true;  ///< one thread below shared_work_threshold
  friend constexpr bool supports(const openmp&, variant) {
    return true;
  }
};

}  // namespace TRIFAC_OPENMP_SWITCH

inline namespace TRIFAC_ABI {
inline namespace TRIFAC_OPENMP_SWITCH {

/// Work below which a second thread may cost more than it brings, in flops: where two cores share
/// no cache, what they hand over takes the time that they save up to Cholesky of order 400.
inline constexpr double shared_work_threshold = 2.5e7;

/// One thread of a team: the verbs of backend.hpp. All threads call the same verbs in the same
/// order.
class openmp_executor : public team_member {
 public:
  using team_member::team_member;

  int threads() const { return size(); }

  template <class Source, class View, class... Sums>
  void factor_diagonal(const Source& A, const View& L, index_t j, Sums... sums) {
    serially([&](auto& here) { here.factor_diagonal(A, L, j, sums...); });
  }
  template <class Source, class View, class... Sums>
  void factor_column(const Source& A, const View& L, index_t j, Sums... sums) {
    shared(A.rows() - j - 1, 1, [&](index_t from, index_t to) {
      verb::factor_column(A, L, j, j + 1 + from, j + 1 + to, sums...);
    });
  }
  /// A row in pieces of `row_piece` columns: one thread solves a piece, all subtract it from the
  /// rest of the row. The pieces keep each element's sum in the order of k, so that the bits are
  /// those of the serial row.
  template <class Source, class View>
  void factor_row(const Source& A, const View& L, index_t i) {
    if (i > 0) alone([&] { verb::factor_row(A, L, i, 0, std::min(i, row_piece)); });
    for (index_t done = row_piece; done < i; done += row_piece) {
      const index_t next = std::min(i, done + row_piece);
      const bool first = done == row_piece;
      shared(i - done, 1, [&](index_t from, index_t to) {
        if (first)
          verb::reduce_row(A, L, i, 0, done, done + from, done + to);
        else
          verb::reduce_row(L, L, i, done - row_piece, done, done + from, done + to);
      });
      alone([&] { verb::factor_row(L, L, i, done, next); });
    }
  }

  template <class T>
  void factor_block(matrix_view<T> A, index_t first) {
    serially([&](auto& here) { here.factor_block(A, first); });
  }
  // The steps of cholesky_fused. Ranges are whole tiles, so that their order does not matter.
  static constexpr bool looks_ahead = true;
  template <class Panel>
  void factor_packed(const Panel& panel, index_t first) {
    once([&] { serial_executor(outcome()).factor_packed(panel, first); });
  }
  template <class Panel>
  void solve_packed(const Panel& panel) {
    const index_t strips = panel.strips(), some = 6;
    taken((strips + some - 1) / some,
          [&](index_t i) { panel.solve(i * some, std::min(strips, (i + 1) * some)); });
  }
  /// Piece 0 is the next diagonal block, update and factorization; the others are groups of
  /// columns without that block.
  template <class Panel>
  void update_packed(const Panel& panel, const Panel& next, index_t first) {
    const index_t n = next.rows(), b = next.cols(), group = columns_at_once(n);
    taken(1 + (n + group - 1) / group, [&](index_t i) {
      if (i == 0) {
        panel.update_block(b);
        serial_executor(outcome()).factor_packed(next, first);
        return;
      }
      const index_t from = (i - 1) * group, to = std::min(n, i * group), middle = std::min(to, b);
      if (from < middle) panel.update(from, middle, b);
      if (middle < to) panel.update(std::max(from, middle), to, 0);
    });
  }

  // The steps of lu_packed. Piece 0 is the next panel: its columns first, then its factorization.
  template <class Panel>
  void eliminate_packed(const Panel& panel, const Panel& next) {
    const index_t n = panel.columns_left(), ahead = next.cols(), group = columns_of<Panel>(n);
    taken(1 + (n - ahead + group - 1) / group, [&](index_t i) {
      if (i > 0) {
        panel.eliminate(ahead + (i - 1) * group, std::min(n, ahead + i * group));
      } else if (ahead > 0) {
        panel.eliminate(0, ahead);
        serial_executor(outcome()).factor_packed(next, next.first());
      }
    });
  }
  template <class Panel>
  void eliminate_packed(const Panel& panel) {
    const index_t n = panel.columns_left(), group = columns_of<Panel>(n);
    taken((n + group - 1) / group,
          [&](index_t i) { panel.eliminate(i * group, std::min(n, (i + 1) * group)); });
  }
  template <class Panel, class Round, class Games>
  void play_packed(const Panel& panel, const Round& round, const Games& games) {
    taken(std::min(games.slots, round.games), [&](index_t slot) {
      for (index_t g = slot; g < round.games; g += games.slots) panel.play(round, g, games, slot);
    });
  }
  template <class Panel, class Games>
  void start_packed(const Panel& panel, const Games& games) {
    once([&] { fallback_flag() = !panel.start(games); });
  }
  template <class Panel, class Games>
  void solve_left_packed(const Panel& panel, const Games& games, double limit) {
    taken(panel.left_chunks(), [&](index_t i) {
      if (!fallback_flag() && !(panel.solve_left(games, i) <= limit)) fallback_flag() = true;
    });
  }
  template <class Panel>
  void finish_packed(const Panel& panel) {
    once([&] {
      if (fallback_flag())
        serial_executor(outcome()).factor_packed(panel, panel.first());
      else
        panel.finish();
      fallback_flag() = false;
    });
  }
  template <class Panel>
  void interchange_left_packed(const Panel& panel) {
    const index_t pieces = panel.left_pieces();
    taken(pieces, [&](index_t i) { panel.interchange_left(i, pieces); });
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
      verb::swap_rows(A.block(0, c, A.rows(), end - c), from, to, interchanges);
    });
  }

  template <class T>
  void swap_rows_back(matrix_view<T> A, index_t from, index_t to,
                      std::span<const index_t> interchanges) {
    shared(A.cols(), 4, [&](index_t c, index_t end) {
      verb::swap_rows_back(A.block(0, c, A.rows(), end - c), from, to, interchanges);
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
  /// The steps are dealt in turn, so that every thread gets long and short columns.
  template <class T>
  void update_lower(matrix_view<T> C, matrix_view<T> A) {
    const index_t steps = (C.rows() + verb::lower_step - 1) / verb::lower_step;
    dealt(steps, [&](index_t s) { simd::update_lower_step<T>(C, A, s * verb::lower_step); });
  }
  template <class T>
  void copy(matrix_view<T> A, matrix_view<T> B) {
    shared(A.cols(), 4, [&](index_t c, index_t end) {
      verb::copy<T>(A.block(0, c, A.rows(), end - c), B.block(0, c, B.rows(), end - c));
    });
  }

  template <class T>
  void play(const tournament_round<T>& round) {
    dealt(round.games, [&](index_t g) { verb::play(round, g); });
  }
  void adopt_winners(std::span<const index_t> winners, index_t first,
                     std::span<index_t> interchanges, std::span<index_t> places) {
    serially([&](auto& here) { here.adopt_winners(winners, first, interchanges, places); });
  }
  template <class T>
  void judge(matrix_view<T> U11, matrix_view<T> L21, double limit) {
    shared(std::max<index_t>(1, L21.rows()), row_grain, [&](index_t r, index_t end) {
      const index_t rows = std::min(end, L21.rows()) - r;
      if (!verb::is_good_panel<T>(U11, L21.block(r, 0, rows, L21.cols()), limit))
        fallback_flag() = true;
    });
  }
  template <class Nest>
  void fallback(Nest nest) {
    const bool wanted = fallback_flag();
    if (wanted) nest(*this);
    barrier();  // everybody has read it
    if (rank() == 0) fallback_flag() = false;
    barrier();
  }
  template <class Nest>
  void sequential(Nest nest) {
    serially(nest);
  }

 private:
  static constexpr index_t row_piece = 64;  // columns of a row that one thread solves
  static constexpr index_t column_grain =
      8;  // parts are multiples of these: whole vectors, whole tiles
  static constexpr index_t row_grain = 16;

  // Columns that one thread updates at a time: many groups for a balance, wide ones for the caches.
  index_t columns_at_once(index_t n) const {
    return std::clamp<index_t>(n / (4 * size()) / 16 * 16, 48, 256);
  }

  // The same for LU: whole turns of a panel.
  template <class Panel>
  index_t columns_of(index_t n) const {
    constexpr index_t turn = Panel::columns_at_once;
    return std::clamp<index_t>(n / (4 * size()) / turn * turn, turn, 4 * turn);
  }

  // One thread, with the serial verbs.
  template <class Body>
  void serially(Body body) {
    alone([&] {
      serial_executor here(outcome());
      body(here);
    });
  }
};

/// Threads that a call with so much work will use.
inline int team_size(const openmp& policy, double flops) {
#if defined(_OPENMP)
  if (omp_in_parallel() || flops < shared_work_threshold) return 1;
  return policy.threads > 0 ? policy.threads : omp_get_max_threads();
#else
  static_cast<void>(policy);
  static_cast<void>(flops);
  return 1;
#endif
}

/// Of the calling thread, whatever it factors.
inline team_experience& experience_of_caller() {
  static thread_local team_experience experience;
  return experience;
}

/// Runs a loop nest on a team: every thread calls nest(on). A scalar type whose operations throw
/// ends the program here, as no exception can leave a parallel region.
template <class Nest>
void run(const openmp& policy, status& outcome, double flops, Nest nest) {
  const int threads = team_size(policy, flops);
  if (threads <= 1) return run(serial{}, outcome, flops, nest);
#if defined(_OPENMP)
  using clock = std::chrono::steady_clock;
  team_experience& experience = experience_of_caller();
  const bool as_asked = flops >= threads_as_asked;
  if (!as_asked && !experience.wants_team(flops)) return run(serial{}, outcome, flops, nest);
  team threads_of_call(outcome);
  const auto start = clock::now();
  auto end = start;
  team_experience::duration waited{};
  #pragma omp parallel num_threads(threads)
  {
    openmp_executor on(threads_of_call, omp_get_thread_num(), omp_get_num_threads());
    nest(on);
    if (omp_get_thread_num() == 0) {
      waited = on.waited();
      end = clock::now();
    }
  }
  const auto now = clock::now();
  if (!as_asked) experience.report(flops, threads, waited + (now - end), now - start);
#endif
}

}  // namespace TRIFAC_OPENMP_SWITCH
}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac
