#pragma once
// Panels of LU in device memory, where a launch costs more than a block: with look-ahead in one
// queue, or with the next panel in a second queue.

#include <span>

#include "trifac/engine/panel/plain_lu.hpp"

namespace trifac::device {
inline namespace TRIFAC_ABI {

/// Columns k … k+b−1 of A from row k on, partial pivoting, for lu_blocked on lu_ahead:
///
///       | …   …    …   |
///   A = | …  A11  A12  |    [A11; A21]: b columns, factored and still packed
///       | …  A21  A22  |    the first columns of A22 are the next panel
///
/// Two launches per panel: the solve and interchanges right of the panel, and the update of A22, in
/// which one extra work-group factors the next panel. One last launch applies the interchanges of
/// later panels to the columns left of them. Workspace (2m + n)·block on the device.
template <class View>
class ahead_lu_panel {
 public:
  ahead_lu_panel(const View& A, index_t block, index_t k = 0) : A_(A), block_(block), k_(k) {}

  index_t columns_right() const { return cols() > 0 ? A_.cols() - k_ - cols() : 0; }
  ahead_lu_panel next() const { return {A_, block_, k_ + cols()}; }

  template <class On>
  void factor(On& on) const {
    on.factor_first_panel(A_, cols());
  }
  template <class On>
  void eliminate(On& on, const ahead_lu_panel& next) const {
    on.finish_panel(A_.trailing(k_), cols(), k_);                         // A12, P·A22
    on.update_ahead(A_.trailing(next.k_), cols(), next.cols(), next.k_);  // A22, the next panel
  }
  template <class On>
  void interchange_left(On& on) const {
    if (cols() > 0) on.finish_panel(A_.trailing(k_), cols(), k_);  // no columns to the right
    on.interchange_left(A_, steps(), block_);
  }

 private:
  index_t steps() const { return detail::min(A_.rows(), A_.cols()); }
  index_t cols() const { return detail::min(block_, steps() - k_); }

  View A_;
  index_t block_, k_;
};

/// The same columns for lu_blocked on lu_executor: the second queue updates and factors the next
/// panel while the first does the rest of the update and the interchanges on the left. All work is
/// enqueued at once in a fixed order, as in the GPU-only LU of Martins, Tomás, Chaves, which orders
/// by priorities.
///
/// A panel wider than `base` is factored by panels of that width, right-looking: the second level
/// of blocking. With `by_tournament`, a tournament selects their pivots.
template <class View, class Tournament>
class two_queue_lu_panel {
 public:
  two_queue_lu_panel(const View& A, std::span<index_t> interchanges, index_t block, index_t base,
                     const Tournament* by_tournament)
      : A_(A),
        interchanges_(interchanges),
        block_(block),
        base_(base),
        tournament_(by_tournament) {}

  index_t columns_right() const { return cols() > 0 ? A_.cols() - k_ - cols() : 0; }
  two_queue_lu_panel next() const {
    two_queue_lu_panel p = *this;
    p.k_ = k_ + cols();
    return p;
  }

  template <class On>
  void factor(On& on) const {
    on.in_two_queues([&](auto& ahead) { factor_columns(ahead); }, [] {});
  }
  template <class On>
  void eliminate(On& on, const two_queue_lu_panel& next) const {
    const index_t rest = next.k_ + next.cols();
    on.in_two_queues(
        [&](auto& ahead) {
          eliminate(ahead, next.k_, rest);
          if (rest > next.k_) next.factor_columns(ahead);
        },
        [&] {
          eliminate(on, rest, A_.cols());
          interchange_before(on);
        });
  }
  template <class On>
  void interchange_left(On& on) const {
    interchange_before(on);
  }

 private:
  index_t cols() const { return detail::min(block_, detail::min(A_.rows(), A_.cols()) - k_); }

  /// The panel := L\U, with its interchanges applied to its own columns.
  template <class On>
  void factor_columns(On& on) const {
    const index_t end = k_ + cols();
    const View left = A_.block(0, 0, A_.rows(), end);
    auto part =
        plain_lu_panel<View, Tournament>(left, interchanges_, base_, base_, tournament_).at(k_);
    part.factor(on);
    while (part.columns_right() > 0) {
      const auto next = part.next();
      part.eliminate(on, next);
      part = next;
    }
    for (index_t k = k_; k + base_ < end; k += base_)
      on.swap_rows(A_.block(0, k, A_.rows(), base_), k + base_, end, interchanges_);
  }
  /// Columns from … to−1: [A12; A22] = P·[A12; A22], A12 = L11⁻¹·A12, A22 = A22 − A21·A12.
  template <class On>
  void eliminate(On& on, index_t from, index_t to) const {
    if (from == to) return;
    const index_t b = cols(), below = A_.rows() - k_ - b, n = to - from;
    const View A12 = A_.block(k_, from, b, n);
    on.swap_rows(A_.block(0, from, A_.rows(), n), k_, k_ + b, interchanges_);
    on.solve_lower(A_.block(k_, k_, b, b), A12, diagonal::unit);
    on.update(A_.block(k_ + b, from, below, n), A_.block(k_ + b, k_, below, b), A12);
  }
  /// Applies the interchanges of this panel to the columns left of it.
  template <class On>
  void interchange_before(On& on) const {
    on.swap_rows(A_.block(0, 0, A_.rows(), k_), k_, k_ + cols(), interchanges_);
  }

  View A_;
  std::span<index_t> interchanges_;
  index_t block_, base_;
  const Tournament* tournament_;
  index_t k_ = 0;
};

}  // namespace TRIFAC_ABI
}  // namespace trifac::device
