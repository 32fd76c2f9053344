//===- Target.h - Processors that programs are for --------------*- C++ -*-===//
#ifndef REPRISE_PASSES_TARGET_H
#define REPRISE_PASSES_TARGET_H

#include "reprise/Bridge/PlanProblem.h"

namespace reprise {

/// The features of processors that `text` names, in the form of
/// rt::hostTarget:
///
///   cpu:native             this machine
///   cpu:x86-64-v3          a level of the architecture, or a processor that
///                          LLVM knows
///   cpu:x86-64-v3,+avx512f,-bmi
///                          the same with features added and taken away
///
/// Features that need each other come and go together. Fails with a message
/// that says which names are known.
rt::Expected<std::string> resolveTarget(llvm::StringRef text);

} // namespace reprise

#endif // REPRISE_PASSES_TARGET_H
