#pragma once
// LU panels on a device: one work-group eliminates a panel in packed memory, or one cluster of
// groups a panel in registers.

#include <limits>
#include <optional>

#include "trifac/engine/device/lu_cluster.hpp"
#include "trifac/engine/kernel/lu_panel.hpp"
#include "trifac/engine/kernel/lu_panel_pivots.hpp"
#include "trifac/engine/kernel/lu_pivot.hpp"

namespace trifac::device {
inline namespace TRIFAC_ABI {

/// Pivot selection: NONE, PLAIN, SCALED of kernel/lu_panel_pivots.hpp.
enum class pivot_rule : int { none, plain, scaled };

/// Packed memory for m×n panels: P and T of the kernel `eliminate`.
template <class Runtime, class T>
class packed_panel {
 public:
  /// Reserves memory for `count` panels, reused until more is needed.
  void reserve(const launcher<Runtime, T>& on, index_t m, index_t n, index_t count = 1) {
    // An odd number of cache lines (float: half lines), so that columns map to different cache
    // sets.
    height_ = (m + kernel::panel_rows_beyond + 15) / 16 * 16 + 8;
    if (height_ > std::numeric_limits<int>::max())
      throw backend_error("a panel of more than 2^31 rows");
    const index_t columns = n + kernel::panel_cols_beyond;
    on.template reserve<T>(elements, count * height_ * columns);
    on.template reserve<T>(step, count * kernel::panel_cols_beyond * columns);
  }
  int height() const { return static_cast<int>(height_); }
  index_t rows() const { return height_; }

  typename launcher<Runtime, T>::scratch elements, step;

 private:
  index_t height_ = 0;
};

template <class Runtime, class T>
class lu_panels {
 public:
  using on_type = launcher<Runtime, T>;
  using view = typename on_type::view;

  explicit lu_panels(const on_type& on) : on_(on) {}

  /// A := L\U; its first row is row `first` of the matrix. With `guarded`, only if a fallback was
  /// requested. `with`: a program with kernel::factor_panel.
  void factor(lazy_program<Runtime, T>& with, view A, index_t first, pivot_rule rule,
              const lu_interchanges<Runtime, T>& interchanges, bool guarded) {
    if constexpr (Runtime::has_clusters)
      if (rule == pivot_rule::plain && cluster().factor(A, first, interchanges, guarded)) return;
    memory_.reserve(on_, A.rows(), A.cols());
    with.launch("factor_panel", {}, {static_cast<std::size_t>(on_.shape().diagonal_items)}, A,
                static_cast<int>(rule), memory_.elements, memory_.height(), memory_.step, first,
                interchanges.get(), static_cast<int>(guarded));
  }
  /// Loads the programs of clusters.
  void load() {
    if constexpr (Runtime::has_clusters) cluster().load();
  }

 private:
  lu_cluster<Runtime, T>& cluster() { return cluster_ ? *cluster_ : cluster_.emplace(on_); }

  const on_type& on_;
  std::optional<lu_cluster<Runtime, T>> cluster_;  // created at first use
  packed_panel<Runtime, T> memory_;
};

}  // namespace TRIFAC_ABI
}  // namespace trifac::device
