#pragma once
// One batch to be factored or solved with: inputs, the calls, and the quality of each matrix's
// result.

#include <algorithm>
#include <optional>

#include "bench/inputs.hpp"
#include "bench/residual.hpp"
#include "trifac/batch.hpp"

namespace bench {

/// Matrices of one order in one layout.
struct batch_of {
  bool is_lu = false;
  index_t n = 1, count = 1, sides = 1;
  trifac::batch_layout layout = {};
  std::uint64_t seed = 1;
};

template <class T>
class batch_job {
 public:
  explicit batch_job(const batch_of& what)
      : what_(what),
        A_(what.count, what.n, what.n, what.layout),
        F_(what.count, what.n, what.n, what.layout),
        B_(what.count, what.n, what.sides, what.layout),
        X_(what.count, what.n, what.sides, what.layout) {
    random_numbers random(what.seed * 0x9e3779b97f4a7c15u + static_cast<std::uint64_t>(what.n));
    for (index_t b = 0; b < what.count; ++b) {
      fill(what.is_lu ? kind::general : kind::positive_definite, random, A_[b]);
      fill_general(random, B_[b]);
    }
  }

  /// The inputs again.
  void load() {
    restore(A_, F_);
    load_sides();
  }
  void load_sides() { restore(B_, X_); }

  template <class B>
  trifac::status factor(const B& backend, const trifac::batch_tuning& tuning) {
    if (what_.is_lu) {
      lu_.emplace(trifac::try_lu(backend, F_, {.tuning = tuning}));
      return lu_->status();
    }
    cholesky_.emplace(trifac::try_cholesky(backend, F_, {.tuning = tuning}));
    return cholesky_->status();
  }
  /// After factor().
  template <class B>
  trifac::status solve(const B& backend, const trifac::batch_tuning& tuning) {
    const trifac::batch_solve_options options = {.tuning = tuning};
    return what_.is_lu
               ? trifac::try_solve(backend, *lu_, X_, trifac::operation::none, options)
               : trifac::try_solve(backend, *cholesky_, X_, trifac::operation::none, options);
  }
  /// B := op(L)⁻¹·B after a Cholesky factorization.
  template <class B>
  trifac::status substitute(const B& backend, trifac::operation op) {
    return trifac::try_solve(backend, cholesky_->L(), X_, op);
  }

  /// What was given, and where results are checked.
  const trifac::batch<T>& matrices() const { return A_; }
  const trifac::batch<T>& sides() const { return B_; }
  trifac::batch<T>& factors() { return F_; }
  trifac::batch<T>& solutions() { return X_; }

  /// The worst ratio of all matrices (bench/residual.hpp): n² operations for each.
  double factor_ratio() const {
    return worst([&](index_t b) {
      if (!what_.is_lu) return cholesky_ratio<T>(A_[b], F_[b]);
      const auto rows = static_cast<trifac::pivots>(lu_->interchanges(b));
      return lu_ratio<T>(A_[b], F_[b], rows.span());
    });
  }
  double solve_ratio() const {
    return worst([&](index_t b) { return bench::solve_ratio<T>(A_[b], X_[b], B_[b]); });
  }

 private:
  static void fill_general(random_numbers& random, matrix_view<T> B) {
    for (index_t j = 0; j < B.cols(); ++j)
      for (index_t i = 0; i < B.rows(); ++i) B(i, j) = random.next<T>();
  }
  static void restore(const trifac::batch<T>& from, trifac::batch<T>& to) {
    const auto at = from.view().strides();  // a copy: the view ends here
    std::copy_n(from.data(), (from.count() + at.chunk - 1) / at.chunk * at.chunk_stride, to.data());
  }
  /// NaN where one is.
  template <class Of>
  double worst(const Of& of) const {
    double found = 0;
    for (index_t b = 0; b < what_.count; ++b) found = larger(found, of(b));
    return found;
  }

  batch_of what_;
  trifac::batch<T> A_, F_, B_, X_;
  std::optional<trifac::batch_cholesky_factor<T>> cholesky_;
  std::optional<trifac::batch_lu_factor<T>> lu_;
};

}  // namespace bench
