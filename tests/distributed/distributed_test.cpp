// Matrices on grids of processes: residuals, interchanges, bad matrices, and processes that do not
// agree. Run by mpirun: every process runs every case; all grids of as many processes are tried.

#include "trifac/distributed.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "support/gallery.hpp"
#include "support/matrices.hpp"
#include "support/pivot_cases.hpp"
#include "support/residual.hpp"

// A program may have both namespaces at hand: that this compiles is the test.
namespace both {
using namespace trifac;
using namespace trifac::distributed;

[[maybe_unused]] bool ok(const array<double>& D, matrix<double>& A) {
  const array_lu_options of_array = {.max_l = 8};
  const lu_options of_matrix = {.max_l = 8};
  const array_cholesky_factor<double> L = cholesky(D);
  const cholesky_factor<double> l = cholesky(A);
  solve(L, D);
  solve(l, A);
  return lu(D, of_array).ok() && lu(A, of_matrix).ok() && try_solve(L, D).ok();
}
}  // namespace both

namespace trifac::test {
namespace {

using distributed::descriptor;
using distributed::grid;

/// f(grid) for all grids of the processes.
template <class Body>
void on_all_grids(Body body) {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int rows = 1; rows <= size; ++rows) {
    if (size % rows != 0) continue;
    SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(size / rows) + " processes");
    const grid g(MPI_COMM_WORLD, rows, size / rows);
    body(g);
  }
}

/// This process's part of A, with guard rows.
template <class T>
struct placed {
  static constexpr index_t guards = 3;

  placed(const grid& g, const matrix<T>& A, descriptor d) : desc(d) {
    desc.rows = A.rows();
    desc.cols = A.cols();
    desc.ld = A.rows() + guards;
    T none{};
    const distributed::array<T> shape(g, desc, &none);
    desc.ld = shape.rows().local_count() + guards;
    const index_t cols = shape.cols().local_count();
    data.assign(detail::as_size(desc.ld * cols + 1), guard());
    on = &g;
    each([&](index_t i, index_t j, T& a) { a = A(i, j); });
  }

  static T guard() { return T(real_t<T>(-77)); }
  distributed::array<T> array() { return {*on, desc, data.data()}; }
  template <class Visit>
  void each(Visit visit) {
    const auto A = array();
    const auto local = A.local();
    for (index_t j = 0; j < local.cols(); ++j)
      for (index_t i = 0; i < local.rows(); ++i)
        visit(A.rows().global(i), A.cols().global(j), local(i, j));
  }
  bool guards_untouched() {
    const auto local = array().local();
    bool good = data.back() == guard();
    for (index_t j = 0; j < local.cols(); ++j)
      for (index_t i = local.rows(); i < desc.ld; ++i)
        good = good && data[detail::as_size(i + j * desc.ld)] == guard();
    return good;
  }
  /// The whole matrix, on every process.
  matrix<T> gathered() {
    matrix<T> mine(desc.rows, desc.cols), all(desc.rows, desc.cols);
    each([&](index_t i, index_t j, T& a) { mine(i, j) = a; });
    MPI_Allreduce(mine.view().data(), all.view().data(), static_cast<int>(desc.rows * desc.cols),
                  distributed::mpi_type<T>(), MPI_SUM, MPI_COMM_WORLD);
    return all;
  }

  descriptor desc;
  const grid* on = nullptr;
  std::vector<T> data;
};

/// The interchanges of all rows, on every process.
template <class T>
std::vector<index_t> gathered_interchanges(const distributed::array_lu_factor<T>& f) {
  const auto rows = f.matrix().rows();
  const auto n = detail::as_size(std::min(f.matrix().desc().rows, f.matrix().desc().cols));
  std::vector<index_t> mine(n), all(n);
  for (index_t l = 0; l < rows.local_count(); ++l)
    if (const auto i = detail::as_size(rows.global(l)); i < n && f.matrix().grid().col() == 0)
      mine[i] = f.interchanges()[detail::as_size(l)];
  MPI_Allreduce(mine.data(), all.data(), static_cast<int>(n), MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

/// The same status everywhere.
void expect_same_everywhere(const status& s) {
  std::int64_t mine[] = {static_cast<std::int64_t>(s.kind()), s.index()},
               first[] = {mine[0], mine[1]};
  MPI_Bcast(first, 2, MPI_INT64_T, 0, MPI_COMM_WORLD);
  EXPECT_EQ(mine[0], first[0]);
  EXPECT_EQ(mine[1], first[1]);
}

index_t max_everywhere(index_t mine) {
  index_t most = 0;
  MPI_Allreduce(&mine, &most, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
  return most;
}

descriptor blocks(const grid& g, index_t b, int source) {
  return {.row_block = b,
          .col_block = b,
          .first_row = source % g.rows(),
          .first_col = (source + 1) % g.cols()};
}

template <class T>
void factor_and_solve_cholesky(const grid& g, index_t n, index_t b, int source, triangle part) {
  SCOPED_TRACE("n = " + std::to_string(n) + ", b = " + std::to_string(b));
  random_source random(static_cast<unsigned>(n + b));
  const auto A = random_spd<T>(random, n);
  placed<T> F(g, A, blocks(g, b, source));
  const auto f = distributed::try_cholesky(F.array(), {.part = part});
  EXPECT_TRUE(f.ok()) << f.status().message();
  EXPECT_TRUE(F.guards_untouched());
  F.each([&](index_t i, index_t j, T& a) {
    if (part == triangle::lower ? i < j : i > j) {
      EXPECT_EQ(a, A(i, j));
    }
  });
  const auto L = F.gathered();
  EXPECT_TRUE(within(cholesky_ratio<T>(A.view(), part, L.view())));

  for (const operation op : {operation::none, operation::transpose, operation::adjoint}) {
    SCOPED_TRACE(static_cast<int>(op));
    const auto B = random_matrix<T>(random, n, 5);
    auto desc = blocks(g, b, source);
    desc.col_block = 2;
    placed<T> X(g, B, desc);
    const status s = distributed::try_solve(f, X.array(), op);
    EXPECT_TRUE(s.ok()) << s.message();
    EXPECT_TRUE(X.guards_untouched());
    const auto x = X.gathered(), C = applied<T>(op, A.view());
    EXPECT_TRUE(within(solve_ratio<T>(C.view(), x.view(), B.view())));
  }
}

template <class T>
void factor_and_solve_lu(const grid& g, index_t m, index_t n, index_t b, int source,
                         const distributed::array_lu_options& options) {
  SCOPED_TRACE(std::to_string(m) + " x " + std::to_string(n) + ", b = " + std::to_string(b) + ", " +
               std::string(to_string(options.pivoting)));
  random_source random(static_cast<unsigned>(m + 3 * n + b));
  const auto A = random_matrix<T>(random, m, n);
  placed<T> F(g, A, blocks(g, b, source));
  const auto f = distributed::try_lu(F.array(), options);
  EXPECT_TRUE(f.ok()) << f.status().message();
  EXPECT_TRUE(F.guards_untouched());
  const auto LU = F.gathered();
  const auto steps = gathered_interchanges(f);
  EXPECT_TRUE(within(lu_ratio<T>(A.view(), LU.view(), steps)));
  for (index_t j = 0; j < n; ++j)
    for (index_t i = j + 1; i < m; ++i)
      EXPECT_LE(detail::pivot_size(LU(i, j)), real_t<T>(options.max_l));
  if (m != n) return;

  for (const operation op : {operation::none, operation::transpose, operation::adjoint}) {
    SCOPED_TRACE(static_cast<int>(op));
    const auto B = random_matrix<T>(random, n, 3);
    auto desc = blocks(g, b, source);
    desc.col_block = 1;
    placed<T> X(g, B, desc);
    const status s = distributed::try_solve(f, X.array(), op);
    EXPECT_TRUE(s.ok()) << s.message();
    EXPECT_TRUE(X.guards_untouched());
    const auto x = X.gathered();
    const auto C = applied<T>(op, A.view());
    EXPECT_TRUE(within(solve_ratio<T>(C.view(), x.view(), B.view())));
  }
}

constexpr distributed::array_lu_options by_tournament, by_columns = {.pivoting = pivoting::partial};

struct order_and_block {
  index_t n, b;
};

template <class T>
void try_sizes(const std::vector<order_and_block>& sizes) {
  on_all_grids([&](const grid& g) {
    int source = 0;
    for (const auto [n, b] : sizes) {
      ++source;
      for (const triangle part : {triangle::lower, triangle::upper})
        factor_and_solve_cholesky<T>(g, n, b, source, part);
      for (const auto& options : {by_tournament, by_columns})
        factor_and_solve_lu<T>(g, n, n, b, source, options);
    }
    for (const auto& options : {by_tournament, by_columns}) {
      factor_and_solve_lu<T>(g, 37, 22, 4, 1, options);
      factor_and_solve_lu<T>(g, 22, 37, 4, 0, options);
    }
  });
}

// More processes than blocks, blocks of one element, blocks larger than the matrix.
const std::vector<order_and_block> small_sizes = {{0, 4},  {1, 1},  {2, 1},   {13, 1},
                                                  {17, 8}, {32, 8}, {50, 16}, {50, 200}};

TEST(Distributed, Residuals) {
  try_sizes<double>(small_sizes);
}
TEST(Distributed, FullResidualsOfFloat) {
  try_sizes<float>(small_sizes);
}
TEST(Distributed, FullResidualsOfComplexFloat) {
  try_sizes<std::complex<float>>(small_sizes);
}
TEST(Distributed, FullResidualsOfComplexDouble) {
  try_sizes<std::complex<double>>(small_sizes);
}
TEST(Distributed, FullResidualsOfLargerMatrices) {
  try_sizes<double>({{33, 1}, {100, 7}, {257, 32}, {300, 64}});
}

template <class T>
void expect_interchanges_of_one_process(const grid& g, const matrix<T>& A, index_t b) {
  auto alone = A;
  const auto expected = try_lu(alone);
  placed<T> F(g, A, blocks(g, b, 0));
  const auto steps = gathered_interchanges(distributed::try_lu(F.array(), by_columns));
  EXPECT_TRUE(std::equal(steps.begin(), steps.end(), expected.interchanges().span().begin()));
}

TEST(Distributed, PartialPivotingHasTheInterchangesOfOneProcess) {
  on_all_grids([&](const grid& g) {
    random_source random(5);
    expect_interchanges_of_one_process(g, random_matrix<double>(random, 43, 43), 8);
    // |Re| + |Im| of their pivots overflows.
    using complex = std::complex<double>;
    expect_interchanges_of_one_process(g, overflowing_pivots<complex>(random, 20), 4);
  });
}

template <class T>
void expect_pivots_of_textbooks(const grid& g) {
  random_source random(9);
  for (const auto& [m, n] :
       {std::pair<index_t, index_t>{3, 3}, {8, 8}, {23, 23}, {43, 30}, {30, 43}})
    for (const matrix<T>& A : matrices_with_ties<T>(random, m, n)) {
      const textbook_lu<T> expected = textbook(A);
      for (const index_t b : {1, 3, 8}) {
        placed<T> F(g, A, blocks(g, b, 1));
        const auto steps = gathered_interchanges(distributed::try_lu(F.array(), by_columns));
        const matrix<T> LU = F.gathered();
        EXPECT_TRUE(pivots_like<T>(expected, LU.view(), steps)) << m << "×" << n << ", b = " << b;
      }
    }
}

TEST(Distributed, TiesGoToTheFirstRowInThePresentOrder) {
  on_all_grids([](const grid& g) {
    expect_pivots_of_textbooks<double>(g);
    expect_pivots_of_textbooks<std::complex<float>>(g);
  });
}

// A tournament's |l_ij| can be large: with max_l = 1 it is refused, and the panel has partial
// pivoting.
TEST(Distributed, BadTournamentsAreRepeated) {
  on_all_grids([&](const grid& g) {
    random_source random(6);
    const auto A = random_matrix<double>(random, 60, 60);
    placed<double> F(g, A, blocks(g, 4, 1)), G(g, A, blocks(g, 4, 1));
    const auto f = distributed::try_lu(F.array(), {.max_l = 1});
    EXPECT_TRUE(f.ok());
    if (g.rows() == 1) {
      EXPECT_EQ(f.refactored(), 0);
    } else {
      EXPECT_GT(f.refactored(), 0);
    }
    EXPECT_EQ(f.refactored(), max_everywhere(f.refactored()));
    const matrix<double> LU = F.gathered();
    EXPECT_TRUE(within(lu_ratio<double>(A.view(), LU.view(), gathered_interchanges(f))));
    const auto L = unit_lower(LU.view());
    EXPECT_LE(max_abs(L.view()), 1.0);
  });
}

TEST(Distributed, BadMatricesHaveTheSameStatusOnAllProcesses) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  on_all_grids([&](const grid& g) {
    random_source random(7);
    for (const index_t at : {0, 11, 29}) {
      SCOPED_TRACE(at);
      for (const triangle part : {triangle::lower, triangle::upper})
        for (const double wrong : {-1000.0, nan}) {
          auto A = random_spd<double>(random, 30);
          A(at, at) = wrong;
          placed<double> F(g, A, blocks(g, 4, 1));
          const auto f = distributed::try_cholesky(F.array(), {.part = part});
          expect_same_everywhere(f.status());
          EXPECT_EQ(f.status().kind(),
                    wrong == wrong ? status_kind::not_positive_definite : status_kind::not_finite);
          EXPECT_EQ(f.status().index(), at);
          EXPECT_EQ(distributed::try_solve(f, F.array()), f.status());
        }
      for (const auto& options : {by_tournament, by_columns}) {
        auto A = random_matrix<double>(random, 30, 30);
        for (index_t i = 0; i < 30; ++i) A(i, at) = 0;
        placed<double> F(g, A, blocks(g, 4, 1));
        const auto f = distributed::try_lu(F.array(), options);
        expect_same_everywhere(f.status());
        EXPECT_EQ(f.status(), status::at(status_kind::singular, at));
        const auto LU = F.gathered();
        EXPECT_TRUE(within(lu_ratio<double>(A.view(), LU.view(), gathered_interchanges(f))));
        EXPECT_EQ(distributed::try_solve(f, F.array()), f.status());

        auto N = random_matrix<double>(random, 30, 30);
        N(29, at) = nan;
        placed<double> H(g, N, blocks(g, 4, 1));
        const auto h = distributed::try_lu(H.array(), options);
        expect_same_everywhere(h.status());
        EXPECT_EQ(h.status().kind(), status_kind::not_finite);
        EXPECT_EQ(distributed::try_solve(h, H.array()), h.status());
        EXPECT_THROW(distributed::solve(backend::serial{}, h, H.array()), numerical_error);
        const auto steps = h.interchanges();
        EXPECT_EQ(static_cast<index_t>(steps.size()), h.matrix().rows().local_count());
        for (std::size_t l = 0; l < steps.size(); ++l) {
          EXPECT_GE(steps[l], h.matrix().rows().global(static_cast<index_t>(l)));
          EXPECT_LT(steps[l], 30);
        }
      }
    }
  });
}

// One process has another idea of the matrix than the others.
template <class T>
void expect_zeros_to_divide(const grid& g) {
  random_source random(8);
  const index_t n = 30;
  for (const index_t at : {0, 11, 29}) {
    SCOPED_TRACE(at);
    auto A = random_matrix<T>(random, n, n);
    for (index_t j = 0; j < n; ++j)
      for (index_t i = 0; i < n; ++i)
        A(i, j) = i == j ? T(i == at ? 0 : 2) : A(i, j) / T(static_cast<real_t<T>>(n));
    placed<T> F(g, A, blocks(g, 4, 1));
    const auto rows = F.array().rows();
    std::vector<index_t> in_order;
    for (index_t l = 0; l < rows.local_count(); ++l) in_order.push_back(rows.global(l));
    const auto expect = [&](const auto& f, const auto... op) {
      placed<T> B(g, random_matrix<T>(random, n, 3), blocks(g, 4, 1));
      const status s = distributed::try_solve(f, B.array(), op...);
      expect_same_everywhere(s);
      EXPECT_EQ(s.kind(), status_kind::not_finite);
      EXPECT_LE(s.index(), at);
      const auto X = B.gathered();
      for (index_t j = 0; j < 3; ++j) EXPECT_FALSE(detail::is_finite(X(at, j)));
    };
    for (const operation op : {operation::none, operation::transpose, operation::adjoint})
      expect(distributed::array_lu_factor<T>(F.array(), in_order, status(), {}, 0), op);
    for (const triangle part : {triangle::lower, triangle::upper})
      expect(distributed::array_cholesky_factor<T>(F.array(), part, status(), {}));
  }
}
TEST(Distributed, AZeroOnTheDiagonalDivides) {
  on_all_grids([&](const grid& g) {
    expect_zeros_to_divide<double>(g);
    expect_zeros_to_divide<std::complex<float>>(g);
  });
}

TEST(Distributed, ProcessesThatDoNotAgreeAllLearnWhy) {
  on_all_grids([&](const grid& g) {
    random_source random(8);
    const auto A = random_spd<double>(random, 12);
    const bool last = g.all().rank() == g.all().size() - 1, several = g.all().size() > 1;
    const auto expect_refused = [&](auto change, const std::string& argument,
                                    const std::string& what) {
      SCOPED_TRACE(what);
      placed<double> F(g, A, blocks(g, 2, 0));
      const auto before = F.data;
      if (last) change(F.desc);
      distributed::array<double> array = F.array();
      for (const status& s :
           {distributed::try_cholesky(array).status(), distributed::try_lu(array).status()}) {
        EXPECT_EQ(s.kind(), status_kind::invalid_argument);
        EXPECT_EQ(s.argument(), argument);
        EXPECT_NE(std::string(s.what()).find(what), std::string::npos) << s.message();
      }
      EXPECT_EQ(F.data, before);
    };
    if (several) {
      expect_refused([](descriptor& d) { d.rows = 11; }, "A", "(M)");
      expect_refused([](descriptor& d) { d.cols = 11; }, "A", "(N)");
      expect_refused([](descriptor& d) { d.row_block = 3; }, "A", "(MB)");
      expect_refused([](descriptor& d) { d.col_block = 3; }, "A", "(NB)");
      expect_refused([](descriptor& d) { d.first_row += 1; }, "A", "(RSRC)");
      expect_refused([](descriptor& d) { d.first_col += 1; }, "A", "(CSRC)");
      expect_refused([](descriptor& d) { d.rows = -1; }, "A", "(M)");
    }
    expect_refused([](descriptor& d) { d.ld = 0; }, "A", "below 1");
    if (A.rows() / 2 >= g.rows()) expect_refused([](descriptor& d) { d.ld = 1; }, "A", "(LLD)");

    placed<double> F(g, A, blocks(g, 2, 0));
    if (several) {
      const triangle part = last ? triangle::upper : triangle::lower;
      EXPECT_STREQ(distributed::try_cholesky(F.array(), {.part = part}).status().argument(),
                   "options.part");
      const auto pivoting = last ? pivoting::partial : pivoting::tournament;
      EXPECT_STREQ(distributed::try_lu(F.array(), {.pivoting = pivoting}).status().argument(),
                   "options.pivoting");
      const status s = last ? distributed::try_lu(F.array()).status()
                            : distributed::try_cholesky(F.array()).status();
      EXPECT_STREQ(s.argument(), "call");
      placed<float> G(g, matrix<float>(12, 12), blocks(g, 2, 0));
      const status t = last ? distributed::try_cholesky(G.array()).status()
                            : distributed::try_cholesky(F.array()).status();
      EXPECT_STREQ(t.what(), "has another type on another process");
      const distributed::array<double> nowhere(g, F.desc, last ? nullptr : F.data.data());
      EXPECT_STREQ(distributed::try_lu(nowhere).status().argument(), "A");
    }
    EXPECT_STREQ(distributed::try_lu(F.array(), {.pivoting = pivoting::none}).status().argument(),
                 "options.pivoting");
    EXPECT_THROW((void)distributed::lu(F.array(), {.max_l = 0}), argument_error);

    const auto f = distributed::try_cholesky(F.array());
    auto desc = blocks(g, 3, 0);
    placed<double> X(g, matrix<double>(12, 1), desc), Y(g, matrix<double>(11, 1), blocks(g, 2, 0));
    EXPECT_STREQ(distributed::try_solve(f, X.array()).what(), "has another row block (MB) than A");
    EXPECT_STREQ(distributed::try_solve(f, Y.array()).what(), "has another number of rows than A");
  });
}

// MPI counts elements in int: refused before memory is taken for so large a matrix.
// A process that lacks memory leaves garbage, in which the others may find a bad pivot.
TEST(Distributed, AProcessWithoutMemoryIsToldBeforeABadPivot) {
  on_all_grids([](const grid& g) {
    const status known = status::at(status_kind::not_positive_definite, 3);
    const bool last = g.row() == g.rows() - 1 && g.col() == g.cols() - 1;
    const status mine =
        last ? status::failure(status_kind::out_of_memory, "no workspace") : status();
    distributed::traffic moved;
    const auto outcome = [&](const status& here) {
      return distributed::final_status(g, known, here, distributed::no_index, moved);
    };
    EXPECT_EQ(outcome(mine).kind(), status_kind::out_of_memory);
    EXPECT_EQ(outcome(status()), known);
  });
}

TEST(Distributed, MessagesHaveFewerElementsThanMpiCounts) {
  on_all_grids([&](const grid& g) {
    double none = 0;
    const index_t n = index_t{1} << 24, b = 1 << 10;
    descriptor desc = {.rows = n, .cols = n, .row_block = b, .col_block = b, .ld = n};
    const distributed::array<double> A(g, desc, &none);
    const status large = distributed::try_cholesky(A).status();
    EXPECT_STREQ(large.argument(), "A") << large.message();
    EXPECT_STREQ(distributed::try_lu(A).status().what(), large.what());
    desc.rows = b;  // A of one block is small, B has as many columns
    const distributed::array<double> B(g, desc, &none);
    desc.cols = b;
    const distributed::array<double> small(g, desc, &none);
    const distributed::array_cholesky_factor<double> f(small, triangle::lower, {}, {});
    EXPECT_STREQ(distributed::try_solve(f, B).argument(), "B");
    EXPECT_STREQ(distributed::try_solve(f, B).what(), large.what());
    EXPECT_EQ(none, 0);
  });
}

TEST(Distributed, GridsThatDoNotFitTheProcesses) {
  int size = 0, rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (const grid& g : {grid(MPI_COMM_WORLD, size, 2), grid(MPI_COMM_WORLD, 0, 0),
                        grid(MPI_COMM_WORLD, size > 1 && rank == 0 ? 1 : size + 1, size)}) {
    EXPECT_FALSE(g.usable());
    double a = 1;
    const distributed::array<double> A(g, {.rows = 1, .cols = 1}, &a);
    EXPECT_EQ(distributed::try_lu(A).status().kind(), status_kind::invalid_argument);
  }
}

TEST(Distributed, RightHandSidesInTheFactorAreRefused) {
  on_all_grids([&](const grid& g) {
    random_source random(11);
    placed<double> F(g, random_spd<double>(random, 12), blocks(g, 2, 0));
    distributed::array<double> array = F.array();
    const auto f = distributed::try_cholesky(array);
    ASSERT_TRUE(f.ok());
    const auto before = F.data;
    const status s = distributed::try_solve(f, array);
    EXPECT_STREQ(s.what(), "overlaps A");
    EXPECT_EQ(F.data, before);
  });
}

TEST(Distributed, AGridThatWasMovedFromIsNotUsable) {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  grid first(MPI_COMM_WORLD, size, 1);
  const grid second = std::move(first);
  EXPECT_TRUE(second.usable());
  EXPECT_FALSE(first.usable());
  EXPECT_FALSE(grid(MPI_COMM_NULL, 1, 1).usable());
  double element = 1;
  const distributed::array<double> A(first, {1, 1, 1, 1, 0, 0, 1}, &element);
  EXPECT_EQ(distributed::try_cholesky(A).status().kind(), status_kind::invalid_argument);
}

// What a process receives: its share of the panels, and no more than a few numbers besides.
TEST(Distributed, MovesThePanelsOnce) {
  on_all_grids([&](const grid& g) {
    constexpr index_t n = 96, b = 8;
    random_source random(9);
    const auto A = random_spd<double>(random, n);
    placed<double> F(g, A, blocks(g, b, 0)), G(g, A, blocks(g, b, 0));
    const auto f = distributed::try_cholesky(F.array());
    const auto h = distributed::try_lu(G.array());
    const double p = g.rows(), q = g.cols(), words = 8.0 * n * n / 2;
    const double rest = 8.0 * (n / b) * (b * b + 64) + 64 * 80;  // diagonal blocks, statuses
    EXPECT_LE(static_cast<double>(f.moved().bytes), words * (1.2 / p + 1.2 / q) + rest);
    EXPECT_LE(static_cast<double>(h.moved().bytes), words * (1.2 / p + 5 / q) + 8 * rest);
    if (g.all().size() == 1) {
      EXPECT_EQ(f.moved().bytes + h.moved().bytes, 0);
    }
  });
}

}  // namespace
}  // namespace trifac::test

/// Failures of any process are printed by it, the rest by the first one.
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  testing::InitGoogleTest(&argc, argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  struct failures : testing::EmptyTestEventListener {
    void OnTestPartResult(const testing::TestPartResult& r) override {
      if (r.failed())
        std::fprintf(stderr, "%s:%d: %s\n", r.file_name(), r.line_number(), r.message());
    }
  };
  if (rank > 0) {
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new failures);
  }
  if (argc > 1 && std::string_view(argv[1]) == "--one-dies") {
    const trifac::distributed::grid g(MPI_COMM_WORLD, 1, size);
    if (rank == 0)
      std::thread([] {
        std::fputs("this process dies in a quarter of a second, in a call\n", stderr);
        std::this_thread::sleep_for(std::chrono::milliseconds(250));
        std::_Exit(3);
      }).detach();
    trifac::test::random_source random(12);
    const auto A = trifac::test::random_matrix<double>(random, 120, 120);
    for (;;) {
      trifac::test::placed<double> F(g, A, trifac::test::blocks(g, 8, 0));
      (void)trifac::distributed::try_lu(F.array());
    }
  }
  int mine = RUN_ALL_TESTS(), all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return all;
}
