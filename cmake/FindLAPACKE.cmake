# Finds LAPACKE, the C interface of LAPACK: LAPACKE_FOUND and the target LAPACKE::LAPACKE.
# It is a library of its own (Netlib, Debian), or part of OpenBLAS. LAPACKE_INCLUDE_DIR and
# LAPACKE_LIBRARY may be set by hand; BLA_VENDOR chooses the LAPACK beneath it.
find_path(LAPACKE_INCLUDE_DIR lapacke.h PATH_SUFFIXES lapacke openblas)
find_library(LAPACKE_LIBRARY NAMES lapacke openblas)
mark_as_advanced(LAPACKE_INCLUDE_DIR LAPACKE_LIBRARY)

# Which LAPACK is beneath. Harmless where LAPACKE_LIBRARY brings its own.
find_package(LAPACK QUIET)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LAPACKE
  REQUIRED_VARS LAPACKE_LIBRARY LAPACKE_INCLUDE_DIR LAPACK_FOUND)

if(LAPACKE_FOUND AND NOT TARGET LAPACKE::LAPACKE)
  add_library(LAPACKE::LAPACKE UNKNOWN IMPORTED)
  set_target_properties(LAPACKE::LAPACKE PROPERTIES
    IMPORTED_LOCATION ${LAPACKE_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${LAPACKE_INCLUDE_DIR}
    INTERFACE_LINK_LIBRARIES LAPACK::LAPACK)
endif()
