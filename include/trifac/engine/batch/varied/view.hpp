#pragma once
// varied_view: a non-owning view of many matrices of different sizes.

#include <concepts>
#include <span>
#include <type_traits>
#include <utility>

#include "trifac/engine/base/as_size.hpp"
#include "trifac/matrix_view.hpp"

namespace trifac {

/// Matrix b has rows(b) × cols(b) elements, column-major with leading dimension ld(b) ≥ rows(b),
/// each at its own pointer; that of a matrix without elements may be null. T may be const. The
/// arrays must outlive the view and the factors made of it.
template <class T>
class varied_view {
 public:
  using element_type = T;
  using value_type = std::remove_const_t<T>;
  using numbers = std::span<const index_t>;

  constexpr varied_view() = default;
  /// Without lds, ld(b) = max(1, rows(b)).
  constexpr varied_view(std::span<T* const> pointers, numbers rows, numbers cols, numbers lds = {})
      : pointers_(pointers), rows_(rows), cols_(cols), lds_(lds) {}
  /// All with so many columns.
  constexpr varied_view(std::span<T* const> pointers, numbers rows, index_t cols, numbers lds = {})
      : pointers_(pointers), rows_(rows), lds_(lds), cols_of_all_(cols), has_cols_of_all_(true) {}
  /// A view of constant elements from a view of mutable ones.
  template <class U>
  requires(std::is_const_v<T>&& std::same_as<U, value_type>) constexpr varied_view(
      const varied_view<U>& A)
      : pointers_(A.pointers_),
        rows_(A.rows_),
        cols_(A.cols_),
        lds_(A.lds_),
        cols_of_all_(A.cols_of_all_),
        has_cols_of_all_(A.has_cols_of_all_) {}

  /// True if there is a size for each pointer, as the members below and all calls require.
  constexpr bool is_complete() const {
    const std::size_t n = pointers_.size();
    return rows_.size() == n && (has_cols_of_all_ || cols_.size() == n) &&
           (lds_.empty() || lds_.size() == n);
  }
  constexpr index_t batch() const { return static_cast<index_t>(pointers_.size()); }
  constexpr index_t rows(index_t b) const { return rows_[detail::as_size(b)]; }
  constexpr index_t cols(index_t b) const {
    return has_cols_of_all_ ? cols_of_all_ : cols_[detail::as_size(b)];
  }
  constexpr index_t ld(index_t b) const {
    if (!lds_.empty()) return lds_[detail::as_size(b)];
    return rows(b) > 1 ? rows(b) : 1;
  }
  constexpr T* address(index_t b) const { return pointers_[detail::as_size(b)]; }
  /// Matrix b.
  constexpr matrix_view<T> operator[](index_t b) const {
    return {address(b), rows(b), cols(b), 1, ld(b)};
  }

 private:
  template <class U>
  friend class varied_view;

  std::span<T* const> pointers_;
  numbers rows_, cols_, lds_;
  index_t cols_of_all_ = 0;
  bool has_cols_of_all_ = false;
};

inline namespace TRIFAC_ABI {
namespace detail {

/// A vector or array of sizes.
template <class S>
concept Numbers = std::convertible_to<S&, std::span<const index_t>>;

/// What the pointers of a vector or array point to.
template <class P>
using pointed_to =
    std::remove_pointer_t<typename decltype(std::span(std::declval<P&>()))::value_type>;

}  // namespace detail
}  // namespace TRIFAC_ABI

/// Square matrices of orders sizes[b], column-major with leading dimension lds[b], without lds
/// sizes[b], from vectors or arrays that outlive the view; temporaries do not compile.
template <class P, detail::Numbers S>
constexpr varied_view<detail::pointed_to<P>> varied(P& pointers, S& sizes) {
  return {pointers, sizes, sizes};
}
template <class P, detail::Numbers S, detail::Numbers L>
constexpr varied_view<detail::pointed_to<P>> varied(P& pointers, S& sizes, L& lds) {
  return {pointers, sizes, sizes, lds};
}
/// rows[b] × cols matrices: right-hand sides.
template <class P, detail::Numbers S>
constexpr varied_view<detail::pointed_to<P>> varied(P& pointers, S& rows, index_t cols) {
  return {pointers, rows, cols};
}
template <class P, detail::Numbers S, detail::Numbers L>
constexpr varied_view<detail::pointed_to<P>> varied(P& pointers, S& rows, index_t cols, L& lds) {
  return {pointers, rows, cols, lds};
}
/// rows[b] × cols[b] matrices.
template <class P, detail::Numbers S, detail::Numbers C, detail::Numbers L>
constexpr varied_view<detail::pointed_to<P>> varied(P& pointers, S& rows, C& cols, L& lds) {
  return {pointers, rows, cols, lds};
}

}  // namespace trifac
