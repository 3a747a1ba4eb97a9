// Lifetimes: what a factor refers to and what it owns, over copies, moves and assignments, for
// every kind of argument. Run with the address sanitizer, a use after the end of a matrix is an
// error; without it the owners' addresses tell.

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "backends.hpp"
#include "support/layouts.hpp"
#include "support/residual.hpp"
#include "support/scalars.hpp"
#include "trifac/cholesky.hpp"
#include "trifac/lu.hpp"
#include "trifac/solve.hpp"

namespace trifac::test {

/// A type of the user's that owns its elements, row-major.
template <class T>
struct owning_rows {
  explicit owning_rows(const matrix<T>& A)
      : order(A.rows()), elements(static_cast<std::size_t>(A.rows() * A.cols())) {
    for (index_t j = 0; j < order; ++j)
      for (index_t i = 0; i < order; ++i) view()(i, j) = A(i, j);
  }
  matrix_view<T> view() { return row_major(elements.data(), order, order); }

  index_t order;
  std::vector<T> elements;
};

/// A type of the user's that refers to the elements of a matrix.
template <class T>
struct leading_block {
  matrix<T>* A;
  index_t order;
};

}  // namespace trifac::test

namespace trifac {

template <class T>
struct view_traits<test::owning_rows<T>> {
  static constexpr bool owns = true;
  static matrix_view<T> view(test::owning_rows<T>& A) { return A.view(); }
};
template <class T>
struct view_traits<test::leading_block<T>> {
  static constexpr bool owns = false;
  static matrix_view<T> view(const test::leading_block<T>& A) {
    return A.A->view().block(0, 0, A.order, A.order);
  }
};

}  // namespace trifac

namespace trifac::test {
namespace {

template <class T>
class Lifetime : public testing::Test {};
TYPED_TEST_SUITE(Lifetime, lapack_scalars, scalar_names);

/// What the caller has, and lets live as long as a factor that refers to it.
template <class T>
struct callers {
  matrix<T> A, L;
  pivots p;
};

enum class whose { callers, own };

/// One way to a factor: the kind of argument, and whose the matrix is then.
template <class F, class T>
struct way_to {
  const char* name;
  whose owner;
  std::function<F(const matrix<T>& A, callers<T>& c)> make;
};

template <class T, class B>
std::vector<way_to<cholesky_factor<T>, T>> cholesky_ways(const B& on, cholesky_options how) {
  using M = const matrix<T>&;
  using C = callers<T>&;
  using P = owning_rows<T>;
  return {
      {"lvalue", whose::callers, [=](M A, C c) { return cholesky(on, c.A = A, how); }},
      {"view", whose::callers, [=](M A, C c) { return cholesky(on, (c.A = A).view(), how); }},
      {"temporary", whose::own, [=](M A, C) { return cholesky(on, matrix<T>(A), how); }},
      {"moved in", whose::own, [=](M A, C c) { return cholesky(on, std::move(c.A = A), how); }},
      {"other owner", whose::own, [=](M A, C) { return cholesky(on, P(A), how); }},
      {"other view", whose::callers,
       [=](M A, C c) {
         return cholesky(on, leading_block<T>{&(c.A = A), A.rows()}, how);
       }},
      {"L lvalue", whose::callers,
       [=](M A, C c) { return cholesky(on, A, c.L = matrix<T>(A.rows(), A.cols()), how); }},
      {"L temporary", whose::own,
       [=](M A, C) { return cholesky(on, A, matrix<T>(A.rows(), A.cols()), how); }},
      {"L other owner", whose::own, [=](M A, C) { return cholesky(on, A, P(A), how); }},
      {"or_throw of a temporary", whose::own,
       [=](M A, C) {
         const auto& f = cholesky(on, matrix<T>(A), how).or_throw();
         return f;
       }},
      {"constructed", whose::own,
       [=](M A, C) {
         const auto f = cholesky(on, matrix<T>(A), how);
         return cholesky_factor<T>(matrix<T>(f.matrix()), how.part, f.status());
       }},
  };
}

template <class T, class B>
std::vector<way_to<lu_factor<T>, T>> lu_ways(const B& on) {
  using M = const matrix<T>&;
  using C = callers<T>&;
  using P = owning_rows<T>;
  return {
      {"lvalue", whose::callers, [=](M A, C c) { return lu(on, c.A = A); }},
      {"view", whose::callers, [=](M A, C c) { return lu(on, (c.A = A).view()); }},
      {"temporary", whose::own, [=](M A, C) { return lu(on, matrix<T>(A)); }},
      {"moved in", whose::own, [=](M A, C c) { return lu(on, std::move(c.A = A)); }},
      {"other owner", whose::own, [=](M A, C) { return lu(on, P(A)); }},
      {"other view", whose::callers,
       [=](M A, C c) {
         return lu(on, leading_block<T>{&(c.A = A), A.rows()});
       }},
      {"lvalue, pivots", whose::callers, [=](M A, C c) { return lu(on, c.A = A, c.p); }},
      {"temporary, pivots", whose::own, [=](M A, C c) { return lu(on, matrix<T>(A), c.p); }},
      {"other owner, pivots", whose::own, [=](M A, C c) { return lu(on, P(A), c.p); }},
      {"or_throw of a temporary", whose::own,
       [=](M A, C) {
         const auto& f = lu(on, matrix<T>(A)).or_throw();
         return f;
       }},
      {"constructed", whose::own,
       [=](M A, C) {
         const auto f = lu(on, matrix<T>(A));
         return lu_factor<T>(matrix<T>(f.matrix()), pivots(f.interchanges()), f.status());
       }},
  };
}

template <class F>
index_t interchanges_of(const F& f) {
  if constexpr (requires { f.interchanges(); })
    return f.interchanges().size();
  else
    return 0;
}

template <class F>
void expect_empty(const F& f) {
  EXPECT_FALSE(f.ok());
  EXPECT_FALSE(f);
  EXPECT_FALSE(f.status().completed());
  EXPECT_EQ(f.status().kind(), status_kind::empty);
  EXPECT_EQ(f.status().message(),
            "empty factor: nothing was factored into it, or it was moved from");
  EXPECT_EQ(f.rows(), 0);
  EXPECT_TRUE(f.matrix().empty());
  EXPECT_EQ(f.L().rows(), 0);
  EXPECT_EQ(f.U().cols(), 0);
  EXPECT_EQ(interchanges_of(f), 0);
  EXPECT_THROW((void)f.or_throw(), argument_error);
  matrix<typename F::value_type> none(0, 1);
  EXPECT_STREQ(try_solve(f, none).argument(), "factor");
}

/// A class that has a factor as a member.
template <class F>
struct model {
  F factor;
};

/// The factor of A by this way solves, and so does whatever becomes of it.
template <class F, class T>
void expect_lives(const way_to<F, T>& way, const matrix<T>& A) {
  random_source random(531);
  const matrix<T> B = random_matrix<T>(random, A.rows(), 2);
  const auto expect_solves = [&](const F& f) {
    ASSERT_TRUE(f) << f.status().message();
    matrix<T> X = B;
    solve(f, X);
    EXPECT_TRUE(within(solve_ratio<T>(A, X, B)));
  };
  callers<T> c;
  auto first = std::make_unique<F>(way.make(A, c));
  expect_solves(*first);

  const auto expect_copied = [&](const F& copy, const F& f) {
    expect_solves(copy);
    expect_solves(f);
    EXPECT_EQ(copy.matrix().data() == f.matrix().data(), way.owner == whose::callers);
  };
  F copy = *first;
  expect_copied(copy, *first);
  F assigned;
  expect_empty(assigned);
  assigned = copy;
  expect_copied(assigned, copy);
  assigned = copy;  // over a factor
  expect_copied(assigned, copy);
  first.reset();
  expect_solves(copy);

  F moved = std::move(copy);
  expect_solves(moved);
  expect_empty(copy);  // NOLINT(bugprone-use-after-move): documented to be empty
  assigned = std::move(moved);
  expect_solves(assigned);
  expect_empty(moved);  // NOLINT(bugprone-use-after-move)
  copy = assigned;      // what was moved from can be assigned to
  expect_copied(copy, assigned);
  F& itself = assigned;
  assigned = itself;
  expect_solves(assigned);
  assigned = std::move(itself);
  expect_solves(assigned);
  assigned = F();
  expect_empty(assigned);

  std::vector<F> many(3, copy);
  for (int k = 0; k < 5; ++k) many.push_back(copy);  // moves those before
  many.erase(many.begin());
  for (const F& f : many) expect_solves(f);
  many.clear();

  auto one = std::make_unique<model<F>>();
  expect_empty(one->factor);
  one->factor = copy;
  model<F> another = *one;
  one.reset();
  expect_solves(another.factor);
  callers<T> others;
  another.factor = way.make(A, others);
  expect_solves(another.factor);
  std::swap(another.factor, copy);
  expect_solves(another.factor);
  expect_solves(copy);
}

// Orders that take the short way, and one that does not.
constexpr index_t orders[] = {1, 5, 40};

TYPED_TEST(Lifetime, OfCholeskyFactors) {
  using T = TypeParam;
  random_source random(532);
  for (index_t n : orders) {
    const matrix<T> A = random_spd<T>(random, n);
    for_each_backend([&](const auto& backend, const std::string& name) {
      for (triangle part : {triangle::lower, triangle::upper})
        for (const auto& way : cholesky_ways<T>(backend, {.part = part})) {
          SCOPED_TRACE(testing::Message() << name << ", " << way.name << ", n = " << n);
          expect_lives(way, A);
        }
    });
  }
}

TYPED_TEST(Lifetime, OfLuFactors) {
  using T = TypeParam;
  random_source random(533);
  for (index_t n : orders) {
    const matrix<T> A = random_matrix<T>(random, n, n);
    for_each_backend([&](const auto& backend, const std::string& name) {
      for (const auto& way : lu_ways<T>(backend)) {
        SCOPED_TRACE(testing::Message() << name << ", " << way.name << ", n = " << n);
        expect_lives(way, A);
      }
    });
  }
}

TYPED_TEST(Lifetime, AnOwnerTakesAMatrixAndCopiesOtherOwners) {
  using T = TypeParam;
  random_source random(534);
  const matrix<T> A = random_spd<T>(random, 7);
  matrix<T> B = A, C = A, D(7, 7);
  const T *of_B = B.data(), *of_C = C.data(), *of_D = D.data();
  EXPECT_EQ(cholesky(std::move(B)).or_throw().rows(), 7);
  EXPECT_EQ(B.rows(), 0);  // NOLINT(bugprone-use-after-move): it was taken
  B = A;
  of_B = B.data();
  const auto f = cholesky(std::move(B));
  const auto g = lu(std::move(C));
  const auto h = cholesky(A, std::move(D));
  EXPECT_EQ(f.matrix().data(), of_B);
  EXPECT_EQ(g.matrix().data(), of_C);
  EXPECT_EQ(h.matrix().data(), of_D);

  owning_rows<T> rows(A);
  const auto before = rows.elements;
  const auto k = lu(std::move(rows));
  EXPECT_EQ(rows.elements, before);  // NOLINT(bugprone-use-after-move): it was copied
  EXPECT_NE(k.matrix().data(), rows.elements.data());
  const auto in_place = lu(rows);
  EXPECT_EQ(in_place.matrix().data(), rows.elements.data());
  EXPECT_NE(rows.elements, before);
}

TYPED_TEST(Lifetime, TheOtherTriangleOfAnOwnedDestinationIsAsItWas) {
  using T = TypeParam;
  random_source random(535);
  const index_t n = 6;
  const matrix<T> A = random_spd<T>(random, n), L = random_matrix<T>(random, n, n);
  const auto f = cholesky(A, matrix<T>(L));
  const auto g = cholesky(A, owning_rows<T>(L));
  for (index_t j = 0; j < n; ++j)
    for (index_t i = 0; i < j; ++i) {
      EXPECT_EQ(f.matrix()(i, j), L(i, j));
      EXPECT_EQ(g.matrix()(i, j), L(i, j));
    }
}

TYPED_TEST(Lifetime, AMatrixThatNothingWasDoneWithStaysTheCallers) {
  using T = TypeParam;
  random_source random(536);
  const matrix<T> A = random_spd<T>(random, 8);
  matrix<T> B = A, C = A, L(8, 8), small(3, 3);
  pivots p;
  EXPECT_THROW((void)cholesky(std::move(B), {.block = -1}), argument_error);
  EXPECT_THROW((void)lu(std::move(C), {.block = -1}), argument_error);
  EXPECT_THROW((void)lu(std::move(C), p, {.leaves = -1}), argument_error);
  EXPECT_THROW((void)cholesky(A, std::move(L), {.cutoff = -1}), argument_error);
  EXPECT_THROW((void)cholesky(A, std::move(small)), argument_error);
  // NOLINTBEGIN(bugprone-use-after-move): they were not taken
  EXPECT_TRUE(same_bits(A.view(), B.view()));
  EXPECT_TRUE(same_bits(A.view(), C.view()));
  EXPECT_EQ(L.rows(), 8);
  EXPECT_EQ(small.rows(), 3);
  const auto f = try_cholesky(std::move(B), {.block = -1});
  EXPECT_EQ(f.rows(), 0);
  EXPECT_EQ(B.rows(), 8);
  // NOLINTEND(bugprone-use-after-move)
  owning_rows<T> broken(A);
  broken.elements = std::vector<T>();
  broken.order = 4;
  EXPECT_STREQ(try_lu(std::move(broken)).status().argument(), "A");
}

TYPED_TEST(Lifetime, AFailedFactorOwnsItsMatrixToo) {
  using T = TypeParam;
  matrix<T> zero(4, 4);
  const auto f = cholesky(matrix<T>(zero));
  const auto g = lu(matrix<T>(zero));
  EXPECT_EQ(f.matrix().rows(), 4);
  EXPECT_EQ(g.matrix().rows(), 4);
  EXPECT_EQ(g.U()(3, 3), T(0));
}

/// Whether a temporary factor lets a view of itself out.
template <class F>
concept LetsViewsOut = requires(F f) {
  std::move(f).matrix();
}
|| requires(F f) {
  std::move(f).L();
}
|| requires(F f) {
  std::move(f).U();
};

TYPED_TEST(Lifetime, ATemporaryFactorGivesNoViewOfItself) {
  using T = TypeParam;
  static_assert(!LetsViewsOut<cholesky_factor<T>> && !LetsViewsOut<const cholesky_factor<T>>);
  static_assert(!LetsViewsOut<lu_factor<T>> && !LetsViewsOut<const lu_factor<T>>);
  static_assert(std::is_same_v<decltype(cholesky_factor<T>().or_throw()), cholesky_factor<T>>);
  static_assert(std::is_same_v<decltype(lu_factor<T>().or_throw()), lu_factor<T>>);
  static_assert(std::is_same_v<decltype(lu_factor<T>().interchanges()), pivots>);
  static_assert(std::is_same_v<decltype(lu_factor<T>().status()), status>);
  static_assert(std::is_nothrow_move_constructible_v<cholesky_factor<T>>);
  static_assert(std::is_nothrow_move_assignable_v<lu_factor<T>>);
  random_source random(537);
  const matrix<T> A = random_matrix<T>(random, 6, 6);
  const auto& p = lu(matrix<T>(A)).interchanges();
  const status s = lu(matrix<T>(A)).status();
  matrix<T> LU = A;
  EXPECT_EQ(p, lu(LU).interchanges());
  EXPECT_TRUE(s);
}

}  // namespace
}  // namespace trifac::test
