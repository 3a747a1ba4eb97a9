# trifac::opencl, for programs that include trifac/backend/opencl.hpp. Read by the build of trifac
# and by its installed package.
find_package(OpenCL QUIET)

set(trifac_opencl_FOUND ${OpenCL_FOUND})
set(trifac_opencl_reason "OpenCL was not found (Debian: ocl-icd-opencl-dev)")

if(trifac_opencl_FOUND AND NOT TARGET trifac::opencl)
  add_library(trifac::opencl INTERFACE IMPORTED ${trifac_target_scope})
  target_link_libraries(trifac::opencl INTERFACE trifac::trifac OpenCL::OpenCL)
endif()
