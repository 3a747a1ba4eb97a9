#pragma once
// One measurement of one library: batches of factorizations of matrices that differ, each between
// two looks at two clocks, and the quality of the last batch's results.

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "../flops.hpp"
#include "../inputs.hpp"
#include "../residual.hpp"

namespace bench {

struct request {
  std::string algorithm;
  trifac::triangle part = trifac::triangle::lower;
  index_t n = 0, ld = 0, sides = 0;
  double seconds = 0;  ///< to spend on batches that count, at least
};

/// Seconds for one factorization.
struct measurement {
  double wall = 0;         ///< fastest batch
  double wall_median = 0;  ///< median batch
  double cpu = 0;          ///< median batch, processor time of the calling thread: what it would
                           ///< take alone on its core (bench/compare --batched: of all threads)
  int batches = 0;
  double ratio = 0;  ///< worst of the last batch
  int failures = 0;  ///< factorizations that the library said have failed
};

inline double thread_seconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}
/// Of all threads: those of an OpenCL driver, too.
inline double process_seconds() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}
inline double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Matrices of a batch in memory of their own, with leading dimension ld, and their inputs.
template <class T>
class batch_of_matrices {
 public:
  batch_of_matrices(const request& r, kind what, index_t count)
      : n_(r.n), ld_(r.ld), pool_(what, r.n, count), inputs_(static_cast<std::size_t>(count)) {
    for (index_t k = 0; k < count; ++k) storage_.emplace_back(r.ld, r.n);
  }

  index_t size() const { return static_cast<index_t>(storage_.size()); }
  T* data(index_t k) { return storage_[static_cast<std::size_t>(k)].data(); }
  matrix_view<T> view(index_t k) { return {data(k), n_, n_, ld_}; }
  matrix_view<const T> input(index_t k) const { return inputs_[static_cast<std::size_t>(k)]; }

  /// Copies the next inputs in.
  void refill() {
    for (index_t k = 0; k < size(); ++k) {
      const auto A = inputs_[static_cast<std::size_t>(k)] = pool_.next();
      for (index_t j = 0; j < n_; ++j) std::copy(&A(0, j), &A(0, j) + n_, data(k) + j * ld_);
    }
  }

 private:
  index_t n_, ld_;
  input_pool<T> pool_;
  std::vector<matrix_view<const T>> inputs_;
  std::vector<matrix<T>> storage_;
};

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Runs batches of `size` calls for so long, after one that is not counted; refill() comes before
/// each, not timed, and call(k) returns true if it succeeded.
template <class Refill, class Call>
measurement run_batches(index_t size, double seconds, Refill refill, Call call) {
  measurement m;
  std::vector<double> wall, cpu;
  double end = 0;
  const auto count = static_cast<double>(size);
  for (bool counted = false; !counted || wall.empty() || wall_seconds() < end; counted = true) {
    refill();
    const double cpu_begin = thread_seconds(), wall_begin = wall_seconds();
    for (index_t k = 0; k < size; ++k)
      if (!call(k)) ++m.failures;
    const double wall_end = wall_seconds(), cpu_end = thread_seconds();
    if (!counted) {
      end = wall_end + seconds;
      continue;
    }
    wall.push_back((wall_end - wall_begin) / count);
    cpu.push_back((cpu_end - cpu_begin) / count);
  }
  m.batches = static_cast<int>(wall.size());
  m.wall = *std::min_element(wall.begin(), wall.end());
  m.wall_median = median(wall);
  m.cpu = median(cpu);
  return m;
}

/// The same on a batch of matrices; factor(k) factors matrix k.
template <class T, class Factor>
measurement run_batches(batch_of_matrices<T>& batch, double seconds, Factor factor) {
  return run_batches(
      batch.size(), seconds, [&batch] { batch.refill(); }, factor);
}

template <class T, class Library>
measurement measure_cholesky(const request& r, Library& library) {
  batch_of_matrices<T> batch(r, kind::positive_definite,
                             batch_size<T>(r.n, cholesky_flops<T>(r.n)));
  measurement m = run_batches(batch, r.seconds, [&](index_t k) {
    return library.cholesky(r.part, r.n, batch.data(k), r.ld);
  });
  const bool upper = r.part == trifac::triangle::upper;
  for (index_t k = 0; k < batch.size(); ++k) {
    const auto A = batch.input(k);
    const matrix_view<const T> stored = batch.view(k);
    const double ratio = upper ? cholesky_ratio<T>(A.transposed(), stored.transposed())
                               : cholesky_ratio<T>(A, stored);
    m.ratio = larger(m.ratio, ratio);
  }
  return m;
}

template <class T, class Library>
measurement measure_lu(const request& r, Library& library) {
  using interchanges = typename Library::interchanges;
  kind input = kind::general;
  if constexpr (requires { Library::input_of_lu; }) input = Library::input_of_lu;
  batch_of_matrices<T> batch(r, input, batch_size<T>(r.n, lu_flops<T>(r.n)));
  std::vector<interchanges> rows(static_cast<std::size_t>(batch.size()), interchanges(r.n));
  measurement m = run_batches(batch, r.seconds, [&](index_t k) {
    return library.lu(r.n, batch.data(k), r.ld, rows[static_cast<std::size_t>(k)]);
  });
  std::vector<index_t> counted(static_cast<std::size_t>(r.n));
  for (index_t k = 0; k < batch.size(); ++k) {
    for (index_t i = 0; i < r.n; ++i)
      counted[static_cast<std::size_t>(i)] =
          library.interchange(rows[static_cast<std::size_t>(k)], i);
    const double ratio = lu_ratio<T>(batch.input(k), matrix_view<const T>(batch.view(k)), counted);
    m.ratio = larger(m.ratio, ratio);
  }
  return m;
}

/// Solves with one factor, as many as make a batch, each of a copy of B; the ratio is that of the
/// first eight right-hand sides.
template <class T, class Library>
measurement measure_solve(const request& r, Library& library) {
  const bool is_lu = r.algorithm == "lu";
  const auto what = is_lu ? kind::general : kind::positive_definite;
  batch_of_matrices<T> one(r, what, 1);
  one.refill();
  typename Library::interchanges rows(r.n);
  const bool is_factored = is_lu
                               ? library.lu(r.n, one.data(0), r.ld, rows)
                               : library.cholesky(trifac::triangle::lower, r.n, one.data(0), r.ld);
  matrix<T> B(r.n, r.sides);
  random_numbers random(2);
  fill(kind::general, random, B.view());
  std::vector<matrix<T>> X(
      static_cast<std::size_t>(batch_size<T>(r.n, solve_flops<T>(r.n, r.sides))), B);
  measurement m = run_batches(
      static_cast<index_t>(X.size()), r.seconds, [&] { std::fill(X.begin(), X.end(), B); },
      [&](index_t k) {
        T* const x = X[static_cast<std::size_t>(k)].data();
        return is_lu ? library.solve_lu(r.n, one.data(0), r.ld, rows, x, r.sides)
                     : library.solve_cholesky(r.n, one.data(0), r.ld, x, r.sides);
      });
  if (!is_factored) ++m.failures;
  const index_t looked_at = std::min<index_t>(8, r.sides);
  m.ratio = solve_ratio<T>(one.input(0), std::as_const(X.back()).view().block(0, 0, r.n, looked_at),
                           std::as_const(B).view().block(0, 0, r.n, looked_at));
  return m;
}

}  // namespace bench
