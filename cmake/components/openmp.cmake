# trifac::openmp, for programs that include trifac/backend/openmp.hpp. Read by the build of trifac
# and by its installed package.
find_package(OpenMP QUIET COMPONENTS CXX)

set(trifac_openmp_FOUND ${OpenMP_CXX_FOUND})
set(trifac_openmp_reason "this compiler has no OpenMP (Debian: libomp-dev for clang++)")

if(trifac_openmp_FOUND AND NOT TARGET trifac::openmp)
  add_library(trifac::openmp INTERFACE IMPORTED ${trifac_target_scope})
  target_link_libraries(trifac::openmp INTERFACE trifac::trifac OpenMP::OpenMP_CXX)
endif()
