//===- ProcessStart.h - First call of every tool ----------------*- C++ -*-===//
#ifndef REPRISE_RUNTIME_PROCESSSTART_H
#define REPRISE_RUNTIME_PROCESSSTART_H

namespace reprise::rt {

/// Prepares the process to report failed reads and writes as errors. A tool
/// calls this before it opens anything.
///
/// - File descriptors 0 to 2 that the caller closed are reserved, so that no
///   file of the tool becomes its standard output. Reading and writing them
///   fails with EBADF.
/// - SIGPIPE and SIGXFSZ are ignored: a reader that closes early and a file
///   above `ulimit -f` are EPIPE and EFBIG of the write.
void prepareProcess();

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_PROCESSSTART_H
