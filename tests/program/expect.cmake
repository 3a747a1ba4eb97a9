# Runs PROGRAM with ARGUMENTS and holds it to its exit status and its words:
#   cmake -DPROGRAM=... -DARGUMENTS=a;b;c -DSTATUS=0 -DSAYS=regex [-DONE_LINE=ON] -P expect.cmake
# ONE_LINE: standard error must be exactly one line, besides what StarPU says itself.
execute_process(COMMAND ${PROGRAM} ${ARGUMENTS}
  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE errors)
message("${output}${errors}")
if(NOT status STREQUAL STATUS)
  message(FATAL_ERROR "exit status ${status} instead of ${STATUS}")
endif()
if(NOT "${output}${errors}" MATCHES "${SAYS}")
  message(FATAL_ERROR "does not say ${SAYS}")
endif()
string(REGEX REPLACE "\\[starpu\\][^\n]*\n" "" errors "${errors}")
if(ONE_LINE AND NOT errors MATCHES "^[^\n]+\n$")
  message(FATAL_ERROR "the error is not one line")
endif()
