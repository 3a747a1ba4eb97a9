/* A user's first program in C: solves a small system, exits with 0 only where it is right. */
#include <stdio.h>
#include <trifac.h>

int main(void) {
  double a[] = {4, 1, 1, 3}, b[] = {6, 7};
  const trifac_dmatrix A = {a, 2, 2, 1, 2}, B = {b, 2, 1, 1, 2};
  trifac_lu_options options = TRIFAC_LU_OPTIONS_INIT;
  char text[80];
  trifac_status s;
  options.threads = 2;
  s = trifac_dlu_solve(A, B, &options);
  trifac_message(s, text, sizeof text);
  printf("trifac %s: %s, x = %.15g, %.15g\n", trifac_version(), text, b[0], b[1]);
  return s.kind == TRIFAC_SUCCESS && b[0] > 0.999 && b[0] < 1.001 && b[1] > 1.999 && b[1] < 2.001
             ? 0
             : 1;
}
