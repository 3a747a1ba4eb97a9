#pragma once
// LU without pivoting on a device with the kernels of ECE496 (2012): the executor of lu_four_block
// and lu_unblocked that assigns work-groups to each block.

#include <algorithm>
#include <string>

#include "trifac/engine/device/launcher.hpp"
#include "trifac/engine/kernel/lu_four_block.hpp"
#include "trifac/engine/kernel/lu_four_block_local.hpp"
#include "trifac/engine/kernel/lu_pivot.hpp"

namespace trifac::device {

inline namespace TRIFAC_ABI {

/// The block operations of LU without pivoting; all operands are blocks of one matrix. Kinds of
/// blocks: 1 on the diagonal, 2 below it, 3 right of it, 4 the rest (kernel/lu_four_block.hpp).
template <class Runtime, class T>
class block_executor : public launcher<Runtime, T> {
 public:
  using base = launcher<Runtime, T>;
  using typename base::view;

  /// Blocks of kinds 2, 3 and 4 start at multiples of `block`, at most most_block().
  block_executor(session<Runtime>& s, const device_settings& settings, index_t block)
      : base(s, settings),
        block_(block),
        kind_(settings.blocks),
        kernels_(*this, source(this->facts())) {}

  /// The largest block of these kernels; 0: unlimited.
  static constexpr index_t most_block(block_kernels k) {
    return k == block_kernels::group_per_block_local ? kernel::local_block<T> : 0;
  }

  /// Kind 1.
  void factor_block_lu(view A, index_t first) {
    launch(local()     ? "diagonal_local"
           : by_rows() ? "diagonal_by_rows"
                       : "diagonal_by_columns",
           {}, A, first);
  }
  /// Kind 2. One group per block may use barriers; several groups share the block's rows. If all
  /// blocks are done at once, these are postponed until kind 3.
  void solve_right_upper(view U, view A) {
    if (all_blocks_at_once()) {
      diagonal_ = U;
      rows_below_ = A.rows();
      return;
    }
    const bool rows = by_rows() || kind_ == block_kernels::several_groups;
    along(A.rows(), rows, [&](index_t from, index_t count, extent groups, int share) {
      launch(rows ? "left_by_rows" : "left_by_columns", groups, A.block(from, 0, count, A.cols()),
             block_, share, U);
    });
  }
  /// Kind 3, and the postponed blocks of kind 2.
  void solve_lower(view L, view A, diagonal) {
    if (all_blocks_at_once()) return left_and_top(A.cols());
    along(A.cols(), !by_rows(), [&](index_t from, index_t count, extent groups, int share) {
      launch(by_rows() ? "top_by_rows" : "top_by_columns", groups,
             A.block(0, from, A.rows(), count), block_, share, L);
    });
  }
  /// Kind 4.
  void update(view C, view L, view U) {
    if (all_blocks_at_once()) left_and_top(0);  // a nest without blocks of kind 3
    if (C.empty()) return;
    const char* const name = local()     ? "inner_local"
                             : by_rows() ? "inner_by_rows"
                                         : "inner_by_columns";
    const auto part = [&](index_t i, index_t j, index_t m, index_t n, extent groups, int share) {
      launch(name, groups, C.block(i, j, m, n), block_, share, L.block(i, 0, m, L.cols()),
             U.block(0, j, U.rows(), n));
    };
    if (all_blocks_at_once())
      return part(0, 0, C.rows(), C.cols(), {blocks_of(C.rows()), blocks_of(C.cols())}, 1);
    for (index_t i = 0; i < C.rows(); i += block_)
      for (index_t j = 0; j < C.cols(); j += block_)
        part(i, j, std::min(block_, C.rows() - i), std::min(block_, C.cols() - j),
             {static_cast<std::size_t>(share())}, share());
  }

 private:
  bool by_rows() const { return kind_ == block_kernels::rows; }
  bool local() const { return kind_ == block_kernels::group_per_block_local; }
  bool all_blocks_at_once() const { return local() || kind_ == block_kernels::group_per_block; }
  /// Number of groups per block.
  int share() const {
    return kind_ == block_kernels::several_groups ? std::max(2, this->facts().units) : 1;
  }
  std::size_t blocks_of(index_t n) const {
    return static_cast<std::size_t>((n + block_ - 1) / block_);
  }

  /// visit(from, count, groups, share) for the blocks along a side of n rows or columns, in order.
  template <class Visit>
  void along(index_t n, bool divisible, Visit visit) {
    const int groups = divisible ? share() : 1;
    for (index_t from = 0; from < n; from += block_)
      visit(from, std::min(block_, n - from), extent{static_cast<std::size_t>(groups)}, groups);
  }
  /// The postponed blocks of kind 2 and those of kind 3, `columns` right of the diagonal block, in
  /// one launch.
  void left_and_top(index_t columns) {
    const std::size_t lefts = blocks_of(rows_below_), groups = lefts + blocks_of(columns);
    if (groups > 0)
      launch(local() ? "left_and_top_local" : "left_and_top_by_columns", {groups}, diagonal_,
             rows_below_, columns, block_, static_cast<index_t>(lefts));
    rows_below_ = 0;
  }

  program_source source(const device_facts& f) const {
    const int width = std::is_same_v<real_t<T>, double> ? f.double_width : f.float_width;
    const bool wide =
        Runtime::has_vectors && by_rows() && this->settings().tiles != tile_choice::groups;
    const int lanes = wide ? std::clamp(width, 1, 16) : 1;
    program_source made{
        "lu_four_block", {kernel::lu_pivot, kernel::lu_four_block}, base::definitions(lanes)};
    if (local()) {
      made.name = "lu_four_block_local";
      made.texts.push_back(kernel::lu_four_block_local);
      made.definitions.push_back("SIDE=" + std::to_string(kernel::local_block<T>));
    }
    return made;
  }
  template <class... Arguments>
  void launch(const char* kernel_name, extent groups, const Arguments&... arguments) {
    const int wanted = this->settings().group > 0 ? this->settings().group : 64;
    const extent items{std::min(static_cast<std::size_t>(wanted), this->facts().most_items)};
    kernels_.launch(kernel_name, groups, items, arguments...);
  }

  index_t block_;
  block_kernels kind_;
  view diagonal_;           // of the postponed blocks of kind 2
  index_t rows_below_ = 0;  // and their rows
  lazy_program<Runtime, T> kernels_;
};

}  // namespace TRIFAC_ABI
}  // namespace trifac::device
