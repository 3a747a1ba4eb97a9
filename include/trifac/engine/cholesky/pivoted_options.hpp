#pragma once
// Options of a pivoted Cholesky factorization.

#include "trifac/matrix_view.hpp"

namespace trifac {

/// Options of pivoted_cholesky().
struct pivoted_cholesky_options {
  triangle part = triangle::lower;  ///< which triangle is read and overwritten
  double tolerance = -1;  ///< pivots are larger; negative: n·ε·max a_ii, ε = 2⁻⁵² in
                          ///< double (LAPACK's is half of it)
  index_t block = 0;      ///< columns of a panel; 0: chosen
};

}  // namespace trifac
