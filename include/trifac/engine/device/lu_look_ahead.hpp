#pragma once
// LU with look-ahead in one queue: the steps of panel_lu.hpp.

#include "trifac/engine/device/lu_panels.hpp"
#include "trifac/engine/kernel/lu_ahead.hpp"
#include "trifac/engine/kernel/substitute_tile.hpp"

namespace trifac::device {
inline namespace TRIFAC_ABI {

/// A panel of b columns factored by update_ahead() stays packed on the device until finish_panel()
/// unpacks it. Requires vector tiles and a matrix with contiguous columns: fits().
template <class Runtime, class T>
class lu_ahead {
 public:
  using on_type = launcher<Runtime, T>;
  using scratch = typename on_type::scratch;
  using view = typename on_type::view;

  lu_ahead(const on_type& on, const lu_interchanges<Runtime, T>& interchanges)
      : on_(on),
        interchanges_(interchanges),
        kernels_(on, "lu_ahead",
                 {kernel::lu_pivot, kernel::lu_search, kernel::lu_panel_pivots, kernel::lu_panel,
                  kernel::substitute_tile, kernel::lu_ahead, kernel::lu_interchanges}) {}

  bool stopped() const { return on_.stopped(); }
  bool fits(const view& A) const {
    return on_.shape().stage_k == 0 && on_.shape().diagonal_items == 1 && A.row_stride() == 1;
  }

  /// The first b columns of A := L\U with partial pivoting; b: the largest of all panels.
  void factor_first_panel(view A, index_t b) {
    panel_.reserve(on_, A.rows(), b);
    on_.template reserve<T>(left_, strips_of(A.rows()) * padded(b));
    on_.template reserve<T>(above_, strips_of(A.cols()) * padded(b));
    on_.template reserve<index_t>(moves_, 3 * b + 1);
    on_.template reserve<index_t>(places_, A.rows());
    on_.runtime().clear(places_.get(), static_cast<std::uint64_t>(A.rows()) * sizeof(index_t));
    launch_update(A, 0, b, 0);
  }
  /// [A11 A12; A21 …]: unpacks the panel of b columns, A12 := L11⁻¹·P·A12, A22 := P·A22, and packs
  /// A21 and A12 for update_ahead.
  void finish_panel(view A, index_t b, index_t first) {
    const index_t strip = on_.shape().strip();
    panel_.reserve(on_, A.rows(), b);
    kernels_.launch("lu_outside_panel", {parts_of(A.rows(), strip) + parts_of(A.cols() - b, strip)},
                    {}, A, static_cast<int>(b), panel_.elements, panel_.height(), moves_, left_,
                    above_, first);
  }
  /// A22 := A22 − A21·A12, A21 having `depth` columns, and concurrently its first `next` columns :=
  /// L\U, the next panel.
  void update_ahead(view A22, index_t depth, index_t next, index_t first) {
    if (!A22.empty()) launch_update(A22, depth, next, first);
  }
  /// Applies the interchanges of later panels to the columns of all but the last.
  void interchange_left(view A, index_t steps, index_t block) {
    const index_t columns = (steps - 1) / block * block;
    interchanges_.apply(kernels_, A.block(0, 0, A.rows(), columns), 0, steps,
                        detail::interchange_order::forward, block);
  }

 private:
  index_t padded(index_t b) const { return round_up(b, on_.shape().solve_n); }
  index_t strips_of(index_t rows) const { return round_up(rows, on_.shape().strip()); }

  void launch_update(view A, index_t depth, index_t next, index_t first) {
    const int groups = depth > 0 ? std::max(2, on_.facts().units) : 1;
    panel_.reserve(on_, A.rows(), next);
    kernels_.launch("lu_update_ahead", {static_cast<std::size_t>(groups)}, {}, A, left_, above_,
                    static_cast<int>(depth), static_cast<int>(next), panel_.elements,
                    panel_.height(), panel_.step, first, interchanges_.get(), places_, moves_);
  }

  const on_type& on_;
  const lu_interchanges<Runtime, T>& interchanges_;
  lazy_program<Runtime, T> kernels_;
  packed_panel<Runtime, T> panel_;
  scratch left_, above_, moves_, places_;
};

}  // namespace TRIFAC_ABI
}  // namespace trifac::device
