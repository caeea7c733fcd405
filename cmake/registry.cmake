# One line of src/registry.list makes an algorithm known to every host: for each line this writes
# one source file per host, from the host's template, so that hosts stay free of lists and a change
# to one algorithm rebuilds only what concerns it.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
             ${PROJECT_SOURCE_DIR}/src/registry.list)
file(STRINGS ${PROJECT_SOURCE_DIR}/src/registry.list BATON_REGISTRY REGEX "^[a-z]")

# baton_instances(OUT TEMPLATE): one file per algorithm from TEMPLATE, in which @HEADER@, @CLASS@
# and @SYMBOL@ are replaced, and OUT set to their list.
function(baton_instances out template)
  get_filename_component(stem ${template} NAME_WE)
  set(files)
  foreach(line IN LISTS BATON_REGISTRY)
    string(REPLACE " " ";" fields "${line}")
    list(GET fields 0 HEADER)
    list(GET fields 1 CLASS)
    string(MAKE_C_IDENTIFIER "${CLASS}" SYMBOL)
    set(file ${CMAKE_CURRENT_BINARY_DIR}/${stem}_${SYMBOL}.cpp)
    configure_file(${template} ${file} @ONLY)
    list(APPEND files ${file})
  endforeach()
  set(${out} ${files} PARENT_SCOPE)
endfunction()

# baton_registry_table(OUT TEMPLATE): one file in which @DECLARATIONS@ and @ENTRIES@ are the lines
# made from the patterns DECLARATION and ENTRY for every algorithm, in the registry's order.
function(baton_registry_table out template declaration entry)
  get_filename_component(stem ${template} NAME_WE)
  set(DECLARATIONS "")
  set(ENTRIES "")
  foreach(line IN LISTS BATON_REGISTRY)
    string(REPLACE " " ";" fields "${line}")
    list(GET fields 1 CLASS)
    string(MAKE_C_IDENTIFIER "${CLASS}" SYMBOL)
    string(REPLACE "SYMBOL" "${SYMBOL}" one "${declaration}")
    string(APPEND DECLARATIONS "${one}\n")
    string(REPLACE "SYMBOL" "${SYMBOL}" one "${entry}")
    string(APPEND ENTRIES "    ${one}\n")
  endforeach()
  set(file ${CMAKE_CURRENT_BINARY_DIR}/${stem}.cpp)
  configure_file(${template} ${file} @ONLY)
  set(${out} ${file} PARENT_SCOPE)
endfunction()
