add_library(baton_options INTERFACE)
target_compile_options(baton_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                                               -Wno-sign-conversion -Wno-missing-field-initializers)
# Simulated results are the same on every machine: no fused multiply-add behind our back.
target_compile_options(baton_options INTERFACE -ffp-contract=off)
if(BATON_WERROR)
  target_compile_options(baton_options INTERFACE -Werror)
endif()
target_include_directories(baton_options INTERFACE ${PROJECT_SOURCE_DIR}/src)
