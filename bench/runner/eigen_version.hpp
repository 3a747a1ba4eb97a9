#pragma once
// Which Eigen a runner was compiled with.

#include <Eigen/Core>
#include <string>

namespace bench {

/// "5.0.1"; before 5.0 the numbers that Eigen itself had, "3.4.0".
inline std::string eigen_version() {
#ifdef EIGEN_VERSION_STRING
  return EIGEN_VERSION_STRING;
#else
  return std::to_string(EIGEN_WORLD_VERSION) + '.' + std::to_string(EIGEN_MAJOR_VERSION) + '.' +
         std::to_string(EIGEN_MINOR_VERSION);
#endif
}

}  // namespace bench
