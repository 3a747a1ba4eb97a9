#pragma once
// The interface of Eigen's LLT and PartialPivLU for whoever factors behind it, `solvers`: a class
// with the alias templates llt<Matrix, UpLo> and lu<Matrix>. Residuals, every order of storage,
// triangle and type; whether the factor has the bits of trifac's own calls; failures; NaN.

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <cstring>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "residual.hpp"
#include "scalars.hpp"
#include "trifac/cholesky.hpp"
#include "trifac/eigen.hpp"
#include "trifac/lu.hpp"

namespace trifac::test {
namespace {

template <class T>
class Eigens : public testing::Test {};
TYPED_TEST_SUITE(Eigens, lapack_scalars, scalar_names);

constexpr int dynamic_size = Eigen::Dynamic;
constexpr Eigen::Index orders[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,   12,  15,  16,  17,  31,
                                   32, 33, 47, 63, 64, 65, 80, 81, 127, 128, 129, 177, 200, 257};

template <class T, int Order, int N = dynamic_size>
using square = Eigen::Matrix<T, N, N, N == 1 ? Eigen::ColMajor : Order>;

template <class M>
auto read_only(const M& A) {
  return matrix_view<const typename M::Scalar>(view_of(A));
}

/// The same elements as an object of Eigen's.
template <class M, class T>
M as(const matrix<T>& A) {
  return Eigen::Map<const Eigen::Matrix<T, dynamic_size, dynamic_size>>(A.data(), A.rows(),
                                                                        A.cols());
}
template <class M>
M positive_definite(Eigen::Index n, std::uint64_t seed = 1) {
  random_source random(seed);
  return as<M>(random_spd<typename M::Scalar>(random, n));
}
template <class M>
M general(Eigen::Index m, Eigen::Index n, std::uint64_t seed = 2) {
  random_source random(seed);
  return as<M>(random_matrix<typename M::Scalar>(random, m, n));
}

template <class M>
bool same_bits(const M& A, const M& B) {
  return A.size() == 0 || std::memcmp(A.data(), B.data(),
                                      sizeof *A.data() * static_cast<std::size_t>(A.size())) == 0;
}

/// Interchanges that move nothing.
inline std::vector<index_t> unmoved(Eigen::Index n) {
  std::vector<index_t> rows(static_cast<std::size_t>(n));
  std::iota(rows.begin(), rows.end(), index_t(0));
  return rows;
}

template <class S>
constexpr S not_a_number() {
  return S(std::numeric_limits<real_t<S>>::quiet_NaN());
}

template <int UpLo>
constexpr triangle part_of = UpLo == int(Eigen::Lower) ? triangle::lower : triangle::upper;

template <class T>
using plain = square<T, Eigen::ColMajor>;

/// A factor of A is good, and has the bits of trifac's own. A copy is given with NaN where nothing
/// may be read.
template <int UpLo, class M>
auto check_llt(const M& A) {
  using T = typename M::Scalar;
  SCOPED_TRACE("n = " + std::to_string(A.rows()));
  M given = A;
  for (Eigen::Index j = 0; j < A.cols(); ++j)
    for (Eigen::Index i = 0; i < A.rows(); ++i)
      if (UpLo == int(Eigen::Lower) ? i < j : i > j) given(i, j) = not_a_number<T>();
  solvers::llt<M, UpLo> f(given);
  EXPECT_EQ(f.info(), Eigen::Success);
  EXPECT_TRUE(within(cholesky_ratio<T>(read_only(A), part_of<UpLo>, read_only(f.matrixLLT()))));
  EXPECT_TRUE(cholesky(given, {.part = part_of<UpLo>}).ok());
  EXPECT_TRUE(same_bits(f.matrixLLT(), given)) << "not trifac's factor, or not one triangle";
  return f;
}
template <class M>
auto check_lu(const M& A) {
  using T = typename M::Scalar;
  const Eigen::Index n = A.rows();
  SCOPED_TRACE("n = " + std::to_string(n));
  solvers::lu<M> f(A);
  const M moved = f.permutationP() * A;
  EXPECT_TRUE(within(lu_ratio<T>(read_only(moved), read_only(f.matrixLU()), unmoved(n))));
  M own = A;
  const auto g = lu(own).or_throw();
  EXPECT_TRUE(same_bits(f.matrixLU(), own)) << "not trifac's factor";
  const auto rows = g.permutation();
  for (Eigen::Index i = 0; i < n; ++i)
    EXPECT_EQ(f.permutationP().indices()(rows[static_cast<std::size_t>(i)]), i);
  if (n < 20) {  // else it overflows
    const T sign(real_t<T>(f.permutationP().determinant()));
    EXPECT_EQ(f.determinant(), sign * f.matrixLU().diagonal().prod());
  }
  return f;
}

template <class M>
void expect_solution(const plain<typename M::Scalar>& X, const M& A,
                     const plain<typename M::Scalar>& B) {
  EXPECT_TRUE(within(solve_ratio<typename M::Scalar>(read_only(A), read_only(X), read_only(B))))
      << "n = " << A.rows();
}

template <int UpLo, class M>
void check_llt_solves(Eigen::Index n) {
  using T = typename M::Scalar;
  const M A = positive_definite<M>(n);
  const solvers::llt<M, UpLo> f(A);
  const plain<T> B = general<plain<T>>(n, 3);
  expect_solution(f.solve(B), A, B);
  plain<T> X = B;
  f.solveInPlace(X);
  expect_solution(X, A, B);
}
template <class M>
void check_lu_solves(Eigen::Index n) {
  using T = typename M::Scalar;
  const M A = general<M>(n, n);
  const solvers::lu<M> f(A);
  const plain<T> B = general<plain<T>>(n, 3), inverse = f.inverse();
  expect_solution(f.solve(B), A, B);
  expect_solution(f.transpose().solve(B), M(A.transpose()), B);
  expect_solution(f.adjoint().solve(B), M(A.adjoint()), B);
  EXPECT_TRUE(within(inverse_ratio<T>(read_only(A), read_only(inverse)))) << "n = " << n;
}

TYPED_TEST(Eigens, CholeskyInEveryOrderAndTriangleIsTrifacs) {
  using T = TypeParam;
  for (const Eigen::Index n : orders) {
    check_llt<Eigen::Lower>(positive_definite<square<T, Eigen::ColMajor>>(n));
    check_llt<Eigen::Upper>(positive_definite<square<T, Eigen::ColMajor>>(n));
    check_llt<Eigen::Lower>(positive_definite<square<T, Eigen::RowMajor>>(n));
    check_llt<Eigen::Upper>(positive_definite<square<T, Eigen::RowMajor>>(n));
  }
}

TYPED_TEST(Eigens, LuInEveryOrderIsTrifacs) {
  using T = TypeParam;
  for (const Eigen::Index n : orders) {
    check_lu(general<square<T, Eigen::ColMajor>>(n, n));
    check_lu(general<square<T, Eigen::RowMajor>>(n, n));
  }
}

TYPED_TEST(Eigens, SolvesAndInverses) {
  using T = TypeParam;
  for (const Eigen::Index n : {1, 2, 8, 33, 130}) {
    check_llt_solves<Eigen::Lower, square<T, Eigen::ColMajor>>(n);
    check_llt_solves<Eigen::Upper, square<T, Eigen::RowMajor>>(n);
    check_lu_solves<square<T, Eigen::ColMajor>>(n);
    check_lu_solves<square<T, Eigen::RowMajor>>(n);
  }
}

template <class T, int N>
void check_fixed() {
  using by_columns = square<T, Eigen::ColMajor, N>;
  using by_rows = square<T, Eigen::RowMajor, N>;
  check_llt<Eigen::Lower>(positive_definite<by_columns>(N));
  check_llt<Eigen::Upper>(positive_definite<by_rows>(N));
  check_lu(general<by_columns>(N, N));
  check_lu(general<by_rows>(N, N));
}
TYPED_TEST(Eigens, SizesKnownAtCompileTime) {
  using T = TypeParam;
  check_fixed<T, 1>();
  check_fixed<T, 3>();
  check_fixed<T, 17>();
#if !TRIFAC_TEST_TWO_SCALARS  // the full tier: each takes three seconds to compile
  check_fixed<T, 6>();
  check_fixed<T, 8>();
#endif
}

TYPED_TEST(Eigens, EmptyMatrices) {
  using M = square<TypeParam, Eigen::ColMajor>;
  const M none(0, 0);
  EXPECT_EQ((solvers::llt<M, Eigen::Lower>(none).info()), Eigen::Success);
  EXPECT_EQ(solvers::lu<M>(none).permutationP().size(), 0);
  EXPECT_EQ(solvers::lu<M>(none).determinant(), TypeParam(1));
}

/// A matrix within a larger one, which stays as it was: the factor lies in that memory.
template <class T, int Order>
void check_in_place() {
  using M = square<T, Order>;
  const Eigen::Index n = 70;
  const M A = positive_definite<M>(n), B = general<M>(n, n);
  M large = M::Constant(n + 9, n + 5, T(7));
  const M before = large;
  const auto around = [&] {
    M rest = large;
    rest.block(3, 2, n, n) = before.block(3, 2, n, n);
    return same_bits(rest, before);
  };
  {
    large.block(3, 2, n, n) = A;
    Eigen::Ref<M> part(large.block(3, 2, n, n));
    const solvers::llt<Eigen::Ref<M>, Eigen::Upper> f(part);
    EXPECT_EQ(f.matrixLLT().data(), &large(3, 2));
    EXPECT_TRUE(within(cholesky_ratio<T>(read_only(A), triangle::upper, read_only(f.matrixLLT()))));
    EXPECT_TRUE(around());
  }
  {
    large.block(3, 2, n, n) = B;
    Eigen::Map<M, 0, Eigen::OuterStride<>> map(&large(3, 2), n, n,
                                               Eigen::OuterStride<>(large.outerStride()));
    solvers::lu<Eigen::Ref<M>> f(map);
    EXPECT_EQ(f.matrixLU().data(), &large(3, 2));
    const M moved = f.permutationP() * B;
    EXPECT_TRUE(within(lu_ratio<T>(read_only(moved), read_only(f.matrixLU()), unmoved(n))));
    EXPECT_TRUE(around());
    f.compute(A);  // into the same memory
    const M of_A = f.permutationP() * A;
    EXPECT_TRUE(within(
        lu_ratio<T>(read_only(of_A), view_of(std::as_const(large)).block(3, 2, n, n), unmoved(n))));
  }
  {  // every other element
    using strided = Eigen::Ref<M, 0, Eigen::Stride<dynamic_size, dynamic_size>>;
    M wide = M::Constant(2 * n, 2 * n, T(7));
    Eigen::Map<M, 0, Eigen::Stride<dynamic_size, dynamic_size>> map(
        wide.data(), n, n, Eigen::Stride<dynamic_size, dynamic_size>(2 * wide.outerStride(), 2));
    map = A;
    const solvers::llt<strided, Eigen::Lower> f(map);
    EXPECT_TRUE(within(cholesky_ratio<T>(read_only(A), triangle::lower, read_only(f.matrixLLT()))));
    EXPECT_EQ(wide(1, 1), T(7));
  }
}
TYPED_TEST(Eigens, InPlaceInALargerMatrix) {
  check_in_place<TypeParam, Eigen::ColMajor>();
  check_in_place<TypeParam, Eigen::RowMajor>();
}

TYPED_TEST(Eigens, AnObjectIsUsedForMatricesOfOtherSizes) {
  using T = TypeParam;
  using M = square<T, Eigen::ColMajor>;
  solvers::llt<M, Eigen::Lower> f(200);
  solvers::lu<M> g;
  for (const Eigen::Index n : {200, 5, 81, 0, 33}) {
    const M A = positive_definite<M>(n), B = general<M>(n, n), X = general<M>(n, 2);
    const M Y = f.compute(A).solve(X), Z = g.compute(B).solve(X);
    EXPECT_TRUE(within(solve_ratio<T>(read_only(A), read_only(Y), read_only(X)))) << n;
    EXPECT_TRUE(within(solve_ratio<T>(read_only(B), read_only(Z), read_only(X)))) << n;
    const auto copy = g;
    const M again = copy.solve(X);
    EXPECT_TRUE(same_bits(again, Z));
  }
}

template <class M, int UpLo>
void check_rank_update() {
  using T = typename M::Scalar;
  using R = real_t<T>;
  for (const Eigen::Index n : {1, 2, 9, 40, 130}) {
    const M A = positive_definite<M>(n);
    const Eigen::Matrix<T, dynamic_size, 1> x = general<M>(n, 1);
    for (const R sigma : {R(2), R(-0.03125)}) {
      solvers::llt<M, UpLo> f(A);
      f.rankUpdate(x, sigma);
      const M changed = A + sigma * x * x.adjoint();
      EXPECT_EQ(f.info(), Eigen::Success);
      EXPECT_TRUE(
          within(cholesky_ratio<T>(read_only(changed), part_of<UpLo>, read_only(f.matrixLLT()))))
          << n << " sigma " << sigma;
    }
    solvers::llt<M, UpLo> f(A);
    EXPECT_EQ(f.rankUpdate(x, R(-1000000)).info(), Eigen::NumericalIssue);
  }
}
TYPED_TEST(Eigens, RankUpdatesAndDowndates) {
  check_rank_update<square<TypeParam, Eigen::ColMajor>, Eigen::Lower>();
  check_rank_update<square<TypeParam, Eigen::RowMajor>, Eigen::Upper>();
}

TYPED_TEST(Eigens, WhatIsNotPositiveDefiniteIsANumericalIssue) {
  using T = TypeParam;
  using M = square<T, Eigen::ColMajor>;
  for (const Eigen::Index n : {1, 4, 8, 33, 130, 200})
    for (const T bad : {T(-1), T(0), not_a_number<T>()})
      for (const Eigen::Index k : {Eigen::Index(0), n / 2, n - 1}) {
        M A = positive_definite<M>(n);
        A(k, k) = bad;
        EXPECT_EQ((solvers::llt<M, Eigen::Lower>(A).info()), Eigen::NumericalIssue)
            << n << ' ' << k;
        EXPECT_EQ((solvers::llt<M, Eigen::Upper>(A).info()), Eigen::NumericalIssue)
            << n << ' ' << k;
      }
}

TYPED_TEST(Eigens, SingularLuCompletesAndNanIsInTheResult) {
  using T = TypeParam;
  using M = square<T, Eigen::ColMajor>;
  for (const Eigen::Index n : {2, 5, 16, 65, 130}) {
    M A = general<M>(n, n);
    A.col(n / 2).setZero();
    const solvers::lu<M> f(A);
    const M moved = f.permutationP() * A;
    EXPECT_TRUE(within(lu_ratio<T>(read_only(moved), read_only(f.matrixLU()), unmoved(n))));
    EXPECT_TRUE(f.determinant() == T(0) || n > 20);  // it overflows
    const M X = f.solve(general<M>(n, 1));
    EXPECT_FALSE(X.allFinite()) << "a zero pivot divides";

    A = general<M>(n, n);
    A(n / 2, n / 2) = not_a_number<T>();
    const solvers::lu<M> g(A);
    const T det = g.determinant();
    EXPECT_TRUE(det != det);
    const M Y = g.solve(general<M>(n, 1));
    EXPECT_FALSE(Y.allFinite());
  }
}

TYPED_TEST(Eigens, ReciprocalConditionNumbers) {
  using T = TypeParam;
  using M = square<T, Eigen::ColMajor>;
  for (const Eigen::Index n : {1, 3, 40, 140}) {
    const M A = positive_definite<M>(n), B = general<M>(n, n);
    const auto norm_1 = [](const M& C) { return C.cwiseAbs().colwise().sum().maxCoeff(); };
    const solvers::llt<M, Eigen::Lower> f(A);
    const solvers::lu<M> g(B);
    const M of_A = f.solve(M::Identity(n, n)), of_B = g.inverse();
    const auto near = [](auto estimate, auto exact) {
      return estimate > exact / 10 && estimate < exact * 10;
    };
    EXPECT_TRUE(near(f.rcond(), 1 / norm_1(A) / norm_1(of_A))) << n;
    EXPECT_TRUE(near(g.rcond(), 1 / norm_1(B) / norm_1(of_B))) << n;
  }
}

TYPED_TEST(Eigens, TrianglesAndReconstructedMatrices) {
  using T = TypeParam;
  using R = real_t<T>;
  using M = square<T, Eigen::RowMajor>;
  const Eigen::Index n = 37;
  const M A = positive_definite<M>(n), B = general<M>(n, n);
  const R bound = R(30 * n) * std::numeric_limits<R>::epsilon();
  const solvers::llt<M, Eigen::Lower> f(A);
  const solvers::llt<M, Eigen::Upper> u(A);
  const M L = f.matrixL(), U = u.matrixU(), Lu = u.matrixL();
  EXPECT_TRUE((L * L.adjoint() - A).norm() < bound * A.norm());
  EXPECT_TRUE((U.adjoint() * U - A).norm() < bound * A.norm());
  EXPECT_EQ(Lu, U.adjoint());
  EXPECT_TRUE((f.reconstructedMatrix() - A).norm() < bound * A.norm());
  EXPECT_TRUE((u.reconstructedMatrix() - A).norm() < bound * A.norm());
  EXPECT_TRUE((solvers::lu<M>(B).reconstructedMatrix() - B).norm() < bound * B.norm());
  EXPECT_EQ(&f.adjoint(), &f);
  EXPECT_EQ(f.rows() + f.cols(), 2 * n);
}

TYPED_TEST(Eigens, RightHandSidesOfEveryKind) {
  using T = TypeParam;
  using R = real_t<T>;
  using M = square<T, Eigen::ColMajor>;
  const Eigen::Index n = 23;
  const M A = positive_definite<M>(n), B = general<M>(n, 6);
  const R bound = R(30 * n) * std::numeric_limits<R>::epsilon();
  const auto close = [&](const auto& X, const auto& right) {
    return (A * X - right).norm() < bound * A.norm() * X.norm();
  };
  const solvers::llt<M, Eigen::Lower> f(A);
  const solvers::lu<M> g(A);
  EXPECT_TRUE(close(M(f.solve(B + B)), M(B + B))) << "an expression";
  EXPECT_TRUE(close(M(g.solve(A * B)), M(A * B)));
  const square<T, Eigen::RowMajor> by_rows = f.solve(B);
  EXPECT_TRUE(close(by_rows, B));
  M X = B;
  X = f.solve(X);
  EXPECT_TRUE(close(X, B)) << "aliased";
  X = B;
  f.solveInPlace(X.rightCols(3));
  EXPECT_TRUE(close(X.rightCols(3), B.rightCols(3)));
  EXPECT_EQ(X.leftCols(3), B.leftCols(3));
  Eigen::Matrix<T, dynamic_size, 1> x = general<M>(n, 1), y = x;
  y += f.solve(x);
  EXPECT_TRUE(close(M(y - x), x));
  y = M(A).template selfadjointView<Eigen::Lower>() * f.solve(x);
  EXPECT_TRUE((y - x).norm() < bound * A.norm() * x.norm());
}

}  // namespace
}  // namespace trifac::test
