# The CPU kernels, compiled once for all programs of this build, a file for each type: the headers
# would otherwise compile them in every source file (see trifac/simd/linked_kernels.hpp).
function(trifac_add_kernels)
  add_library(trifac_kernels STATIC EXCLUDE_FROM_ALL)
  target_link_libraries(trifac_kernels PUBLIC trifac::trifac)
  foreach(type IN ITEMS float double std::complex<float> std::complex<double>)
    string(MAKE_C_IDENTIFIER ${type} name)
    set(source ${PROJECT_BINARY_DIR}/kernels/${name}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT
      "#define TRIFAC_KERNEL_TYPE ${type}\n#include \"${PROJECT_SOURCE_DIR}/cmake/kernels.cpp\"\n")
    target_sources(trifac_kernels PRIVATE ${source})
  endforeach()
  target_compile_options(trifac_kernels INTERFACE
    "SHELL:-include ${PROJECT_SOURCE_DIR}/include/trifac/simd/linked_kernels.hpp")
endfunction()

# trifac_link_backends(<target> [WITHOUT <component>...]): links the target to the headers, the kernels and
# every component that was found but for those named, and tells it which as
# TRIFAC_EXPECT_<COMPONENT>=0 or 1.
function(trifac_link_backends target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "WITHOUT")
  if(NOT TARGET trifac_kernels)
    trifac_add_kernels()
  endif()
  target_link_libraries(${target} PRIVATE trifac::trifac trifac_kernels)
  foreach(component IN LISTS trifac_components)
    string(TOUPPER TRIFAC_EXPECT_${component} expected)
    if(trifac_${component}_FOUND AND NOT component IN_LIST arg_WITHOUT)
      target_link_libraries(${target} PRIVATE trifac::${component})
      target_compile_definitions(${target} PRIVATE ${expected}=1)
    else()
      target_compile_definitions(${target} PRIVATE ${expected}=0)
    endif()
  endforeach()
endfunction()
