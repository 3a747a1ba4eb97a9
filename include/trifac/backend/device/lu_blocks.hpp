#pragma once
// LU without pivoting on a device with the kernels of ECE496 (2012): the executor of lu_four_block
// and lu_unblocked in which each block has work-groups of its own.

#include <array>
#include <optional>
#include <string_view>

#include "trifac/backend/device/executor.hpp"
#include "trifac/kernel/arithmetic.hpp"
#include "trifac/kernel/lu_four_block.hpp"
#include "trifac/kernel/lu_pivot.hpp"

namespace trifac::device {

/// The names of block_kernels, in its order.
inline constexpr std::array<std::string_view, 6> block_kernels_names = {
    "packed", "rows", "columns", "several_groups", "group_per_block", "group_per_block_local"};
constexpr std::string_view to_string(block_kernels k) {
  return block_kernels_names[static_cast<std::size_t>(k)];
}
/// The kernels of that name, or nothing.
constexpr std::optional<block_kernels> block_kernels_from_string(std::string_view name) {
  for (std::size_t i = 0; i < block_kernels_names.size(); ++i)
    if (block_kernels_names[i] == name) return static_cast<block_kernels>(i);
  return std::nullopt;
}

inline namespace TRIFAC_ABI {

/// The verbs of LU without pivoting; all operands of a verb are blocks of one matrix.
template <class Runtime, class T>
class block_executor : public executor_base<Runtime, T> {
 public:
  using base = executor_base<Runtime, T>;
  using typename base::view;

  /// Blocks of kinds 2, 3 and 4 are cut at multiples of `block`.
  block_executor(session<Runtime>& s, const device_settings& settings, index_t block)
      : base(s, settings), block_(block), kind_(settings.blocks) {}

  /// Kind 1.
  void factor_block_lu(view A, index_t first) {
    launch(by_rows() ? "diagonal_by_rows" : "diagonal_by_columns", {}, A.memory(), A.offset(),
           A.row_stride(), A.col_stride(), A.rows(), first, this->state());
  }
  /// Kind 2. A group of its own has barriers; several on one block take its rows.
  void solve_right_upper(view U, view A) {
    const bool rows = by_rows() || kind_ == block_kernels::several_groups;
    along(A.rows(), rows, [&](index_t from, index_t count, extent groups, int share) {
      const view part = A.block(from, 0, count, A.cols());
      launch(rows ? "left_by_rows" : "left_by_columns", groups, part.memory(), part.offset(),
             part.row_stride(), part.col_stride(), part.rows(), part.cols(), block_, share,
             U.memory(), U.offset(), this->state());
    });
  }
  /// Kind 3.
  void solve_lower(view L, view A, diagonal) {
    along(A.cols(), !by_rows(), [&](index_t from, index_t count, extent groups, int share) {
      const view part = A.block(0, from, A.rows(), count);
      launch(by_rows() ? "top_by_rows" : "top_by_columns", groups, part.memory(), part.offset(),
             part.row_stride(), part.col_stride(), part.rows(), part.cols(), block_, share,
             L.memory(), L.offset(), this->state());
    });
  }
  /// Kind 4.
  void update(view C, view L, view U) {
    if (C.empty()) return;
    const char* const name = by_rows() ? "inner_by_rows"
                             : kind_ == block_kernels::group_per_block_local
                                 ? "inner_by_columns_local"
                                 : "inner_by_columns";
    const auto part = [&](index_t i, index_t j, index_t m, index_t n, extent groups, int share) {
      const view c = C.block(i, j, m, n);
      launch(name, groups, c.memory(), c.offset(), c.row_stride(), c.col_stride(), m, n, block_,
             share, L.cols(), L.memory(), L.block(i, 0, m, L.cols()).offset(), U.memory(),
             U.block(0, j, U.rows(), n).offset(), this->state());
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
  bool all_blocks_at_once() const {
    return kind_ == block_kernels::group_per_block || kind_ == block_kernels::group_per_block_local;
  }
  /// Groups that work on one block.
  int share() const {
    return kind_ == block_kernels::several_groups ? std::max(2, this->facts().units) : 1;
  }
  std::size_t blocks_of(index_t n) const {
    return static_cast<std::size_t>((n + block_ - 1) / block_);
  }

  /// visit(from, count, groups, share) for the blocks along one side of n rows or columns: all at
  /// once, or one after another.
  template <class Visit>
  void along(index_t n, bool divisible, Visit visit) {
    if (n == 0) return;
    if (all_blocks_at_once()) return visit(0, n, extent{blocks_of(n)}, 1);
    const int groups = divisible ? share() : 1;
    for (index_t from = 0; from < n; from += block_)
      visit(from, std::min(block_, n - from), extent{static_cast<std::size_t>(groups)}, groups);
  }

  template <class... Arguments>
  void launch(const char* kernel_name, extent groups, const Arguments&... arguments) {
    if (!program_) {
      const device_facts& f = this->facts();
      const int width = std::is_same_v<real_t<T>, double> ? f.double_width : f.float_width;
      const int lanes = Runtime::has_vectors && by_rows() ? std::clamp(width, 1, 16) : 1;
      program_ =
          &this->runtime().load({"lu_four_block",
                                 {kernel::arithmetic, kernel::lu_pivot, kernel::lu_four_block},
                                 base::definitions(lanes)});
    }
    const int wanted = this->settings().group > 0 ? this->settings().group : 64;
    const extent items{std::min(static_cast<std::size_t>(wanted), this->facts().most_items)};
    this->runtime().launch(*program_, kernel_name, groups, items, arguments...);
  }

  index_t block_;
  block_kernels kind_;
  typename Runtime::program* program_ = nullptr;
};

}  // namespace TRIFAC_ABI
}  // namespace trifac::device
