# One line of src/algorithms/registry.list makes an algorithm known to every host. Hosts that are templates over
# the algorithm's class get one source file per line, from the host's own template. The others
# include the generated registry.inc, so that hosts stay free of lists and a change to one algorithm
# rebuilds only what concerns it.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
             ${PROJECT_SOURCE_DIR}/src/algorithms/registry.list)
file(STRINGS ${PROJECT_SOURCE_DIR}/src/algorithms/registry.list BATON_REGISTRY REGEX "^[a-z]")

# Which form an algorithm has: OBSERVER, or a lock or election that is LAYERED or PLAIN.
function(baton_form out header fields)
  if(header MATCHES "^observe/")
    set(${out} OBSERVER PARENT_SCOPE)
  elseif("layered" IN_LIST fields)
    set(${out} LAYERED PARENT_SCOPE)
  else()
    set(${out} PLAIN PARENT_SCOPE)
  endif()
endfunction()

# baton_instances(OUT TEMPLATE [FORMS…]): one file per algorithm from TEMPLATE, in which @HEADER@,
# @CLASS@ and @SYMBOL@ are replaced, and OUT set to their list; with FORMS, only for algorithms of
# these forms.
function(baton_instances out template)
  get_filename_component(stem ${template} NAME_WE)
  set(files)
  foreach(line IN LISTS BATON_REGISTRY)
    string(REPLACE " " ";" fields "${line}")
    list(GET fields 0 HEADER)
    list(GET fields 1 CLASS)
    baton_form(form ${HEADER} "${fields}")
    if(ARGN AND NOT form IN_LIST ARGN)
      continue()
    endif()
    string(MAKE_C_IDENTIFIER "${CLASS}" SYMBOL)
    set(file ${CMAKE_CURRENT_BINARY_DIR}/${stem}_${SYMBOL}.cpp)
    set(HEADER algorithms/${HEADER})
    configure_file(${template} ${file} @ONLY)
    list(APPEND files ${file})
  endforeach()
  set(${out} ${files} PARENT_SCOPE)
endfunction()

# registry.inc: one line FORM(SYMBOL) per algorithm, in the registry's order. Whoever includes it
# defines before what the three forms stand for.
set(lines "// Written by cmake/registry.cmake from src/algorithms/registry.list.\n")
foreach(line IN LISTS BATON_REGISTRY)
  string(REPLACE " " ";" fields "${line}")
  list(GET fields 0 header)
  list(GET fields 1 class)
  baton_form(form ${header} "${fields}")
  string(MAKE_C_IDENTIFIER "${class}" symbol)
  string(APPEND lines "${form}(${symbol})\n")
endforeach()
string(APPEND lines "#undef OBSERVER\n#undef PLAIN\n#undef LAYERED\n")
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/registry.inc CONTENT "${lines}" @ONLY)
