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
  int most_steps = 30;                       ///< largest number of classical refinement steps
  int gmres_steps = 30;  ///< GMRES steps in each of up to three restart cycles; 0: no GMRES
  /// Scales the matrix factored in low precision by powers of two (equilibration.hpp), so that rows
  /// and columns of any size fit its range. Refinement then tests the residual of the scaled
  /// system; the reported one is A's.
  bool equilibrate = false;
};

/// The method that found a solution.
enum class mixed_way {
  refined,         ///< factored in low precision, refined by residuals in full precision
  gmres,           ///< the same, with GMRES preconditioned by the low-precision factors
  full_precision,  ///< factored again in full precision: the low-precision factors did not suffice
};

/// Why solve_mixed() went back to full precision. The values are those of LAPACK's ITER (dsgesv).
enum class mixed_fallback {
  none = 0,  ///< it did not
  /// In low precision an element of A (scaled, with options.equilibrate) is not finite, or ‖A‖∞ in
  /// full precision is not.
  overflow = -2,
  /// The factorization in low precision failed: a pivot is zero, not positive, or not finite.
  factorization = -3,
  /// Neither refinement nor GMRES reached the bound. −31 for any most_steps.
  no_convergence = -31,
};

/// Result of solve_mixed(). R: the real type.
template <class R>
struct mixed_report : with_status<mixed_report<R>> {
  trifac::status outcome;
  mixed_way way = mixed_way::full_precision;
  mixed_fallback fallback = mixed_fallback::none;  ///< the reason, where `way` is full_precision
  /// Refinement steps plus GMRES products, the maximum over all right-hand sides.
  int steps = 0;
  /// The largest ‖b − A·x‖∞ / (‖A‖∞·‖x‖∞) of all right-hand sides, computed in full precision. An
  /// overflowing norm counts as the largest number.
  R backward_error = R(0);
  /// Flops of the factorizations of this call; full_flops is 0 if the low-precision factors
  /// sufficed.
  double low_flops = 0, full_flops = 0;
  bool equilibrated = false;  ///< whether the matrix in low precision was scaled

  const trifac::status& status() const { return outcome; }
};

}  // namespace trifac
