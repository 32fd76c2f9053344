//===- ProgramSource.h - A program to look at -------------------*- C++ -*-===//
#ifndef REPRISE_TOOLS_PROGRAMSOURCE_H
#define REPRISE_TOOLS_PROGRAMSOURCE_H

#include "CompileFlags.h"
#include "ModelFlags.h"
#include "artifact/ProgramFacts.h"

namespace reprise::tools {

/// What an artifact holds, or what a model is lowered to: the same facts of the
/// same program. Flags that an artifact can't heed are refused, and so is a
/// budget that cannot be met. The facts of a model name no command.
rt::Expected<ProgramFacts> readProgram(const std::string &source,
                                       const ModelFlags &model,
                                       const CompileFlags &compile);

/// That a program has no entry `wanted`, and which it has.
rt::Status noEntry(const std::string &source, const std::string &wanted,
                   const ProgramFacts &program);

} // namespace reprise::tools

#endif // REPRISE_TOOLS_PROGRAMSOURCE_H
