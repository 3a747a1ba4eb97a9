#pragma once
// Storage that is no matrix_view: an array of row pointers, as C programs build matrices. For
// repeating published experiments that measure what storage costs.

#include <vector>

#include "trifac/cholesky.hpp"
#include "trifac/engine/cpu/run.hpp"
#include "trifac/engine/variants/nests.hpp"

namespace trifac {

/// rows × cols elements; each row lies in memory of its own and is reached through a pointer: A(i,
/// j) is rows[i][j].
template <Scalar T>
class row_pointer_matrix {
 public:
  using value_type = T;

  row_pointer_matrix(index_t rows, index_t cols)
      : cols_(cols),
        elements_(static_cast<std::size_t>(rows), std::vector<T>(static_cast<std::size_t>(cols))) {
    for (auto& row : elements_) pointers_.push_back(row.data());
  }
  // The pointers point into the elements: moving keeps them valid, copying would not.
  row_pointer_matrix(row_pointer_matrix&&) noexcept = default;
  row_pointer_matrix& operator=(row_pointer_matrix&&) noexcept = default;

  index_t rows() const { return static_cast<index_t>(pointers_.size()); }
  index_t cols() const { return cols_; }
  T& operator()(index_t i, index_t j) const { return pointers_[static_cast<std::size_t>(i)][j]; }

 private:
  index_t cols_;
  std::vector<std::vector<T>> elements_;
  std::vector<T*> pointers_;
};

inline namespace TRIFAC_ABI {

/// Lower Cholesky by elements on row pointers, out of place: the lower triangle of L is written. V
/// is banachiewicz or crout. No exception leaves it. Source: thesis 2016, versions "banachiewicz"
/// and "crout, double reference".
template <variant V, Backend B, Scalar T>
status try_cholesky(const B& backend, const row_pointer_matrix<T>& A, row_pointer_matrix<T>& L,
                    const cholesky_options& options = {}) noexcept {
  static_assert(V == variant::banachiewicz || V == variant::crout,
                "row pointers serve the variants by elements");
  if (const status s = detail::check_backend(backend); !s) return s;
  if (options.part != triangle::lower)
    return status::argument("options.part", "must be lower for row pointers");
  if (options.cutoff < 0) return status::argument("options.cutoff", "is negative");
  if (A.rows() != A.cols()) return status::argument("A", "is not square");
  if (L.rows() != A.rows() || L.cols() != A.cols())
    return status::argument("L", "is not of the size of A");
  if constexpr (LibraryBackend<B, T> || DeviceBackend<B>) {
    return status::argument("variant", "is not supported by this backend");
  } else {
    status outcome;
    run(detail::nest_backend<T>(backend), outcome, threads_as_asked, [&](auto& on) {
      detail::run_cholesky<V>(on, A, L, options, static_cast<real_t<T>*>(nullptr));
    });
    return outcome;
  }
}

}  // namespace TRIFAC_ABI
}  // namespace trifac
