#pragma once
// Results and options of the distributed factorizations.

#include <concepts>
#include <utility>
#include <vector>

#include "trifac/engine/distributed/array.hpp"
#include "trifac/engine/lu/options.hpp"
#include "trifac/engine/views/with_status.hpp"
#include "trifac/status.hpp"

namespace trifac {
namespace distributed {

/// Options of distributed::cholesky: the block size is that of the distribution, and nothing is
/// tuned.
struct array_cholesky_options {
  triangle part = triangle::lower;  ///< the triangle that is read and overwritten
};

/// The options of distributed::lu.
struct array_lu_options {
  /// tournament: local LUs choose the pivot rows of a panel, with ⌈log₂ p⌉ rounds of messages per
  /// panel, p process rows; partial: the largest element of each column, with as many rounds per
  /// column.
  trifac::pivoting pivoting = trifac::pivoting::tournament;
  /// A panel with a larger |l_ij| is refactored with partial pivoting.
  double max_l = 64;
};

inline namespace TRIFAC_ABI {

/// L or U of a distributed matrix, in place; refers to the array.
template <LapackScalar T>
class array_cholesky_factor : public with_status<array_cholesky_factor<T>> {
 public:
  using value_type = T;

  array_cholesky_factor(const array<T>& A, triangle part, const trifac::status& s,
                        const traffic& moved)
      : A_(A), part_(part), status_(s), moved_(moved) {}

  const array<T>& matrix() const { return A_; }
  triangle part() const { return part_; }
  /// The same on all processes.
  const trifac::status& status() const { return status_; }
  /// Messages and bytes that this process received in the call.
  const traffic& moved() const { return moved_; }

 private:
  array<T> A_;
  triangle part_;
  trifac::status status_;
  traffic moved_;
};

/// L\U of a distributed matrix, in place, and its interchanges; refers to the array.
template <LapackScalar T>
class array_lu_factor : public with_status<array_lu_factor<T>> {
 public:
  using value_type = T;

  array_lu_factor(const array<T>& A, std::vector<index_t> interchanges, const trifac::status& s,
                  const traffic& moved, index_t refactored)
      : A_(A),
        interchanges_(std::move(interchanges)),
        status_(s),
        moved_(moved),
        refactored_(refactored) {}

  const array<T>& matrix() const { return A_; }
  /// One per row of the local array: local row l, row i of the matrix, was exchanged with row
  /// interchanges()[l] ≥ i, 0-based, in the order of i. ScaLAPACK's ipiv is 1-based.
  const std::vector<index_t>& interchanges() const { return interchanges_; }
  const trifac::status& status() const { return status_; }
  const traffic& moved() const { return moved_; }
  /// Panels refactored with partial pivoting after their tournament. The same on all processes.
  index_t refactored() const { return refactored_; }

 private:
  array<T> A_;
  std::vector<index_t> interchanges_;
  trifac::status status_;
  traffic moved_;
  index_t refactored_ = 0;
};

/// What distributed::cholesky() and lu() return.
template <class F>
concept ArrayFactor = std::same_as<F, array_cholesky_factor<typename F::value_type>> ||
    std::same_as<F, array_lu_factor<typename F::value_type>>;

/// True if the local interchanges are valid, i ≤ interchange of row i < rows, or the factorization
/// failed.
template <class T>
bool interchanges_fit(const array_lu_factor<T>& f) {
  if (!f.status().completed()) return true;
  const axis rows = f.matrix().rows();
  const std::vector<index_t>& all = f.interchanges();
  if (static_cast<index_t>(all.size()) != rows.local_count()) return false;
  for (index_t l = 0; l < rows.local_count(); ++l)
    if (all[detail::as_size(l)] < rows.global(l) || all[detail::as_size(l)] >= rows.n) return false;
  return true;
}

}  // namespace TRIFAC_ABI
}  // namespace distributed
}  // namespace trifac
