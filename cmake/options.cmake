# The options of the build, and how an option decides about an optional component.

option(TRIFAC_BUILD_KERNELS "Build trifac::kernels, the common calls compiled" ${PROJECT_IS_TOP_LEVEL})
option(TRIFAC_BUILD_LAPACK_ABI "Build libtrifac_lapack.so, LAPACK's routines by Fortran's names" OFF)
set(TRIFAC_KERNEL_TYPES double float std::complex<double> std::complex<float> CACHE STRING
  "The types that trifac::kernels has: 40 seconds to compile for each")
option(TRIFAC_BUILD_TESTS "Build the tests (GoogleTest)" ${PROJECT_IS_TOP_LEVEL})
option(TRIFAC_BUILD_BENCHMARKS "Build trifac-bench (Google Benchmark)" ${PROJECT_IS_TOP_LEVEL})
option(TRIFAC_BUILD_STUDY "Build the worker of bench/trifac-study" ${TRIFAC_BUILD_BENCHMARKS})
option(TRIFAC_BUILD_EXAMPLES "Build the trifac program and the examples" ${PROJECT_IS_TOP_LEVEL})
option(TRIFAC_BUILD_TUNER "The program trifac has the command tune, a tenth of its compile time" ON)
option(TRIFAC_BUILD_FUZZERS "Build the libFuzzer targets (Clang only)" OFF)
option(TRIFAC_INSTALL "Install the headers and the package files" ${PROJECT_IS_TOP_LEVEL})

set(TRIFAC_TEST_CUDA double CACHE STRING
  "Run the CUDA tests on: double (no GPU needed); device (a GPU; no other test and benchmark is built)")
set_property(CACHE TRIFAC_TEST_CUDA PROPERTY STRINGS double device)
option(TRIFAC_TEST_FULL "Compile what the full tier of the tests has besides: every suite in four types, not in one or two" OFF)

# Each has an option TRIFAC_WITH_<NAME> and a file cmake/components/<name>.cmake.
set(trifac_components openmp lapack opencl starpu distributed cuda cusolver eigen_plugin)

# Defines trifac::<component> where TRIFAC_WITH_<COMPONENT> is ON (then it must be there) or AUTO
# (then it may be missing); trifac_<component>_FOUND says which. The default is AUTO, in a
# subproject OFF: no library is searched for that its project has not asked for.
function(trifac_add_component component)
  string(TOUPPER TRIFAC_WITH_${component} option)
  set(default OFF)
  if(PROJECT_IS_TOP_LEVEL)
    set(default AUTO)
  endif()
  set(${option} ${default} CACHE STRING "Use ${component}: AUTO (where it is found), ON (required), OFF")
  set_property(CACHE ${option} PROPERTY STRINGS AUTO ON OFF)

  set(trifac_${component}_FOUND FALSE)
  set(trifac_${component}_reason "${option} is ${${option}}")
  if(${option})  # ON or AUTO
    set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)  # also for the project that adds us
    set(trifac_target_scope GLOBAL)
    include(${PROJECT_SOURCE_DIR}/cmake/components/${component}.cmake)
    if(NOT trifac_${component}_FOUND AND NOT ${option} STREQUAL "AUTO")
      message(FATAL_ERROR "${option} is ${${option}}, but ${trifac_${component}_reason}")
    endif()
  endif()

  if(trifac_${component}_FOUND)
    message(STATUS "trifac::${component}: yes")
  else()
    message(STATUS "trifac::${component}: no, ${trifac_${component}_reason}")
  endif()
  set(trifac_${component}_FOUND ${trifac_${component}_FOUND} PARENT_SCOPE)
endfunction()
