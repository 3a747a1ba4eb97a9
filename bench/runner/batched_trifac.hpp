#pragma once
// Batches of trifac for a runner, on a backend of its own: in chunks of a cache line, or one
// matrix after another.

#include <string>
#include <vector>

#include "batched.hpp"
#include "trifac/batch.hpp"

namespace bench {

template <class Backend>
struct trifac_batches {
  Backend backend;
  bool canonical = false;

  template <class T>
  std::string can(bool, index_t) const {
    return "";
  }

  template <class T>
  class batch {
   public:
    batch(const trifac_batches& library, bool lu, index_t n, index_t count)
        : backend_(library.backend),
          lu_(lu),
          A_(count, n, n, layout_of(library)),
          B_(count, n, 1, layout_of(library)),
          info_(static_cast<std::size_t>(count)),
          rows_(static_cast<std::size_t>(trifac::batch_interchanges_size(count, n, n))) {}

    void load(index_t k, matrix_view<const T> A) {
      for (index_t j = 0; j < A.cols(); ++j)
        for (index_t i = 0; i < A.rows(); ++i) A_(k, i, j) = A(i, j);
    }
    void load_side(index_t k, matrix_view<const T> B) {
      for (index_t i = 0; i < B.rows(); ++i) B_(k, i, 0) = B(i, 0);
    }
    index_t factor() {
      if (lu_) {
        LU_ = trifac::try_lu(backend_, A_, {.info = info_, .interchanges = rows_});
        return LU_.failed_count();
      }
      L_ = trifac::try_cholesky(backend_, A_, {.info = info_});
      return L_.failed_count();
    }
    index_t solve() {
      return lu_ ? !trifac::try_solve(backend_, LU_, B_) : !trifac::try_solve(backend_, L_, B_);
    }
    index_t both() {
      return lu_ ? trifac::try_lu_solve(backend_, A_, B_, {.info = info_, .interchanges = rows_})
                       .failed_count()
                 : trifac::try_cholesky_solve(backend_, A_, B_, {.info = info_}).failed_count();
    }
    index_t inverse() requires trifac::PackingBackend<Backend> {
      factor();
      return trifac::try_inverse(backend_, LU_, A_).failed_count();
    }
    void store(index_t k, matrix_view<T> A) const {
      for (index_t j = 0; j < A.cols(); ++j)
        for (index_t i = 0; i < A.rows(); ++i) A(i, j) = A_(k, i, j);
    }
    void store_side(index_t k, matrix_view<T> X) const {
      for (index_t i = 0; i < X.rows(); ++i) X(i, 0) = B_(k, i, 0);
    }
    index_t interchange(index_t k, index_t i) const {
      return rows_[static_cast<std::size_t>(k / 16 * 16 * A_.rows() + 16 * i + k % 16)];
    }

   private:
    static trifac::batch_layout layout_of(const trifac_batches& library) {
      return library.canonical ? trifac::batch_layout::canonical() : trifac::batch_layout{};
    }

    const Backend& backend_;
    bool lu_;
    trifac::batch<T> A_, B_;
    trifac::batch_cholesky_factor<T> L_;
    trifac::batch_lu_factor<T> LU_;
    std::vector<std::int32_t> info_, rows_;
  };
};

template <class Backend>
void serve_trifac_batches(const Backend& backend, bool canonical) {
  trifac_batches<Backend> library{backend, canonical};
  serve_batches(library);
}

}  // namespace bench
