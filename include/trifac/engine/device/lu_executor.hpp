#pragma once
// The executor of LU's loop nests on a device.

#include <span>

#include "trifac/engine/device/lu_look_ahead.hpp"
#include "trifac/engine/device/lu_tournament.hpp"
#include "trifac/engine/device/solves.hpp"
#include "trifac/engine/device/two_queues.hpp"
#include "trifac/engine/kernel/lu_edges.hpp"

namespace trifac::device {
inline namespace TRIFAC_ABI {

/// The block operations of LU, with the equations of backend.hpp. The interchanges are stored on
/// the device: the spans passed by the nests identify them and are not read.
template <class Runtime, class T>
class lu_executor : public launcher<Runtime, T> {
 public:
  using base = launcher<Runtime, T>;
  using typename base::operand;
  using typename base::view;
  using memory = typename lu_tournament<Runtime, T>::memory;
  using indices = typename memory::indices;
  using spans = std::span<const index_t>;

  /// With `count` interchanges, initially identity.
  lu_executor(session<Runtime>& s, const device_settings& settings, index_t count)
      : base(s, settings), interchanges_(*this, count) {}
  /// For the second queue; see launcher. Shares the interchanges of `first`.
  lu_executor(const lu_executor& first, device_queue queue)
      : base(first, queue), interchanges_(*this, first.interchanges_) {}

  /// See device::two_queues.
  template <class Ahead, class Rest>
  void in_two_queues(Ahead ahead, Rest rest) {
    queues_.run(*this, ahead, rest);
  }
  /// With groups of many items, panels are worth a second queue.
  bool uses_two_queues() const { return this->shape().diagonal_items > 1; }
  /// Columns of a panel. Look-ahead on PoCL (two cores, Zen 4, double): n = 400 takes 2.4 ms with
  /// 64, 2.8 with 128; n = 1000 takes 33 ms with 128, 38 with 64; n = 2500 takes 0.53 s with 192,
  /// 0.70 with 128. H200, double: n = 4096 takes 13.4 ms with 64, 13.8 with 128; n = 16384 takes
  /// 195 ms with 64, 150 with 128, 144 with 256, 153 with 512. Other GPUs were not measured.
  index_t panel_width(index_t n) const {
    if (uses_two_queues()) return n < 8192 ? 64 : 256;
    if (n <= 512) return 64;
    return n <= 3072 ? 128 : 192;
  }

  /// Loads the programs for all panel heights.
  void load_panels() { panels_.load(); }
  void factor_panel(view A, index_t first, spans) { factor(A, first, pivot_rule::plain); }
  void factor_block_lu(view A, index_t first) { factor(A, first, pivot_rule::none); }

  void swap_rows(view A, index_t from, index_t to, spans) {
    interchange(A, from, to, detail::interchange_order::forward);
  }
  void swap_rows_back(view A, index_t from, index_t to, spans) {
    interchange(A, from, to, detail::interchange_order::backward);
  }

  void solve_lower(operand L, view B, diagonal diag) { solves_.solve_lower(L, B, diag); }
  void solve_upper(operand U, view B, diagonal diag) { solves_.solve_upper(U, B, diag); }
  void solve_right_upper(operand U, view B) { solves_.solve_right_upper(U, B); }
  void update(view C, operand A, operand B) { solves_.update(C, A, B); }
  void copy(view A, view B) {
    solves_.forget();
    products_.copy(A, B, guarded_);
  }

  /// B := B + A.
  void add(view A, view B) {
    solves_.forget();
    products_.add(A, B);
  }

  void set_identity(view A, index_t first) {
    solves_.forget();
    products_.set_identity(A, first);
  }

  void local_lu(const tournament_round<T, memory>& round) { tournament_.local_lu(round); }
  void interchanges_from_candidates(indices chosen, index_t first, spans, indices places) {
    tournament_.interchanges_from_candidates(chosen, first, places, interchanges_);
  }
  void check_growth(view A11, view A21, double limit) { tournament_.check_growth(A11, A21, limit); }
  /// Enqueues the steps unconditionally; their kernels return unless check_growth() requested the
  /// fallback.
  template <class Nest>
  void fallback(Nest nest) {
    guarded_ = true;
    nest(*this);
    guarded_ = false;
    tournament_.end_fallback();
  }

  /// Checks the last row of U of a wide A and the last column of L of a tall A: they affect no
  /// pivot.
  void check_edges(view A) {
    kernels_.launch("check_edges", {}, {static_cast<std::size_t>(this->shape().diagonal_items)}, A);
  }

  lu_interchanges<Runtime, T>& interchanges() { return interchanges_; }
  /// The executor of look-ahead in one queue.
  lu_ahead<Runtime, T>& look_ahead() { return look_ahead_; }

 private:
  void factor(view A, index_t first, pivot_rule rule) {
    solves_.forget();
    panels_.factor(kernels_, A, first, rule, interchanges_, guarded_);
  }
  void interchange(view A, index_t from, index_t to, detail::interchange_order order) {
    solves_.forget();
    interchanges_.apply(kernels_, A, from, to, order);
  }

  lu_interchanges<Runtime, T> interchanges_;
  products<Runtime, T> products_{*this};
  solves<Runtime, T> solves_{products_};
  lu_panels<Runtime, T> panels_{*this};
  lu_tournament<Runtime, T> tournament_{*this};
  lu_ahead<Runtime, T> look_ahead_{*this, interchanges_};
  lazy_program<Runtime, T> kernels_{
      *this,
      "lu",
      {kernel::lu_pivot, kernel::lu_search, kernel::lu_panel_pivots, kernel::lu_panel,
       kernel::factor_panel, kernel::lu_interchanges, kernel::lu_edges}};
  bool guarded_ = false;
  device::two_queues<Runtime, lu_executor> queues_;
};

}  // namespace TRIFAC_ABI
}  // namespace trifac::device
