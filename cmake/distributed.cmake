# trifac::scalapack: the calls of trifac/scalapack.h as a library, trifac-distributed,
# for C and Fortran. Where MPI and ScaLAPACK's BLACS are; built and installed with trifac::kernels,
# else when something links it.
if(NOT TARGET trifac::blacs)
  return()
endif()
add_library(trifac_distributed STATIC EXCLUDE_FROM_ALL cmake/distributed.cpp)
add_library(trifac::scalapack ALIAS trifac_distributed)
set_target_properties(trifac_distributed PROPERTIES
  EXPORT_NAME scalapack OUTPUT_NAME trifac-distributed)
if(TRIFAC_BUILD_KERNELS)
  set_target_properties(trifac_distributed PROPERTIES EXCLUDE_FROM_ALL OFF)
endif()
target_link_libraries(trifac_distributed PRIVATE trifac::kernels_static PUBLIC trifac::blacs)
trifac_optimize(trifac_distributed)
# The work is the kernels'.
target_compile_options(trifac_distributed PRIVATE $<$<CONFIG:Release>:-O1>)
