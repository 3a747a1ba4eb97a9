// What trifac-eigen times, compiled once in each way: TRIFAC_BENCH_WAY is its name. With the
// plug-in the target brings trifac/eigen_plugin.hpp, and the text is the same.

#include <Eigen/Cholesky>
#include <Eigen/LU>
#if TRIFAC_BENCH_SOLVERS
  #include <trifac/eigen_solvers.hpp>
namespace classes = trifac;
#else
namespace classes = Eigen;
#endif

#include "eigen_calls.hpp"

namespace {

/// The object is kept from call to call: a new one would allocate.
template <class Solver>
void each(Solver& kept, Eigen::Index n, int count, const double* A, const double* b, double* x) {
  for (int k = 0; k < count; ++k, A += n * n, b += n, x += n) {
    kept.compute(Eigen::Map<const Eigen::MatrixXd>(A, n, n));
    Eigen::Map<Eigen::VectorXd>(x, n) = kept.solve(Eigen::Map<const Eigen::VectorXd>(b, n));
  }
}

}  // namespace

extern "C" __attribute__((visibility("default"))) void TRIFAC_BENCH_WAY(bool cholesky, long n,
                                                                        int count, const double* A,
                                                                        const double* b,
                                                                        double* x) {
  static classes::LLT<Eigen::MatrixXd> llt;
  static classes::PartialPivLU<Eigen::MatrixXd> lu;
  cholesky ? each(llt, n, count, A, b, x) : each(lu, n, count, A, b, x);
}
