// The version of these headers. CMakeLists.txt reads the project's version here.
//
//   #if BATON_VERSION >= 200  // 0.2.0
#pragma once

#define BATON_VERSION_MAJOR 0
#define BATON_VERSION_MINOR 1
#define BATON_VERSION_PATCH 0

// "0.1.0"
#define BATON_VERSION_STRING             \
  BATON_DETAIL_TEXT(BATON_VERSION_MAJOR) \
  "." BATON_DETAIL_TEXT(BATON_VERSION_MINOR) "." BATON_DETAIL_TEXT(BATON_VERSION_PATCH)
#define BATON_DETAIL_TEXT(number) BATON_DETAIL_TEXT_OF(number)
#define BATON_DETAIL_TEXT_OF(number) #number

// The version as one number, for comparisons.
#define BATON_VERSION \
  (BATON_VERSION_MAJOR * 10000 + BATON_VERSION_MINOR * 100 + BATON_VERSION_PATCH)
