# trifac::distributed, for programs that include trifac/distributed.hpp: MPI. And the BLACS, as
# ScaLAPACK brings it, where it is found: trifac::blacs, for trifac/blacs.hpp. Read by
# the build of trifac and by its installed package.
find_package(MPI QUIET COMPONENTS CXX)

set(trifac_distributed_FOUND ${MPI_CXX_FOUND})
set(trifac_distributed_reason "MPI was not found (Debian: libopenmpi-dev openmpi-bin)")

if(trifac_distributed_FOUND AND NOT TARGET trifac::distributed)
  add_library(trifac::distributed INTERFACE IMPORTED ${trifac_target_scope})
  target_link_libraries(trifac::distributed INTERFACE trifac::trifac MPI::MPI_CXX)
  # MPI's bindings for C++ of 1997 are not needed.
  target_compile_definitions(trifac::distributed INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)

  find_library(trifac_blacs_library NAMES scalapack-openmpi scalapack-mpich scalapack)
  mark_as_advanced(trifac_blacs_library)
  if(trifac_blacs_library)
    add_library(trifac::blacs INTERFACE IMPORTED ${trifac_target_scope})
    target_link_libraries(trifac::blacs INTERFACE trifac::distributed ${trifac_blacs_library})
  endif()
endif()
