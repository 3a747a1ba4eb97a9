#pragma once
// The matrices of a varied_view in groups of one size, each a batch by pointers.

#include <algorithm>
#include <compare>
#include <numeric>
#include <vector>

#include "trifac/batch_view.hpp"
#include "trifac/engine/base/min_max.hpp"
#include "trifac/engine/batch/varied/view.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// How a matrix lies, and its right-hand sides: those of one group are alike in all of it.
struct varied_shape {
  index_t rows = 0, cols = 0, ld = 0, sides = 0, ld_of_sides = 0;

  auto operator<=>(const varied_shape&) const = default;
};

template <class T>
index_t ld_in_use(const varied_view<T>& A, index_t b) {
  return A.cols(b) > 1 ? A.ld(b) : A.rows(b);
}

/// Places from … from + count − 1 of the sorted order.
struct varied_group {
  varied_shape shape;
  index_t from, count;
};

/// The matrices sorted by shape; those of one shape keep their order, and with it ascending
/// addresses.
template <class T>
class varied_order {
 public:
  varied_order() = default;
  /// `sides`: the right-hand sides by whose shape to sort as well, or null.
  explicit varied_order(const varied_view<T>& A, const varied_view<T>* sides = nullptr) {
    const auto shape_of = [&](index_t b) {
      return varied_shape{A.rows(b), A.cols(b), ld_in_use(A, b), sides ? sides->cols(b) : 0,
                          sides ? ld_in_use(*sides, b) : 0};
    };
    std::vector<matrix_of_shape> all(as_size(A.batch()));
    const std::vector<index_t> ends = count_rows(A);
    {
      std::vector<index_t> next(ends);
      for (index_t b = A.batch(); b-- > 0;)
        all[as_size(--next[bucket_of(A.rows(b))])] = {shape_of(b), b};
    }
    // Nearly always all of a bucket are alike.
    for (auto first = all.begin(); const index_t end : ends) {
      const auto last = all.begin() + end;
      const auto is_first = [&](const auto& one) { return one.shape == first->shape; };
      if (!std::all_of(first, last, is_first)) std::sort(first, last);
      first = last;
    }
    which_.reserve(all.size());
    where_.reserve(all.size());
    for (const auto& one : all) {
      if (groups_.empty() || groups_.back().shape != one.shape)
        groups_.push_back({one.shape, static_cast<index_t>(which_.size()), 0});
      ++groups_.back().count;
      which_.push_back(one.b);
      where_.push_back(A.address(one.b));
    }
  }

  const std::vector<varied_group>& groups() const { return groups_; }
  /// The number of the matrix at each place.
  const std::vector<index_t>& which() const { return which_; }
  /// The matrices of a group.
  batch_view<T> matrices(const varied_group& group) const {
    const varied_shape& s = group.shape;
    return {where_.data() + group.from, group.count, s.rows, s.cols, 1, s.ld};
  }

 private:
  struct matrix_of_shape {
    varied_shape shape;
    index_t b;
    auto operator<=>(const matrix_of_shape&) const = default;
  };

  /// Matrices are sorted by counting; larger ones are in one bucket.
  static constexpr index_t most_counted = 512;
  static std::size_t bucket_of(index_t rows) { return as_size(min(rows, most_counted)); }
  /// Where each bucket ends.
  static std::vector<index_t> count_rows(const varied_view<T>& A) {
    std::vector<index_t> ends(as_size(most_counted + 1));
    for (index_t b = 0; b < A.batch(); ++b) ++ends[bucket_of(A.rows(b))];
    std::partial_sum(ends.begin(), ends.end(), ends.begin());
    return ends;
  }

  std::vector<varied_group> groups_;
  std::vector<index_t> which_;
  std::vector<T*> where_;
};

/// Systems from … to−1 of a group whose right-hand sides lie alike.
template <class T>
struct varied_part {
  std::size_t group;
  index_t from, to;
  batch_view<T> sides;  ///< of the whole group, as these lie
};

/// The right-hand sides X in the order of their matrices.
template <class T>
class varied_sides {
 public:
  varied_sides(const varied_order<T>& order, const varied_view<T>& X) {
    where_.reserve(order.which().size());
    for (const index_t b : order.which()) where_.push_back(X.address(b));
    for (std::size_t g = 0; g < order.groups().size(); ++g) {
      const varied_group& group = order.groups()[g];
      for (index_t from = 0, to = 0; from < group.count; from = to) {
        const auto number = [&](index_t k) { return order.which()[as_size(group.from + k)]; };
        const index_t b = number(from), r = X.cols(b), ld = ld_in_use(X, b);
        for (to = from + 1; to < group.count; ++to)
          if (X.cols(number(to)) != r || ld_in_use(X, number(to)) != ld) break;
        if (r > 0 && group.shape.rows > 0)
          parts_.push_back(
              {g, from, to, {where_.data() + group.from, group.count, group.shape.rows, r, 1, ld}});
      }
    }
  }

  const std::vector<varied_part<T>>& parts() const { return parts_; }

 private:
  std::vector<T*> where_;
  std::vector<varied_part<T>> parts_;
};

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
