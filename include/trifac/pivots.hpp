#pragma once
// pivots: the row interchanges of an LU factorization, convertible to a permutation.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "trifac/engine/base/as_size.hpp"
#include "trifac/engine/blas/swap_rows.hpp"
#include "trifac/engine/call/argument_types.hpp"
#include "trifac/engine/views/matrix_like.hpp"
#include "trifac/status.hpp"

namespace trifac {

/// Row interchanges in the order of the elimination: step k exchanged row k with row operator[](k)
/// ≥ k, 0-based.
///
/// Worked example with 4 rows a, b, c, d and interchanges 2, 3, 2:
///   step 0 exchanges rows 0 and 2:  c b a d
///   step 1 exchanges rows 1 and 3:  c d a b
///   step 2 exchanges rows 2 and 2:  c d a b
/// As a permutation: row i of P·A is row perm[i] of A, perm = 2, 3, 0, 1. LAPACK's ipiv is 1-based:
/// 3, 4, 3.
///
/// Up to 64 steps are stored in the object without allocation; moves copy them.
class pivots {
 public:
  constexpr pivots() = default;
  /// `count` identity steps.
  constexpr explicit pivots(index_t count) { reset(count); }

  /// Resets to `count` identity steps; memory is reused if sufficient.
  constexpr void reset(index_t count) {
    rows_.reset_size(static_cast<std::size_t>(count));
    index_t* const rows = data();
    for (index_t k = 0; k < count; ++k) rows[k] = k;
  }

  /// From LAPACK's 1-based ipiv: a vector, array or span of any integer type.
  template <class P>
  requires std::integral<typename decltype(std::span(std::declval<const P&>()))::value_type>
  static pivots from_ipiv(const P& ipiv) {
    const std::span rows(ipiv);
    pivots p(static_cast<index_t>(rows.size()));
    for (index_t k = 0; k < p.size(); ++k)
      p[k] = detail::counted_from_0(static_cast<index_t>(rows[detail::as_size(k)]), 1);
    return p;
  }

  /// The interchanges that move rows candidates[0], candidates[1], … (distinct, of `rows` rows) to
  /// the top in this order.
  static pivots from_candidates(std::span<const index_t> candidates, index_t rows) {
    pivots p(static_cast<index_t>(candidates.size()));
    std::vector<index_t> places(2 * static_cast<std::size_t>(rows));
    blas::interchanges_from_candidates(candidates, 0, p.span(), places);
    return p;
  }

  constexpr index_t size() const { return static_cast<index_t>(rows_.size()); }
  constexpr index_t* data() { return rows_.data(); }
  constexpr const index_t* data() const { return rows_.data(); }
  constexpr index_t& operator[](index_t k) { return rows_.data()[k]; }
  constexpr index_t operator[](index_t k) const { return rows_.data()[k]; }
  constexpr std::span<index_t> span() & { return {rows_.data(), rows_.size()}; }
  constexpr std::span<const index_t> span() const& { return {rows_.data(), rows_.size()}; }
  constexpr operator std::span<const index_t>() const& { return span(); }
  // A span of a temporary, as lu(A).interchanges().span(), would dangle: name the pivots first.
  void span() const&& = delete;
  operator std::span<const index_t>() const&& = delete;

  /// True if these are `steps` steps on a matrix of `rows` rows: k ≤ (*this)[k] < rows.
  /// Interchanges of another factorization, or from a file, may be invalid.
  constexpr bool fit(index_t steps, index_t rows) const {
    bool in_range = true;  // without early exit: branches would cost more
    const std::span<const index_t> all = span();
    for (index_t k = 0; k < size(); ++k) {
      const index_t row = all[detail::as_size(k)];
      in_range &= row >= k && row < rows;
    }
    return size() == steps && in_range;
  }

  /// LAPACK's ipiv: the same interchanges, 1-based.
  template <class Integer = std::int32_t>
  std::vector<Integer> to_ipiv() const {
    std::vector<Integer> ipiv;
    ipiv.reserve(rows_.size());
    for (const index_t row : span()) ipiv.push_back(static_cast<Integer>(row + 1));
    return ipiv;
  }

  /// perm with (P·A)(i, :) = A(perm[i], :) for a matrix of `rows` rows, which the steps fit.
  std::vector<index_t> permutation(index_t rows) const {
    std::vector<index_t> perm(static_cast<std::size_t>(rows));
    for (index_t i = 0; i < rows; ++i) perm[detail::as_size(i)] = i;
    for (index_t k = 0; k < size(); ++k)
      std::swap(perm[detail::as_size(k)], perm[detail::as_size((*this)[k])]);
    return perm;
  }

  /// det P: +1 or −1.
  constexpr int sign() const {
    int s = 1;
    for (index_t k = 0; k < size(); ++k) s = (*this)[k] == k ? s : -s;
    return s;
  }

  friend bool operator==(const pivots& a, const pivots& b) {
    bool same = a.size() == b.size();
    for (index_t k = 0; same && k < a.size(); ++k) same = a[k] == b[k];
    return same;
  }

 private:
  // Up to `few` numbers in the object, else on the heap; empty after a move. Not a std::vector,
  // which is not constexpr in every standard library.
  class list {
   public:
    static constexpr std::size_t few = 64;

    constexpr list() noexcept {}  // few_ is written before it is read
    constexpr list(const list& other) { *this = other; }
    constexpr list(list&& other) noexcept { *this = std::move(other); }
    constexpr list& operator=(const list& other) {
      if (this == &other) return *this;
      reset_size(other.size_);
      const index_t* const from = other.data();
      index_t* const to = data();
      for (std::size_t k = 0; k < size_; ++k) to[k] = from[k];
      return *this;
    }
    constexpr list& operator=(list&& other) noexcept {
      if (this == &other) return *this;
      if (other.size_ > few) {
        std::swap(many_, other.many_);
        std::swap(room_, other.room_);
      }
      size_ = other.size_;
      for (std::size_t k = 0; size_ <= few && k < size_; ++k) few_[k] = other.few_[k];
      other.size_ = 0;
      return *this;
    }
    constexpr ~list() { delete[] many_; }

    // Does not preserve elements. Throws before any change.
    constexpr void reset_size(std::size_t size) {
      if (size > few && size > room_) {
        index_t* const larger = new index_t[size]();
        delete[] many_;
        many_ = larger;
        room_ = size;
      }
      size_ = size;
    }
    constexpr std::size_t size() const { return size_; }
    constexpr index_t* data() { return size_ > few ? many_ : few_; }
    constexpr const index_t* data() const { return size_ > few ? many_ : few_; }

   private:
    std::size_t size_ = 0, room_ = 0;
    index_t* many_ = nullptr;
    index_t few_[few];
  };

  list rows_;
};

namespace detail {

/// Whether there are at most `rows` interchanges, each of 0 … rows−1; throws argument_error if not.
constexpr bool check_interchanges(std::span<const index_t> interchanges, index_t rows) {
  bool good = interchanges.size() <= as_size(rows);
  for (const index_t row : interchanges) good = good && row >= 0 && row < rows;
#if TRIFAC_EXCEPTIONS
  if (!good) throw_status(status::argument("interchanges", "name rows that the matrix has not"));
#endif
  return good;
}

}  // namespace detail

/// A := P·A, the interchanges applied in order; A: a matrix or vector with at least as many rows,
/// overwritten. Throws argument_error where an interchange is no row of A (without exceptions A is
/// left as it is). LAPACK: laswp.
template <class M>
requires(MatrixLike<M> ||
         VectorLike<M>) constexpr void apply_interchanges(std::span<const index_t> interchanges,
                                                          M&& A) {
  const auto rows = detail::right_hand_sides(A);
  if (detail::check_interchanges(interchanges, rows.rows()))
    blas::swap_rows(rows, 0, static_cast<index_t>(interchanges.size()), interchanges);
}

template <class M>
requires(MatrixLike<M> || VectorLike<M>) constexpr void apply_interchanges(const pivots& p, M&& A) {
  apply_interchanges(p.span(), A);
}

/// A := Pᵀ·A, the interchanges undone in reverse order; otherwise as apply_interchanges. LAPACK:
/// laswp with incx < 0.
template <class M>
requires(MatrixLike<M> ||
         VectorLike<M>) constexpr void undo_interchanges(std::span<const index_t> interchanges,
                                                         M&& A) {
  const auto rows = detail::right_hand_sides(A);
  if (detail::check_interchanges(interchanges, rows.rows()))
    blas::swap_rows_back(rows, 0, static_cast<index_t>(interchanges.size()), interchanges);
}
template <class M>
requires(MatrixLike<M> || VectorLike<M>) constexpr void undo_interchanges(const pivots& p, M&& A) {
  undo_interchanges(p.span(), A);
}

}  // namespace trifac
