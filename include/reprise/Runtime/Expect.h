//===- Expect.h - Return unless there is a value ----------------*- C++ -*-===//
#ifndef REPRISE_RUNTIME_EXPECT_H
#define REPRISE_RUNTIME_EXPECT_H

#include "reprise/Runtime/Status.h"

/// Declares `name`, an Expected with the value of an expression. Returns the
/// status of one without a value from the enclosing function.
#define REPRISE_EXPECT(name, ...)                                              \
  auto name = __VA_ARGS__;                                                     \
  if (!name.ok())                                                              \
  return name.status()

#endif // REPRISE_RUNTIME_EXPECT_H
