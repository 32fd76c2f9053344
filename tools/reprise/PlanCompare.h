//===- PlanCompare.h - reprise plan --compare -------------------*- C++ -*-===//
#ifndef REPRISE_TOOLS_PLANCOMPARE_H
#define REPRISE_TOOLS_PLANCOMPARE_H

#include "CompileFlags.h"
#include "ModelFlags.h"

namespace reprise::driver {

/// Prints, for each of the models, the memory that every checkpointing mode
/// saves compared with the step without recomputation, and the time it adds;
/// with --checkpointing or --budget also that mode or that budget.
rt::Status comparePlans(const std::vector<std::string> &sources,
                        const ModelFlags &model, const CompileFlags &compile,
                        bool json);

} // namespace reprise::driver

#endif // REPRISE_TOOLS_PLANCOMPARE_H
