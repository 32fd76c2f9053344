//===- ReadProgram.h - The facts of a program -------------------*- C++ -*-===//
#ifndef REPRISE_BUDGET_READPROGRAM_H
#define REPRISE_BUDGET_READPROGRAM_H

#include "reprise/Driver/RequestSettings.h"
#include "reprise/Program/ProgramFacts.h"

namespace reprise::driver {

/// Returns the facts of an artifact, or of the program that a model is lowered
/// to: the same for the same program. Rejects flags that cannot affect an
/// artifact, and a budget that cannot be met. The facts of a model name no
/// command.
rt::Expected<ProgramFacts> readProgram(const std::string &source,
                                       const ModelSettings &model,
                                       const CompileSettings &compile);

/// Returns the error that a program has no entry `wanted`, with its entries.
rt::Status noEntry(const std::string &source, const std::string &wanted,
                   const ProgramFacts &program);

} // namespace reprise::driver

#endif // REPRISE_BUDGET_READPROGRAM_H
