#pragma once
// The verbs of Cholesky by elements on a device.

#include "trifac/backend/device/facts.hpp"
#include "trifac/backend/device/host_columns.hpp"
#include "trifac/backend/device/settings.hpp"
#include "trifac/kernel/arithmetic.hpp"
#include "trifac/kernel/cholesky_elements.hpp"

namespace trifac::device {
inline namespace TRIFAC_ABI {

/// Adds the verbs by elements to a base of executors. How a column is cut into launches is
/// device_settings::columns, the size of groups device_settings::group.
template <class Base>
class element_operations : public Base {
 public:
  using typename Base::scratch;
  using typename Base::view;
  using T = typename view::value_type;
  using R = real_t<T>;
  using Base::Base;

  void factor_diagonal(const view& A, const view& L, index_t j) {
    switch (columns(A, L)) {
      case column_kernels::single:
        return;  // factor_column will
      case column_kernels::rounds:
        return launch("element_diagonal_by_tree", {}, {tree_items()}, A, L, j, this->state());
      case column_kernels::multiple:
        return launch("element_diagonal", {}, {}, A, L, j, this->state());
    }
  }
  void factor_column(const view& A, const view& L, index_t j) {
    if (columns(A, L) == column_kernels::single)
      return launch_rows("element_single", A.rows() - j, A, L, j, A.rows(), this->state());
    launch_rows("element_column", A.rows() - j - 1, A, L, j, A.rows(), this->state());
  }
  /// With distributed sums, which live here.
  void factor_diagonal(const view& A, const view& L, index_t j, R*) {
    if (j == 0) {
      sums_ = this->template borrow<R>(A.rows());
      this->runtime().clear(sums_.get(), static_cast<std::uint64_t>(A.rows()) * sizeof(R));
    }
    launch("element_diagonal_of_sum", {}, {}, A, L, j, sums_.get(), this->state());
  }
  void factor_column(const view& A, const view& L, index_t j, R*) {
    launch_rows("element_column_and_sums", A.rows() - j - 1, A, L, j, A.rows(), sums_.get(),
                this->state());
  }
  void factor_row(const view& A, const view& L, index_t i) {
    if (i > 0) launch("element_row", {}, {row_items()}, A, L, i, this->state());
  }

  /// The last columns on the host, by the loop of device_settings::cutoff. Waits for the device.
  template <class Nest>
  void sequential(Nest nest) {
    if (this->settings().cutoff == cutoff_loop::scalar) return on_host(nest, scalar_loop<T>());
    const bool by_tree = this->settings().columns == column_kernels::rounds;
    on_host(nest, vector_loop<T>(by_tree ? tree_items() : 0));
  }

 private:
  static constexpr std::size_t most_items = 256;  // MOST_ITEMS in kernel/cholesky_elements.hpp

  template <class Nest, class Loop>
  void on_host(Nest nest, Loop loop) {
    host_columns<typename Base::runtime_type, T, Loop> alone(this->runtime(), this->state(),
                                                             sums_.get(), std::move(loop));
    nest(alone);
    alone.finish();
  }
  /// A single kernel cannot work in place: the diagonal would be overwritten while it is read.
  column_kernels columns(const view& A, const view& L) const {
    const bool in_place = A.memory() == L.memory() && A.offset() == L.offset();
    const column_kernels c = this->settings().columns;
    return c == column_kernels::single && in_place ? column_kernels::multiple : c;
  }
  std::size_t group_items() const {
    const int wanted = this->settings().group > 0 ? this->settings().group : 64;
    return std::min(static_cast<std::size_t>(wanted), this->facts().most_items);
  }
  std::size_t tree_items() const {
    std::size_t items = 1;
    while (items * 2 <= std::min(group_items(), most_items)) items *= 2;
    return items;
  }
  // A row is one group's work; on a CPU one item's, which needs no barriers.
  std::size_t row_items() const {
    return this->facts().is_cpu && this->settings().group == 0 ? 1 : group_items();
  }

  template <class... Arguments>
  void launch_rows(const char* kernel_name, index_t rows, const Arguments&... arguments) {
    if (rows == 0) return;
    const std::size_t items = group_items();
    launch(kernel_name, {Base::parts_of(rows, static_cast<index_t>(items))}, {items}, arguments...);
  }
  template <class... Arguments>
  void launch(const char* kernel_name, extent groups, extent items, const view& A, const view& L,
              const Arguments&... arguments) {
    if (!program_) {
      program_source source{"cholesky_elements",
                            {kernel::arithmetic, kernel::cholesky_elements},
                            Base::definitions(1)};
      if (this->settings().floats == float_model::fast)
        source.definitions.push_back(program_source::fast);
      program_ = &this->runtime().load(source);
    }
    this->runtime().launch(*program_, kernel_name, groups, items, A.memory(), A.offset(),
                           A.row_stride(), A.col_stride(), L.memory(), L.offset(), L.row_stride(),
                           L.col_stride(), arguments...);
  }

  scratch sums_;
  typename Base::runtime_type::program* program_ = nullptr;
};

}  // namespace TRIFAC_ABI
}  // namespace trifac::device
