//===- Verbosity.h - How much is said ---------------------------*- C++ -*-===//
#ifndef REPRISE_TOOLS_VERBOSITY_H
#define REPRISE_TOOLS_VERBOSITY_H

namespace reprise::tools {

/// Quiet: no progress; results, warnings and errors stay. Verbose: errors say
/// where in the program they were made.
enum class Verbosity { Quiet, Normal, Verbose };

/// Of this process; set before work begins.
Verbosity &verbosity();

} // namespace reprise::tools

#endif // REPRISE_TOOLS_VERBOSITY_H
