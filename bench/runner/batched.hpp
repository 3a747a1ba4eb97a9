#pragma once
// How bench/compare --batched talks to a runner: as in protocol.hpp, with the number of matrices in
// place of a leading dimension,
//
//   cholesky|lu  lower  s|d  N  COUNT  SECONDS  factor|solve|both|inverse
//
// and seconds for one matrix in the answer. Solves have one right-hand side for each matrix.
// Inverses are by LU, of libraries that have a call for them (for bench/stacks).

#include "protocol.hpp"

namespace bench {

/// A, both triangles where only the lower one is filled.
template <class T>
matrix<T> whole(matrix_view<const T> A, bool is_whole) {
  matrix<T> all(A.rows(), A.cols());
  for (index_t j = 0; j < A.cols(); ++j)
    for (index_t i = 0; i < A.rows(); ++i) all(i, j) = is_whole || i >= j ? A(i, j) : A(j, i);
  return all;
}

/// A batch of T for a library: inputs, copies to be factored in the library's own layout, results.
///
/// A library has, for each T, a `batch<T>` made of (lu, n, count) with
///   load(k, matrix_view<const T>)         its copy of matrix k := that
///   load_side(k, matrix_view<const T>)    of right-hand side k
///   ready(), sides_ready()                where it has them: all are loaded; not timed either
///   factor() -> index_t                   factors all of them; how many failed
///   solve() -> index_t                    B := A⁻¹·B of all, after factor()
///   both() -> index_t                     one after the other, in whatever order is its best
///   inverse() -> index_t                  where it has them: A := A⁻¹ of all, by LU
///   store(k, matrix_view<T>)              the factor of matrix k, L or L\U
///   store_side(k, matrix_view<T>)         its solution
///   interchange(k, i) -> row              of LU: step i's row, counted from 0
/// and can<T>(lu, n): why it cannot, or "".
template <class T, class Library>
measurement measure_batch(const request& r, const std::string& operation, Library& library) {
  using batch_type = typename Library::template batch<T>;
  const bool lu = r.algorithm == "lu", solves = operation == "solve";
  const bool inverts = operation == "inverse", has_sides = solves || operation == "both";
  const index_t count = r.ld;
  batch_type batch(library, lu, r.n, count);
  // Large batches have the same matrices again and again: their results are checked once.
  constexpr index_t most = 2048;
  std::vector<matrix<T>> inputs, sides;
  random_numbers random(static_cast<std::uint64_t>(r.n));
  for (index_t k = 0; k < std::min(count, most); ++k) {
    inputs.emplace_back(r.n, r.n);
    fill(lu ? kind::general : kind::positive_definite, random, inputs.back().view());
    sides.emplace_back(r.n, 1);
    fill(kind::general, random, sides.back().view());
  }
  const auto of = [&](const std::vector<matrix<T>>& all, index_t k) {
    return all[static_cast<std::size_t>(k % most)].view();
  };
  const auto load = [&] {
    for (index_t k = 0; k < count; ++k) batch.load(k, of(inputs, k));
    if constexpr (requires { batch.ready(); }) batch.ready();
  };
  const auto load_sides = [&] {
    for (index_t k = 0; k < count; ++k) batch.load_side(k, of(sides, k));
    if constexpr (requires { batch.sides_ready(); }) batch.sides_ready();
  };
  const auto run = [&] {
    if constexpr (requires { batch.inverse(); })
      if (inverts) return batch.inverse();
    return solves ? batch.solve() : operation == "factor" ? batch.factor() : batch.both();
  };
  measurement m;
  if (solves) {
    load();
    m.failures += static_cast<int>(batch.factor());
  }
  std::vector<double> wall, cpu;
  double end = 0;
  for (bool counted = false; !counted || wall.empty() || wall_seconds() < end; counted = true) {
    if (!solves) load();
    if (has_sides) load_sides();
    const double cpu_begin = process_seconds(), wall_begin = wall_seconds();
    m.failures += static_cast<int>(run());
    const double wall_end = wall_seconds(), cpu_end = process_seconds();
    if (!counted) {
      end = wall_end + r.seconds;
      continue;
    }
    wall.push_back((wall_end - wall_begin) / static_cast<double>(count));
    cpu.push_back((cpu_end - cpu_begin) / static_cast<double>(count));
  }
  m.batches = static_cast<int>(wall.size());
  m.wall = *std::min_element(wall.begin(), wall.end());
  m.wall_median = median(wall);
  m.cpu = median(cpu);
  matrix<T> stored(r.n, has_sides ? 1 : r.n);
  std::vector<index_t> rows(static_cast<std::size_t>(r.n));
  if constexpr (requires { batch.results(); }) batch.results();
  for (index_t k = count - std::min(count, most); k < count; ++k) {
    const matrix_view<const T> F = static_cast<const matrix<T>&>(stored).view();
    double ratio = 0;
    if (has_sides) {
      const matrix<T> A = whole<T>(of(inputs, k), lu);
      batch.store_side(k, stored.view());
      ratio = solve_ratio<T>(A.view(), F, of(sides, k));
    } else if (batch.store(k, stored.view()); inverts) {
      ratio = inverse_ratio<T>(of(inputs, k), F);
    } else {
      for (index_t i = 0; lu && i < r.n; ++i)
        rows[static_cast<std::size_t>(i)] = batch.interchange(k, i);
      ratio = lu ? lu_ratio<T>(of(inputs, k), F, rows) : cholesky_ratio<T>(of(inputs, k), F);
    }
    m.ratio = larger(m.ratio, ratio);
  }
  return m;
}

template <class T, class Library>
void serve_batch(Library& library, const request& r, const std::string& operation) {
  using batch_type = typename Library::template batch<T>;
  const bool lu = r.algorithm == "lu";
  std::string why = library.template can<T>(lu, r.n);
  constexpr bool has_inverses = requires(batch_type & batch) {
    batch.inverse();
  };
  if (operation == "inverse" && !(lu && has_inverses && r.n <= 64))
    why = "inverses are by LU, of trifac on CPUs, in lanes: up to order 64";
  why.empty() ? answer(measure_batch<T>(r, operation, library)) : refuse(why);
}

/// Serves requests until standard input ends.
template <class Library>
void serve_batches(Library& library) {
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    request r;
    std::string part, operation;
    char type = 0;
    words >> r.algorithm >> part >> type >> r.n >> r.ld >> r.seconds >> operation;
    if (!words || r.n < 1 || r.ld < 1)
      refuse("cannot read the request");
    else if (type == 's')
      serve_batch<float>(library, r, operation);
    else if (type == 'd')
      serve_batch<double>(library, r, operation);
    else
      refuse("batches are compared in float and double");
  }
}

/// Matrices one after another, column-major, and a right-hand side for each: the layout of loops
/// over LAPACK.
template <class T>
class canonical_batch {
 public:
  canonical_batch(index_t n, index_t count)
      : n_(n),
        data_(static_cast<std::size_t>(n * n * count)),
        sides_(static_cast<std::size_t>(n * count)) {}
  T* at(index_t k) { return data_.data() + k * n_ * n_; }
  T* side(index_t k) { return sides_.data() + k * n_; }
  matrix_view<T> view(index_t k) { return trifac::column_major(at(k), n_, n_); }
  void load(index_t k, matrix_view<const T> A) {
    for (index_t j = 0; j < n_; ++j) std::copy(&A(0, j), &A(0, j) + n_, at(k) + j * n_);
  }
  void store(index_t k, matrix_view<T> A) {
    for (index_t j = 0; j < n_; ++j) std::copy_n(at(k) + j * n_, n_, &A(0, j));
  }
  void load_side(index_t k, matrix_view<const T> B) { std::copy_n(&B(0, 0), n_, side(k)); }
  void store_side(index_t k, matrix_view<T> X) { std::copy_n(side(k), n_, &X(0, 0)); }

 private:
  index_t n_;
  std::vector<T> data_, sides_;
};

/// The calls of a batch as loops over factor_one(k) and solve_one(k) of `Derived`, false where one
/// fails.
template <class T, class Derived>
class loop_batch : public canonical_batch<T> {
 public:
  loop_batch(index_t n, index_t count) : canonical_batch<T>(n, count), count_(count) {}
  index_t factor() {
    return loop([this](index_t k) { return self().factor_one(k); });
  }
  index_t solve() {
    return loop([this](index_t k) { return self().solve_one(k); });
  }
  index_t both() {
    return loop([this](index_t k) { return self().factor_one(k) && self().solve_one(k); });
  }

 private:
  Derived& self() { return static_cast<Derived&>(*this); }
  template <class One>
  index_t loop(One one) {
    index_t failed = 0;
    for (index_t k = 0; k < count_; ++k) failed += !one(k);
    return failed;
  }

  index_t count_;
};

}  // namespace bench
