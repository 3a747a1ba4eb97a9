// Eigen's own classes with trifac/eigen_plugin.hpp, which the target brings: by Eigen's interface,
// and what Eigen itself expects of the functions that are specialized.

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <cstdlib>
#include <new>

namespace trifac::test {
namespace {

struct solvers {
  template <class M, int UpLo>
  using llt = Eigen::LLT<M, UpLo>;
  template <class M>
  using lu = Eigen::PartialPivLU<M>;
};

int allocations = 0, allowed = -1;  // −1: any number

void* allocate(std::size_t bytes, std::size_t alignment) {
  ++allocations;
  if (allowed >= 0 && allocations > allowed) throw std::bad_alloc();
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void* const memory = std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void release(void* memory) {
  std::free(memory);
}

}  // namespace
}  // namespace trifac::test
using trifac::test::allocate, trifac::test::release;
#include "support/eigen_suite.hpp"
#include "support/replaced_new.inl"

namespace trifac::test {
namespace {

template <class M>
using in_lower = Eigen::internal::llt_inplace<typename M::Scalar, Eigen::Lower>;
template <class M>
using in_upper = Eigen::internal::llt_inplace<typename M::Scalar, Eigen::Upper>;
template <class M>
using in_lu = Eigen::internal::partial_lu_impl<
    typename M::Scalar, M::IsRowMajor ? Eigen::RowMajor : Eigen::ColMajor, int, Eigen::Dynamic>;

TYPED_TEST(Eigens, TheIndexOfABadPivotAndTheFactorBeforeIt) {
  using T = TypeParam;
  using M = square<T, Eigen::RowMajor>;
  for (const Eigen::Index n : {1, 2, 7, 40, 130, 300}) {
    const M good = positive_definite<M>(n);
    M A = good;
    EXPECT_EQ(in_lower<M>::blocked(A), -1);
    A = good;
    EXPECT_EQ(in_upper<M>::blocked(A), -1);
    for (const T bad : {T(-1), not_a_number<T>()})
      for (const Eigen::Index k : {Eigen::Index(0), n / 3, n - 1}) {
        A = good;
        A(k, k) = bad;
        EXPECT_EQ(in_upper<M>::blocked(A), k);
        A = good;
        A(k, k) = bad;
        EXPECT_EQ(in_lower<M>::blocked(A), k);
        const M before = good.topLeftCorner(k, k), factor = A.topLeftCorner(k, k);
        EXPECT_TRUE(
            within(cholesky_ratio<T>(read_only(before), triangle::lower, read_only(factor))));
      }
  }
}

TYPED_TEST(Eigens, TheFirstZeroPivotAndTheNumberOfInterchanges) {
  using T = TypeParam;
  using M = square<T, Eigen::ColMajor>;
  for (const Eigen::Index n : {1, 2, 7, 40, 65, 130}) {
    for (const Eigen::Index zero : {Eigen::Index(-1), Eigen::Index(0), n / 2, n - 1}) {
      M A = general<M>(n, n);
      if (zero >= 0) A.col(zero).setZero();
      M LU = A;
      std::vector<int> rows(static_cast<std::size_t>(n), -7);
      int moves = -7;
      EXPECT_EQ(in_lu<M>::blocked_lu(n, n, LU.data(), n, rows.data(), moves), zero) << n;
      int different = 0;
      for (Eigen::Index k = 0; k < n; ++k) different += rows[static_cast<std::size_t>(k)] != k;
      EXPECT_EQ(moves, different);
      EXPECT_TRUE(within(lu_ratio<T>(read_only(A), read_only(LU),
                                     std::vector<index_t>(rows.begin(), rows.end()))));
    }
    M I = M::Identity(n, n);
    std::vector<int> rows(static_cast<std::size_t>(n), -7);
    int moves = -7;
    EXPECT_EQ(in_lu<M>::blocked_lu(n, n, I.data(), n, rows.data(), moves), -1);
    EXPECT_EQ(moves, 0) << "none moves anything";
  }
}

TYPED_TEST(Eigens, MembersOfMatrixBase) {
  using T = TypeParam;
  using M = square<T, Eigen::ColMajor>;
  const Eigen::Index n = 50;
  const M A = positive_definite<M>(n), B = general<M>(n, 2);
  EXPECT_TRUE(within(inverse_ratio<T>(read_only(A), read_only(M(A.inverse())))));
  EXPECT_TRUE(within(solve_ratio<T>(read_only(A), read_only(M(A.llt().solve(B))), read_only(B))));
  EXPECT_TRUE(within(solve_ratio<T>(read_only(A), read_only(M(A.lu().solve(B))), read_only(B))));
  const M X = A.template selfadjointView<Eigen::Upper>().llt().solve(B);
  EXPECT_TRUE(within(solve_ratio<T>(read_only(A), read_only(X), read_only(B))));
  M own = A.topLeftCorner(9, 9);
  const T det = own.determinant();
  const auto f = lu(own).or_throw();
  EXPECT_EQ(det, T(real_t<T>(f.interchanges().sign())) * own.diagonal().prod());
}

TEST(EigenPlugin, SmallMatricesAreFactoredWithoutAnAllocation) {
  using M = Eigen::MatrixXd;
  for (const Eigen::Index n : {2, 8, 33, 64}) {
    M A = positive_definite<M>(n), B = general<M>(n, n);
    std::vector<int> rows(static_cast<std::size_t>(n));
    int moves = 0;
    allocations = 0;
    EXPECT_EQ(in_lower<M>::blocked(A), -1);
    EXPECT_EQ(in_lu<M>::blocked_lu(n, n, B.data(), n, rows.data(), moves), -1);
    EXPECT_EQ(allocations, 0) << n;
  }
}

TEST(EigenPlugin, WithoutMemoryItThrowsBadAlloc) {
  using M = Eigen::MatrixXd;
  const Eigen::Index n = 300;
  M A = positive_definite<M>(n), B = general<M>(n, n);
  std::vector<int> rows(static_cast<std::size_t>(n));
  int moves = 0;
  free_workspace_cache();
  const auto without = [](auto call) {
    allocations = allowed = 0;
    EXPECT_THROW(call(), std::bad_alloc);
    allowed = -1;
  };
  without([&] { in_lower<M>::blocked(A); });
  without([&] { in_lu<M>::blocked_lu(n, n, B.data(), n, rows.data(), moves); });
}

#if defined(NDEBUG)  // else it ends in Eigen's assertion
TEST(EigenPlugin, ColumnsThatInterleaveAreNoSuccess) {
  using strides = Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>;
  using strided = Eigen::Ref<Eigen::MatrixXd, 0, strides>;
  double a[] = {4, 0, 0, 1, 1, 0, 0, 3};  // elements 0, 3, 4, 7
  Eigen::Map<Eigen::MatrixXd, 0, strides> A(a, 2, 2, strides(4, 3));
  const Eigen::LLT<strided> llt(A);
  EXPECT_EQ(llt.info(), Eigen::NumericalIssue);
}
#endif

TEST(EigenPlugin, OtherScalarTypesStayEigens) {
  using M = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  M A = M::Identity(3, 3);
  A(1, 1) = std::numeric_limits<long double>::quiet_NaN();
  EXPECT_EQ(A.llt().info(), Eigen::Success);  // Eigen compares x <= 0
  EXPECT_TRUE(A.lu().determinant() != A.lu().determinant());
}

}  // namespace
}  // namespace trifac::test
