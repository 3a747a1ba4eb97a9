#pragma once
// The host loops for the last columns of Cholesky by columns: cutoff_loop. Each holds the rows from
// `first` on in packed memory: L left of column `first`, A from there on.

#include <algorithm>
#include <cmath>
#include <vector>

#include "trifac/engine/blas/factor_column.hpp"
#include "trifac/engine/simd/cholesky/column.hpp"

namespace trifac::device {
inline namespace TRIFAC_ABI {

/// cutoff_loop::scalar: the sequential loop of the thesis of 2016 on contiguous rows, in place (its
/// version "crout, contiguous, in place"), implemented in blas/factor_column.hpp.
template <class T>
class scalar_loop {
 public:
  using R = real_t<T>;

  /// Reserves rows first … n−1.
  void reserve(index_t first, index_t n) {
    elements_.resize(static_cast<std::size_t>((n - first) * n));
    rows_ = {elements_.data(), first, n};
  }
  T get(index_t i, index_t j) const { return rows_(i, j); }
  void set(index_t i, index_t j, const T& x) { rows_(i, j) = x; }

  template <class... Sums>
  status factor_diagonal(index_t j, const Sums*... sums) {
    return blas::factor_diagonal(rows_, rows_, j, sums...);
  }
  template <class... Sums>
  void factor_column(index_t j, Sums*... sums) {
    blas::factor_column(rows_, rows_, j, j + 1, rows_.rows(), sums...);
  }

 private:
  /// Rows first … n−1 of n, contiguous, addressed by their original numbers.
  struct last_rows {
    using value_type = T;

    T& operator()(index_t i, index_t j) const { return data[(i - first) * n + j]; }
    index_t rows() const { return n; }

    T* data = nullptr;
    index_t first = 0, n = 0;
  };

  std::vector<T> elements_;
  last_rows rows_;
};

/// x + |a|² with the rounding of the kernels (FMA_SQUARE in kernel/arithmetic.hpp).
template <class T>
real_t<T> add_square(real_t<T> x, T a) {
  if constexpr (is_complex<T>)
    return std::fma(a.imag(), a.imag(), std::fma(a.real(), a.real(), x));
  else
    return std::fma(a, a, x);
}

/// cutoff_loop::vector: contiguous columns, by vectors of fused multiply-adds, with the same bits
/// as the device.
template <class T>
class vector_loop {
 public:
  using R = real_t<T>;

  /// tree_items: number of partial sums if the kernel element_diagonal_by_tree computes the
  /// diagonal, else 0.
  explicit vector_loop(std::size_t tree_items) : tree_(tree_items) {}

  void reserve(index_t first, index_t n) {
    first_ = first;
    const index_t rows = n - first, planes = is_complex<T> ? 2 : 1;
    const index_t height = (rows + 15) / 16 * 16 + simd::fused_rows;
    elements_.resize(static_cast<std::size_t>(n * planes * height));
    packed_ = {elements_.data(), rows, height};
  }
  T get(index_t i, index_t j) const {
    const R* const x = packed_.column(j) + (i - first_);
    if constexpr (is_complex<T>)
      return T(x[0], x[packed_.height]);
    else
      return x[0];
  }
  void set(index_t i, index_t j, const T& x) {
    R* const to = packed_.column(j) + (i - first_);
    to[0] = detail::real_part(x);
    if constexpr (is_complex<T>) to[packed_.height] = x.imag();
  }

  status factor_diagonal(index_t j) {
    const R by_tree = tree_.empty() ? R(0) : diagonal(j) - square_by_tree(j);
    simd::reduce_column(packed_, j - first_, j);
    return set_diagonal(j, tree_.empty() ? diagonal(j) : by_tree);
  }
  status factor_diagonal(index_t j, const R* sums) {
    const R d = diagonal(j) - sums[j];
    simd::reduce_column(packed_, j - first_, j);
    return set_diagonal(j, d);
  }
  void factor_column(index_t j) {
    const R pivot = diagonal(j);
    R* const x = packed_.column(j);
    for (index_t i = j - first_ + 1; i < packed_.rows; ++i) {
      x[i] /= pivot;
      if constexpr (is_complex<T>) x[packed_.height + i] /= pivot;
    }
  }
  void factor_column(index_t j, R* sums) {
    factor_column(j);
    for (index_t i = j + 1; i < first_ + packed_.rows; ++i)
      sums[i] = add_square<T>(sums[i], get(i, j));
  }

 private:
  R diagonal(index_t j) const { return detail::real_part(get(j, j)); }
  status set_diagonal(index_t j, R d) {
    const status s = blas::check_pivot(d, j);
    if (s) set(j, j, T(std::sqrt(d)));
    return s;
  }
  /// Σ_{k<j} |l_jk|² in the summation order of the kernel element_diagonal_by_tree.
  R square_by_tree(index_t j) {
    const std::size_t items = tree_.size();
    std::fill(tree_.begin(), tree_.end(), R(0));
    for (index_t k = 0; k < j; ++k) {
      R& part = tree_[static_cast<std::size_t>(k) % items];
      part = add_square<T>(part, get(j, k));
    }
    for (std::size_t upper = items / 2; upper > 0; upper /= 2)
      for (std::size_t item = 0; item < upper; ++item) tree_[item] += tree_[item + upper];
    return tree_[0];
  }

  index_t first_ = 0;
  std::vector<R> elements_, tree_;
  simd::packed_columns<T> packed_{};
};

}  // namespace TRIFAC_ABI
}  // namespace trifac::device
