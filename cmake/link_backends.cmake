# trifac_link_backends(<target>): links the target to the headers and to every component that was
# found, and tells it which as TRIFAC_EXPECT_<COMPONENT>=0 or 1.
function(trifac_link_backends target)
  target_link_libraries(${target} PRIVATE trifac::trifac)
  foreach(component IN LISTS trifac_components)
    string(TOUPPER TRIFAC_EXPECT_${component} expected)
    if(trifac_${component}_FOUND)
      target_link_libraries(${target} PRIVATE trifac::${component})
      target_compile_definitions(${target} PRIVATE ${expected}=1)
    else()
      target_compile_definitions(${target} PRIVATE ${expected}=0)
    endif()
  endforeach()
endfunction()
