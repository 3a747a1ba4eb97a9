# trifac::eigen_plugin, for programs whose Eigen::LLT and Eigen::PartialPivLU shall use trifac: every
# file of the target is compiled with trifac/eigen_plugin.hpp. Read by the build of trifac and by its
# installed package. An Eigen3::Eigen that the project has already is taken.
if(NOT TARGET Eigen3::Eigen)
  find_package(Eigen3 QUIET NO_MODULE)
endif()

set(trifac_eigen_plugin_FOUND FALSE)
if(NOT TARGET Eigen3::Eigen)
  set(trifac_eigen_plugin_reason "Eigen was not found (Debian: libeigen3-dev)")
elseif(Eigen3_VERSION AND NOT Eigen3_VERSION MATCHES "^(3\\.4|5\\.0)\\.")
  set(trifac_eigen_plugin_reason "Eigen 3.4 or 5.0 is needed, and ${Eigen3_DIR} has ${Eigen3_VERSION}")
else()
  set(trifac_eigen_plugin_FOUND TRUE)
endif()

if(trifac_eigen_plugin_FOUND AND NOT TARGET trifac::eigen_plugin)
  add_library(trifac::eigen_plugin INTERFACE IMPORTED ${trifac_target_scope})
  target_link_libraries(trifac::eigen_plugin INTERFACE trifac::trifac Eigen3::Eigen)
  if(MSVC)
    set(trifac_first /FItrifac/eigen_plugin.hpp)
  else()
    set(trifac_first "SHELL:-include trifac/eigen_plugin.hpp")
  endif()
  target_compile_options(trifac::eigen_plugin INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${trifac_first}>")
endif()
