# trifac::lapack, for programs that include trifac/backend/lapack.hpp. Read by the build of trifac
# and by its installed package.
list(PREPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR}/..)
find_package(LAPACKE QUIET)
list(POP_FRONT CMAKE_MODULE_PATH)

set(trifac_lapack_FOUND ${LAPACKE_FOUND})
set(trifac_lapack_reason "LAPACKE was not found (Debian: liblapacke-dev libopenblas-dev)")

if(trifac_lapack_FOUND AND NOT TARGET trifac::lapack)
  add_library(trifac::lapack INTERFACE IMPORTED ${trifac_target_scope})
  target_link_libraries(trifac::lapack INTERFACE trifac::trifac LAPACKE::LAPACKE)
endif()
