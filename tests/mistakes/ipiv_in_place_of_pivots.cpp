// ipiv: row interchanges are pivots: lu(A, p), and afterwards ipiv = p.to_ipiv()
#include <vector>

#include "trifac/trifac.hpp"

trifac::status factor(trifac::matrix<double>& A, std::vector<int>& ipiv) {
  const auto f = trifac::lu(A, ipiv);
  return f.status();
}
