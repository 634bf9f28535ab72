# Fuzzes each reader for ten minutes, in the build that matrix.cmake made with clang: cmake -P test/fuzz.cmake
#   Each goes on from the inputs that it found before; -DSECONDS=60 makes it shorter.
if(NOT DEFINED SECONDS)
  set(SECONDS 600)
endif()
set(tests "${CMAKE_CURRENT_LIST_DIR}/../build/clang/test")
foreach(reader json file)
  if(NOT EXISTS "${tests}/fuzz_${reader}")
    execute_process(COMMAND ${CMAKE_COMMAND} -E echo "left out the long fuzzing of ${reader}: it was not built")
    continue()
  endif()
  execute_process(COMMAND "${tests}/fuzz_${reader}" -max_total_time=${SECONDS} -max_len=4096 -verbosity=0 -print_final_stats=1
      "${tests}/corpus/${reader}" "${CMAKE_CURRENT_LIST_DIR}/corpus/${reader}"
    WORKING_DIRECTORY "${tests}" RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "the fuzzer of ${reader} found something")
  endif()
endforeach()
