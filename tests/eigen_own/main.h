#pragma once
// In the place of the main.h that each test of Eigen's includes, EIGENS_MAIN. That one defines min
// and max as macros and says what eigen_assert does: trifac's headers come before it, and those
// that include Eigen's after it.

#include <trifac/trifac.hpp>

#include EIGENS_MAIN

#if TRIFAC_TEST_EIGEN_SOLVERS
  #include <Eigen/QR>
  #include <trifac/eigen_solvers.hpp>
  #define LLT trifac::LLT
  #define PartialPivLU trifac::PartialPivLU
#else
  #include <trifac/eigen_plugin.hpp>
#endif
