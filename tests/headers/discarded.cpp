// Discards the result of every public call that returns one with a status: discarded.sh expects a
// warning at each line that is marked so, and at no other. Compiled, never run.

#include <span>
#include <vector>

#include "trifac/batch.hpp"
#include "trifac/equilibration.hpp"
#include "trifac/solve_mixed.hpp"
#include "trifac/trifac.hpp"
#include "trifac/variants.hpp"

using namespace trifac;

void factors(matrix<double>& A, matrix<double>& L, pivots& p) {
  try_cholesky(A);                                            // warns
  cholesky(A);                                                // warns
  try_cholesky(A, L);                                         // warns
  cholesky(A, L);                                             // warns
  try_lu(A);                                                  // warns
  lu(A);                                                      // warns
  try_lu(A, p);                                               // warns
  lu(A, p);                                                   // warns
  try_pivoted_cholesky(A);                                    // warns
  pivoted_cholesky(A);                                        // warns
  try_partial_cholesky(A, 1);                                 // warns
  partial_cholesky(A, 1);                                     // warns
  try_modified_cholesky(A);                                   // warns
  modified_cholesky(A);                                       // warns
  factored_cholesky(A);                                       // warns
  factored_lu(A, std::vector<int>());                         // warns
  try_cholesky(variant::crout, backend::serial{}, A.view());  // warns
  try_lu(variant::crout, backend::serial{}, A.view());        // warns
  const auto diagonal = [](index_t) { return 1.0; };
  const auto column = [](index_t, std::span<double>) {};
  try_low_rank_cholesky<double>(3, diagonal, column, {.rank = 1});  // warns
  low_rank_cholesky<double>(3, diagonal, column, {.rank = 1});      // warns
  equilibration(A);                                                 // warns
  equilibration_of_definite(A);                                     // warns
  backend::serial{}.available();                                    // warns
  cholesky(A).or_throw();
  lu(A).or_throw();
}

void after(matrix<double>& A, matrix<double>& B, matrix<double>& X, cholesky_factor<double>& f) {
  double value;
  signed_logarithm<double> logarithm;
  const auto scales = equilibration(A);
  try_solve(f, B);                                          // warns
  try_solve(f.L(), B);                                      // warns
  try_solve(f, B, X);                                       // warns
  try_solve(f, B, operation::none, {});                     // warns
  try_cholesky_solve(A, B);                                 // warns
  try_lu_solve(A, B);                                       // warns
  try_inverse(f, X);                                        // warns
  try_inverse(f.L(), X);                                    // warns
  try_update(f, B);                                         // warns
  try_downdate(f, B);                                       // warns
  try_append(f, B, X);                                      // warns
  try_append_in(f, A.view(), B, X);                         // warns
  try_remove(f, 1);                                         // warns
  try_determinant(f, value);                                // warns
  try_log_determinant(f, logarithm);                        // warns
  try_reciprocal_condition(f, 1.0, norm_kind::one, value);  // warns
  try_trace_of_inverse(f, value);                           // warns
  try_trace_of_inverse(f, B, value);                        // warns
  trace_of_inverse(f, B);                                   // warns
  try_refine(A, f, B, X);                                   // warns
  refine(A, f, B, X);                                       // warns
  try_solve_mixed(A, B, X);                                 // warns
  solve_mixed(A, B, X);                                     // warns
  try_equilibrate(A, scales);                               // warns
  try_scale_rows(B, scales.rows);                           // warns
  solved(f, B);                                             // warns
  solve(f, B);
  solve(f, B, X);
  inverse(f, X);
  update(f, B);
}

void batches(batch<double>& A, batch<double>& B, batch<double>& X, batch_cholesky_factor<double>& f,
             std::span<double> values) {
  std::vector<signed_logarithm<double>> logarithms(values.size());
  try_cholesky(A);                                                                       // warns
  cholesky(A);                                                                           // warns
  try_lu(A);                                                                             // warns
  lu(A);                                                                                 // warns
  try_solve(f, B);                                                                       // warns
  try_solve(f, B, X);                                                                    // warns
  try_solve(f.L(), B);                                                                   // warns
  try_cholesky_solve(A, B);                                                              // warns
  cholesky_solve(A, B);                                                                  // warns
  try_cholesky_solve(A, B, X);                                                           // warns
  cholesky_solve(A, B, X);                                                               // warns
  try_lu_solve(A, B);                                                                    // warns
  lu_solve(A, B);                                                                        // warns
  try_lu_solve(A, B, X);                                                                 // warns
  lu_solve(A, B, X);                                                                     // warns
  try_determinant(f, values);                                                            // warns
  try_log_determinant(f, std::span(logarithms));                                         // warns
  try_inverse(f, X);                                                                     // warns
  try_reciprocal_condition(f, std::span<const double>(values), norm_kind::one, values);  // warns
  try_update(f, B);                                                                      // warns
  try_downdate(f, B);                                                                    // warns
  solved(f, B);                                                                          // warns
  solve(f, B);
  inverse(f, X);
  update(f, B);
}
