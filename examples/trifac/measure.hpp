#pragma once
// One line of the table: factor, time, solve and check, with one backend and one method.

#include <algorithm>
#include <chrono>
#include <limits>
#include <string>

#include "backends.hpp"
#include "bench/study/cholesky_run.hpp"
#include "options.hpp"
#include "quality.hpp"
#include "trifac/solve.hpp"

namespace program {

/// The matrix, and right-hand sides where it is square.
template <class T>
struct problem {
  matrix<T> A;
  matrix<T> B;
};

/// What one line of the table says. NaN: not determined.
struct measurement {
  std::string backend = {};
  std::string method = {};
  int threads = 0;  ///< of the factorization; 0: chosen by the library
  trifac::status outcome = {};
  double seconds = std::numeric_limits<double>::quiet_NaN();
  double flops = 0;
  double factor_ratio = std::numeric_limits<double>::quiet_NaN();
  double solve_ratio = std::numeric_limits<double>::quiet_NaN();
  double growth = std::numeric_limits<double>::quiet_NaN();
  bool square = false;

  /// A zero on the diagonal of U is no failure where there is no system to solve.
  bool complete() const { return outcome.ok() || (outcome.completed() && !square); }
  bool good() const {
    return complete() && factor_ratio < good_ratio && (!square || solve_ratio < good_ratio);
  }
};

/// Times run(), which calls `backend` and returns a status, and keeps the best of `repeat` times
/// and the threads of that call; prepare() runs before each, untimed. Stops at the first
/// failure.
template <trifac::Backend B, class Prepare, class Run>
void best_of(int repeat, const B& backend, measurement& line, const Prepare& prepare,
             const Run& run) {
  using clock = std::chrono::steady_clock;
  double best = std::numeric_limits<double>::infinity();
  for (int k = 0; k < repeat; ++k) {
    prepare();
    const auto start = clock::now();
    line.outcome = run();
    const double seconds = std::chrono::duration<double>(clock::now() - start).count();
    const int threads = take_threads_used(backend);
    if (line.outcome.completed() && seconds >= best) continue;
    line.threads = threads;
    if (!line.outcome.completed()) return;
    best = line.seconds = seconds;
  }
}

/// Multiplications and additions of an m × n factorization: n³/3 for Cholesky, mn² − n³/3 for LU of
/// a tall matrix; a complex pair counts four times.
template <class T>
double flops_of(algorithm which, index_t m, index_t n) {
  const auto less = static_cast<double>(std::min(m, n)), more = static_cast<double>(std::max(m, n));
  const double real = which == algorithm::cholesky ? less * less * less / 3
                                                   : more * less * less - less * less * less / 3;
  return trifac::is_complex<T> ? 4 * real : real;
}

/// Solves with the factor on the same backend and checks both.
template <class T, trifac::Backend B, class Factor>
void check(const problem<T>& p, const B& backend, const Factor& factor, measurement& line) {
  const matrix_view<const T> A = p.A, rhs = p.B;
  line.square = A.rows() == A.cols();
  if (!line.outcome.completed()) return;
  line.factor_ratio = factor_ratio<T>(A, factor);
  if (!line.outcome.ok() || !line.square) return;
  matrix<T> X = p.B;
  line.outcome = trifac::try_solve(backend, factor, X);
  line.solve_ratio = solve_ratio<T>(A, X, rhs);
}

/// Cholesky by a method on plain arrays: column-major, or row-major as the method says. `factored`
/// receives the factor; the result is its view.
template <class T, trifac::Backend B>
matrix_view<T> factor_array(const problem<T>& p, const B& backend,
                            const trifac::cholesky_method& method,
                            const trifac::cholesky_options& how, int repeat, matrix<T>& factored,
                            measurement& line) {
  factored = matrix<T>(p.A.rows(), p.A.cols());
  const bool by_rows = method.layout == trifac::storage::row_major;
  const matrix_view<T> L = by_rows ? factored.view().transposed() : factored.view();
  const matrix_view<const T> A = p.A;
  const auto fill = [&] {
    for (index_t j = 0; j < A.cols(); ++j)
      for (index_t i = 0; i < A.rows(); ++i) L(i, j) = A(i, j);
  };
  if (method.layout == trifac::storage::row_pointers)
    line.outcome = trifac::status::argument("variant", "has a storage of its own");
  else if (method.in_place)
    best_of(repeat, backend, line, fill,
            [&] { return trifac::try_cholesky(method.algorithm, backend, L, how).status(); });
  else
    best_of(
        repeat, backend, line, [] {},
        [&] { return trifac::try_cholesky(method.algorithm, backend, A, L, how).status(); });
  return L;
}

/// A = L·Lᴴ by a method in the storage that belongs to it, or A = Uᴴ·U.
template <class T, trifac::Backend B>
measurement measure_cholesky(const problem<T>& p, const B& backend,
                             const trifac::cholesky_method& method, const options& o) {
  const index_t n = p.A.rows();
  const auto part = o.upper ? trifac::triangle::upper : trifac::triangle::lower;
  const trifac::cholesky_options how{.part = part, .block = o.block, .cutoff = o.cutoff};
  take_threads_used(backend);  // those of a call before
  measurement line{.flops = flops_of<T>(algorithm::cholesky, n, n)};
  matrix<T> factored;
  matrix_view<T> view;
  if (!o.upper) {
    trifac::cholesky_run<T> run(method, n);
    best_of(
        o.repeat, backend, line, [&] { run.load(p.A); }, [&] { return run.factor(backend, how); });
    factored = matrix<T>(n, n);
    view = factored.view();
    run.store(view);
  } else {
    view = factor_array(p, backend, method, how, o.repeat, factored, line);
  }
  check(p, backend, trifac::cholesky_factor<T>(view, part, line.outcome), line);
  return line;
}

/// Whether `all` includes this method: its pivoting is that of the options, or these name none;
/// methods without pivoting only where the options say so.
inline bool fits(const trifac::lu_method& method, const options& o) {
  using trifac::pivoting;
  if (!o.pivoting) return method.pivoting != pivoting::none;
  const bool free = method.pivoting == pivoting::partial || method.pivoting == *o.pivoting;
  return free && !(o.selection == trifac::selection::plain && method.selection != *o.selection);
}

/// P·A = L·U.
template <class T, trifac::Backend B>
measurement measure_lu(const problem<T>& p, const B& backend, const trifac::lu_method& method,
                       const options& o) {
  trifac::lu_options how;
  how.block = o.block;
  how.leaves = o.leaves;
  how.arity = o.arity;
  how.pivoting = o.pivoting.value_or(method.pivoting);
  how.selection = o.selection.value_or(method.selection);

  const index_t m = p.A.rows(), n = p.A.cols();
  measurement line{.flops = flops_of<T>(algorithm::lu, m, n)};
  take_threads_used(backend);  // those of a call before
  const bool by_rows = o.layout == trifac::lu_layout::row_major;
  matrix<T> factored = by_rows ? matrix<T>(n, m) : matrix<T>(m, n);
  const matrix_view<T> LU = by_rows ? factored.view().transposed() : factored.view();
  const auto fill = [&] {
    for (index_t j = 0; j < n; ++j)
      for (index_t i = 0; i < m; ++i) LU(i, j) = p.A(i, j);
  };
  trifac::lu_factor<T> factor(LU, trifac::pivots{}, {});
  best_of(o.repeat, backend, line, fill, [&] {
    factor = trifac::try_lu(method.algorithm, backend, LU, how);
    return factor.status();
  });
  check(p, backend, factor, line);
  if (o.growth && line.outcome.completed()) {  // not timed with the rest
    how.growth = true;
    fill();
    line.growth = trifac::try_lu(method.algorithm, backend, LU, how).growth();
  }
  return line;
}

}  // namespace program
