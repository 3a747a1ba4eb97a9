# trifac::lapack_abi of an installed trifac: libtrifac_lapack.so, LAPACK's routines by Fortran's names.
set(trifac_lapack_abi_FOUND FALSE)
set(trifac_lapack_abi_reason
  "trifac was installed without libtrifac_lapack.so (TRIFAC_BUILD_LAPACK_ABI)")
if(EXISTS ${CMAKE_CURRENT_LIST_DIR}/../trifac-lapack-abi.cmake)
  include(${CMAKE_CURRENT_LIST_DIR}/../trifac-lapack-abi.cmake)
  set(trifac_lapack_abi_FOUND TRUE)
endif()
