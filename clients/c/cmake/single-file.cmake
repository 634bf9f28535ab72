# Writes the client as one file, for programs that take sources by copying: latchkey.h and the file written here.
#   cmake -DOUT=latchkey.c -P cmake/single-file.cmake
get_filename_component(folder "${CMAKE_CURRENT_LIST_DIR}/.." ABSOLUTE)
file(READ "${folder}/latchkey.c" whole)
while(whole MATCHES "#include \"(src/[a-z0-9-]+\\.h)\"")
  set(part "${CMAKE_MATCH_1}")
  file(READ "${folder}/${part}" text)
  string(REPLACE "#include \"${part}\"" "${text}" whole "${whole}")
endwhile()
string(REPLACE "#include \"../latchkey.h\"" "#include \"latchkey.h\"" whole "${whole}")
file(WRITE "${OUT}" "${whole}")
