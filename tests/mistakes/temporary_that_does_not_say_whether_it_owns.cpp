// view_traits<M> does not say whether M owns its elements: add static constexpr bool owns
#include "trifac/trifac.hpp"

struct square {
  double elements[4];
};

template <>
struct trifac::view_traits<square> {
  static trifac::matrix_view<double> view(square& A) {
    return trifac::column_major(A.elements, 2, 2);
  }
};

bool factor() {
  return trifac::cholesky(square()).ok();
}
