#pragma once
// How bench/compare --batched talks to a runner: as in protocol.hpp, with the number of matrices in
// place of a leading dimension,
//
//   cholesky|lu  lower  s|d  N  COUNT  SECONDS
//
// and seconds for one matrix in the answer.

#include "protocol.hpp"

namespace bench {

/// A batch of T for a library: inputs, copies to be factored in the library's own layout, results.
///
/// A library has, for each T, a `batch<T>` made of (lu, n, count) with
///   load(k, matrix_view<const T>)         its copy of matrix k := that
///   ready()                               where it has that: all are loaded; not timed either
///   factor() -> index_t                   factors all of them; how many failed
///   store(k, matrix_view<T>)              the factor of matrix k, L or L\U
///   interchange(k, i) -> row              of LU: step i's row, counted from 0
/// and can<T>(lu, n): why it cannot, or "".
template <class T, class Library>
measurement measure_batch(const request& r, Library& library) {
  using batch_type = typename Library::template batch<T>;
  const bool lu = r.algorithm == "lu";
  const index_t count = r.ld;
  batch_type batch(library, lu, r.n, count);
  std::vector<matrix<T>> inputs;
  random_numbers random(static_cast<std::uint64_t>(r.n));
  for (index_t k = 0; k < count; ++k) {
    inputs.emplace_back(r.n, r.n);
    fill(lu ? kind::general : kind::positive_definite, random, inputs.back().view());
  }
  const auto input = [&](index_t k) {
    return static_cast<const matrix<T>&>(inputs[static_cast<std::size_t>(k)]).view();
  };
  measurement m;
  std::vector<double> wall, cpu;
  double end = 0;
  for (bool counted = false; !counted || wall.empty() || wall_seconds() < end; counted = true) {
    for (index_t k = 0; k < count; ++k) batch.load(k, input(k));
    if constexpr (requires { batch.ready(); }) batch.ready();
    const double cpu_begin = thread_seconds(), wall_begin = wall_seconds();
    m.failures += static_cast<int>(batch.factor());
    const double wall_end = wall_seconds(), cpu_end = thread_seconds();
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
  matrix<T> stored(r.n, r.n);
  std::vector<index_t> rows(static_cast<std::size_t>(r.n));
  for (index_t k = 0; k < count; ++k) {
    batch.store(k, stored.view());
    const matrix_view<const T> F = static_cast<const matrix<T>&>(stored).view();
    if (lu)
      for (index_t i = 0; i < r.n; ++i) rows[static_cast<std::size_t>(i)] = batch.interchange(k, i);
    const double ratio = lu ? lu_ratio<T>(input(k), F, rows) : cholesky_ratio<T>(input(k), F);
    if (!(ratio <= m.ratio)) m.ratio = ratio;
  }
  return m;
}

template <class T, class Library>
void serve_batch(Library& library, const request& r) {
  const std::string why = library.template can<T>(r.algorithm == "lu", r.n);
  why.empty() ? answer(measure_batch<T>(r, library)) : refuse(why);
}

/// Serves requests until standard input ends.
template <class Library>
void serve_batches(Library& library) {
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    request r;
    std::string part;
    char type = 0;
    words >> r.algorithm >> part >> type >> r.n >> r.ld >> r.seconds;
    if (!words || r.n < 1 || r.ld < 1)
      refuse("cannot read the request");
    else if (type == 's')
      serve_batch<float>(library, r);
    else if (type == 'd')
      serve_batch<double>(library, r);
    else
      refuse("batches are compared in float and double");
  }
}

/// Matrices one after another, column-major: the layout of loops over LAPACK.
template <class T>
class canonical_batch {
 public:
  canonical_batch(index_t n, index_t count)
      : n_(n), data_(static_cast<std::size_t>(n * n * count)) {}
  T* at(index_t k) { return data_.data() + k * n_ * n_; }
  matrix_view<T> view(index_t k) { return trifac::column_major(at(k), n_, n_); }
  void load(index_t k, matrix_view<const T> A) {
    for (index_t j = 0; j < n_; ++j) std::copy(&A(0, j), &A(0, j) + n_, at(k) + j * n_);
  }
  void store(index_t k, matrix_view<T> A) {
    for (index_t j = 0; j < n_; ++j) std::copy_n(at(k) + j * n_, n_, &A(0, j));
  }

 private:
  index_t n_;
  std::vector<T> data_;
};

/// A loop over them; `Rows`: the interchanges of one.
template <class T, class Rows>
class canonical_loop : public canonical_batch<T> {
 public:
  canonical_loop(index_t n, index_t count, const Rows& rows)
      : canonical_batch<T>(n, count), rows_(static_cast<std::size_t>(count), rows) {}
  const Rows& rows(index_t k) const { return rows_[static_cast<std::size_t>(k)]; }

 protected:
  /// factor(elements, rows) of each matrix is false where it fails; how many do.
  template <class Factor>
  index_t each(Factor factor) {
    index_t failed = 0;
    for (std::size_t k = 0; k < rows_.size(); ++k)
      failed += !factor(this->at(static_cast<index_t>(k)), rows_[k]);
    return failed;
  }

 private:
  std::vector<Rows> rows_;
};

}  // namespace bench
