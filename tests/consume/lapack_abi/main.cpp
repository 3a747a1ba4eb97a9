// A program of LAPACK's that links trifac's library: [2 1; 1 3]·x = [3 4] has the solution [1 1].

#include <cmath>

extern "C" void dgesv_(const int* n, const int* nrhs, double* a, const int* lda, int* ipiv,
                       double* b, const int* ldb, int* info);

int main() {
  const int n = 2, nrhs = 1;
  double a[] = {2, 1, 1, 3}, b[] = {3, 4};
  int ipiv[2], info = -1;
  dgesv_(&n, &nrhs, a, &n, ipiv, b, &n, &info);
  return info == 0 && std::fabs(b[0] - 1) < 1e-15 && std::fabs(b[1] - 1) < 1e-15 ? 0 : 1;
}
