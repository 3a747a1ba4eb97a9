#pragma once
// LU by tasks: the functions of the tasks.

#include <span>
#include <vector>

#include "trifac/engine/base/as_size.hpp"
#include "trifac/engine/calls/task_calls.hpp"
#include "trifac/engine/lu/blocked.hpp"
#include "trifac/engine/lu/options.hpp"
#include "trifac/engine/starpu/flow_data.hpp"
#include "trifac/engine/starpu/lu_panel.hpp"
#include "trifac/engine/starpu/placement.hpp"
#include "trifac/engine/starpu/queue.hpp"
#include "trifac/scalar.hpp"
#include "trifac/status.hpp"

namespace trifac {
namespace backend {
inline namespace TRIFAC_ABI {
namespace starpu_tasks {

/// LU uses whole columns, whose rows are interchanged. State k holds the interchanges of panels 0 …
/// k−1.
struct whole_columns {
  static index_t top(const block_columns&, index_t) { return 0; }
  static index_t interchanges(const block_columns& blocks, index_t k) { return blocks.first(k); }
};

/// A factorization in progress: its data and the functions of its tasks.
template <class T, class Tasks, class Devices>
class lu_flow : public flow_data<T, whole_columns> {
  using base = flow_data<T, whole_columns>;
  using base::interchanges_in, base::state_of, base::view;

 public:
  using base::blocks;

  /// Arguments of the call; there are min(m, n) interchanges.
  struct request {
    lu_options options;
    index_t* interchanges;
    starpu_steps steps;
  };

  static std::size_t most_tasks(const block_columns& blocks, const request& of_call) {
    const index_t for_each = of_call.steps == starpu_steps::separate ? 3 : 1;
    return detail::as_size(blocks.panels() * (for_each * blocks.count() + 2));
  }
  static std::size_t bytes(const block_columns& blocks, const task_plan& plan, unsigned workers) {
    return base::bytes(blocks, plan) + plan.work + workers * plan.columns;
  }

  /// memory: bytes() bytes, aligned to 64.
  lu_flow(const matrix_view<T>& A, const block_columns& parts, const task_plan& plan,
          const request& of_call, std::byte* memory)
      : base(A, parts, plan, memory),
        plan_(plan),
        call_(of_call),
        work_(memory + base::bytes(parts, plan)),
        left_(work_ + plan.work) {
    if (of_call.steps == starpu_steps::together) return;
    products_.reserve(most_products);
    while (products_.size() < most_products)
      products_.push_back(handle::scratch<T>(parts.rows, parts.block));
  }

  static constexpr bool has_devices = Devices::any;
  bool separates() const { return !products_.empty(); }
  /// The product for column j, which may be narrower.
  starpu_data_handle_t product(index_t j) const {
    return products_[detail::as_size(j) % most_products].get();
  }

  void submit(task_queue& on) const { lu_blocked(on, lu_task_panel(*this)); }

  /// Call after all tasks have run.
  status finish() {
    products_.clear();
    status& last = base::close();
    const index_t* const found = interchanges_in(last);
    for (index_t k = 0; k < blocks().steps(); ++k)
      call_.interchanges[k] = last.completed() ? found[k] : k;
    return last;
  }

  static starpu_codelet& factor_codelet() {
    static starpu_codelet c = [] {
      auto made = codelet_of<Devices>("trifac_lu_factor", {column_rw, host_w, host_r, host_w});
      add_cpu<lu_flow, factor>(made);
      if constexpr (Devices::any) add_device<Devices, lu_flow, factor_on_device>(made);
      return made;
    }();
    return c;
  }
  static starpu_codelet& update_codelet() {
    static starpu_codelet c = [] {
      auto made = codelet_of<Devices>("trifac_lu_update", {column_r, host_r, host_r, column_rw});
      add_cpu<lu_flow, update>(made);
      if constexpr (Devices::any) {
        add_device<Devices, lu_flow, update_on_device>(made);
        add_model<lu_flow>(made, lapack_letter<T>);
      }
      return made;
    }();
    return c;
  }
  static starpu_codelet& interchange_codelet() {
    static starpu_codelet c = [] {
      auto made = codelet_of<Devices>("trifac_lu_interchange", {host_r, column_rw});
      add_cpu<lu_flow, interchange>(made);
      if constexpr (Devices::any) add_device<Devices, lu_flow, interchange_on_device>(made);
      return made;
    }();
    return c;
  }

  // The parts of an update, on devices.
  static starpu_codelet& solve_codelet() {
    static starpu_codelet c = [] {
      auto made = codelet_of<Devices>("trifac_lu_solve", {column_r, host_r, column_rw});
      add_device<Devices, lu_flow, solve>(made);
      return made;
    }();
    return c;
  }
  static starpu_codelet& product_codelet() {
    static starpu_codelet c = [] {
      auto made = codelet_of<Devices>("trifac_lu_product", {column_r, host_r, column_r, column_w});
      add_device<Devices, lu_flow, multiply>(made);
      return made;
    }();
    return c;
  }
  static starpu_codelet& subtract_codelet() {
    static starpu_codelet c = [] {
      auto made = codelet_of<Devices>("trifac_lu_subtract", {column_r, host_r, column_rw});
      add_device<Devices, lu_flow, subtract>(made);
      return made;
    }();
    return c;
  }

  update_size size_of(const task& t) const {
    return {blocks().rows - blocks().first(t.panel), blocks().width(t.column),
            blocks().width(t.panel)};
  }

 private:
  /// [column k, packed, state k, state k + 1]
  static void factor(void* buffers[], const lu_flow& flow, const task& t) {
    const auto panel = [&](index_t first, std::span<index_t> interchanges) {
      const auto column = flow.view(buffers[0]);
      // A as wide as the rest of the matrix, though only the panel's columns are in memory. The
      // last panel of a wide matrix may be narrower than the block.
      const matrix_view<T> A(column.data() + first * column.row_stride(), column.rows() - first,
                             flow.blocks().cols - first, column.row_stride(), column.col_stride());
      return Tasks::factor_lu(A, flow.blocks().width(t.panel), interchanges.data(),
                              flow.call_.options, flow.work_, bytes_of(buffers[1]));
    };
    flow.next_state(buffers[2], buffers[3], t.panel, panel);
  }
  /// The same in device memory, except the states; nothing is packed.
  static void factor_on_device(void* buffers[], const lu_flow& flow, const task& t) {
    const auto panel = [&](index_t first, std::span<index_t> interchanges) {
      status s;
      t.failed = !Devices::template factor_lu<T>(buffers[0], flow.along_rows(), first,
                                                 flow.call_.options, interchanges, s);
      // Later tasks must not apply interchanges that were not computed.
      return t.failed ? status::at(status_kind::not_finite, 0) : s;
    };
    flow.next_state(buffers[2], buffers[3], t.panel, panel);
  }
  /// [column k, packed, state k + 1, column j]
  static void update(void* buffers[], const lu_flow& flow, const task& t) {
    if (!state_of(buffers[2]).completed()) return;
    const auto L = flow.from_panel(buffers[0], t.panel), C = flow.from_panel(buffers[3], t.panel);
    Tasks::eliminate(L, flow.blocks().width(t.panel), bytes_of(buffers[1]), C);
  }
  /// The same in device memory, except the state.
  static void update_on_device(void* buffers[], const lu_flow& flow, const task& t) {
    status& after = state_of(buffers[2]);
    if (!after.completed()) return;
    t.failed = !Devices::template eliminate<T>(buffers[0], buffers[3], flow.along_rows(),
                                               flow.blocks().first(t.panel),
                                               flow.interchanges_of(after, t.panel));
  }
  /// [column k, state k + 1, column j]
  static void solve(void* buffers[], const lu_flow& flow, const task& t) {
    status& after = state_of(buffers[1]);
    if (!after.completed()) return;
    t.failed = !Devices::template solve<T>(buffers[0], buffers[2], flow.along_rows(),
                                           flow.blocks().first(t.panel),
                                           flow.interchanges_of(after, t.panel));
  }
  /// [column k, state k + 1, column j, product]
  static void multiply(void* buffers[], const lu_flow& flow, const task& t) {
    if (!state_of(buffers[1]).completed()) return;
    t.failed =
        !Devices::template multiply<T>(buffers[0], buffers[2], buffers[3], flow.along_rows(),
                                       flow.blocks().first(t.panel), flow.blocks().width(t.panel));
  }
  /// [product, state k + 1, column j]
  static void subtract(void* buffers[], const lu_flow& flow, const task& t) {
    if (!state_of(buffers[1]).completed()) return;
    t.failed = !Devices::template subtract_product<T>(buffers[0], buffers[2], flow.along_rows(),
                                                      flow.blocks().first(t.panel + 1));
  }
  /// [the last state, column j]
  static void interchange(void* buffers[], const lu_flow& flow, const task& t) {
    status& last = state_of(buffers[0]);
    if (!last.completed()) return;
    Tasks::interchange(flow.view(buffers[1]), interchanges_in(last),
                       flow.blocks().first(t.column + 1), flow.blocks().steps(),
                       flow.left_ + detail::as_size(t.worker) * flow.plan_.columns);
  }
  static void interchange_on_device(void* buffers[], const lu_flow& flow, const task& t) {
    status& last = state_of(buffers[0]);
    if (!last.completed()) return;
    const std::span<const index_t> all(interchanges_in(last),
                                       detail::as_size(flow.blocks().steps()));
    t.failed = !Devices::template interchange<T>(buffers[1], flow.along_rows(), all,
                                                 flow.blocks().first(t.column + 1));
  }
  /// The interchanges of panel k.
  std::span<const index_t> interchanges_of(status& after, index_t k) const {
    return {interchanges_in(after) + blocks().first(k), detail::as_size(blocks().width(k))};
  }
  /// A block column from the first row of panel k on.
  matrix_view<T> from_panel(void* buffer, index_t k) const {
    const auto C = view(buffer);
    return C.block(blocks().first(k), 0, C.rows() - blocks().first(k), C.cols());
  }

  task_plan plan_;
  request call_;
  std::byte *work_, *left_;
  static constexpr std::size_t most_products = 3;  // like packed panels
  std::vector<handle> products_;
};

}  // namespace starpu_tasks
}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac
