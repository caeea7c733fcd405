// What a shared library of Baton shows to those who link with it: classes and functions that are
// marked BATON_EXPORT, and nothing else.
#pragma once

#define BATON_EXPORT __attribute__((visibility("default")))
