# An overlay port, of the sources that it lies in:
#   vcpkg install trifac --overlay-ports=cmake/packaging/vcpkg
# In a registry vcpkg_from_github() sets SOURCE_PATH instead; nothing else differs.
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

if(NOT "kernels" IN_LIST FEATURES)
  set(VCPKG_BUILD_TYPE release)  # headers only
endif()
vcpkg_check_features(OUT_FEATURE_OPTIONS features FEATURES kernels TRIFAC_BUILD_KERNELS)
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS ${features}
    -DTRIFAC_BUILD_TESTS=OFF -DTRIFAC_BUILD_BENCHMARKS=OFF -DTRIFAC_BUILD_STUDY=OFF -DTRIFAC_BUILD_EXAMPLES=OFF
    -DTRIFAC_WITH_OPENMP=OFF -DTRIFAC_WITH_LAPACK=OFF -DTRIFAC_WITH_OPENCL=OFF -DTRIFAC_WITH_STARPU=OFF
    -DTRIFAC_WITH_DISTRIBUTED=OFF -DTRIFAC_WITH_CUDA=OFF -DTRIFAC_WITH_CUSOLVER=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH share/cmake/trifac)
vcpkg_fixup_pkgconfig()

# What both builds install; and the copyright has its place.
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share"
  "${CURRENT_PACKAGES_DIR}/share/doc")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/trifac")
