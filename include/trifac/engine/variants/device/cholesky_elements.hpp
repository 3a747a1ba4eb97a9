#pragma once
// Cholesky by elements on a device, as in the thesis of 2016 and the SYCL note of 2021.

#include "trifac/engine/device/launcher.hpp"
#include "trifac/engine/kernel/cholesky_elements.hpp"
#include "trifac/engine/variants/device/host_columns.hpp"

namespace trifac::device {
inline namespace TRIFAC_ABI {

/// The executor of the nests by elements. device_settings::columns selects the launches per column
/// (`single` for crout only), device_settings::group the size of groups.
template <class Runtime, class T>
class cholesky_elements {
 public:
  using on_type = launcher<Runtime, T>;
  using view = typename on_type::view;
  using R = real_t<T>;

  cholesky_elements(const on_type& on, variant v)
      : on_(on), columns_(on.settings().columns), kernels_(on, source(on.settings())) {
    if (v != variant::crout && columns_ == column_kernels::single)
      columns_ = column_kernels::multiple;
  }

  bool stopped() const { return on_.stopped(); }

  void factor_diagonal(const view& A, const view& L, index_t j) {
    switch (columns(A, L)) {
      case column_kernels::single:
        return;  // factor_column will
      case column_kernels::rounds:
        return kernels_.launch("element_diagonal_by_tree", {}, {tree_items()}, A, L, j);
      case column_kernels::multiple:
        return kernels_.launch("element_diagonal", {}, {}, A, L, j);
    }
  }
  void factor_column(const view& A, const view& L, index_t j) {
    if (columns(A, L) == column_kernels::single)
      return launch_rows("element_single", A.rows() - j, A, L, j);
    launch_rows("element_column", A.rows() - j - 1, A, L, j);
  }
  /// With distributed sums, stored here.
  void factor_diagonal(const view& A, const view& L, index_t j, R*) {
    if (j == 0) {
      sums_ = on_.template borrow<R>(A.rows());
      on_.runtime().clear(sums_.get(), static_cast<std::uint64_t>(A.rows()) * sizeof(R));
    }
    kernels_.launch("element_diagonal_of_sum", {}, {}, A, L, j, sums_);
  }
  void factor_column(const view& A, const view& L, index_t j, R*) {
    launch_rows("element_column_and_sums", A.rows() - j - 1, A, L, j, sums_);
  }
  void factor_row(const view& A, const view& L, index_t i) {
    if (i > 0) kernels_.launch("element_row", {}, {row_items()}, A, L, i);
  }

  /// The last columns on the host, by the loop of device_settings::cutoff. Waits for the device.
  template <class Nest>
  void sequential(Nest nest) {
    if (on_.settings().cutoff == cutoff_loop::scalar) return on_host(nest, scalar_loop<T>());
    const bool by_tree = columns_ == column_kernels::rounds;
    on_host(nest, vector_loop<T>(by_tree ? tree_items() : 0));
  }

 private:
  static constexpr std::size_t most_items = 256;  // MOST_ITEMS in kernel/cholesky_elements.hpp

  template <class Nest, class Loop>
  void on_host(Nest nest, Loop loop) {
    host_columns<Runtime, T, Loop> alone(on_.runtime(), on_.state(), sums_.get(), std::move(loop));
    nest(alone);
    alone.finish();
  }
  /// The single kernel cannot work in place: the diagonal would be overwritten while it is read.
  column_kernels columns(const view& A, const view& L) const {
    const bool in_place = A.memory() == L.memory() && A.offset() == L.offset();
    return columns_ == column_kernels::single && in_place ? column_kernels::multiple : columns_;
  }
  std::size_t group_items() const {
    const int wanted = on_.settings().group > 0 ? on_.settings().group : 64;
    return std::min(static_cast<std::size_t>(wanted), on_.facts().most_items);
  }
  std::size_t tree_items() const {
    std::size_t items = 1;
    while (items * 2 <= std::min(group_items(), most_items)) items *= 2;
    return items;
  }
  // One group per row; on a CPU one item, which needs no barriers.
  std::size_t row_items() const {
    return on_.facts().is_cpu && on_.settings().group == 0 ? 1 : group_items();
  }

  template <class... Arguments>
  void launch_rows(const char* kernel_name, index_t rows, const Arguments&... arguments) {
    if (rows == 0) return;
    const std::size_t items = group_items();
    kernels_.launch(kernel_name, {parts_of(rows, static_cast<index_t>(items))}, {items},
                    arguments...);
  }
  static program_source source(const device_settings& settings) {
    program_source made{"cholesky_elements", {kernel::cholesky_elements}, on_type::definitions(1)};
    if (settings.floats == float_model::fast) made.definitions.push_back(program_source::fast);
    return made;
  }

  const on_type& on_;
  column_kernels columns_;
  lazy_program<Runtime, T> kernels_;
  typename on_type::scratch sums_;
};

}  // namespace TRIFAC_ABI
}  // namespace trifac::device
