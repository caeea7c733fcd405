# Copies the headers of the laboratory's library to where they are installed:
#   cmake -D SOURCE=src -D TO=FOLDER/baton/lab -P lab_headers.cmake
# It begins with src/lab/*.h and follows the includes, so that the list cannot be out of date. Our
# files name each other from src/, as "core/ids.h"; in an installed tree that is
# <baton/lab/core/ids.h>, and "lab/lab.h" is <baton/lab/lab.h>.
cmake_minimum_required(VERSION 3.25)

# src/lab is the folder baton/lab itself.
function(installed_name out name)
  string(REGEX REPLACE "^lab/" "" name "${name}")
  set(${out} ${name} PARENT_SCOPE)
endfunction()

file(GLOB waiting RELATIVE ${SOURCE} ${SOURCE}/lab/*.h)
set(known ${waiting})
while(waiting)
  list(POP_FRONT waiting name)
  # Line by line would lose semicolons and brackets, which are special in lists.
  file(READ ${SOURCE}/${name} text)
  string(REGEX MATCHALL "#include \"[^\"]+\"" includes "${text}")
  foreach(include IN LISTS includes)
    string(REGEX REPLACE "#include \"(.*)\"" "\\1" other "${include}")
    if(NOT other IN_LIST known)
      list(APPEND known ${other})
      list(APPEND waiting ${other})
    endif()
    installed_name(becomes ${other})
    string(REPLACE "${include}" "#include <baton/lab/${becomes}>" text "${text}")
  endforeach()
  installed_name(file ${name})
  file(WRITE ${TO}/${file} "${text}")
endwhile()
