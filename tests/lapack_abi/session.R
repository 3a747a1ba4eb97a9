# R's linear algebra, to be run with libtrifac_lapack.so preloaded; stops where a residual is too large.
set.seed(1)
small <- function(what, residual) {
  if (!(residual < 1e-9)) stop(what, ": residual ", residual)
  cat(what, "\n")
}
for (n in c(1, 5, 60, 300)) {
  A <- matrix(rnorm(n * n), n) / sqrt(n)
  S <- crossprod(A) + diag(n)
  b <- rnorm(n)
  R <- chol(S)
  small("solve", max(abs(A %*% solve(A, b) - b)))
  small("inverse", max(abs(S %*% solve(S) - diag(n))))
  small("chol", max(abs(crossprod(R) - S)))
  small("chol2inv", max(abs(chol2inv(R) %*% S - diag(n))))
  small("backsolve", max(abs(R %*% backsolve(R, b) - b)))
  small("determinant", abs(determinant(S)$modulus - 2 * sum(log(diag(R)))) / n)
  small("norm", abs(norm(A, "1") - max(colSums(abs(A)))) + abs(norm(A, "F") - sqrt(sum(A^2))))
  stopifnot(rcond(S) > 0, rcond(S) <= 1)
}
low <- crossprod(matrix(rnorm(6 * 20), 6))
stopifnot(attr(suppressWarnings(chol(low, pivot = TRUE)), "rank") == 6)
stopifnot(inherits(try(solve(matrix(0, 2, 2)), silent = TRUE), "try-error"))
stopifnot(inherits(try(chol(-diag(2)), silent = TRUE), "try-error"))
cat("OK\n")
