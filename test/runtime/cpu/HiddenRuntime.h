//===- HiddenRuntime.h - A runtime that the library cannot see --*- C++ -*-===//
#ifndef REPRISE_TEST_RUNTIME_CPU_HIDDENRUNTIME_H
#define REPRISE_TEST_RUNTIME_CPU_HIDDENRUNTIME_H

#include <string>

namespace reprise::test {

/// Opens a session of a program on two threads; the error's text.
std::string openHidden();
/// The scratch bytes of a filter's gradient on a number of threads.
unsigned long workspaceHidden(unsigned threads);

} // namespace reprise::test

#endif // REPRISE_TEST_RUNTIME_CPU_HIDDENRUNTIME_H
