# One line of src/registry.list makes an algorithm known to every host: for each line this writes
# one source file per host, from the host's template, so that hosts stay free of lists and a change
# to one algorithm rebuilds only what concerns it.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
             ${PROJECT_SOURCE_DIR}/src/registry.list)
file(STRINGS ${PROJECT_SOURCE_DIR}/src/registry.list BATON_REGISTRY REGEX "^[a-z]")

# baton_instances(OUT TEMPLATE [layered]): one file per algorithm from TEMPLATE, in which @HEADER@,
# @CLASS@ and @SYMBOL@ are replaced, and OUT set to their list; with `layered`, only for those that
# run on layers.
function(baton_instances out template)
  get_filename_component(stem ${template} NAME_WE)
  set(files)
  foreach(line IN LISTS BATON_REGISTRY)
    string(REPLACE " " ";" fields "${line}")
    list(GET fields 0 HEADER)
    list(GET fields 1 CLASS)
    if("layered" IN_LIST ARGN AND NOT "layered" IN_LIST fields)
      continue()
    endif()
    string(MAKE_C_IDENTIFIER "${CLASS}" SYMBOL)
    set(file ${CMAKE_CURRENT_BINARY_DIR}/${stem}_${SYMBOL}.cpp)
    configure_file(${template} ${file} @ONLY)
    list(APPEND files ${file})
  endforeach()
  set(${out} ${files} PARENT_SCOPE)
endfunction()

# baton_registry_table(OUT TEMPLATE KINDS…): one file in which @DECLARATIONS@ declares the function
# KIND_SYMBOL() for every algorithm and kind, and @ENTRIES@ has a line entry(KIND_SYMBOL(), …) for
# every algorithm, in the registry's order. Those without layers have the first kind alone, or with
# `layered` as the first of KINDS no line at all.
function(baton_registry_table out template)
  get_filename_component(stem ${template} NAME_WE)
  set(DECLARATIONS "")
  set(ENTRIES "")
  foreach(line IN LISTS BATON_REGISTRY)
    string(REPLACE " " ";" fields "${line}")
    list(GET fields 1 CLASS)
    string(MAKE_C_IDENTIFIER "${CLASS}" SYMBOL)
    set(kinds ${ARGN})
    if(NOT "layered" IN_LIST fields)
      list(GET ARGN 0 kinds)
    endif()
    if("layered" IN_LIST kinds)
      list(REMOVE_ITEM kinds layered)
      if(NOT kinds)
        continue()
      endif()
    endif()
    set(calls)
    foreach(kind IN LISTS kinds)
      string(APPEND DECLARATIONS "Runnable ${kind}_${SYMBOL}();\n")
      list(APPEND calls "${kind}_${SYMBOL}()")
    endforeach()
    list(JOIN calls ", " calls)
    string(APPEND ENTRIES "      entry(${calls}),\n")
  endforeach()
  set(file ${CMAKE_CURRENT_BINARY_DIR}/${stem}.cpp)
  configure_file(${template} ${file} @ONLY)
  set(${out} ${file} PARENT_SCOPE)
endfunction()

# baton_registry_rest(OUT TEMPLATE FOLDERS…): one file for the algorithms in these folders that do
# not run on layers, in which @INCLUDES@ has their headers and @ENTRIES@ a line &CLASS::info for
# each.
function(baton_registry_rest out template)
  get_filename_component(stem ${template} NAME_WE)
  set(INCLUDES)
  set(ENTRIES "")
  foreach(line IN LISTS BATON_REGISTRY)
    string(REPLACE " " ";" fields "${line}")
    list(GET fields 0 HEADER)
    list(GET fields 1 CLASS)
    get_filename_component(folder ${HEADER} DIRECTORY)
    if("layered" IN_LIST fields OR NOT folder IN_LIST ARGN)
      continue()
    endif()
    list(APPEND INCLUDES "#include \"${HEADER}.h\"")
    string(APPEND ENTRIES "    &${CLASS}::info,\n")
  endforeach()
  list(REMOVE_DUPLICATES INCLUDES)
  list(JOIN INCLUDES "\n" INCLUDES)
  set(file ${CMAKE_CURRENT_BINARY_DIR}/${stem}.cpp)
  configure_file(${template} ${file} @ONLY)
  set(${out} ${file} PARENT_SCOPE)
endfunction()
