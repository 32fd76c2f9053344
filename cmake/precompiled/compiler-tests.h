//===- compiler-tests.h - Precompiled: for unit tests of the compiler -----===//
#include "dialects.h"

#include <gtest/gtest.h>
#include <random>
