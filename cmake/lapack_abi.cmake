# libtrifac_lapack.so: LAPACK's routines for Cholesky, LU, triangles and what belongs to them, by
# Fortran's names, with the static kernels inside. Programs reach it unchanged, by LD_PRELOAD or as
# their liblapack (docs/lapack.md).

if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux" OR NOT CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
  return()  # aliases of symbols, a version script
endif()

if(TRIFAC_KERNEL_TYPES STREQUAL "double")  # its routines are those of four types
  if(TRIFAC_BUILD_LAPACK_ABI)
    message(FATAL_ERROR "TRIFAC_BUILD_LAPACK_ABI needs kernels of all types, not TRIFAC_KERNEL_TYPES=double")
  endif()
  return()
endif()

find_package(Threads REQUIRED)
add_library(trifac_lapack SHARED EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/cmake/lapack_abi/threads.cpp)
add_library(trifac::lapack_abi ALIAS trifac_lapack)
foreach(type RANGE 3)
  set(source ${PROJECT_BINARY_DIR}/lapack_abi/routines_${type}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT
    "#define TRIFAC_LAPACK_TYPE ${type}\n#include \"${PROJECT_SOURCE_DIR}/cmake/lapack_abi/routines.cpp\"\n")
  target_sources(trifac_lapack PRIVATE ${source})
endforeach()
trifac_optimize(trifac_lapack)
target_include_directories(trifac_lapack PRIVATE ${PROJECT_SOURCE_DIR}/cmake/lapack_abi)
target_link_libraries(trifac_lapack PRIVATE trifac::kernels_static Threads::Threads)
set(map ${PROJECT_SOURCE_DIR}/cmake/lapack_abi/lapack_abi.map)
# Calls among the routines stay in the library, whatever the program has of the same name.
target_link_options(trifac_lapack PRIVATE -Wl,--version-script=${map} -Wl,-Bsymbolic-functions)
set_target_properties(trifac_lapack PROPERTIES EXPORT_NAME lapack_abi UNITY_BUILD OFF
  CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON LINK_DEPENDS ${map}
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
if(TRIFAC_BUILD_LAPACK_ABI)
  set_target_properties(trifac_lapack PROPERTIES EXCLUDE_FROM_ALL OFF)
endif()
