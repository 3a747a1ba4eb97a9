#pragma once
// LU by tasks: the block columns of a matrix, and the panel of lu_blocked whose steps are tasks on them.

#include <algorithm>
#include <iterator>
#include <new>
#include <span>
#include <vector>

#include "trifac/backend/starpu/queue.hpp"
#include "trifac/detail/as_size.hpp"
#include "trifac/detail/min_max.hpp"
#include "trifac/detail/workspace.hpp"
#include "trifac/linked/task_calls.hpp"
#include "trifac/lu/options.hpp"
#include "trifac/scalar.hpp"
#include "trifac/status.hpp"

namespace trifac {
namespace backend {
inline namespace TRIFAC_ABI {
namespace starpu_tasks {

/// Factored panels that are packed at a time. Enough for two workers; not measured with more.
inline constexpr index_t packed_at_a_time = 3;

/// The block columns of an m×n matrix: those of panels, and those on their right where m < n.
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

/// A factorization in progress: where its data are, and what its tasks compute.
///
///   column j   block column j of A
///   packed s   what the columns right of a panel need, for panels s, s + 3, …
///   state k    what is known before panel k: the status, and the interchanges of panels 0 … k−1
template <class T, class Tasks, class Devices>
class lu_flow {
 public:
  static std::size_t bytes(const block_columns& blocks, const linked::task_plan& plan,
                           unsigned workers) {
    std::size_t states = 0;
    for (index_t k = 0; k <= blocks.panels(); ++k) states += state_bytes(blocks.first(k));
    return plan.work + slots(blocks) * plan.packed + workers * plan.columns + states;
  }

  /// memory: bytes() of it, aligned to 64.
  lu_flow(const matrix_view<T>& A, const block_columns& blocks, const linked::task_plan& plan,
          const lu_options& options, unsigned workers, std::byte* memory)
      : blocks_(blocks), plan_(plan), options_(&options), along_rows_(A.row_stride() != 1) {
    const auto take = [&](std::size_t count) { return std::exchange(memory, memory + count); };
    work_ = take(plan.work);
    left_ = take(workers * plan.columns);
    columns_.reserve(detail::as_size(blocks.count()));
    packed_.reserve(slots(blocks));
    states_.reserve(detail::as_size(blocks.panels() + 1));
    for (std::size_t s = 0; s < slots(blocks); ++s)
      packed_.push_back(handle::bytes(take(plan.packed), plan.packed));
    for (index_t k = 0; k <= blocks.panels(); ++k) {
      const std::size_t count = state_bytes(blocks.first(k));
      last_ = new (take(count)) status();
      states_.push_back(handle::bytes(last_, count));
    }
    for (index_t j = 0; j < blocks.count(); ++j)
      columns_.push_back(handle::matrix(A.block(0, blocks.first(j), A.rows(), blocks.width(j))));
  }

  const block_columns& blocks() const { return blocks_; }
  starpu_data_handle_t column(index_t j) const { return columns_[detail::as_size(j)].get(); }
  starpu_data_handle_t state(index_t k) const { return states_[detail::as_size(k)].get(); }
  starpu_data_handle_t packed(index_t k) const {
    return packed_[detail::as_size(k) % packed_.size()].get();
  }

  /// Gives the program its memory back, the factors in A, when all tasks have run. The status, and
  /// the interchanges to min(m, n) numbers.
  status finish(index_t* interchanges) {
    columns_.clear();
    packed_.clear();
    states_.clear();
    const index_t* const found = interchanges_in(last_);
    for (index_t k = 0; k < blocks_.steps(); ++k)
      interchanges[k] = last_->completed() ? found[k] : k;
    return *last_;
  }

  static starpu_codelet& factor_codelet() {
    static starpu_codelet c =
        codelet_of<lu_flow, factor>("trifac_lu_factor", {STARPU_RW, STARPU_W, STARPU_R, STARPU_W});
    return c;
  }
  static starpu_codelet& update_codelet() {
    static starpu_perfmodel model = {};
    static starpu_codelet c = [] {
      static char name[] = "trifac_lu_update_?";  // StarPU reads it at the end of the process
      *std::find(std::begin(name), std::end(name), '?') = lapack_letter<T>;
      auto made = codelet_of<lu_flow, update>(name, {STARPU_R, STARPU_R, STARPU_R, STARPU_RW});
      if constexpr (Devices::any) add_devices<lu_flow, update_on_device>(made, model);
      return made;
    }();
    return c;
  }
  static starpu_codelet& interchange_codelet() {
    static starpu_codelet c =
        codelet_of<lu_flow, interchange>("trifac_lu_interchange", {STARPU_R, STARPU_RW});
    return c;
  }

  update_size size_of(const task& t) const {
    return {blocks_.rows - blocks_.first(t.panel), blocks_.width(t.column), blocks_.width(t.panel)};
  }

 private:
  static std::size_t slots(const block_columns& blocks) {
    return detail::as_size(detail::min(packed_at_a_time, blocks.panels()));
  }
  static std::size_t state_bytes(index_t interchanges) {
    return (sizeof(status) + detail::as_size(interchanges) * sizeof(index_t) + 63) / 64 * 64;
  }
  static index_t* interchanges_in(status* s) { return reinterpret_cast<index_t*>(s + 1); }
  static status* state_of(void* buffer) { return reinterpret_cast<status*>(bytes_of(buffer)); }

  /// [column k, packed, state k, state k + 1]
  static void factor(void* buffers[], const lu_flow& here, const task& t) {
    const index_t first = here.blocks_.first(t.panel);
    status* const before = state_of(buffers[2]);
    status* const after = state_of(buffers[3]);
    *after = *before;
    if (!before->completed()) return;
    index_t* const own = interchanges_in(after) + first;
    std::copy_n(interchanges_in(before), first, interchanges_in(after));
    const auto column = matrix_of<T>(buffers[0], here.along_rows_);
    // As wide as the matrix from here on, of which the panel's columns are in memory. The last panel of
    // a wide matrix may be narrower than the block.
    const matrix_view<T> A(column.data() + first * column.row_stride(), column.rows() - first,
                           here.blocks_.cols - first, column.row_stride(), column.col_stride());
    const status s = Tasks::factor_lu(A, here.blocks_.width(t.panel), own, *here.options_,
                                      here.work_, bytes_of(buffers[1]));
    for (index_t k = 0; k < column.cols(); ++k) own[k] += first;
    if (!s && (*before || !s.completed())) *after = status::at(s.kind(), first + s.index());
  }
  /// [column k, packed, state k + 1, column j]
  static void update(void* buffers[], const lu_flow& here, const task& t) {
    if (!state_of(buffers[2])->completed()) return;
    const auto L = here.from_panel(buffers[0], t.panel), C = here.from_panel(buffers[3], t.panel);
    Tasks::eliminate(L, here.blocks_.width(t.panel), bytes_of(buffers[1]), C);
  }
  /// The same in a device's memory, but for the state.
  static void update_on_device(void* buffers[], const lu_flow& here, const task& t) {
    status* const after = state_of(buffers[2]);
    if (!after->completed()) return;
    const index_t first = here.blocks_.first(t.panel), end = here.blocks_.first(t.panel + 1);
    t.failed = !Devices::template eliminate<T>(
        buffers[0], buffers[3], here.along_rows_, first,
        std::span<const index_t>(interchanges_in(after) + first, detail::as_size(end - first)));
  }
  /// [the last state, column j]
  static void interchange(void* buffers[], const lu_flow& here, const task& t) {
    status* const last = state_of(buffers[0]);
    if (!last->completed()) return;
    Tasks::interchange(matrix_of<T>(buffers[1], here.along_rows_), interchanges_in(last),
                       here.blocks_.first(t.column + 1), here.blocks_.steps(),
                       here.left_ + detail::as_size(t.worker) * here.plan_.columns);
  }
  /// A block column from panel k's first row on.
  matrix_view<T> from_panel(void* buffer, index_t k) const {
    const auto C = matrix_of<T>(buffer, along_rows_);
    return C.block(blocks_.first(k), 0, C.rows() - blocks_.first(k), C.cols());
  }

  block_columns blocks_;
  linked::task_plan plan_;
  const lu_options* options_;
  bool along_rows_;
  std::byte *work_, *left_;
  status* last_ = nullptr;
  std::vector<handle> packed_, states_, columns_;
};

/// Panel k of a flow. A step becomes one task for each block column that it writes:
///
///        k  k+1  k+2 …
///   | …  F   u    u    |    F: factor; u: interchanges, triangular solve and product, all in one.
///   | …  F   u    u    |    The first u, and the next F, come before the other u.
///
/// So the nest is lu_blocked as for any other backend.
template <class Flow>
class lu_task_panel {
 public:
  explicit lu_task_panel(const Flow& flow, index_t k = 0) : flow_(&flow), k_(k) {}

  index_t columns_right() const { return exists() ? flow_->blocks().count() - k_ - 1 : 0; }
  lu_task_panel next() const { return lu_task_panel(*flow_, k_ + 1); }

  void factor(task_queue& on) const {
    on.submit(Flow::factor_codelet(), flow_, starpu_step::factor, k_, k_,
              {flow_->column(k_), flow_->packed(k_), flow_->state(k_), flow_->state(k_ + 1)});
  }
  void eliminate(task_queue& on, const lu_task_panel& next) const {
    for (index_t j = k_ + 1; j < flow_->blocks().count(); ++j) {
      on.submit(Flow::update_codelet(), flow_, starpu_step::update, k_, j,
                {flow_->column(k_), flow_->packed(k_), flow_->state(k_ + 1), flow_->column(j)});
      if (j == next.k_ && next.exists()) next.factor(on);
    }
  }
  void interchange_left(task_queue& on) const {
    const index_t last = flow_->blocks().panels();
    for (index_t j = 0; j + 1 < last; ++j)
      on.submit(Flow::interchange_codelet(), flow_, starpu_step::interchange, last - 1, j,
                {flow_->state(last), flow_->column(j)});
  }

 private:
  bool exists() const { return k_ < flow_->blocks().panels(); }

  const Flow* flow_;
  index_t k_;
};

}  // namespace starpu_tasks
}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac
