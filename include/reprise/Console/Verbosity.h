//===- Verbosity.h - The amount of output -----------------------*- C++ -*-===//
#ifndef REPRISE_CONSOLE_VERBOSITY_H
#define REPRISE_CONSOLE_VERBOSITY_H

namespace reprise::driver {

/// Quiet: no progress; results, warnings and errors remain. Verbose: errors
/// include the place in the program's code where they occurred.
enum class Verbosity { Quiet, Normal, Verbose };

/// The verbosity of this process; set before work begins.
Verbosity &verbosity();

} // namespace reprise::driver

#endif // REPRISE_CONSOLE_VERBOSITY_H
