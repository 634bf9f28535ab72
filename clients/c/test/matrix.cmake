# Builds and tests the client in every way that is promised: cmake -P test/matrix.cmake
#   gcc and clang with the address and undefined behaviour sanitizers, the threads with the thread sanitizer, optimized
#   without a sanitizer, as one file, and installed for a program that uses CMake or pkg-config; the format of the sources.
get_filename_component(folder "${CMAKE_CURRENT_LIST_DIR}/.." ABSOLUTE)
set(build "${folder}/build")

function(run)
  execute_process(COMMAND ${ARGV} WORKING_DIRECTORY "${folder}" RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    list(JOIN ARGV " " command)
    # A message would wrap the lines of compilers.
    execute_process(COMMAND ${CMAKE_COMMAND} -E echo "${output}")
    message(FATAL_ERROR "failed: ${command}")
  endif()
endfunction()

# The line by which `npm run test:clients` knows it.
function(leave_out what)
  execute_process(COMMAND ${CMAKE_COMMAND} -E echo "left out ${what}")
endfunction()

function(build_and_test name)
  run(cmake -S . -B "${build}/${name}" ${ARGN})
  run(cmake --build "${build}/${name}" --parallel 2)
  run(ctest --test-dir "${build}/${name}" --output-on-failure --parallel 2)
  message(STATUS "${name}: built and tested")
endfunction()

build_and_test(plain -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER=gcc -DCMAKE_CXX_COMPILER=g++)
build_and_test(gcc -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_C_COMPILER=gcc -DCMAKE_CXX_COMPILER=g++ -DLATCHKEY_SANITIZE=address,undefined)
# The thread sanitizer makes everything ten times slower, and only this program has several threads.
run(cmake -S . -B "${build}/threads" -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_C_COMPILER=gcc -DCMAKE_CXX_COMPILER=g++
  -DLATCHKEY_SANITIZE=thread)
run(cmake --build "${build}/threads" --target threads)
run("${build}/threads/test/threads")
message(STATUS "threads: built and tested")
find_program(clang clang)
if(clang)
  build_and_test(clang -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++
    -DLATCHKEY_SANITIZE=address,undefined -DLATCHKEY_FUZZ=ON)
else()
  leave_out("the warnings of clang and the fuzzers: this machine has no clang")
endif()

# The client as one file is the same client.
run(cmake -DOUT=${build}/single/latchkey.c -P cmake/single-file.cmake)
file(COPY "${folder}/latchkey.h" DESTINATION "${build}/single")
run(gcc -std=c11 -Wall -Wextra -Wpedantic -Werror -c "${build}/single/latchkey.c" -o "${build}/single/latchkey.o")
message(STATUS "single file: compiled")

# Programs for Windows compile, if the compiler is here. Nothing runs them.
find_program(mingw x86_64-w64-mingw32-gcc)
if(mingw)
  foreach(source latchkey.c adapters/latchkey_winhttp.c)
    run(${mingw} -std=c11 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -fsyntax-only -I. ${source})
  endforeach()
  message(STATUS "Windows: compiled")
else()
  leave_out("programs for Windows: this machine has no x86_64-w64-mingw32-gcc")
endif()

# An installed client is found by CMake and by pkg-config.
run(cmake --install "${build}/plain" --prefix "${build}/installed")
run(cmake -S test/consumer -B "${build}/consumer" -DCMAKE_PREFIX_PATH=${build}/installed)
run(cmake --build "${build}/consumer")
run("${build}/consumer/consumer")
file(GLOB_RECURSE modules "${build}/installed/*/latchkey.pc")
get_filename_component(modules "${modules}" DIRECTORY)
set(ENV{PKG_CONFIG_PATH} "${modules}")
run(sh -c "gcc test/consumer/consumer.c -o '${build}/consumer/by-pkg-config' $(pkg-config --cflags --libs latchkey-curl latchkey) && '${build}/consumer/by-pkg-config'")
message(STATUS "installed: found by CMake and pkg-config")

find_program(clang_format clang-format)
if(clang_format)
  file(GLOB sources "${folder}/src/*.h" "${folder}/adapters/*.h" "${folder}/adapters/*.c" "${folder}/test/*.h" "${folder}/test/*.c"
    "${folder}/test/*.cpp" "${folder}/test/consumer/*.c" "${folder}/latchkey.*")
  run(${clang_format} --dry-run -Werror ${sources})
  message(STATUS "format: right")
else()
  leave_out("the format: this machine has no clang-format")
endif()
