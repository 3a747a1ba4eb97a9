# trifac::scalapack of an installed trifac: the library trifac-distributed of
# trifac/scalapack.h, with the kernels, MPI and the BLACS that it calls.
set(trifac_scalapack_FOUND FALSE)
set(trifac_scalapack_reason
  "trifac was installed without trifac-distributed (TRIFAC_BUILD_KERNELS, MPI and ScaLAPACK)")
file(GLOB trifac_scalapack_files "${trifac_library_dir}/*trifac-distributed.*")
if(trifac_scalapack_files AND EXISTS ${CMAKE_CURRENT_LIST_DIR}/../trifac-scalapack.cmake)
  include(${CMAKE_CURRENT_LIST_DIR}/kernels.cmake)
  include(${CMAKE_CURRENT_LIST_DIR}/distributed.cmake)
  if(NOT TARGET trifac::kernels_static)
    set(trifac_scalapack_reason "trifac was installed without its static library of kernels")
  elseif(TARGET trifac::blacs)
    include(${CMAKE_CURRENT_LIST_DIR}/../trifac-scalapack.cmake)
    set(trifac_scalapack_FOUND TRUE)
  else()
    set(trifac_scalapack_reason "MPI or ScaLAPACK was not found (Debian: libscalapack-openmpi-dev)")
  endif()
endif()
