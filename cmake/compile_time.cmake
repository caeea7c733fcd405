# Most of what compiling a folder of the service takes goes into reading headers: those of Asio,
# Protocol Buffers and gRPC take seconds in every file. Files that are compiled together read them
# once.
option(BATON_UNITY "Compile several files of a folder at a time: quicker from nothing" ON)

# baton_unity(TARGET SIZE): SIZE files of the target at a time. What they declare in anonymous
# namespaces must have different names.
function(baton_unity target size)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${BATON_UNITY}
                                             UNITY_BUILD_BATCH_SIZE ${size})
endfunction()

# baton_cold(TARGET): nothing in it runs often enough to be worth the compiler's time. It saves a
# quarter.
function(baton_cold target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()
