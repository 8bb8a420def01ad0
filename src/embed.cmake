# Turns the files DIR/GLOB into one C file of byte arrays:
#     cmake -DOUT=x.c -DNAME=pm_queries -DDIR=queries -DGLOB=*.sql -P src/embed.cmake
# Arrays and not string literals: C11 promises only 4095 characters in a literal.
cmake_minimum_required(VERSION 3.21)

file(GLOB files "${DIR}/${GLOB}")
list(FILTER files EXCLUDE REGEX "/rules/test[.]csv$") # cases for a unit test
list(SORT files)
set(arrays "")
set(table "")
set(n 0)
foreach(path IN LISTS files)
    get_filename_component(name "${path}" NAME_WE)
    file(READ "${path}" hex HEX)
    string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
    string(APPEND arrays "static const char file_${n}[] = {${bytes}0x00};\n")
    string(APPEND table "    {\"${name}\", file_${n}, sizeof file_${n} - 1},\n")
    math(EXPR n "${n} + 1")
endforeach()
file(WRITE "${OUT}.new" "/* Generated from ${NAME}; do not edit. */\n#include \"store/file/embedded.h\"\n\n"
     "${arrays}\nconst pm_embedded ${NAME}[] = {\n${table}    {0, 0, 0},\n};\n")
file(RENAME "${OUT}.new" "${OUT}")
