#pragma once
// The verbs of LU on a device, but for those with look-ahead.

#include <memory>
#include <span>

#include "trifac/backend/device_lu_ahead.hpp"
#include "trifac/kernel/lu_rows.hpp"
#include "trifac/kernel/lu_solve.hpp"
#include "trifac/kernel/tournament.hpp"
#include "trifac/lu.hpp"

namespace trifac::device {

/// A run of row numbers in device memory, with the members of std::span that a tournament uses.
template <class Handle>
struct device_indices {
  Handle memory{};
  index_t offset = 0, count = 0;

  bool empty() const { return count == 0; }
  device_indices first(index_t n) const { return {memory, offset, n}; }
  device_indices last(index_t n) const { return {memory, offset + count - n, n}; }
};

/// Where a tournament on a device keeps what it works on. The scales live with the executor.
template <class T, class Handle>
struct device_memory {
  struct scales {
    selection rule = selection::plain;
    bool empty() const { return rule == selection::plain; }
  };
  using view = device_view<T, Handle>;
  using const_view = view;
  using indices = device_indices<Handle>;
  using const_indices = indices;
};

inline namespace TRIFAC_ABI {

/// The verbs of LU; see backend.hpp for their equations. The interchanges live on the device: the
/// spans that the nests hand over name them and are not looked at.
template <class Runtime, class T>
class lu_executor : public lu_ahead_verbs<Runtime, T> {
 public:
  using base = lu_ahead_verbs<Runtime, T>;
  using typename base::handle;
  using typename base::operand;
  using typename base::scratch;
  using typename base::view;
  using memory = device_memory<T, handle>;
  using indices = typename memory::indices;
  using spans = std::span<const index_t>;

  using base::base;

  /// ahead(executor) in the second queue, whose work goes before that of the first, and rest()
  /// beside it; both after what was enqueued, and before what comes. One after the other where there
  /// is one queue.
  template <class Ahead, class Rest>
  void beside(Ahead ahead, Rest rest) {
    if constexpr (Runtime::has_second_queue) {
      if (!second_) second_ = std::make_unique<lu_executor>(*this, device_queue::second);
      typename Runtime::second_queue queue(this->runtime());
      ahead(*second_);
      rest();
      queue.join();
    } else {
      ahead(*this);
      rest();
    }
  }

  void factor_panel(view A, index_t first, spans) { eliminate(A, first, plain_rule); }
  void factor_block_lu(view A, index_t first) { eliminate(A, first, no_pivoting); }

  void swap_rows(view A, index_t from, index_t to, spans) { exchange(A, from, to, 0); }
  void swap_rows_back(view A, index_t from, index_t to, spans) { exchange(A, from, to, 1); }

  /// The solves leave their unknowns in packed strips, which an update that follows takes.
  void solve_lower(operand L, view B, diagonal diag) {
    if constexpr (Runtime::has_library)
      if (diag == diagonal::unit && this->uses_library(B.cols(), B.cols(), B.rows()) &&
          this->runtime().library().solve_lower(L, B, diag))
        return forget();
    substitute(L, B, diag, is_complex<T>, rows_of_product_);
  }
  void solve_upper(operand U, view B, diagonal diag) {
    const view& V = U.view;
    const index_t last = V.rows() - 1;
    const view turned(V.memory(), V.offset() + last * (V.row_stride() + V.col_stride()), V.rows(),
                      V.cols(), -V.row_stride(), -V.col_stride());
    const view upside_down(B.memory(), B.offset() + last * B.row_stride(), B.rows(), B.cols(),
                           -B.row_stride(), B.col_stride());
    substitute({turned, U.conjugated}, upside_down, diag, is_complex<T>, rows_of_product_);
    rows_of_product_.unknowns = {};  // they lie upside down
  }
  void solve_right_upper(operand U, view B) {
    substitute(U.transposed(), B.transposed(), diagonal::general, false, columns_of_product_);
  }

  void update(view C, operand A, operand B) {
    if (base::update_by_library(C, A, B)) return forget();
    const bool has_left = columns_of_product_.holds(A.view.transposed()) && !A.conjugated;
    const bool has_right = rows_of_product_.holds(B.view) && !B.conjugated;
    const index_t depth = A.cols(), padded = base::round_up(depth, this->shape().solve_n);
    const bool along_rows = C.row_stride() != 1 && C.col_stride() == 1;
    // Strips from a solve and strips packed here have the same pitch where nothing was padded.
    const bool usable = (has_left && has_right) || ((has_left || has_right) && padded == depth);
    if (!usable || C.empty() || (along_rows && is_complex<T>)) {
      base::update(C, A, B);
    } else {
      scratch packed;
      if (!has_left) packed = this->pack(A);
      if (!has_right) packed = this->pack(trifac::device::adjoint(B.view));
      const handle left = has_left ? columns_of_product_.strips.get() : packed.get();
      const handle right = has_right ? rows_of_product_.strips.get() : packed.get();
      if (along_rows)
        this->launch_update(C.transposed(), right, left, depth, base::whole, padded);
      else
        this->launch_update(C, left, right, depth, base::whole, padded);
    }
    forget();
  }

  /// Looks at what no pivot has shown.
  void check_edges(view A) {
    launch("check_edges", {}, {}, A.memory(), A.offset(), A.rows(), A.cols(), A.row_stride(),
           A.col_stride(), this->state());
  }

  void copy(view A, view B) {
    if (A.empty()) return;
    forget();
    const extent items = this->line(A.rows());
    launch("copy_guarded", {base::parts_of(A.rows(), base::index_of(items.x))}, items, A.memory(),
           A.offset(), A.row_stride(), A.col_stride(), B.memory(), B.offset(), B.row_stride(),
           B.col_stride(), A.rows(), A.cols(), guarded_, this->state());
  }

  void play(const tournament_round<T, memory>& round) {
    const index_t most = (round.units + round.games - 1) / round.games * round.unit;
    const index_t b = round.panel.cols(), height = base::panel_height(most);
    const index_t columns = b + kernel::panel_cols_beyond;
    base::template reserve<T>(this->panel_, round.games * height * columns);
    base::template reserve<T>(this->step_, round.games * kernel::panel_cols_beyond * columns);
    base::template reserve<real_t<T>>(scales_, round.games * height);
    base::template reserve<index_t>(exchanges_, round.games * b);
    const view &A = round.panel, &root = round.copies;
    launch_tournament("play", {static_cast<std::size_t>(round.games)}, panel_items(), A.memory(),
                      A.offset(), A.row_stride(), A.col_stride(), static_cast<int>(b),
                      static_cast<int>(!round.candidates.empty()),
                      round.candidates.empty() ? round.order.memory : round.candidates.memory,
                      round.candidates.offset, round.winners.memory, round.winners.offset,
                      round.order.memory, round.games, round.units, round.unit,
                      round.scales.empty() ? plain_rule : scaled_rule, this->panel_.get(),
                      static_cast<int>(height), this->step_.get(), scales_.get(), exchanges_.get(),
                      root.memory(), root.offset(), root.row_stride(), root.col_stride(),
                      this->state());
  }
  void adopt_winners(indices winners, index_t first, spans, indices places) {
    launch_tournament("adopt_winners", {}, this->line(places.count / 2), winners.memory,
                      winners.offset, static_cast<int>(winners.count), first, places.count / 2,
                      this->interchanges_, places.memory, this->state());
  }
  void judge(view U11, view L21, double limit) {
    const index_t rows = U11.rows() + L21.rows();
    const extent items = this->line(rows);
    launch_tournament("judge", {base::parts_of(rows, base::index_of(items.x))}, items, U11.memory(),
                      U11.offset(), L21.memory(), L21.offset(), L21.rows(),
                      static_cast<int>(U11.cols()), U11.row_stride(), U11.col_stride(),
                      static_cast<real_t<T>>(limit), this->state());
  }
  /// The steps are enqueued in any case and return unless judge() asked for them.
  template <class Nest>
  void fallback(Nest nest) {
    guarded_ = 1;
    nest(*this);
    guarded_ = 0;
    launch_tournament("settle_fallback", {}, {}, this->state());
  }

 private:
  static constexpr int no_pivoting = 0, plain_rule = 1, scaled_rule = 2;  // kernel/lu_panel.hpp
  static constexpr index_t solve_block = 256;  // unknowns of one substitution

  /// Unknowns of the last solve in packed strips.
  struct solved {
    view unknowns;
    scratch strips;

    bool holds(const view& A) const {
      const view& X = unknowns;
      return !X.empty() && X.memory() == A.memory() && X.offset() == A.offset() &&
             X.rows() == A.rows() && X.cols() == A.cols() && X.row_stride() == A.row_stride() &&
             X.col_stride() == A.col_stride();
    }
  };

  extent panel_items() const { return {static_cast<std::size_t>(this->shape().diagonal_items)}; }
  /// What the solves left is no longer what lies in the matrix.
  void forget() { rows_of_product_.unknowns = columns_of_product_.unknowns = {}; }

  void eliminate(view A, index_t first, int rule) {
    forget();
    const index_t columns = A.cols() + kernel::panel_cols_beyond,
                  height = base::panel_height(A.rows());
    if (height > std::numeric_limits<int>::max())
      throw backend_error("a panel of more than 2^31 rows");
    base::template reserve<T>(this->panel_, height * columns);
    base::template reserve<T>(this->step_, kernel::panel_cols_beyond * columns);
    launch("factor_panel", {}, panel_items(), A.memory(), A.offset(), static_cast<int>(A.rows()),
           static_cast<int>(A.cols()), A.row_stride(), A.col_stride(), rule, this->panel_.get(),
           static_cast<int>(height), this->step_.get(), first, this->interchanges_, guarded_,
           this->state());
  }

  void exchange(view A, index_t from, index_t to, int backward) {
    if (A.empty() || from >= to) return;
    forget();
    if (this->shape().diagonal_items == 1)
      this->launch_swap(program(), A, from, to, backward, 0);
    else
      this->launch_interchange(program(), A, from, to, backward);
  }

  /// L·X = B by blocks; the last block's unknowns stay in `into`, conjugated where asked.
  void substitute(operand L, view B, diagonal diag, bool conjugated, solved& into) {
    into.unknowns = {};
    if (B.empty()) return;
    for (index_t k = 0; k < B.rows(); k += solve_block) {
      const index_t b = std::min(solve_block, B.rows() - k), below = B.rows() - k - b;
      const view B1 = B.block(k, 0, b, B.cols());
      substitute_block(L.block(k, k, b, b), B1, diag, conjugated, into.strips);
      if (below > 0)
        base::update(B.block(k + b, 0, below, B.cols()), L.block(k + b, k, below, b), B1);
    }
    if (B.rows() <= solve_block) into.unknowns = B;
  }
  void substitute_block(operand L, view B, diagonal diag, bool conjugated, scratch& strips) {
    const index_t n = B.rows(), count = B.cols(), strip = this->shape().strip();
    const index_t padded = base::round_up(n, this->shape().solve_n);
    const int unit = diag == diagonal::unit;
    base::template reserve<T>(triangle_, padded * padded);
    base::template reserve<T>(strips, base::round_up(count, strip) * padded);
    const view& V = L.view;
    launch("pack_triangle", {static_cast<std::size_t>(padded)},
           this->shape().diagonal_items == 1 ? extent{} : this->line(padded), V.memory(),
           V.offset(), static_cast<int>(n), V.row_stride(), V.col_stride(),
           static_cast<int>(L.conjugated != conjugated), unit, triangle_.get(),
           static_cast<int>(padded), this->state());
    launch("substitute", {base::parts_of(count, strip)},
           {static_cast<std::size_t>(this->shape().solve_items())}, B.memory(), B.offset(), count,
           static_cast<int>(n), B.row_stride(), B.col_stride(), static_cast<int>(conjugated), unit,
           triangle_.get(), static_cast<int>(padded), strips.get(), this->state());
  }

  // Programs of their own, so that only what a factorization uses gets compiled.
  template <class... Arguments>
  void launch(const char* kernel_name, extent groups, extent items, const Arguments&... arguments) {
    this->enqueue(program(), kernel_name, groups, items, arguments...);
  }
  typename base::program& program() {
    if (!program_)
      program_ = &this->load_tiled(
          "lu", {kernel::lu_pivot, kernel::lu_panel_pivots, kernel::lu_panel, kernel::factor_panel,
                 kernel::lu_solve, kernel::lu_rows, kernel::lu_interchanges});
    return *program_;
  }
  template <class... Arguments>
  void launch_tournament(const char* kernel_name, extent groups, extent items,
                         const Arguments&... arguments) {
    if (!tournament_)
      tournament_ = &this->load_tiled("tournament", {kernel::lu_pivot, kernel::lu_panel_pivots,
                                                     kernel::lu_panel, kernel::tournament});
    this->enqueue(*tournament_, kernel_name, groups, items, arguments...);
  }

  typename base::program* program_ = nullptr;
  typename base::program* tournament_ = nullptr;
  scratch scales_, exchanges_, triangle_;
  solved rows_of_product_, columns_of_product_;
  int guarded_ = 0;
  std::unique_ptr<lu_executor> second_;  // for beside()
};

}  // namespace TRIFAC_ABI
}  // namespace trifac::device
