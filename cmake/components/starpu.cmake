# trifac::starpu, for programs that include trifac/backend/starpu.hpp. Read by the build of trifac
# and by its installed package.
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  set(trifac_starpu_imported IMPORTED_TARGET)
  if(trifac_target_scope)
    list(APPEND trifac_starpu_imported ${trifac_target_scope})
  endif()
  pkg_check_modules(trifac_starpu_1_3 QUIET ${trifac_starpu_imported} starpu-1.3>=1.3.8)
endif()

set(trifac_starpu_FOUND FALSE)
if(TARGET PkgConfig::trifac_starpu_1_3)
  set(trifac_starpu_FOUND TRUE)
endif()
set(trifac_starpu_reason
  "StarPU 1.3 was not found by pkg-config as starpu-1.3 (Debian: libstarpu-dev pkg-config)")

if(trifac_starpu_FOUND AND NOT TARGET trifac::starpu)
  add_library(trifac::starpu INTERFACE IMPORTED ${trifac_target_scope})
  target_link_libraries(trifac::starpu INTERFACE trifac::trifac PkgConfig::trifac_starpu_1_3)
  # StarPU's headers select OpenCL 1.0, and since 1.4 one of them is <omp.h>: whoever includes that,
  # before OpenCL's, has starpu.h.
  target_compile_definitions(trifac::starpu INTERFACE CL_TARGET_OPENCL_VERSION=120)
endif()
