// `trifac factor FILE --rhs FILE [--out FILE]`: one system, with what LAPACK's drivers gesvx and
// posvx tell of its solution.

#include "solve.hpp"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <limits>
#include <vector>

#include "choice.hpp"
#include "quality.hpp"
#include "report.hpp"
#include "scalar_types.hpp"
#include "table.hpp"
#include "trifac/backend/threads.hpp"
#include "trifac/io/memory.hpp"
#include "trifac/io/memory_needed.hpp"
#include "trifac/io/read_matrix.hpp"
#include "trifac/trifac.hpp"

namespace program {

namespace {

using trifac::backend::threads;

std::string size_of(const trifac::io::matrix_file& about) {
  return std::to_string(about.rows) + " x " + std::to_string(about.cols);
}

void check_shapes(const options& o, const trifac::io::matrix_file& A,
                  const trifac::io::matrix_file& B) {
  if (A.rows != A.cols)
    throw trifac::io::shape_error(trifac::io::read_error::whole(
        o.file, "is " + size_of(A) + "; only a system with a square matrix is solved"));
  if (B.rows != A.rows)
    throw trifac::io::shape_error(trifac::io::read_error::whole(
        o.rhs_file, "is " + size_of(B) + ", but " + o.file + " is " + size_of(A) +
                        ": right-hand sides need " + std::to_string(A.rows) + " rows"));
}

/// A and a copy for the factor, B, X and the residual.
template <class T>
void check_memory(const options& o, const trifac::io::matrix_file& A,
                  const trifac::io::matrix_file& B) {
  const index_t columns = 3 * std::min(B.cols, std::numeric_limits<index_t>::max() / 3);
  const auto needed = static_cast<double>(trifac::io::memory_needed<T>(
                          o.file, trifac::factorization::lu, columns)) +
                      sizeof(T) * static_cast<double>(A.rows) * static_cast<double>(A.cols);
  const auto available = static_cast<double>(trifac::io::available_memory());
  if (needed > available)
    throw trifac::io::read_error::whole(o.file, "solving takes " + digits(needed / 1e9, 3) +
                                                    " GB, more than the " +
                                                    digits(available / 1e9, 3) + " GB available");
}

/// The milliseconds that run() takes.
template <class Run>
double milliseconds(const Run& run) {
  const auto start = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

template <class T>
void write(const std::string& name, const matrix<T>& X) {
  if (name.ends_with(".npy"))
    trifac::io::write_npy(name, X);
  else
    trifac::io::write_matrix_market(name, X);
  std::cout << trifac::io::printable(name, 4096) << ": written, " << X.rows() << " x " << X.cols()
            << '\n';
}

int no_solution(const std::string& why) {
  std::cout << "no solution: " << why << '\n';
  return 1;
}

/// Solves with the factor of A, refines, prints and writes.
template <class T, class Factor>
int solve_with(const options& o, const matrix<T>& A, const matrix<T>& B, const Factor& f,
               double factor_ms) {
  using R = trifac::real_t<T>;
  if (!f) return no_solution("the matrix is " + f.status().message());
  const threads on{.threads = o.threads};
  matrix<T> X = B;
  trifac::refinement<T> refined;
  const double solve_ms = milliseconds([&] {
    if (refined.outcome = trifac::try_solve(on, f, X); refined)
      refined = trifac::try_refine(on, A, f, B, X);
  });
  if (!refined) return no_solution("right-hand sides or solution: " + refined.status().message());
  const auto largest = [](const std::vector<R>& of) {
    return of.empty() ? R(0) : *std::max_element(of.begin(), of.end());
  };
  const R condition = trifac::reciprocal_condition(on, f);
  const double residual = solve_ratio<T>(A, X, B);
  const auto line = [](const char* what, double value, const char* means) {
    std::string number = digits(value, 3);
    number.resize(std::max<std::size_t>(number.size(), 10), ' ');
    std::cout << what << number << means << '\n';
  };
  std::cout << "factored in " << digits(factor_ms, 3) << " ms, solved and refined in "
            << digits(solve_ms, 3) << " ms\n";
  line("residual              ", residual,
       "||b - A x|| / ((||A|| ||x|| + ||b||) n eps), max norms; good below 30");
  line("backward error        ", double(largest(refined.backward_errors)),
       "max |b - A x|_i / (|A| |x| + |b|)_i");
  line("forward error         ", double(largest(refined.forward_bounds)),
       "bound of max |x - x*| / max |x|, estimated");
  line("reciprocal condition  ", double(condition), "1 / (||A||_1 ||A^-1||_1), estimated");
  if (!(residual < good_ratio)) return no_solution("the residual is not good");
  if (!o.out.empty()) write(o.out, X);
  if (condition >= std::numeric_limits<R>::epsilon() / 2) return 0;
  std::cout << "the matrix is singular to working precision\n";
  return 1;
}

template <class T>
int solve_as(const options& o, const trifac::io::matrix_file& about_A,
             const trifac::io::matrix_file& about_B) {
  check_memory<T>(o, about_A, about_B);
  const auto A = trifac::io::read_matrix<T>(o.file), B = trifac::io::read_matrix<T>(o.rhs_file);
  const threads on{.threads = o.threads};
  choice chosen = choose(A, o);
  print_choice(std::cout, chosen.algorithm, chosen.reason);
  matrix<T> factored = A;
  if (chosen.algorithm == algorithm::cholesky) {
    trifac::cholesky_factor<T> f;
    const double ms = milliseconds([&] { f = trifac::try_cholesky(on, factored, {.norm = true}); });
    if (f.status().kind() != trifac::status_kind::not_positive_definite || !may_go_on(o))
      return solve_with(o, A, B, f, ms);
    print_choice(std::cout, algorithm::lu, "Cholesky found the matrix " + f.status().message());
    factored = A;
  }
  trifac::lu_factor<T> f;
  const double ms = milliseconds([&] { f = trifac::try_lu(on, factored, {.norm = true}); });
  return solve_with(o, A, B, f, ms);
}

}  // namespace

int solve(const options& o) {
  const auto A = trifac::io::describe_matrix(o.file), B = trifac::io::describe_matrix(o.rhs_file);
  check_shapes(o, A, B);
  trifac::io::matrix_file both = A;  // complex if one is, single if both are
  if (B.field == trifac::io::field::complex) both.field = B.field;
  both.single_precision = A.single_precision && B.single_precision;
  const scalar type = o.type.value_or(natural_type(both));
  types_of_program::check(type);
  print_file(std::cout, o.file, A, type);
  print_file(std::cout, o.rhs_file, B, type);
  return types_of_program::call(type, [&]<class T>(T) { return solve_as<T>(o, A, B); });
}

}  // namespace program
