// Marks the classes and functions that a shared library of Baton exports. All others stay hidden.
#pragma once

#define BATON_EXPORT __attribute__((visibility("default")))
