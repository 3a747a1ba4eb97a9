#pragma once
// The verbs of LU on a device, but for those of tournaments and of look-ahead in one queue.

#include <memory>
#include <span>

#include "trifac/backend/device/lu_games.hpp"
#include "trifac/kernel/lu_rows.hpp"
#include "trifac/kernel/lu_solve.hpp"

namespace trifac::device {
inline namespace TRIFAC_ABI {

/// The verbs of LU; see backend.hpp for their equations. The interchanges live on the device: the
/// spans that the nests hand over name them and are not looked at.
template <class Runtime, class T>
class lu_executor : public lu_game_verbs<Runtime, T> {
 public:
  using base = lu_game_verbs<Runtime, T>;
  using typename base::handle;
  using typename base::memory;
  using typename base::operand;
  using typename base::scratch;
  using typename base::spans;
  using typename base::view;

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

  void factor_panel(view A, index_t first, spans) { eliminate(A, first, base::plain_rule); }
  void factor_block_lu(view A, index_t first) { eliminate(A, first, base::no_pivoting); }

  void swap_rows(view A, index_t from, index_t to, spans) { exchange(A, from, to, 0); }
  void swap_rows_back(view A, index_t from, index_t to, spans) { exchange(A, from, to, 1); }

  /// The solves leave their unknowns in packed strips, which an update that follows takes.
  void solve_lower(operand L, view B, diagonal diag) {
    if constexpr (Runtime::has_library)
      if (diag == diagonal::unit && this->uses_library(B.rows(), B.cols(), B.rows()) &&
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

  /// The steps are enqueued in any case and return unless judge() asked for them.
  template <class Nest>
  void fallback(Nest nest) {
    guarded_ = 1;
    nest(*this);
    guarded_ = 0;
    this->settle_fallback();
  }

 private:
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
    launch("factor_panel", {}, this->panel_items(), A.memory(), A.offset(),
           static_cast<int>(A.rows()), static_cast<int>(A.cols()), A.row_stride(), A.col_stride(),
           rule, this->panel_.get(), static_cast<int>(height), this->step_.get(), first,
           this->interchanges_, guarded_, this->state());
  }

  void exchange(view A, index_t from, index_t to, int backward) {
    if (A.empty() || from >= to) return;
    forget();
    this->launch_swap(program(), A, from, to, backward, 0);
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
  typename Runtime::program& program() {
    if (!program_)
      program_ =
          &this->load_tiled("lu", {kernel::lu_pivot, kernel::lu_panel_pivots, kernel::lu_panel,
                                   kernel::factor_panel, kernel::substitute_tile, kernel::lu_solve,
                                   kernel::lu_rows, kernel::lu_interchanges});
    return *program_;
  }
  typename Runtime::program* program_ = nullptr;
  scratch triangle_;
  solved rows_of_product_, columns_of_product_;
  int guarded_ = 0;
  std::unique_ptr<lu_executor> second_;  // for beside()
};

}  // namespace TRIFAC_ABI
}  // namespace trifac::device
