# Boost 1.81, headers only. tools/bootstrap installs Debian's package, or unpacks its headers under
# build/boost where another Boost is in the way.
find_path(BATON_BOOST_INCLUDE boost/pfr.hpp
          PATHS ${PROJECT_SOURCE_DIR}/build/boost/usr/include /usr/include
          NO_DEFAULT_PATH REQUIRED)
add_library(baton_boost INTERFACE)
target_include_directories(baton_boost SYSTEM INTERFACE ${BATON_BOOST_INCLUDE})
