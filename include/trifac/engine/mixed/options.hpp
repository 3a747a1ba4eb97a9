#pragma once
// Options and report of a solve in mixed precision.

#include "trifac/engine/views/with_status.hpp"
#include "trifac/matrix_view.hpp"
#include "trifac/profile.hpp"
#include "trifac/status.hpp"

namespace trifac {

/// Options of solve_mixed().
struct mixed_options {
  factorization factor = factorization::lu;  ///< or cholesky, of a Hermitian positive definite A
  triangle part = triangle::lower;           ///< of A, which cholesky reads
  int most_steps = 30;                       ///< corrections by classical refinement
  int gmres_steps = 30;  ///< of GMRES in each of up to three restart cycles; 0: no GMRES
  /// The matrix that is factored in low precision is scaled by powers of two (equilibration.hpp),
  /// so that rows and columns of any size fit its range; refinement ends by the residual of the
  /// scaled system. That of the report is A's.
  bool equilibrate = false;
};

/// How a solution was found.
enum class mixed_way {
  refined,         ///< factored in low precision, refined by residuals in full precision
  gmres,           ///< the same, with GMRES on the system that the low factors precondition
  full_precision,  ///< factored again: the low factors were of no use
};

/// What solve_mixed() did. R: the real type.
template <class R>
struct mixed_report : with_status<mixed_report<R>> {
  trifac::status outcome;
  mixed_way way = mixed_way::full_precision;
  /// Corrections of classical refinement, and products of GMRES, the most of all right-hand sides.
  int steps = 0;
  /// The largest ‖b − A·x‖∞ / (‖A‖∞·‖x‖∞) of all right-hand sides, measured in full precision. A
  /// norm that overflows counts as the largest number.
  R backward_error = R(0);
  /// Flops of the factorizations; full_flops is 0 where the factors in low precision sufficed.
  double low_flops = 0, full_flops = 0;
  bool equilibrated = false;  ///< whether the matrix in low precision was scaled

  const trifac::status& status() const { return outcome; }
};

}  // namespace trifac
