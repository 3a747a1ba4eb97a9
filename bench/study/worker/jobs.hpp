#pragma once
// The factorizations of a run: Cholesky by a method of cholesky_methods, LU by one of lu_methods.

#include "bench/jobs.hpp"
#include "measure.hpp"
#include "request.hpp"

namespace study {

/// Lower Cholesky in the storage of its method, with all options of the request.
template <class T, class B>
class cholesky_job {
 public:
  cholesky_job(const B& backend, const trifac::cholesky_method& method, const request& r)
      : backend_(backend), options_{.block = r.block, .cutoff = r.cutoff}, run_(method, r.n) {}

  void load(matrix_view<const T> A) { run_.load(A); }
  trifac::status run() { return run_.factor(backend_, options_); }
  /// The factor in the lower triangle, zeros above.
  matrix<T> factor(index_t n) {
    matrix<T> L(n, n);
    run_.store(L.view());
    return L;
  }
  double ratio(matrix_view<const T> A) { return bench::cholesky_ratio<T>(A, factor(A.rows())); }

 private:
  B backend_;
  trifac::cholesky_options options_;
  trifac::cholesky_run<T> run_;
};

/// `best` as a user calls it, on a column-major matrix: for backends that bring whole
/// factorizations.
template <class T, class B>
class whole_cholesky_job {
 public:
  whole_cholesky_job(const B& backend, const request& r) : backend_(backend), A_(r.n, r.n) {}

  void load(matrix_view<const T> A) { bench::copy(A, A_.view()); }
  trifac::status run() { return trifac::try_cholesky(backend_, A_.view()).status(); }
  const matrix<T>& factor(index_t) const { return A_; }
  double ratio(matrix_view<const T> A) { return bench::cholesky_ratio<T>(A, A_.view()); }

 private:
  B backend_;
  matrix<T> A_;
};

inline trifac::lu_options options_of(const bench::lu_method& method, const request& r) {
  trifac::lu_options options;
  options.pivoting = method.pivoting;
  options.selection = method.selection;
  options.block = r.block;
  options.leaves = r.leaves;
  options.arity = r.arity;
  return options;
}

/// Groups of rows in the first round of the first panel, which has the most. In a tournament of one
/// group nothing is compared between groups: with plain selection it is partial pivoting.
template <class T, class B>
index_t groups_of(const bench::lu_method& method, const request& r) {
  using trifac::variant;
  const auto options = options_of(method, r);
  const auto plan = trifac::detail::plan_lu<T, trifac::variant::best>(
      r.n, r.n, options, trifac::facts_of<B>, trifac::simd::active_isa());
  trifac::tournament<T> t;
  t.leaves = options.leaves;
  return t.groups(r.n, plan.width);
}

/// LU in place, in the storage that the request names.
template <class T, class B>
class lu_job {
 public:
  lu_job(const B& backend, const bench::lu_method& method, const request& r)
      : backend_(backend),
        method_(method),
        row_major_(r.layout == "row_major"),
        A_(r.n, r.n),
        interchanges_(r.n) {
    options_ = options_of(method, r);
  }

  void load(matrix_view<const T> A) { bench::copy(A, view()); }
  trifac::status run() {
    // One that exchanges no rows returns no interchanges; those of the constructor stay.
    if constexpr (trifac::LibraryBackend<B, T>) {
      return trifac::try_lu(backend_, view(), interchanges_, options_).status();
    } else {
      if (method_.algorithm == trifac::variant::best)
        return trifac::try_lu(backend_, view(), interchanges_, options_).status();
      auto f = trifac::try_lu(method_.algorithm, backend_, view(), options_);
      interchanges_ = f.interchanges();
      return f.status();
    }
  }
  matrix_view<const T> factor() { return view(); }
  double ratio(matrix_view<const T> A) {
    return bench::lu_ratio<T>(A, view(), interchanges_.span());
  }

 private:
  matrix_view<T> view() { return row_major_ ? A_.view().transposed() : A_.view(); }

  B backend_;
  bench::lu_method method_;
  trifac::lu_options options_;
  bool row_major_;
  matrix<T> A_;
  trifac::pivots interchanges_;
};

/// The method of LU of that name. Throws refusal.
inline bench::lu_method lu_method_of(const std::string& name) {
  const auto method = trifac::lu_method_from_string(name);
  if (!method) throw refusal("LU has no variant " + name);
  return *method;
}

/// The method of Cholesky of that name. Throws refusal.
inline trifac::cholesky_method cholesky_method_of(const std::string& name) {
  const auto method = trifac::cholesky_method_from_string(name);
  if (!method) throw refusal("Cholesky has no variant " + name);
  return *method;
}

}  // namespace study
