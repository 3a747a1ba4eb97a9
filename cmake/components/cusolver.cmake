# trifac::cusolver, for programs that include trifac/backend/cusolver.hpp. Read by the build of
# trifac and by its installed package.
if(DEFINED TRIFAC_WITH_CUDA AND NOT TRIFAC_WITH_CUDA)  # in the build of trifac
  set(trifac_cuda_FOUND FALSE)
  set(trifac_cuda_reason "TRIFAC_WITH_CUDA is ${TRIFAC_WITH_CUDA}")
else()
  include(${CMAKE_CURRENT_LIST_DIR}/cuda.cmake)
endif()
list(PREPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR}/..)
find_package(CUDALibraries QUIET COMPONENTS cusolver)
list(POP_FRONT CMAKE_MODULE_PATH)

set(trifac_cusolver_FOUND FALSE)
if(NOT trifac_cuda_FOUND)
  set(trifac_cusolver_reason "${trifac_cuda_reason}")
elseif(DEFINED TRIFAC_WITH_CUBLAS AND NOT TRIFAC_WITH_CUBLAS)
  set(trifac_cusolver_reason "TRIFAC_WITH_CUBLAS is ${TRIFAC_WITH_CUBLAS}")
elseif(NOT CUDALibraries_cusolver_FOUND)
  set(trifac_cusolver_reason "libcusolver was not found beside ${CUDALibraries_INCLUDE_DIR}")
else()
  set(trifac_cusolver_FOUND TRUE)
endif()

if(trifac_cusolver_FOUND AND NOT TARGET trifac::cusolver)
  add_library(trifac::cusolver INTERFACE IMPORTED ${trifac_target_scope})
  target_link_libraries(trifac::cusolver INTERFACE trifac::cuda CUDALibraries::cusolver)
endif()
