#pragma once
// The data of a factorization by tasks: block columns of the matrix, packed panels, states.

#include <algorithm>
#include <cstddef>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "trifac/engine/base/as_size.hpp"
#include "trifac/engine/base/min_max.hpp"
#include "trifac/engine/calls/task_calls.hpp"
#include "trifac/engine/starpu/data.hpp"
#include "trifac/status.hpp"

namespace trifac {
namespace backend {
inline namespace TRIFAC_ABI {
namespace starpu_tasks {

/// Number of packed panels in memory at a time. Enough for two workers; not measured with more.
inline constexpr index_t packed_at_a_time = 3;

/// The block columns of an m×n matrix: the panels, and for m < n the columns right of them.
struct block_columns {
  index_t rows, cols, block;

  index_t steps() const { return detail::min(rows, cols); }
  index_t panels() const { return (steps() + block - 1) / block; }
  index_t count() const { return panels() + (cols - steps() + block - 1) / block; }
  index_t first(index_t j) const {
    return j <= panels() ? detail::min(j * block, steps())
                         : detail::min(cols, steps() + (j - panels()) * block);
  }
  index_t width(index_t j) const { return first(j + 1) - first(j); }
};

/// The data of a factorization in progress, shared by its tasks:
///
///   column j   block column j of A, from row Part::top(j) on
///   packed s   packed panel for the updates to its right, for panels s, s + 3, …
///   state k    the state before panel k: the status, then Part::interchanges(k) numbers
template <class T, class Part>
class flow_data {
 public:
  static std::size_t bytes(const block_columns& blocks, const task_plan& plan) {
    std::size_t states = 0;
    for (index_t k = 0; k <= blocks.panels(); ++k) states += state_bytes(blocks, k);
    return slots(blocks) * plan.packed + states;
  }

  /// memory: bytes() bytes, aligned to 64.
  flow_data(const matrix_view<T>& A, const block_columns& blocks, const task_plan& plan,
            std::byte* memory)
      : blocks_(blocks), along_rows_(A.row_stride() != 1) {
    const auto take = [&](std::size_t count) { return std::exchange(memory, memory + count); };
    columns_.reserve(detail::as_size(blocks.count()));
    packed_.reserve(slots(blocks));
    states_.reserve(detail::as_size(blocks.panels() + 1));
    for (std::size_t s = 0; s < slots(blocks); ++s)
      packed_.push_back(handle::bytes(take(plan.packed), plan.packed));
    for (index_t k = 0; k <= blocks.panels(); ++k) {
      const std::size_t count = state_bytes(blocks, k);
      last_ = new (take(count)) status();
      states_.push_back(handle::bytes(last_, count));
    }
    for (index_t j = 0; j < blocks.count(); ++j) {
      const index_t top = Part::top(blocks, j);
      columns_.push_back(
          handle::matrix(A.block(top, blocks.first(j), A.rows() - top, blocks.width(j))));
    }
  }

  const block_columns& blocks() const { return blocks_; }
  starpu_data_handle_t column(index_t j) const { return columns_[detail::as_size(j)].get(); }
  starpu_data_handle_t state(index_t k) const { return states_[detail::as_size(k)].get(); }
  starpu_data_handle_t packed(index_t k) const {
    return packed_[detail::as_size(k) % packed_.size()].get();
  }

 protected:
  bool along_rows() const { return along_rows_; }
  /// A task's view of a block column.
  matrix_view<T> view(void* buffer) const { return matrix_of<T>(buffer, along_rows_); }
  static status& state_of(void* buffer) { return *reinterpret_cast<status*>(bytes_of(buffer)); }
  static index_t* interchanges_in(status& s) { return reinterpret_cast<index_t*>(&s + 1); }

  /// For a task that factors panel k: computes state k + 1 from state k and factor(first row,
  /// interchanges), whose status and interchanges are relative to that row.
  template <class Factor>
  void next_state(void* state, void* next, index_t k, Factor factor) const {
    status& before = state_of(state);
    status& after = state_of(next);
    after = before;
    if (!before.completed()) return;
    const index_t first = blocks_.first(k), known = Part::interchanges(blocks_, k);
    index_t* const all = interchanges_in(after);
    std::copy_n(interchanges_in(before), known, all);
    const std::span<index_t> of_panel(all + known,
                                      detail::as_size(Part::interchanges(blocks_, k + 1) - known));
    const status s = factor(first, of_panel);
    for (index_t& row : of_panel) row += first;
    if (!s && (before || !s.completed())) after = status::at(s.kind(), first + s.index());
  }

  /// Call after all tasks have run: returns the memory to the program. Result: the last state.
  status& close() {
    columns_.clear();
    packed_.clear();
    states_.clear();
    return *last_;
  }

 private:
  static std::size_t slots(const block_columns& blocks) {
    return detail::as_size(detail::min(packed_at_a_time, blocks.panels()));
  }
  static std::size_t state_bytes(const block_columns& blocks, index_t k) {
    const std::size_t numbers = detail::as_size(Part::interchanges(blocks, k));
    return (sizeof(status) + numbers * sizeof(index_t) + 63) / 64 * 64;
  }

  block_columns blocks_;
  bool along_rows_;
  status* last_ = nullptr;
  std::vector<handle> packed_, states_, columns_;
};

}  // namespace starpu_tasks
}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac
