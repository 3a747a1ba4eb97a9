#pragma once
// A panel of LU whose steps are block operations on views: for any scalar type and any executor,
// device executors included.

#include <span>

#include "trifac/engine/base/as_size.hpp"
#include "trifac/engine/base/min_max.hpp"
#include "trifac/engine/panel/recursive_lu.hpp"
#include "trifac/engine/panel/tournament.hpp"
#include "trifac/matrix_view.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {

/// Columns k … k+b−1 of A from row k on:
///
///       | …   …    …   |
///   A = | …  A11  A12  |    A11: b×b
///       | …  A21  A22  |    A21: (m−k−b)×b
///
/// Tournament: the tournament<> of the element type and its memory.
template <class View, class Tournament>
class plain_lu_panel {
 public:
  /// The first panel of A. With `by_tournament` its pivots, and those of the panels that follow,
  /// come from a tournament; `base` is the width at which the recursion of partial pivoting ends.
  plain_lu_panel(const View& A, std::span<index_t> interchanges, index_t block, index_t base,
                 const Tournament* by_tournament)
      : A_(A),
        interchanges_(interchanges),
        block_(block),
        base_(base),
        tournament_(by_tournament) {}

  index_t rows() const { return A_.rows() - k_; }
  index_t cols() const { return detail::min(block_, steps() - k_); }
  index_t columns_right() const { return exists() ? A_.cols() - k_ - cols() : 0; }
  plain_lu_panel next() const { return at(k_ + cols()); }
  /// The panel that starts at row and column k.
  plain_lu_panel at(index_t k) const {
    plain_lu_panel p = *this;
    p.k_ = k;
    return p;
  }

  template <class On>
  void factor(On& on) const {
    if (tournament_)
      factor_by_tournament(on, *this, *tournament_);
    else
      factor_partial(on);
  }
  template <class On>
  void factor_partial(On& on) const {
    lu_recursive(on, A_, k_, cols(), interchanges_, base_);
  }
  template <class On>
  void eliminate(On& on, const plain_lu_panel& next) const {
    const index_t right = k_ + cols();
    const auto [A11, A12, A21, A22] = A_.trailing(k_).split(cols(), cols());
    on.swap_rows(A_.block(0, right, A_.rows(), A_.cols() - right), k_, right, interchanges_);
    on.solve_lower(A11, A12, diagonal::unit);
    on.update(A22, A21, A12);
    if (next.exists()) next.factor(on);
  }
  template <class On>
  void interchange_left(On& on) const {
    for (index_t k = 0; k + block_ < steps(); k += block_)
      on.swap_rows(A_.block(0, k, A_.rows(), block_), k + block_, steps(), interchanges_);
  }

  // The steps of a tournament, panel/tournament.hpp. The top of `copies` holds L11\U11 after the
  // last round; afterwards `copies` is the panel as it was.

  View view() const { return A_.block(k_, k_, rows(), cols()); }
  template <class On, class Round>
  void local_lu(On& on, const Round& round) const {
    on.local_lu(round);
  }
  template <class On, class Rows>
  void interchange(On& on, const Rows& candidates) const {
    const index_t b = cols();
    on.copy(tournament_->copies.block(0, 0, b, b), root());
    on.copy(view(), before());
    on.interchanges_from_candidates(candidates, k_, interchanges_,
                                    tournament_->order.first(detail::as_size(2 * rows())));
    on.swap_rows(A_.block(0, k_, A_.rows(), b), k_, k_ + b, interchanges_);
    on.copy(root(), A11());  // A11 = L11\U11
  }
  template <class On>
  void solve_left(On& on) const {
    const View A21 = A_.block(k_ + cols(), k_, rows() - cols(), cols());
    on.solve_right_upper(A11(), A21);
    on.check_growth(A11(), A21, tournament_->max_l);
  }
  template <class On>
  void finish(On& on) const {
    on.fallback([&](auto& here) {
      here.copy(before(), view());
      factor_partial(here);
    });
  }

 private:
  index_t steps() const { return detail::min(A_.rows(), A_.cols()); }
  bool exists() const { return k_ < steps(); }
  View A11() const { return A_.block(k_, k_, cols(), cols()); }
  View root() const { return tournament_->root.block(0, 0, cols(), cols()); }
  View before() const { return tournament_->copies.block(0, 0, rows(), cols()); }

  View A_;
  std::span<index_t> interchanges_;
  index_t block_, base_;
  const Tournament* tournament_;
  index_t k_ = 0;
};

}  // namespace TRIFAC_ABI
}  // namespace trifac
