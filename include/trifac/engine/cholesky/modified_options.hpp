#pragma once
// Options of a modified Cholesky factorization.

#include "trifac/matrix_view.hpp"

namespace trifac {

/// Options of modified_cholesky().
struct modified_cholesky_options {
  triangle part = triangle::lower;  ///< which triangle is read and overwritten
  index_t block = 0;                ///< columns of a panel; 0: chosen
};

}  // namespace trifac
