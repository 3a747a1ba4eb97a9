#pragma once
// Cholesky by tasks: the panel of cholesky_blocked whose steps are tasks on block columns.

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "trifac/backend/starpu/lu.hpp"

namespace trifac {
namespace backend {
inline namespace TRIFAC_ABI {
namespace starpu_tasks {

/// A factorization in progress: the lower block columns of A, each from its diagonal on, packed panels
/// and states as in lu_flow.
template <class T, class Tasks, class Devices>
class cholesky_flow {
 public:
  static std::size_t bytes(const block_columns& blocks, const linked::task_plan& plan) {
    return slots(blocks) * plan.packed + detail::as_size(blocks.panels() + 1) * state_bytes;
  }

  cholesky_flow(const matrix_view<T>& A, const block_columns& blocks, const linked::task_plan& plan,
                std::byte* memory)
      : blocks_(blocks), along_rows_(A.row_stride() != 1) {
    const auto take = [&](std::size_t count) { return std::exchange(memory, memory + count); };
    columns_.reserve(detail::as_size(blocks.count()));
    packed_.reserve(slots(blocks));
    states_.reserve(detail::as_size(blocks.panels() + 1));
    for (std::size_t s = 0; s < slots(blocks); ++s)
      packed_.push_back(handle::bytes(take(plan.packed), plan.packed));
    for (index_t k = 0; k <= blocks.panels(); ++k) {
      last_ = new (take(state_bytes)) status();
      states_.push_back(handle::bytes(last_, sizeof(status)));
    }
    for (index_t j = 0; j < blocks.count(); ++j) {
      const index_t first = blocks.first(j);
      columns_.push_back(handle::matrix(A.block(first, first, A.rows() - first, blocks.width(j))));
    }
  }

  const block_columns& blocks() const { return blocks_; }
  starpu_data_handle_t column(index_t j) const { return columns_[detail::as_size(j)].get(); }
  starpu_data_handle_t state(index_t k) const { return states_[detail::as_size(k)].get(); }
  starpu_data_handle_t packed(index_t k) const {
    return packed_[detail::as_size(k) % packed_.size()].get();
  }

  /// Gives the program its memory back, the factor in A, when all tasks have run.
  status finish() {
    columns_.clear();
    packed_.clear();
    states_.clear();
    return *last_;
  }

  static starpu_codelet& factor_codelet() {
    static starpu_codelet c = codelet_of<cholesky_flow, factor>(
        "trifac_cholesky_factor", {STARPU_RW, STARPU_W, STARPU_R, STARPU_W});
    return c;
  }
  static starpu_codelet& update_codelet() {
    static starpu_perfmodel model = {};
    static starpu_codelet c = [] {
      static char name[] = "trifac_cholesky_update_?";  // StarPU reads it at the end of the process
      *std::find(std::begin(name), std::end(name), '?') = lapack_letter<T>;
      auto made =
          codelet_of<cholesky_flow, update>(name, {STARPU_R, STARPU_R, STARPU_R, STARPU_RW});
      if constexpr (Devices::any) add_devices<cholesky_flow, update_on_device>(made, model);
      return made;
    }();
    return c;
  }

  update_size size_of(const task& t) const {
    return {blocks_.rows - blocks_.first(t.column), blocks_.width(t.column),
            blocks_.width(t.panel)};
  }

 private:
  static constexpr std::size_t state_bytes = 64;
  static_assert(sizeof(status) <= state_bytes);

  static std::size_t slots(const block_columns& blocks) {
    return detail::as_size(detail::min(packed_at_a_time, blocks.panels()));
  }
  static status& state_of(void* buffer) { return *reinterpret_cast<status*>(bytes_of(buffer)); }

  /// [column k, packed, state k, state k + 1]
  static void factor(void* buffers[], const cholesky_flow& here, const task& t) {
    status& after = state_of(buffers[3]);
    after = state_of(buffers[2]);
    if (!after) return;
    const status s =
        Tasks::factor_cholesky(matrix_of<T>(buffers[0], here.along_rows_), bytes_of(buffers[1]));
    if (!s) after = status::at(s.kind(), here.blocks_.first(t.panel) + s.index());
  }
  /// [column k, packed, state k + 1, column j]
  static void update(void* buffers[], const cholesky_flow& here, const task&) {
    if (!state_of(buffers[2])) return;
    Tasks::subtract(matrix_of<T>(buffers[0], here.along_rows_), bytes_of(buffers[1]),
                    matrix_of<T>(buffers[3], here.along_rows_));
  }
  /// The same in a device's memory, but for the state.
  static void update_on_device(void* buffers[], const cholesky_flow& here, const task& t) {
    if (!state_of(buffers[2])) return;
    const index_t above = here.blocks_.first(t.column) - here.blocks_.first(t.panel);
    t.failed = !Devices::template subtract<T>(buffers[0], buffers[3], here.along_rows_, above);
  }

  block_columns blocks_;
  bool along_rows_;
  status* last_ = nullptr;
  std::vector<handle> packed_, states_, columns_;
};

/// Panel k of a flow. Its factorization includes the rows below its diagonal block.
template <class Flow>
class cholesky_task_panel {
 public:
  explicit cholesky_task_panel(const Flow& flow, index_t k = 0) : flow_(&flow), k_(k) {}

  index_t rows_below() const { return flow_->blocks().count() - k_ - 1; }
  cholesky_task_panel next() const { return cholesky_task_panel(*flow_, k_ + 1); }

  void factor(task_queue& on) const {
    on.submit(Flow::factor_codelet(), flow_, starpu_step::factor, k_, k_,
              {flow_->column(k_), flow_->packed(k_), flow_->state(k_), flow_->state(k_ + 1)});
  }
  void solve_below(task_queue&) const {}
  void update(task_queue& on, const cholesky_task_panel& next) const {
    for (index_t j = k_ + 1; j < flow_->blocks().count(); ++j) {
      on.submit(Flow::update_codelet(), flow_, starpu_step::update, k_, j,
                {flow_->column(k_), flow_->packed(k_), flow_->state(k_ + 1), flow_->column(j)});
      if (j == next.k_) next.factor(on);
    }
  }

 private:
  const Flow* flow_;
  index_t k_;
};

}  // namespace starpu_tasks
}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac
