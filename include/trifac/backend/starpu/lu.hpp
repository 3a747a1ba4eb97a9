#pragma once
// LU by tasks: the panel of lu_blocked whose steps are tasks on block columns.

#include <algorithm>
#include <iterator>
#include <span>

#include "trifac/backend/starpu/flow_data.hpp"
#include "trifac/backend/starpu/queue.hpp"
#include "trifac/detail/as_size.hpp"
#include "trifac/linked/task_calls.hpp"
#include "trifac/lu/blocked.hpp"
#include "trifac/lu/options.hpp"
#include "trifac/scalar.hpp"
#include "trifac/status.hpp"

namespace trifac {
namespace backend {
inline namespace TRIFAC_ABI {
namespace starpu_tasks {

/// LU has whole columns, whose rows are interchanged. State k has the interchanges of panels 0 … k−1.
struct whole_columns {
  static index_t top(const block_columns&, index_t) { return 0; }
  static index_t interchanges(const block_columns& blocks, index_t k) { return blocks.first(k); }
};

/// A factorization in progress: its data, and what its tasks compute.
template <class T, class Tasks, class Devices>
class lu_flow : public flow_data<T, whole_columns> {
  using base = flow_data<T, whole_columns>;
  using base::interchanges_in, base::state_of, base::view;

 public:
  using base::blocks;

  /// Of the call; the interchanges are min(m, n) numbers.
  struct request {
    lu_options options;
    index_t* interchanges;
  };

  static std::size_t most_tasks(const block_columns& blocks) {
    return detail::as_size(blocks.panels() * (blocks.count() + 2));
  }
  static std::size_t bytes(const block_columns& blocks, const linked::task_plan& plan,
                           unsigned workers) {
    return base::bytes(blocks, plan) + plan.work + workers * plan.columns;
  }

  /// memory: bytes() of it, aligned to 64.
  lu_flow(const matrix_view<T>& A, const block_columns& parts, const linked::task_plan& plan,
          const request& of_call, std::byte* memory)
      : base(A, parts, plan, memory),
        plan_(plan),
        call_(of_call),
        work_(memory + base::bytes(parts, plan)),
        left_(work_ + plan.work) {}

  void submit(task_queue& on) const;  // below, where the panel is known

  /// When all tasks have run: factors and interchanges are the caller's.
  status finish() {
    status& last = base::close();
    const index_t* const found = interchanges_in(last);
    for (index_t k = 0; k < blocks().steps(); ++k)
      call_.interchanges[k] = last.completed() ? found[k] : k;
    return last;
  }

  static starpu_codelet& factor_codelet() {
    static starpu_codelet c = [] {
      auto made = codelet_of<lu_flow, factor>("trifac_lu_factor",
                                              {STARPU_RW, STARPU_W, STARPU_R, STARPU_W});
      if constexpr (Devices::any)
        add_device<lu_flow, factor_on_device>(made, {true, false, false, false});
      return made;
    }();
    return c;
  }
  static starpu_codelet& update_codelet() {
    static starpu_perfmodel model = {};
    static starpu_codelet c = [] {
      static char name[] = "trifac_lu_update_?";  // StarPU reads it at the end of the process
      *std::find(std::begin(name), std::end(name), '?') = lapack_letter<T>;
      auto made = codelet_of<lu_flow, update>(name, {STARPU_R, STARPU_R, STARPU_R, STARPU_RW});
      if constexpr (Devices::any) {
        add_device<lu_flow, update_on_device>(made, {true, false, false, true});
        add_model<lu_flow>(made, model);
      }
      return made;
    }();
    return c;
  }
  static starpu_codelet& interchange_codelet() {
    static starpu_codelet c = [] {
      auto made = codelet_of<lu_flow, interchange>("trifac_lu_interchange", {STARPU_R, STARPU_RW});
      if constexpr (Devices::any) add_device<lu_flow, interchange_on_device>(made, {false, true});
      return made;
    }();
    return c;
  }

  update_size size_of(const task& t) const {
    return {blocks().rows - blocks().first(t.panel), blocks().width(t.column),
            blocks().width(t.panel)};
  }

 private:
  /// [column k, packed, state k, state k + 1]: factor(first row, interchanges) the panel, whose status
  /// and interchanges count from its first row.
  template <class Factor>
  static void next_state(void* buffers[], const lu_flow& here, const task& t, Factor factor) {
    const index_t first = here.blocks().first(t.panel);
    status& before = state_of(buffers[2]);
    status& after = state_of(buffers[3]);
    after = before;
    if (!before.completed()) return;
    index_t* const all = interchanges_in(after);
    std::copy_n(interchanges_in(before), first, all);
    const std::span<index_t> own(all + first, detail::as_size(here.blocks().width(t.panel)));
    const status s = factor(first, own);
    for (index_t& row : own) row += first;
    if (!s && (before || !s.completed())) after = status::at(s.kind(), first + s.index());
  }
  static void factor(void* buffers[], const lu_flow& here, const task& t) {
    next_state(buffers, here, t, [&](index_t first, std::span<index_t> own) {
      const auto column = here.view(buffers[0]);
      // As wide as the matrix from here on, of which the panel's columns are in memory. The last
      // panel of a wide matrix may be narrower than the block.
      const matrix_view<T> A(column.data() + first * column.row_stride(), column.rows() - first,
                             here.blocks().cols - first, column.row_stride(), column.col_stride());
      return Tasks::factor_lu(A, here.blocks().width(t.panel), own.data(), here.call_.options,
                              here.work_, bytes_of(buffers[1]));
    });
  }
  /// The same in a device's memory, but for the states; nothing is packed.
  static void factor_on_device(void* buffers[], const lu_flow& here, const task& t) {
    next_state(buffers, here, t, [&](index_t first, std::span<index_t> own) {
      status s;
      t.failed = !Devices::template factor_lu<T>(buffers[0], here.along_rows(), first,
                                                 here.call_.options, own, s);
      return s;
    });
  }
  /// [column k, packed, state k + 1, column j]
  static void update(void* buffers[], const lu_flow& here, const task& t) {
    if (!state_of(buffers[2]).completed()) return;
    const auto L = here.from_panel(buffers[0], t.panel), C = here.from_panel(buffers[3], t.panel);
    Tasks::eliminate(L, here.blocks().width(t.panel), bytes_of(buffers[1]), C);
  }
  /// The same in a device's memory, but for the state.
  static void update_on_device(void* buffers[], const lu_flow& here, const task& t) {
    status& after = state_of(buffers[2]);
    if (!after.completed()) return;
    const index_t first = here.blocks().first(t.panel), end = here.blocks().first(t.panel + 1);
    t.failed = !Devices::template eliminate<T>(
        buffers[0], buffers[3], here.along_rows(), first,
        std::span<const index_t>(interchanges_in(after) + first, detail::as_size(end - first)));
  }
  /// [the last state, column j]
  static void interchange(void* buffers[], const lu_flow& here, const task& t) {
    status& last = state_of(buffers[0]);
    if (!last.completed()) return;
    Tasks::interchange(here.view(buffers[1]), interchanges_in(last),
                       here.blocks().first(t.column + 1), here.blocks().steps(),
                       here.left_ + detail::as_size(t.worker) * here.plan_.columns);
  }
  static void interchange_on_device(void* buffers[], const lu_flow& here, const task& t) {
    status& last = state_of(buffers[0]);
    if (!last.completed()) return;
    const std::span<const index_t> all(interchanges_in(last),
                                       detail::as_size(here.blocks().steps()));
    t.failed = !Devices::template interchange<T>(buffers[1], here.along_rows(), all,
                                                 here.blocks().first(t.column + 1));
  }
  /// A block column from panel k's first row on.
  matrix_view<T> from_panel(void* buffer, index_t k) const {
    const auto C = view(buffer);
    return C.block(blocks().first(k), 0, C.rows() - blocks().first(k), C.cols());
  }

  linked::task_plan plan_;
  request call_;
  std::byte *work_, *left_;
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

template <class T, class Tasks, class Devices>
void lu_flow<T, Tasks, Devices>::submit(task_queue& on) const {
  lu_blocked(on, lu_task_panel(*this));
}

}  // namespace starpu_tasks
}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac
