#pragma once
// trifac::LLT and trifac::PartialPivLU: the interface of Eigen's classes, the work by trifac's
// calls on the calling thread. They change nothing in Eigen, and go with or without
// eigen_plugin.hpp. docs/eigen.md lists what differs.

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <utility>

#include "trifac/cholesky.hpp"
#include "trifac/eigen.hpp"
#include "trifac/inverse.hpp"
#include "trifac/lu.hpp"
#include "trifac/norm.hpp"
#include "trifac/solve.hpp"
#include "trifac/update.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {

template <class Matrix, int UpLo = Eigen::Lower>
class LLT;
template <class Matrix>
class PartialPivLU;

}  // namespace TRIFAC_ABI
}  // namespace trifac

template <class M, int UpLo>
struct Eigen::internal::traits<trifac::LLT<M, UpLo>> : traits<Eigen::LLT<M, UpLo>> {};
template <class M>
struct Eigen::internal::traits<trifac::PartialPivLU<M>> : traits<Eigen::PartialPivLU<M>> {};

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// What both classes have: the factored matrix, its norm, and solves with Solver::factor().
template <class Solver, class Matrix>
class eigen_solver : public Eigen::SolverBase<Solver> {
 public:
  using MatrixType = Matrix;
  using PlainObject = typename Matrix::PlainObject;
  using RealScalar = typename Matrix::RealScalar;
  using StorageIndex = int;

  Eigen::Index rows() const { return matrix_.rows(); }
  Eigen::Index cols() const { return matrix_.cols(); }
  /// About 1 / (‖A‖₁·‖A⁻¹‖₁). LAPACK: pocon, gecon.
  RealScalar rcond() const { return Eigen::internal::rcond_estimate_helper(norm_, computed()); }

  template <class Rhs, class Dst>
  void _solve_impl(const Rhs& B, Dst& X) const {
    X = B;
    check_in_eigen(try_solve(this->derived().factor(), X));
  }
  template <bool Conjugate, class Rhs, class Dst>
  void _solve_impl_transposed(const Rhs& B, Dst& X) const {
    X = B;
    check_in_eigen(try_solve(this->derived().factor(), X,
                             Conjugate ? operation::adjoint : operation::transpose));
  }

 protected:
  friend Eigen::SolverBase<Solver>;

  eigen_solver() = default;
  explicit eigen_solver(Eigen::Index n) : matrix_(n, n) {}
  template <class M>
  eigen_solver(std::in_place_t, M& A) : matrix_(A) {}

  const Solver& computed() const {
    eigen_assert(m_isInitialized && "compute() comes first");
    return this->derived();
  }

  Matrix matrix_;
  RealScalar norm_ = 0;
  bool m_isInitialized = false;  // SolverBase reads it by this name
};

}  // namespace detail

/// Eigen::LLT: A = L·Lᴴ (Lower) or A = Uᴴ·U (Upper) of a copy of A, or in place where Matrix is an
/// Eigen::Ref. Only that triangle is used. n³/3 flops, and n² operations for the norm of rcond().
/// LAPACK: potrf, potrs.
template <class Matrix, int UpLo_>
class LLT : public detail::eigen_solver<LLT<Matrix, UpLo_>, Matrix> {
 public:
  using Base = detail::eigen_solver<LLT, Matrix>;
  using typename Base::Scalar, typename Base::RealScalar, typename Base::PlainObject;
  using Traits = Eigen::internal::LLT_Traits<Matrix, UpLo_>;
  enum { UpLo = UpLo_ };

  LLT() = default;
  explicit LLT(Eigen::Index n) : Base(n) {}
  template <class M>
  explicit LLT(const Eigen::EigenBase<M>& A) : Base(std::in_place, A.derived()) {
    factor_matrix();
  }
  template <class M>
  explicit LLT(Eigen::EigenBase<M>& A) : Base(std::in_place, A.derived()) {
    factor_matrix();
  }

  template <class M>
  LLT& compute(const Eigen::EigenBase<M>& A) {
    this->matrix_ = A.derived();
    factor_matrix();
    return *this;
  }
  /// The factor of A + sigma·x·xᴴ. 2n² flops. LINPACK: dchud, dchdd.
  template <class V>
  LLT& rankUpdate(const V& x, const RealScalar& sigma = 1) {
    using std::abs, std::sqrt;
    eigen_assert(x.size() == this->computed().cols());
    const Eigen::Matrix<Scalar, Base::RowsAtCompileTime, 1> scaled = sqrt(abs(sigma)) * x;
    cholesky_factor<Scalar> f(view_of(this->matrix_), part, status());
    record(sigma > 0 ? try_update(f, scaled) : try_downdate(f, scaled));
    return *this;
  }
  /// B := A⁻¹·B. const as in Eigen, so that temporaries such as blocks are taken.
  template <class D>
  void solveInPlace(const Eigen::MatrixBase<D>& B) const {
    eigen_assert(B.rows() == this->computed().rows());
    detail::check_in_eigen(try_solve(factor(), B.const_cast_derived()));
  }

  typename Traits::MatrixL matrixL() const { return Traits::getL(matrixLLT()); }
  typename Traits::MatrixU matrixU() const { return Traits::getU(matrixLLT()); }
  const Matrix& matrixLLT() const { return this->computed().matrix_; }
  PlainObject reconstructedMatrix() const {
    return matrixL() * matrixL().adjoint().toDenseMatrix();
  }
  Eigen::ComputationInfo info() const {
    this->computed();
    return info_;
  }
  const LLT& adjoint() const { return *this; }

 private:
  friend Base;
  static constexpr triangle part =
      UpLo_ == static_cast<int>(Eigen::Lower) ? triangle::lower : triangle::upper;

  void factor_matrix() {
    eigen_assert(this->rows() == this->cols());
    this->norm_ = norm(this->matrix_, part);
    this->m_isInitialized = true;
    record(try_cholesky(this->matrix_, {.part = part}).status());
  }
  void record(const status& s) {
    detail::check_in_eigen(s);
    info_ = s.ok() ? Eigen::Success : Eigen::NumericalIssue;
  }
  /// After a failure, too: as in Eigen a solve then takes what there is.
  cholesky_factor<Scalar> factor() const { return {view_of(this->matrix_), part, status()}; }

  Eigen::ComputationInfo info_ = Eigen::InvalidInput;
};

/// Eigen::PartialPivLU: P·A = L·U of a copy of a square A, or in place where Matrix is an
/// Eigen::Ref. A zero pivot is no failure, as in Eigen: a solve divides by it. 2n³/3 flops, and n²
/// operations for the norm of rcond(). LAPACK: getrf, getrs.
template <class Matrix>
class PartialPivLU : public detail::eigen_solver<PartialPivLU<Matrix>, Matrix> {
 public:
  using Base = detail::eigen_solver<PartialPivLU, Matrix>;
  using typename Base::Scalar, typename Base::RealScalar, typename Base::PlainObject;
  using PermutationType =
      Eigen::PermutationMatrix<Base::RowsAtCompileTime, Base::MaxRowsAtCompileTime>;

  PartialPivLU() = default;
  explicit PartialPivLU(Eigen::Index n) : Base(n), permutation_(n) {}
  template <class M>
  explicit PartialPivLU(const Eigen::EigenBase<M>& A) : Base(std::in_place, A.derived()) {
    factor_matrix();
  }
  template <class M>
  explicit PartialPivLU(Eigen::EigenBase<M>& A) : Base(std::in_place, A.derived()) {
    factor_matrix();
  }

  template <class M>
  PartialPivLU& compute(const Eigen::EigenBase<M>& A) {
    this->matrix_ = A.derived();
    factor_matrix();
    return *this;
  }

  /// A⁻¹, infinite or NaN where A is singular. 4n³/3 flops. LAPACK: getri.
  PlainObject inverse() const {
    PlainObject X(this->computed().rows(), this->cols());
    detail::check_in_eigen(try_inverse(factor(), X));
    return X;
  }
  Scalar determinant() const {
    return Scalar(RealScalar(interchanges_.sign())) * matrixLU().diagonal().prod();
  }
  const Matrix& matrixLU() const { return this->computed().matrix_; }
  const PermutationType& permutationP() const {
    this->computed();
    return permutation_;
  }
  PlainObject reconstructedMatrix() const {
    const PlainObject L = matrixLU().template triangularView<Eigen::UnitLower>();
    return permutation_.inverse() * (L * matrixLU().template triangularView<Eigen::Upper>());
  }
  /// Eigen::Success, as in Eigen 5.
  Eigen::ComputationInfo info() const {
    this->computed();
    return Eigen::Success;
  }

 private:
  friend Base;

  void factor_matrix() {
    eigen_assert(this->rows() == this->cols());
    this->norm_ = RealScalar(0);
    if (this->rows() > 0) this->norm_ = this->matrix_.cwiseAbs().colwise().sum().maxCoeff();
    this->m_isInitialized = true;
    detail::check_in_eigen(try_lu(this->matrix_, interchanges_).status());
    permutation_.setIdentity(this->rows());
    for (index_t k = this->rows() - 1; k >= 0; --k)
      permutation_.applyTranspositionOnTheRight(k, interchanges_[k]);
  }
  // Only read: a factor that refers to interchanges takes a matrix that is not const.
  lu_factor<Scalar> factor() const {
    return {view_of(const_cast<Matrix&>(this->matrix_)), &interchanges_, status()};
  }

  PermutationType permutation_;
  pivots interchanges_;
};

}  // namespace TRIFAC_ABI
}  // namespace trifac
