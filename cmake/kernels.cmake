# trifac::kernels: the calls of trifac/engine/calls/calls.hpp, compiled once, and those of trifac.h for
# C, as a static and as a shared library. A C++ program that links it compiles in about a second; without
# it nothing changes. Built with `all` where TRIFAC_BUILD_KERNELS is ON, else when something links it.

# A library whose user has chosen neither a build type nor flags of his own: -O2.
function(trifac_optimize target)
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES AND NOT CMAKE_CXX_FLAGS MATCHES "-O")
    target_compile_options(${target} PRIVATE -O2)
  endif()
endfunction()

# One file for each type: 40 seconds each (Zen 4). -fPIC for both libraries, which share the
# objects.
add_library(trifac_kernel_objects OBJECT EXCLUDE_FROM_ALL)
foreach(type IN LISTS TRIFAC_KERNEL_TYPES)
  string(MAKE_C_IDENTIFIER ${type} name)
  set(source ${PROJECT_BINARY_DIR}/kernels/${name}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT
    "#include <complex>\n#define TRIFAC_KERNEL_TYPE ${type}\n#include \"${PROJECT_SOURCE_DIR}/cmake/kernels.cpp\"\n")
  target_sources(trifac_kernel_objects PRIVATE ${source})
endforeach()
target_compile_definitions(trifac_kernel_objects PRIVATE TRIFAC_INSIDE_KERNELS)

# trifac.h: files of each type that use the library as every program does.
add_library(trifac_c_objects OBJECT EXCLUDE_FROM_ALL cmake/c_api/common.cpp)
set(letter_of_float s)
set(letter_of_double d)
set(letter_of_std__complex_float_ c)
set(letter_of_std__complex_double_ z)
foreach(type IN LISTS TRIFAC_KERNEL_TYPES)
  string(MAKE_C_IDENTIFIER ${type} name)
  set(source ${PROJECT_BINARY_DIR}/c_api/${name}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT
    "#include <complex>\n#define TRIFAC_C_TYPE ${type}\n#define TRIFAC_C_LETTER ${letter_of_${name}}\n#include \"${PROJECT_SOURCE_DIR}/cmake/c_api/calls.cpp\"\n")
  target_sources(trifac_c_objects PRIVATE ${source})
endforeach()
target_include_directories(trifac_c_objects PRIVATE ${PROJECT_SOURCE_DIR}/cmake/c_api)
target_compile_definitions(trifac_c_objects PRIVATE TRIFAC_USE_KERNELS=1)

foreach(objects IN ITEMS trifac_kernel_objects trifac_c_objects)
  target_link_libraries(${objects} PRIVATE trifac::trifac)
  set_target_properties(${objects} PROPERTIES
    POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON UNITY_BUILD OFF)
  trifac_optimize(${objects})
  # On x86-64 without FMA plain loops fuse nothing; nor shall they here, for the same bits.
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64" AND CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
    target_compile_options(${objects} PRIVATE -ffp-contract=off)
  endif()
endforeach()

foreach(kind IN ITEMS static shared)
  string(TOUPPER ${kind} keyword)
  add_library(trifac_kernels_${kind} ${keyword} EXCLUDE_FROM_ALL
    $<TARGET_OBJECTS:trifac_kernel_objects> $<TARGET_OBJECTS:trifac_c_objects>)
  add_library(trifac::kernels_${kind} ALIAS trifac_kernels_${kind})
  target_link_libraries(trifac_kernels_${kind} INTERFACE trifac::trifac)
  target_include_directories(trifac_kernels_${kind} INTERFACE
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/cmake/c_api>)
  target_compile_definitions(trifac_kernels_${kind} INTERFACE TRIFAC_USE_KERNELS=1)
  set_target_properties(trifac_kernels_${kind} PROPERTIES
    EXPORT_NAME kernels_${kind} OUTPUT_NAME trifac-kernels LINKER_LANGUAGE CXX)
  if(TRIFAC_BUILD_KERNELS)
    set_target_properties(trifac_kernels_${kind} PROPERTIES EXCLUDE_FROM_ALL OFF)
  endif()
endforeach()
# Before 1.0 each minor version may change the calls.
set_target_properties(trifac_kernels_shared PROPERTIES
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})

# A program in C that links the shared library need not know that its calls may start threads.
find_package(Threads)
target_link_libraries(trifac_kernels_shared PRIVATE $<TARGET_NAME_IF_EXISTS:Threads::Threads>)

if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  set(map ${PROJECT_SOURCE_DIR}/cmake/kernels.map)
  target_link_options(trifac_kernels_shared PRIVATE -Wl,--version-script=${map})
  set_property(TARGET trifac_kernels_shared APPEND PROPERTY LINK_DEPENDS ${map})
endif()

# A shared library with the static kernels inside does not show them: two of them in one program would
# have to be of one version.
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  target_link_options(trifac_kernels_static INTERFACE LINKER:--exclude-libs,libtrifac-kernels.a)
endif()

# For programs of this build that compile nests of their own: the headers as the library sees them,
# with its kernels.
add_library(trifac_inside_kernels INTERFACE)
target_link_libraries(trifac_inside_kernels INTERFACE trifac::trifac
  $<TARGET_FILE:trifac_kernels_static>)
add_dependencies(trifac_inside_kernels trifac_kernels_static)  # Makefiles know no rule for the file
target_compile_definitions(trifac_inside_kernels INTERFACE TRIFAC_INSIDE_KERNELS)
target_compile_options(trifac_inside_kernels INTERFACE
  "SHELL:-include \"${PROJECT_SOURCE_DIR}/include/trifac/engine/simd/linked_kernels.hpp\"")

# The one that a program links, by the customary switch.
add_library(trifac_kernels INTERFACE)
add_library(trifac::kernels ALIAS trifac_kernels)
set_target_properties(trifac_kernels PROPERTIES EXPORT_NAME kernels)
if(BUILD_SHARED_LIBS)
  target_link_libraries(trifac_kernels INTERFACE trifac::kernels_shared)
else()
  target_link_libraries(trifac_kernels INTERFACE trifac::kernels_static)
endif()
