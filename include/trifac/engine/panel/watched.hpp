#pragma once
// A panel that reports the progress of a factorization.

#include "trifac/engine/base/min_max.hpp"
#include "trifac/engine/base/progress.hpp"
#include "trifac/engine/panel/nest_step.hpp"
#include "trifac/status.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {

/// A panel P of lu_blocked or cholesky_blocked, which does the steps of P and, where
/// options.progress is not empty, after each update of what is on the right calls back with the
/// fraction of the flops that is done. Where the callback returns false, the call ends with the
/// status `cancelled`.
template <class P>
class watched_panel {
 public:
  /// `first`: the first panel of an m×n matrix, whose last `kept` rows and columns are not
  /// factored; the `after` before them are not panels of the nest, but factored after it.
  watched_panel(const P& first, index_t m, index_t n, const progress_ref& progress,
                index_t kept = 0, index_t after = 0)
      : panel_(first),
        progress_(progress),
        kept_(flops(kept, kept)),
        after_(flops(kept + after, kept + after) - kept_),
        all_(flops(m, n) - kept_) {}

  template <class On>
  void factor(On& on) const {
    panel_.factor(on);
  }
  watched_panel next() const {
    watched_panel p = *this;
    p.panel_ = panel_.next();
    return p;
  }

  // Of LU.

  auto columns_right() const { return panel_.columns_right(); }
  template <class On>
  void eliminate(On& on, const watched_panel& next) const {
    panel_.eliminate(on, next.panel_);
    // The next panel is factored, too: where nothing is on its right, all is done.
    const index_t below = panel_.rows() - panel_.cols();
    tell(on, next.columns_right() > 0 ? flops(below, columns_right()) : 0);
  }
  template <class On>
  void interchange_left(On& on) const {
    panel_.interchange_left(on);
  }

  // Of Cholesky.

  auto rows_below() const { return panel_.rows_below(); }
  template <class On>
  void solve_below(On& on) const {
    panel_.solve_below(on);
  }
  template <class On>
  void update(On& on, const watched_panel& next) const {
    panel_.update(on, next.panel_);
    // The next diagonal block is factored, too: where nothing is below it, the nest is done.
    tell(on, next.rows_below() > 0 ? flops(rows_below(), rows_below()) - kept_ : after_);
  }

 private:
  /// Flops of LU of an m×n matrix; for a square one twice those of Cholesky.
  static double flops(index_t m, index_t n) {
    const double rows = static_cast<double>(m), cols = static_cast<double>(n),
                 steps = detail::min(rows, cols);
    return 2 * rows * cols * steps - (rows + cols) * steps * steps + 2 * steps * steps * steps / 3;
  }
  template <class On>
  void tell(On& on, double left) const {  // left: flops
    if (!progress_) return;
    on.once(nest_step::tell_progress, [&] {
      if (!progress_(left > 0 ? 1 - left / all_ : 1.0))
        on.record(status::failure(status_kind::cancelled, ""), 0);
    });
  }

  P panel_;
  progress_ref progress_;
  double kept_, after_, all_;
};

}  // namespace TRIFAC_ABI
}  // namespace trifac
