#pragma once
// The verbs of Cholesky by elements on a device, and their twins on the host for the last columns
// (cutoff).

#include <cmath>
#include <vector>

#include "trifac/backend/device.hpp"
#include "trifac/kernel/cholesky_elements.hpp"
#include "trifac/verb/factor_column.hpp"

namespace trifac::device {
inline namespace TRIFAC_ABI {

/// x − a·conj(b) and x ± |a|² with the roundings of the kernels (FNMA_CONJ and its sisters in
/// kernel/arithmetic.hpp).
template <class T>
T subtract_product_conjugated(T x, T a, T b) {
  if constexpr (is_complex<T>)
    return T(std::fma(-a.imag(), b.imag(), std::fma(-a.real(), b.real(), x.real())),
             std::fma(-a.imag(), b.real(), std::fma(a.real(), b.imag(), x.imag())));
  else
    return std::fma(-a, b, x);
}
template <class T>
real_t<T> add_square(real_t<T> x, T a, real_t<T> sign) {
  if constexpr (is_complex<T>)
    return std::fma(sign * a.imag(), a.imag(), std::fma(sign * a.real(), a.real(), x));
  else
    return std::fma(sign * a, a, x);
}

/// The host's part of a factorization by columns. It reads what the device has done so far, walks
/// the rest of the nest, and finish() writes the columns it has made. Elements have the bits that
/// the device would have given them.
template <class Runtime, class T>
class host_columns {
 public:
  using view = device_view<T, typename Runtime::handle>;
  using R = real_t<T>;

  /// Waits for the device.
  host_columns(Runtime& runtime, typename Runtime::handle state, typename Runtime::handle sums)
      : runtime_(runtime), state_(state), sums_memory_(sums) {
    runtime_.read(state_, 0, words_, sizeof words_);
  }

  bool stopped() const { return words_[0] != 0; }

  void factor_diagonal(const view& A, const view& L, index_t j) {
    begin(A, L, j);
    if (stopped()) return;
    R d = detail::real_part(a_(j, j));
    for (index_t k = 0; k < j; ++k) d = add_square<T>(d, l_(j, k), R(-1));
    set_diagonal(j, d);
  }
  void factor_diagonal(const view& A, const view& L, index_t j, R*) {
    begin(A, L, j);
    if (stopped()) return;
    if (sums_.empty()) {
      sums_.resize(static_cast<std::size_t>(L.rows()));
      if (j > 0) runtime_.read(sums_memory_, 0, sums_.data(), sums_.size() * sizeof(R));
    }
    set_diagonal(j, detail::real_part(a_(j, j)) - sums_[static_cast<std::size_t>(j)]);
  }
  void factor_column(const view&, const view&, index_t j) {
    if (stopped()) return;
    const R pivot = detail::real_part(l_(j, j));
    for (index_t i = j + 1; i < l_.rows(); ++i) {
      T x = a_(i, j);
      for (index_t k = 0; k < j; ++k) x = subtract_product_conjugated(x, l_(i, k), l_(j, k));
      l_(i, j) = x / pivot;
    }
  }
  void factor_column(const view& A, const view& L, index_t j, R*) {
    factor_column(A, L, j);
    if (stopped()) return;
    for (index_t i = j + 1; i < l_.rows(); ++i) {
      R& sum = sums_[static_cast<std::size_t>(i)];
      sum = add_square<T>(sum, l_(i, j), R(1));
    }
  }

  /// Writes the columns to the device, the status too.
  void finish() {
    runtime_.write(state_, 0, words_, sizeof words_);
    for (index_t j = first_; first_ >= 0 && j < l_.rows(); ++j)
      if (device_.row_stride() == 1 || j + 1 == l_.rows())
        write_run(j, j, l_.rows() - j);
      else
        for (index_t i = j; i < l_.rows(); ++i) write_run(i, j, 1);
  }

 private:
  // A device matrix in the host's memory, all that lies between its first and last element.
  matrix_view<T> mirror(const view& A, std::vector<T>& elements) {
    const index_t down = (A.rows() - 1) * A.row_stride(), along = (A.cols() - 1) * A.col_stride();
    const index_t lowest = std::min<index_t>(down, 0) + std::min<index_t>(along, 0);
    const index_t highest = std::max<index_t>(down, 0) + std::max<index_t>(along, 0);
    elements.resize(static_cast<std::size_t>(highest - lowest + 1));
    runtime_.read(A.memory(), static_cast<std::uint64_t>(A.offset() + lowest) * sizeof(T),
                  elements.data(), elements.size() * sizeof(T));
    return {elements.data() - lowest, A.rows(), A.cols(), A.row_stride(), A.col_stride()};
  }
  void begin(const view& A, const view& L, index_t j) {
    if (stopped() || first_ >= 0) return;
    first_ = j;
    device_ = L;
    l_ = mirror(L, l_elements_);
    const bool in_place = A.memory() == L.memory() && A.offset() == L.offset();
    a_ = in_place ? l_ : mirror(A, a_elements_);
  }
  void set_diagonal(index_t j, R d) {
    const status s = verb::set_diagonal(l_, j, d);
    if (s) return;
    words_[0] = static_cast<index_t>(s.kind());
    words_[1] = j;
  }
  void write_run(index_t i, index_t j, index_t count) {
    const index_t at = device_.offset() + i * device_.row_stride() + j * device_.col_stride();
    runtime_.write(device_.memory(), static_cast<std::uint64_t>(at) * sizeof(T), &l_(i, j),
                   static_cast<std::uint64_t>(count) * sizeof(T));
  }

  Runtime& runtime_;
  typename Runtime::handle state_, sums_memory_;
  index_t words_[2] = {};
  index_t first_ = -1;  // the first column that was made here
  view device_;
  std::vector<T> l_elements_, a_elements_;
  matrix_view<T> l_, a_;
  std::vector<R> sums_;
};

/// Adds the verbs by elements to a base of executors. How a column is cut into launches is
/// device_settings::columns, the size of groups device_settings::group.
template <class Base>
class element_verbs : public Base {
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

  /// The last columns on the host. Waits for the device.
  template <class Nest>
  void sequential(Nest nest) {
    host_columns<typename Base::runtime_type, T> alone(this->runtime(), this->state(), sums_.get());
    nest(alone);
    alone.finish();
  }

 private:
  static constexpr std::size_t most_items = 256;  // MOST_ITEMS in kernel/cholesky_elements.hpp

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
