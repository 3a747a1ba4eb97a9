// deleted
#include "trifac/trifac.hpp"

trifac::index_t first(trifac::matrix<double>& A) {
  const std::span<const trifac::index_t> rows = trifac::lu(A).interchanges();
  return rows[0];
}
