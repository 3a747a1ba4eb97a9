#pragma once
// Argument checks of batches of different sizes.

#include <vector>

#include "trifac/engine/batch/layout/overlap.hpp"
#include "trifac/engine/batch/varied/view.hpp"
#include "trifac/engine/call/call.hpp"
#include "trifac/engine/simd/isa/isa.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// The matrices of a varied_view that have elements, in its order.
template <class T>
class matrix_list {
 public:
  /// Checks each matrix of A, and that neighbours do not overlap.
  template <class U>
  status assign(const varied_view<U>& A, const char* argument) {
    if (!A.is_complete()) return status::argument(argument, "has not a size for each pointer");
    if (A.batch() > most_elements<std::int32_t> - simd::most_lanes)
      return status::argument(argument, "has too many matrices");
    all_.clear();
    all_.reserve(as_size(A.batch()));
    for (index_t b = 0; b < A.batch(); ++b) {
      const matrix_view<const T> one = A[b];
      if (const status s = check_view(one, argument); !s) return s;
      if (one.empty()) continue;
      if (one.cols() > 1 && one.col_stride() < one.rows())
        return status::argument(argument, "has a leading dimension smaller than its height");
      if (!all_.empty() && overlap(one, part_in_use::whole, all_.back(), part_in_use::whole))
        return status::argument(argument, "has matrices that overlap");
      all_.push_back(one);
    }
    return {};
  }

  index_t batch() const { return static_cast<index_t>(all_.size()); }
  const T* address(index_t b) const { return all_[as_size(b)].data(); }
  const matrix_view<const T>& operator[](index_t b) const { return all_[as_size(b)]; }

 private:
  std::vector<matrix_view<const T>> all_;
};

/// Right-hand sides X for the matrices of A: as many, of as many rows, apart from A, whose list is
/// in_A.
template <class T>
status check_varied_sides(const varied_view<const T>& A, const matrix_list<T>& in_A,
                          const varied_view<T>& X) {
  matrix_list<T> in_X;
  if (const status s = in_X.assign(X, "B"); !s) return s;
  if (X.batch() != A.batch()) return status::argument("B", "must have as many matrices as A");
  for (index_t b = 0; b < A.batch(); ++b)
    if (X.rows(b) != A.rows(b)) return status::argument("B", "must have as many rows as A");
  return pointers_meet(in_A, in_X) ? status::argument("B", "overlaps A") : status();
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
