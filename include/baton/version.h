// Which version of Baton these headers are of. CMakeLists.txt reads the project's version here.
//
//   #if BATON_VERSION >= 200  // 0.2.0
#pragma once

#define BATON_VERSION_MAJOR 0
#define BATON_VERSION_MINOR 1
#define BATON_VERSION_PATCH 0
#define BATON_VERSION_STRING "0.1.0"

// As one number, for comparisons.
#define BATON_VERSION \
  (BATON_VERSION_MAJOR * 10000 + BATON_VERSION_MINOR * 100 + BATON_VERSION_PATCH)
