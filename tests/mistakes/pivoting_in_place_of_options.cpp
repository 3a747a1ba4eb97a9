// the pivoting is an option: lu(A, {.pivoting = pivoting::partial})
#include "trifac/trifac.hpp"

trifac::status factor(trifac::matrix<float>& A) {
  return trifac::try_lu(trifac::backend::serial{}, A, trifac::pivoting::none).status();
}
