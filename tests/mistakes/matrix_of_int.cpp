// matrix<T>: T is no Scalar, a type with division and square roots; integers and numbers of 16 bits are none
#include "trifac/trifac.hpp"

int main() {
  trifac::matrix<int> A(2, 2);
  A(0, 0) = 4;
  return trifac::cholesky(A) ? 0 : 1;
}
