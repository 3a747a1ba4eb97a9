# trifac_link_backends(<target> [NESTS] [WITHOUT <component>...]): links the target to trifac::kernels,
# or with NESTS, where it compiles nests of its own, to the headers and the library's kernels; and to every
# component that was found but for those named, and tells it which as
# TRIFAC_EXPECT_<COMPONENT>=0 or 1.
function(trifac_link_backends target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "NESTS" "" "WITHOUT")
  if(arg_NESTS)
    target_link_libraries(${target} PRIVATE trifac_inside_kernels)
  else()
    target_link_libraries(${target} PRIVATE trifac::kernels_static)
  endif()
  foreach(component IN LISTS trifac_components)
    string(TOUPPER TRIFAC_EXPECT_${component} expected)
    if(trifac_${component}_FOUND AND NOT component IN_LIST arg_WITHOUT)
      if(TARGET trifac_${component}_instances AND NOT arg_NESTS)
        target_link_libraries(${target} PRIVATE trifac_${component}_instances)
      endif()
      target_link_libraries(${target} PRIVATE trifac::${component})
      target_compile_definitions(${target} PRIVATE ${expected}=1)
    else()
      target_compile_definitions(${target} PRIVATE ${expected}=0)
    endif()
  endforeach()
endfunction()
