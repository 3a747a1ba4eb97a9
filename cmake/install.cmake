# What `cmake --install` puts where: headers, the CMake package, the pkg-config files.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# Except the libraries of trifac::kernels, nothing depends on the processor, so it goes to share/.
set(package_dir ${CMAKE_INSTALL_DATADIR}/cmake/trifac)

install(DIRECTORY include/trifac TYPE INCLUDE FILES_MATCHING PATTERN "*.hpp" PATTERN "*.inl" PATTERN "*.h")
install(FILES LICENSE TYPE DOC)

install(TARGETS trifac_headers EXPORT trifac INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT trifac NAMESPACE trifac:: FILE trifac-targets.cmake DESTINATION ${package_dir})
if(TRIFAC_BUILD_KERNELS)
  install(FILES cmake/c_api/trifac.h TYPE INCLUDE)
  # OPTIONAL: without a build the headers alone are installed. Each library has a file of its own, so
  # that a package may leave the other out.
  foreach(kind IN ITEMS static shared)
    install(TARGETS trifac_kernels_${kind} EXPORT trifac-kernels-${kind}
      ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} OPTIONAL
      LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} OPTIONAL
      INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
    install(EXPORT trifac-kernels-${kind} NAMESPACE trifac:: DESTINATION ${package_dir})
  endforeach()
  # For libraries that export themselves and link trifac::kernels. The package does not read this
  # file: there the customary switch decides anew (components/kernels.cmake).
  install(TARGETS trifac_kernels EXPORT trifac-linked-kernels)
  install(EXPORT trifac-linked-kernels NAMESPACE trifac:: DESTINATION ${package_dir})
  if(TARGET trifac_distributed)
    install(TARGETS trifac_distributed EXPORT trifac-scalapack
      ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} OPTIONAL)
    install(EXPORT trifac-scalapack NAMESPACE trifac:: DESTINATION ${package_dir})
  endif()
endif()
if(TRIFAC_BUILD_LAPACK_ABI AND TARGET trifac_lapack)
  install(TARGETS trifac_lapack EXPORT trifac-lapack-abi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT trifac-lapack-abi NAMESPACE trifac:: DESTINATION ${package_dir})
endif()
install(DIRECTORY cmake/components DESTINATION ${package_dir})
install(FILES cmake/FindLAPACKE.cmake cmake/FindCUDALibraries.cmake DESTINATION ${package_dir})

configure_package_config_file(cmake/trifac-config.cmake.in ${PROJECT_BINARY_DIR}/trifac-config.cmake
  INSTALL_DESTINATION ${package_dir} PATH_VARS CMAKE_INSTALL_LIBDIR NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/trifac-config-version.cmake
  COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES ${PROJECT_BINARY_DIR}/trifac-config.cmake
  ${PROJECT_BINARY_DIR}/trifac-config-version.cmake DESTINATION ${package_dir})

# trifac_install_pkgconfig(<name> <folder>): the prefix is found from where the file lies, so that a
# prefix can be moved; folders that were given as absolute paths stay where they are.
function(trifac_install_pkgconfig name folder)
  cmake_path(ABSOLUTE_PATH folder BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX} OUTPUT_VARIABLE place)
  file(RELATIVE_PATH prefix_from_pkgconfig ${place}/pkgconfig ${CMAKE_INSTALL_PREFIX})
  cmake_path(APPEND includedir "\${prefix}" ${CMAKE_INSTALL_INCLUDEDIR})
  cmake_path(APPEND libdir "\${prefix}" ${CMAKE_INSTALL_LIBDIR})
  configure_file(cmake/${name}.pc.in ${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${folder}/pkgconfig)
endfunction()
trifac_install_pkgconfig(trifac ${CMAKE_INSTALL_DATADIR})
if(TRIFAC_BUILD_KERNELS)
  trifac_install_pkgconfig(trifac-kernels ${CMAKE_INSTALL_LIBDIR})
endif()
