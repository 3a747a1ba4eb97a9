#pragma once
// The panel of lu_blocked whose steps are tasks on block columns.

#include "trifac/engine/starpu/queue.hpp"
#include "trifac/engine/starpu/timeline.hpp"

namespace trifac {
namespace backend {
inline namespace TRIFAC_ABI {
namespace starpu_tasks {

/// Panel k of a flow. A step becomes one task per block column that it writes:
///
///        k  k+1  k+2 …
///   | …  F   u    u    |    F: factor; u: interchanges, triangular solve and product, all in one.
///   | …  F   u    u    |    The first u and the next F precede the other u.
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
      update(on, j);
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
  void update(task_queue& on, index_t j) const {
    if constexpr (Flow::has_devices)
      if (flow_->separates()) return update_in_parts(on, j);
    on.submit(Flow::update_codelet(), flow_, starpu_step::update, k_, j,
              {flow_->column(k_), flow_->packed(k_), flow_->state(k_ + 1), flow_->column(j)});
  }
  void update_in_parts(task_queue& on, index_t j) const {
    const auto L = flow_->column(k_), state = flow_->state(k_ + 1), C = flow_->column(j),
               P = flow_->product(j);
    on.submit(Flow::solve_codelet(), flow_, starpu_step::solve, k_, j, {L, state, C});
    if (flow_->blocks().first(k_ + 1) == flow_->blocks().rows) return;  // no rows below
    on.submit(Flow::product_codelet(), flow_, starpu_step::product, k_, j, {L, state, C, P});
    on.submit(Flow::subtract_codelet(), flow_, starpu_step::subtract, k_, j, {P, state, C});
  }
  bool exists() const { return k_ < flow_->blocks().panels(); }

  const Flow* flow_;
  index_t k_;
};

}  // namespace starpu_tasks
}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac
