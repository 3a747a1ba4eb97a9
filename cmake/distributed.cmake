# trifac::scalapack: the calls of trifac/distributed/scalapack.h as a library, trifac-distributed, for C and
# Fortran. Where MPI and ScaLAPACK's BLACS are; built when something links it, or for the installation.
if(NOT TARGET trifac::blacs)
  return()
endif()
add_library(trifac_distributed STATIC EXCLUDE_FROM_ALL cmake/distributed.cpp)
add_library(trifac::scalapack ALIAS trifac_distributed)
set_target_properties(trifac_distributed PROPERTIES OUTPUT_NAME trifac-distributed)
target_link_libraries(trifac_distributed PRIVATE trifac::kernels_static PUBLIC trifac::blacs)
# The work is the kernels'.
target_compile_options(trifac_distributed PRIVATE $<$<CONFIG:Release>:-O1>)
