#pragma once
// Cholesky by tasks: the panel of cholesky_blocked whose steps are tasks on block columns.

#include <span>

#include "trifac/engine/base/as_size.hpp"
#include "trifac/engine/blas/copy.hpp"
#include "trifac/engine/calls/task_calls.hpp"
#include "trifac/engine/cholesky/blocked.hpp"
#include "trifac/engine/starpu/flow_data.hpp"
#include "trifac/engine/starpu/queue.hpp"
#include "trifac/scalar.hpp"

namespace trifac {
namespace backend {
inline namespace TRIFAC_ABI {
namespace starpu_tasks {

/// Cholesky uses the lower parts of columns and has no interchanges.
struct lower_columns {
  static index_t top(const block_columns& blocks, index_t j) { return blocks.first(j); }
  static index_t interchanges(const block_columns&, index_t) { return 0; }
};

/// A factorization in progress: its data and the functions of its tasks.
template <class T, class Tasks, class Devices>
class cholesky_flow : public flow_data<T, lower_columns> {
  using base = flow_data<T, lower_columns>;
  using base::state_of, base::view;

 public:
  using base::blocks;

  /// The matrix to factor: L, or another matrix whose lower triangle is copied to L.
  struct request {
    matrix_view<const T> A;
  };

  static std::size_t most_tasks(const block_columns& blocks, const request&) {
    return detail::as_size(blocks.count() * (blocks.count() + 1));
  }
  static std::size_t bytes(const block_columns& blocks, const task_plan& plan, unsigned) {
    return base::bytes(blocks, plan);
  }

  /// memory: bytes() bytes, aligned to 64.
  cholesky_flow(const matrix_view<T>& L, const block_columns& parts, const task_plan& plan,
                const request& of_call, std::byte* memory)
      : base(L, parts, plan, memory), call_(of_call), L_(L) {}

  void submit(task_queue& on) const;  // defined below, after the panel

  /// Call after all tasks have run: the factor is in L.
  status finish() { return base::close(); }

  static starpu_codelet& factor_codelet() {
    static starpu_codelet c = [] {
      auto made =
          codelet_of<Devices>("trifac_cholesky_factor", {column_rw, host_w, host_r, host_w});
      add_cpu<cholesky_flow, factor>(made);
      if constexpr (Devices::any) add_device<Devices, cholesky_flow, factor_on_device>(made);
      return made;
    }();
    return c;
  }
  static starpu_codelet& update_codelet() {
    static starpu_codelet c = [] {
      auto made =
          codelet_of<Devices>("trifac_cholesky_update", {column_r, host_r, host_r, column_rw});
      add_cpu<cholesky_flow, update>(made);
      if constexpr (Devices::any) {
        add_device<Devices, cholesky_flow, update_on_device>(made);
        add_model<cholesky_flow>(made, lapack_letter<T>);
      }
      return made;
    }();
    return c;
  }

  update_size size_of(const task& t) const {
    return {blocks().rows - blocks().first(t.column), blocks().width(t.column),
            blocks().width(t.panel)};
  }

 private:
  /// [column k, packed, state k, state k + 1]
  static void factor(void* buffers[], const cholesky_flow& flow, const task& t) {
    flow.next_state(buffers[2], buffers[3], t.panel, [&](index_t, std::span<index_t>) {
      return Tasks::factor_cholesky(flow.view(buffers[0]), bytes_of(buffers[1]));
    });
  }
  /// The same in device memory, except the states; nothing is packed.
  static void factor_on_device(void* buffers[], const cholesky_flow& flow, const task& t) {
    flow.next_state(buffers[2], buffers[3], t.panel, [&](index_t, std::span<index_t>) {
      status s;
      t.failed = !Devices::template factor_cholesky<T>(buffers[0], flow.along_rows(), s);
      return s;
    });
  }
  /// [column k, packed, state k + 1, column j]
  static void update(void* buffers[], const cholesky_flow& flow, const task&) {
    if (!state_of(buffers[2]).completed()) return;
    Tasks::subtract(flow.view(buffers[0]), bytes_of(buffers[1]), flow.view(buffers[3]));
  }
  /// The same in device memory, except the state.
  static void update_on_device(void* buffers[], const cholesky_flow& flow, const task& t) {
    if (!state_of(buffers[2]).completed()) return;
    const index_t above = flow.blocks().first(t.column) - flow.blocks().first(t.panel);
    t.failed = !Devices::template subtract<T>(buffers[0], buffers[3], flow.along_rows(), above);
  }

  request call_;
  matrix_view<T> L_;
};

/// Panel k of a flow. Its factorization includes the rows below the diagonal block.
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

template <class T, class Tasks, class Devices>
void cholesky_flow<T, Tasks, Devices>::submit(task_queue& on) const {
  if (call_.A.data() != L_.data()) blas::copy_lower<T>(call_.A, L_);  // after all allocations
  cholesky_blocked(on, cholesky_task_panel(*this));
}

}  // namespace starpu_tasks
}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac
