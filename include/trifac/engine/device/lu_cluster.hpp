#pragma once
// LU panels held in the registers of a cluster's groups.

#include <array>
#include <bit>
#include <string>

#include "trifac/engine/device/lu_interchanges.hpp"
#include "trifac/engine/kernel/lu_panel_cluster.hpp"
#include "trifac/engine/kernel/lu_pivot.hpp"

namespace trifac::device {
inline namespace TRIFAC_ABI {

/// Partial pivoting if Runtime::has_clusters, with the pivots and bits of factor_panel; model:
/// docs/cuda.md. One program for each number of rows per item.
template <class Runtime, class T>
class lu_cluster {
 public:
  using on_type = launcher<Runtime, T>;

  explicit lu_cluster(const on_type& on) : on_(on), programs_(programs(on)) {}

  /// A := L\U; its first row is row `first` of the matrix. With `guarded`, only if a fallback was
  /// requested. Returns false, enqueuing nothing, if A is too large for a cluster or the device
  /// refuses the cluster that A needs.
  bool factor(typename on_type::view A, index_t first,
              const lu_interchanges<Runtime, T>& interchanges, bool guarded) {
    if (!works(on_) || A.cols() > kernel::cluster_cols) return false;
    // The fewest rows per item that fit: a step of the elimination then covers more columns.
    for (std::size_t i = 0; i < programs_.size(); ++i) {
      const index_t rows = index_t{on_.shape().diagonal_items} << i;  // of a group
      const std::size_t groups = std::bit_ceil(parts_of(A.rows(), rows));
      if (groups > static_cast<std::size_t>(on_.facts().cluster)) continue;
      const auto height = static_cast<index_t>(groups) * rows;
      on_.template reserve<T>(columns_, height * A.cols());
      if (programs_[i].launch_cluster("factor_panel_in_cluster", static_cast<int>(groups),
                                      {static_cast<std::size_t>(on_.shape().diagonal_items)}, A,
                                      columns_, static_cast<int>(height), first, interchanges.get(),
                                      static_cast<int>(guarded)))
        return true;
    }
    return false;
  }
  /// Loads all programs.
  void load() {
    for (auto& p : programs_)
      if (works(on_)) p.load();
  }

 private:
  static bool works(const on_type& on) { return on.facts().cluster > 1; }
  static lazy_program<Runtime, T> program(const on_type& on, int rows) {
    program_source source{
        "lu_cluster",
        {kernel::lu_pivot, kernel::lu_search, kernel::lu_cluster_step, kernel::lu_panel_cluster},
        on.definitions(on.shape().vector)};
    const std::string items = std::to_string(on.shape().diagonal_items);
    for (std::string d : {"DIAGONAL_ITEMS=" + items, "CLUSTER_ITEMS=" + items,
                          "CLUSTER_ROWS=" + std::to_string(rows)})
      source.definitions.push_back(std::move(d));
    return {on, std::move(source)};
  }

  /// 1, 2 or 4 rows per item; four in double complex would spill registers.
  static constexpr bool is_wide = sizeof(T) > 8 && is_complex<T>;
  using table = std::array<lazy_program<Runtime, T>, is_wide ? 2 : 3>;
  static table programs(const on_type& on) {
    if constexpr (is_wide)
      return {program(on, 1), program(on, 2)};
    else
      return {program(on, 1), program(on, 2), program(on, 4)};
  }

  const on_type& on_;
  table programs_;
  typename on_type::scratch columns_;
};

}  // namespace TRIFAC_ABI
}  // namespace trifac::device
