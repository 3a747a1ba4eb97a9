// Instantiates factorizations, solves and readers for every type and backend, so that a compiler
// warns of every conversion in our headers. Compiled, never run.

#include <complex>

#include "trifac/backend/automatic.hpp"
#include "trifac/backend/openmp.hpp"
#include "trifac/backend/timed.hpp"
#include "trifac/io/profile_file.hpp"
#include "trifac/io/read_matrix.hpp"
#include "trifac/trifac.hpp"
#include "trifac/variants.hpp"
#if WITH_LAPACK
  #include "trifac/backend/lapack.hpp"
#endif
#if WITH_OPENCL
  #include "trifac/backend/opencl.hpp"
#endif
#if WITH_CUDA
  #include "trifac/backend/cuda.hpp"
  #include "trifac/backend/cuda_graph.hpp"
#endif
#if WITH_CUSOLVER
  #include "trifac/backend/cusolver.hpp"
#endif
#if WITH_EIGEN
  #include <Eigen/Core>

  #include "trifac/eigen.hpp"
  #include "trifac/eigen_plugin.hpp"
  #include "trifac/eigen_solvers.hpp"
#endif

namespace {

using namespace trifac;

template <class T, class B>
void factor_and_solve(const B& backend) {
  matrix<T> A(4, 4), L(4, 4), X(4, 1);
  const matrix<T> fixed(4, 4);
  pivots p;
  for (const variant v : cholesky_variants) {
    (void)try_solve(backend, try_cholesky(v, backend, A.view()), X);
    (void)try_cholesky(v, backend, fixed.view(), L.view(), {.part = triangle::upper});
  }
  for (const variant v : lu_variants)
    (void)try_solve(backend, try_lu(v, backend, A.view(), {.growth = true}), X);
  const auto f = cholesky(backend, A);
  solve(backend, f, X);
  const auto g = lu(backend, A, p, {.pivoting = pivoting::tournament});
  solve(backend, g, X);
  (void)(f.L().dense(), g.L().dense(), g.U().dense());
  (void)(p.permutation(4), p.to_ipiv(), p.sign());
}

template <class T>
void read_and_write() {
  const matrix<T> A = io::read_matrix<T>("A");
  io::write_matrix_market("A", A);
  io::write_npy("A", A);
}

template <class T>
void each_backend() {
  factor_and_solve<T>(backend::serial{});
  factor_and_solve<T>(backend::openmp{});
  if constexpr (LapackScalar<T>) {
    read_and_write<T>();
#if WITH_LAPACK
    factor_and_solve<T>(backend::lapack{});
#endif
#if WITH_OPENCL
    factor_and_solve<T>(backend::opencl::first());
#endif
#if WITH_CUDA
    factor_and_solve<T>(backend::cuda::first());
#endif
#if WITH_CUSOLVER
    factor_and_solve<T>(backend::cusolver::first());
#endif
  }
#if WITH_EIGEN
  Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic> E(4, 4);
  solve(cholesky(E), E);
  solve(lu(E), E);
  E = Eigen::LLT<decltype(E)>(E).solve(E) + Eigen::PartialPivLU<decltype(E)>(E).solve(E);
  E = LLT<decltype(E)>(E).rankUpdate(E.col(0)).solve(E) + PartialPivLU<decltype(E)>(E).inverse();
#endif
}

}  // namespace

void instantiate_all() {
  each_backend<float>();
  each_backend<double>();
  each_backend<std::complex<float>>();
  each_backend<std::complex<double>>();
  each_backend<long double>();
  io::read_profile("profile");
}
