# trifac::cuda, for programs that include trifac/backend/cuda.hpp. Read by the build of trifac and
# by its installed package. CUDAToolkit_ROOT says where CUDA lies; no compiler and no driver of it
# is needed. With TRIFAC_WITH_CUBLAS=OFF all products are trifac's own.
set(trifac_cuda_libraries cudart nvrtc cublas)
if(DEFINED TRIFAC_WITH_CUBLAS AND NOT TRIFAC_WITH_CUBLAS)
  list(REMOVE_ITEM trifac_cuda_libraries cublas)
endif()
list(PREPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR}/..)
find_package(CUDALibraries QUIET COMPONENTS ${trifac_cuda_libraries})
list(POP_FRONT CMAKE_MODULE_PATH)

set(trifac_cuda_FOUND FALSE)
if(CUDALibraries_VERSION AND CUDALibraries_VERSION VERSION_LESS 12.8)  # cudaLibraryLoadData
  set(trifac_cuda_reason
    "CUDA 12.8 or later is needed, and ${CUDALibraries_INCLUDE_DIR} is of ${CUDALibraries_VERSION}")
elseif(NOT CUDALibraries_FOUND)
  set(trifac_cuda_reason "libcudart, libnvrtc and libcublas of the CUDA Toolkit were not found (set \
CUDAToolkit_ROOT; trifac's cmake/cuda_from_pypi.sh fetches them; TRIFAC_WITH_CUBLAS=OFF does without cuBLAS)")
else()
  set(trifac_cuda_FOUND TRUE)
endif()

if(trifac_cuda_FOUND AND NOT TARGET trifac::cuda)
  add_library(trifac::cuda INTERFACE IMPORTED ${trifac_target_scope})
  list(TRANSFORM trifac_cuda_libraries PREPEND CUDALibraries::)
  target_link_libraries(trifac::cuda INTERFACE trifac::trifac ${trifac_cuda_libraries})
  if(NOT CUDALibraries::cublas IN_LIST trifac_cuda_libraries)
    target_compile_definitions(trifac::cuda INTERFACE TRIFAC_CUBLAS=0)
  endif()
endif()
