add_library(baton_options INTERFACE)
target_compile_options(baton_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                                               -Wno-sign-conversion -Wno-missing-field-initializers)
# gcc 12 sees overlaps in std::string that are not there (its bug 105651), takes lengths of vectors for
# negative and objects for smaller than they are, and says so where a header was precompiled.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(baton_options INTERFACE -Wno-restrict -Wno-stringop-overflow
                                                 -Wno-stringop-overread -Wno-array-bounds)
endif()
# Simulated results are the same on every machine: no fused multiply-add behind our back.
target_compile_options(baton_options INTERFACE -ffp-contract=off)
if(BATON_WERROR)
  target_compile_options(baton_options INTERFACE -Werror)
endif()
target_include_directories(baton_options INTERFACE ${PROJECT_SOURCE_DIR}/src)
