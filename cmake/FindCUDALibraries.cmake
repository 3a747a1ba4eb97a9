# Finds headers and shared libraries of the CUDA Toolkit, without asking for its compiler as CMake's
# own module does: CUDALibraries_FOUND, CUDALibraries_VERSION, and for each component (cudart,
# nvrtc, cublas, cusolver) CUDALibraries_<component>_FOUND and the target
# CUDALibraries::<component>. CUDAToolkit_ROOT says where to look first.
find_path(CUDALibraries_INCLUDE_DIR cuda_runtime_api.h
  HINTS ${CUDAToolkit_ROOT} ENV CUDAToolkit_ROOT ENV CUDA_HOME ENV CUDA_PATH
  PATHS /usr/local/cuda /opt/cuda
  PATH_SUFFIXES include targets/x86_64-linux/include targets/sbsa-linux/include)
mark_as_advanced(CUDALibraries_INCLUDE_DIR)
# The libraries that belong to those headers, not others.
get_filename_component(root "${CUDALibraries_INCLUDE_DIR}" DIRECTORY)
foreach(component IN LISTS CUDALibraries_FIND_COMPONENTS)
  find_library(CUDALibraries_${component} ${component} HINTS ${root}
    PATH_SUFFIXES lib64 lib lib/x64 NO_DEFAULT_PATH)
  if(root STREQUAL "/usr")
    find_library(CUDALibraries_${component} ${component})
  endif()
  mark_as_advanced(CUDALibraries_${component})
  set(CUDALibraries_${component}_FOUND FALSE)
  if(CUDALibraries_${component})
    set(CUDALibraries_${component}_FOUND TRUE)
    if(NOT TARGET CUDALibraries::${component})
      add_library(CUDALibraries::${component} UNKNOWN IMPORTED)
      set_target_properties(CUDALibraries::${component} PROPERTIES
        IMPORTED_LOCATION ${CUDALibraries_${component}}
        INTERFACE_INCLUDE_DIRECTORIES ${CUDALibraries_INCLUDE_DIR})
    endif()
  endif()
endforeach()

unset(CUDALibraries_VERSION)
if(CUDALibraries_INCLUDE_DIR)
  file(STRINGS ${CUDALibraries_INCLUDE_DIR}/cuda_runtime_api.h line REGEX "define CUDART_VERSION ")
  string(REGEX MATCH "[0-9]+" number "${line}")
  math(EXPR major "${number} / 1000")
  math(EXPR minor "${number} % 1000 / 10")
  set(CUDALibraries_VERSION ${major}.${minor})
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CUDALibraries
  REQUIRED_VARS CUDALibraries_INCLUDE_DIR VERSION_VAR CUDALibraries_VERSION HANDLE_COMPONENTS)
