#pragma once
#include <vector>

#if defined(__GNUC__)
  #define REGRESSION_API __attribute__((visibility("default")))
#else
  #define REGRESSION_API
#endif

/// x with AᵀA·x = Aᵀb of a well-conditioned A, m×n, by columns; empty where AᵀA is not definite.
REGRESSION_API std::vector<double> regression(const std::vector<double>& A,
                                              const std::vector<double>& b);
