# trifac_opencl_instances, trifac_cuda_instances: what the device backends do for the four LAPACK
# types, compiled once for the programs of this build, one file for each type. They save 40 % of the
# compile time of trifac-bench, trifac and the study's worker. Users compile what they call.
foreach(component IN ITEMS opencl cuda)
  if(NOT trifac_${component}_FOUND)
    continue()
  endif()
  string(TOUPPER ${component} upper)
  set(instances trifac_${component}_instances)
  add_library(${instances} STATIC EXCLUDE_FROM_ALL)
  foreach(type IN ITEMS double float std::complex<double> std::complex<float>)
    string(MAKE_C_IDENTIFIER ${type} name)
    set(source ${PROJECT_BINARY_DIR}/${component}/${name}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "#include \"${PROJECT_SOURCE_DIR}/cmake/device_instances.hpp\"
namespace trifac::device {
inline namespace TRIFAC_ABI {
TRIFAC_DEVICE_INSTANCES(template, ${component}_runtime, ${type})
}
}\n")
    target_sources(${instances} PRIVATE ${source})
  endforeach()
  set_target_properties(${instances} PROPERTIES UNITY_BUILD OFF)
  target_link_libraries(${instances} PRIVATE trifac::kernels)
  # The headers only: a test links a double of CUDA.
  foreach(property IN ITEMS INCLUDE_DIRECTORIES COMPILE_DEFINITIONS COMPILE_OPTIONS)
    set_property(TARGET ${instances} APPEND PROPERTY
      ${property} $<TARGET_PROPERTY:trifac::${component},INTERFACE_${property}>)
  endforeach()
  target_compile_definitions(${instances} PUBLIC TRIFAC_INSTANCES_${upper}=1)
  target_precompile_headers(${instances} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/device_instances.hpp)
  # They prepare the devices' work.
  target_compile_options(${instances} PRIVATE $<$<CONFIG:Release>:-O1>)
endforeach()
