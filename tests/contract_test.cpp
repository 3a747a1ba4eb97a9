// The contracts of the public calls: wrong arguments are named and change nothing, throwing and
// non-throwing forms agree, factors refuse misuse, own or refer to what they should, and take the
// memory they are given.

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "backends.hpp"
#include "support/gallery.hpp"
#include "support/layouts.hpp"
#include "support/residual.hpp"
#include "trifac/cholesky.hpp"
#include "trifac/equilibration.hpp"
#include "trifac/low_rank_cholesky.hpp"
#include "trifac/lu.hpp"
#include "trifac/modified_cholesky.hpp"
#include "trifac/pivoted_cholesky.hpp"
#include "trifac/refine.hpp"
#include "trifac/solve.hpp"
#include "trifac/solve_mixed.hpp"
#include "trifac/variants.hpp"

namespace trifac::test {
namespace {

matrix<double> spd(index_t n) {
  random_source random(501);
  return random_spd<double>(random, n);
}
matrix<double> general(index_t m, index_t n) {
  random_source random(502);
  return random_matrix<double>(random, m, n);
}

/// A call with one wrong argument, as the throwing and as the non-throwing form.
struct wrong_call {
  const char* argument;
  std::function<void()> throwing;
  std::function<status()> trying;
};

void expect_refused(const wrong_call& call) {
  SCOPED_TRACE(call.argument);
  const status s = call.trying();
  EXPECT_EQ(s.kind(), status_kind::invalid_argument);
  EXPECT_STREQ(s.argument(), call.argument);
  EXPECT_STRNE(s.what(), "");
  EXPECT_EQ(s.index(), -1);
  try {
    call.throwing();
    FAIL() << "did not throw";
  } catch (const argument_error& error) {
    EXPECT_STREQ(error.argument(), call.argument);
    EXPECT_NE(std::string(error.what()).find(call.argument), std::string::npos) << error.what();
  }
}

template <variant V = variant::best, class Backend = backend::serial>
wrong_call wrong_cholesky(const char* argument, matrix_view<double> A,
                          cholesky_options options = {}, const Backend& on = {}) {
  return {argument, [=] { (void)cholesky<V>(on, A, options); },
          [=] { return try_cholesky<V>(on, A, options).status(); }};
}
template <variant V = variant::best, class Backend = backend::serial>
wrong_call wrong_lu(const char* argument, matrix_view<double> A, lu_options options = {},
                    const Backend& on = {}) {
  return {argument, [=] { (void)lu<V>(on, A, options); },
          [=] { return try_lu<V>(on, A, options).status(); }};
}
template <class Factor>
wrong_call wrong_solve(const char* argument, const Factor& f, matrix_view<double> B) {
  return {argument, [&f, B] { solve(f, B); }, [&f, B] { return try_solve(f, B); }};
}

TEST(Contract, WrongMatricesAreNamedAndUntouched) {
  placed_matrix<double> placed(spd(5), layout::padded);
  double* const data = placed.view().data();
  for (const matrix_view<double> wrong :
       {matrix_view<double>(data, -1, 3, 5), matrix_view<double>(data, 3, -1, 5),
        matrix_view<double>(nullptr, 3, 3, 3), matrix_view<double>(data, 3, 3, 2),
        matrix_view<double>(data, 3, 3, 0, 0), matrix_view<double>(data, 3, 3, 2, 1),
        matrix_view<double>(data, 3, 3, -2, 1), matrix_view<double>(data, 3, 3, 2, 3)}) {
    expect_refused(wrong_cholesky("A", wrong));
    expect_refused(wrong_lu("A", wrong));
  }
  expect_refused(wrong_cholesky("A", column_major(data, 4, 5, 8)));  // not square
  EXPECT_TRUE(placed.untouched());
}

/// ok(), bool and or_throw() agree with status(), of a name and of a temporary. `good` is a
/// success, `bad` the same type with a wrong argument or, default-constructed, empty.
template <class Result>
void expect_with_status(Result good, Result bad) {
  EXPECT_TRUE(good.ok());
  EXPECT_TRUE(static_cast<bool>(good));
  EXPECT_EQ(&good.or_throw(), &good);
  EXPECT_TRUE(std::move(good).or_throw().ok());
  EXPECT_FALSE(bad.ok());
  EXPECT_FALSE(static_cast<bool>(bad));
  EXPECT_THROW((void)bad.or_throw(), argument_error);
  EXPECT_THROW((void)std::move(bad).or_throw(), argument_error);
}

TEST(Contract, EveryResultHasWhatBelongsToItsStatus) {
  const matrix<double> A = spd(5), b(5, 1);
  const matrix<double> wrong(4, 5);
  matrix<double> x(5, 1), y(4, 1), L(A), M(A);
  const auto f = cholesky(L);
  expect_with_status(f, {});
  expect_with_status(lu(M), {});
  expect_with_status(pivoted_cholesky(matrix<double>(A)), {});
  expect_with_status(modified_cholesky(matrix<double>(A)), {});
  const auto diagonal = [&](index_t i) { return A(i, i); };
  const auto column = [&](index_t j, std::span<double> c) {
    for (index_t i = 0; i < 5; ++i) c[static_cast<std::size_t>(i)] = A(i, j);
  };
  expect_with_status(try_low_rank_cholesky<double>(5, diagonal, column, {.rank = 5}), {});
  expect_with_status(try_refine(A, f, b, x), try_refine(A, f, b, y));
  expect_with_status(try_solve_mixed(A, b, x), try_solve_mixed(A, b, y));
  expect_with_status(equilibration_of_definite(A), equilibration_of_definite(wrong));
}

TEST(Contract, WrongOptionsAreNamedAndUntouched) {
  placed_matrix<double> placed(spd(6), layout::padded);
  const auto A = placed.view();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto by_tournament = pivoting::tournament;
  for (const wrong_call& call :
       {wrong_cholesky("options.block", A, {.block = -1}),
        wrong_cholesky("options.cutoff", A, {.cutoff = -1}),
        wrong_lu("options.block", A, {.block = -1}),
        wrong_lu("options.leaves", A, {.pivoting = by_tournament, .leaves = -1}),
        wrong_lu("options.arity", A, {.pivoting = by_tournament, .arity = -1}),
        wrong_lu("options.arity", A, {.pivoting = by_tournament, .arity = 1}),
        wrong_lu("options.max_l", A, {.pivoting = by_tournament, .max_l = 0.5}),
        wrong_lu("options.max_l", A, {.pivoting = by_tournament, .max_l = nan}),
        wrong_lu<variant::unblocked>("options.pivoting", A),
        wrong_lu<variant::four_block>("options.pivoting", A),
        wrong_lu<variant::right_looking>("options.pivoting", A, {.pivoting = pivoting::none}),
        wrong_lu<variant::recursive>("options.pivoting", A, {.pivoting = by_tournament})})
    expect_refused(call);
#if TRIFAC_EXPECT_LAPACK
  expect_refused(wrong_cholesky<variant::crout>("variant", A, {}, backend::lapack{}));
  expect_refused(wrong_lu<variant::recursive>("variant", A, {}, backend::lapack{}));
  expect_refused(wrong_lu("options.pivoting", A, {.pivoting = by_tournament}, backend::lapack{}));
#endif
  EXPECT_TRUE(placed.untouched());
}

TEST(Contract, OutOfPlaceRefusesAnotherSizeAndOverlap) {
  const auto A = spd(5);
  matrix<double> small(4, 4);
  EXPECT_STREQ(try_cholesky(backend::serial{}, A, small).status().argument(), "L");
  EXPECT_THROW((void)cholesky(backend::serial{}, A, small), argument_error);
  auto B = spd(5);
  const auto transposed = B.view().transposed();
  EXPECT_STREQ(try_cholesky(backend::serial{}, B, transposed).status().argument(), "L");
  EXPECT_TRUE(same_bits(B.view(), A.view()));
}

TEST(Contract, WithoutABackendItIsSerial) {
  const auto A = spd(7);
  matrix<double> in_place = A, out_of_place = A, tried = A;
  EXPECT_TRUE(cholesky(backend::serial{}, in_place, {.part = triangle::upper}));
  EXPECT_TRUE(cholesky(A, out_of_place, {.part = triangle::upper}));
  EXPECT_TRUE(try_cholesky<variant::best>(A, tried, {.part = triangle::upper}));
  EXPECT_TRUE(same_bits(in_place.view(), out_of_place.view()));
  EXPECT_TRUE(same_bits(in_place.view(), tried.view()));
}

TEST(Contract, EmptyMatricesAreFactoredAtOnce) {
  for (index_t n : {0, 3}) {
    matrix<double> flat(0, n), thin(n, 0);
    EXPECT_TRUE(lu(flat));
    EXPECT_TRUE(lu(thin));
    EXPECT_EQ(lu(thin).interchanges().size(), 0);
    EXPECT_EQ(static_cast<index_t>(lu(thin).permutation().size()), n);
  }
  matrix<double> none(0, 0), right(0, 4);
  const auto f = cholesky(none);
  EXPECT_TRUE(f);
  EXPECT_TRUE(try_solve(f, right));
  EXPECT_TRUE(cholesky(matrix_view<double>()));
}

TEST(Contract, SolveRefusesSizesThatDoNotFit) {
  auto A = spd(4), C = general(4, 4), tall = general(6, 4), wide = general(4, 6);
  const auto f = cholesky(A);
  const auto g = lu(C), of_tall = lu(tall), of_wide = lu(wide);
  ASSERT_TRUE(f && g && of_tall && of_wide);
  placed_matrix<double> storage(general(6, 5), layout::padded);
  const auto B = storage.view();
  expect_refused(wrong_solve("factor", of_tall, B));
  expect_refused(wrong_solve("factor", of_wide, B.block(0, 0, 4, 2)));
  for (const matrix_view<double> wrong :
       {B.block(0, 0, 3, 2), B.block(0, 0, 5, 2), B.block(0, 0, 0, 2),
        matrix_view<double>(nullptr, 4, 1, 4), matrix_view<double>(B.data(), 4, 2, 1)}) {
    expect_refused(wrong_solve("B", f, wrong));
    expect_refused(wrong_solve("B", g, wrong));
  }
  std::vector<double> short_vector(3);
  EXPECT_THROW(solve(f, short_vector), argument_error);
  EXPECT_TRUE(storage.untouched());
}

TEST(Contract, NumericalFailuresComeBackInTheStatus) {
  matrix<double> A(3, 3);
  EXPECT_NO_THROW((void)cholesky(A));
  EXPECT_NO_THROW((void)lu(A));
  EXPECT_FALSE(cholesky(A));
  EXPECT_EQ(lu(A).status(), status::at(status_kind::singular, 0));
}

TEST(Contract, OrThrowThrowsThemWithTheReason) {
  matrix<double> zero(3, 3);
  try {
    (void)cholesky(zero).or_throw();
    FAIL() << "did not throw";
  } catch (const numerical_error& error) {
    EXPECT_EQ(error.reason(), status::at(status_kind::not_positive_definite, 0));
    EXPECT_NE(std::string(error.what()).find("not positive definite"), std::string::npos)
        << error.what();
  }
  EXPECT_THROW((void)lu(zero).or_throw(), numerical_error);
  auto A = spd(3);
  const auto f = cholesky(A);
  EXPECT_EQ(&f.or_throw(), &f);
  const auto g = lu(general(3, 3)).or_throw();  // moves on an owning factor
  EXPECT_TRUE(g);
  EXPECT_EQ(g.rows(), 3);
}

TEST(Contract, TryFormsNeverThrow) {
  matrix<double> A(2, 2), B(2, 2);
  pivots p;
  static_assert(noexcept(try_cholesky(A)));
  static_assert(noexcept(try_cholesky(backend::serial{}, A)));
  static_assert(noexcept(try_cholesky(backend::serial{}, A, B)));
  static_assert(noexcept(try_lu(A)));
  static_assert(noexcept(try_lu(A, p)));
  static_assert(noexcept(try_lu(backend::serial{}, A, p)));
  static_assert(noexcept(try_solve(try_cholesky(A), B)));
}

TEST(Contract, StatusSpeaksToPeople) {
  EXPECT_EQ(status().message(), "success");
  EXPECT_EQ(status::at(status_kind::not_positive_definite, 4).message(),
            "not positive definite at index 4");
  EXPECT_EQ(status::argument("options.block", "is negative").message(),
            "invalid argument options.block: is negative");
  EXPECT_EQ(status::failure(status_kind::backend_failure, "no device").message(),
            "backend failure: no device");
  EXPECT_TRUE(status().ok() && status().completed() && status());
  EXPECT_TRUE(status::at(status_kind::singular, 1).completed());
  EXPECT_FALSE(status::at(status_kind::singular, 1).ok());
  EXPECT_FALSE(status::of_empty_factor().ok() || status::of_empty_factor().completed());
  EXPECT_EQ(status::of_empty_factor().message(),
            "empty factor: nothing was factored into it, or it was moved from");
  for (status_kind kind :
       {status_kind::not_positive_definite, status_kind::zero_pivot, status_kind::not_finite})
    EXPECT_FALSE(status::at(kind, 1).completed()) << to_string(kind);
}

TEST(Contract, OrThrowThrowsWhatBelongsToTheStatus) {
  auto A = spd(3);
  EXPECT_THROW((void)try_cholesky(A, {.block = -1}).or_throw(), argument_error);
  EXPECT_THROW((void)cholesky_factor<double>().or_throw(), argument_error);
  const lu_factor<double> full(A, pivots(),
                               status::failure(status_kind::out_of_memory, "an allocation failed"));
  EXPECT_THROW((void)full.or_throw(), std::bad_alloc);
}

TEST(Contract, ZeroMatricesDoNotGrow) {
  const auto growth = [](index_t m, index_t n, pivoting how) {
    return lu(matrix<double>(m, n), {.pivoting = how, .block = 2, .growth = true}).growth();
  };
  for (auto [m, n] : {std::pair<index_t, index_t>{1, 1}, {5, 5}, {7, 3}, {3, 7}, {0, 4}, {4, 0}})
    for (pivoting how : {pivoting::partial, pivoting::tournament})
      EXPECT_EQ(growth(m, n, how), 1) << m << "×" << n;
  const auto not_measured = [](double x) { return !(x == x); };
  EXPECT_TRUE(not_measured(growth(3, 3, pivoting::none))) << "not completed";
  EXPECT_TRUE(not_measured(lu(general(3, 3)).growth())) << "not asked for";
  EXPECT_TRUE(not_measured(lu_factor<double>().growth())) << "empty";
}

TEST(Contract, AFactorRefersToTheMatrixItWasGiven) {
  auto A = spd(4), C = general(4, 4);
  pivots p;
  const auto f = cholesky(A);
  const auto g = lu(C, p);
  EXPECT_EQ(f.matrix().data(), A.data());
  EXPECT_EQ(g.matrix().data(), C.data());
  EXPECT_EQ(&g.interchanges(), &p);
  const auto copy = g;
  EXPECT_EQ(copy.matrix().data(), C.data());
  EXPECT_EQ(&copy.interchanges(), &p);
  const auto own = lu(C);
  EXPECT_NE(&own.interchanges(), &p);
}

TEST(Contract, AFactorOwnsTheMatrixThatWasMovedIn) {
  const auto A = spd(5), C = general(5, 5), B = general(5, 2);
  const auto make_cholesky = [&A] {
    return cholesky(matrix<double>(A), {.part = triangle::upper});
  };
  const auto make_lu = [&C] {
    auto moved = C;
    const double* const data = moved.data();
    auto f = lu(std::move(moved));
    EXPECT_EQ(f.matrix().data(), data) << "moved, not copied";
    return f;
  };
  const auto f = make_cholesky();
  const auto g = make_lu();
  const auto copy_of_f = f;
  const auto copy_of_g = g;
  EXPECT_NE(copy_of_f.matrix().data(), f.matrix().data()) << "a copy of an owner owns a copy";
  EXPECT_NE(copy_of_g.matrix().data(), g.matrix().data());
  EXPECT_EQ(copy_of_g.interchanges(), g.interchanges());
  for (const auto* owner : {&f, &copy_of_f}) {
    matrix<double> X = B;
    solve(*owner, X);
    EXPECT_TRUE(within(solve_ratio<double>(A, X, B)));
  }
  for (const auto* owner : {&g, &copy_of_g}) {
    matrix<double> X = B;
    solve(*owner, X);
    EXPECT_TRUE(within(solve_ratio<double>(C, X, B)));
  }
}

TEST(Contract, AMovedOrAssignedOwnerStillHoldsItsFactor) {
  const auto C = general(6, 6), B = general(6, 1);
  auto first = lu(matrix<double>(C));
  auto second = std::move(first);
  auto third = lu(matrix<double>(general(2, 2)));
  third = second;
  second = lu(matrix<double>(general(3, 3)));
  matrix<double> X = B;
  solve(third, X);
  EXPECT_TRUE(within(solve_ratio<double>(C, X, B)));
}

TEST(Contract, ConstFactorsAreSharedByThreads) {
  const auto A = spd(40), B = general(40, 3);
  const auto f = cholesky(matrix<double>(A));
  const auto g = lu(matrix<double>(A));
  matrix<double> expected_f = B, expected_g = B;
  solve(f, expected_f);
  solve(g, expected_g);
  std::vector<matrix<double>> solved(8, B);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < solved.size(); ++t)
    threads.emplace_back([&, t] { t % 2 == 0 ? solve(f, solved[t]) : solve(g, solved[t]); });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t t = 0; t < solved.size(); ++t)
    EXPECT_TRUE(same_bits(solved[t].view(), (t % 2 == 0 ? expected_f : expected_g).view()));
}

}  // namespace
}  // namespace trifac::test
