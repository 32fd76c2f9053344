//===- Inventory.h - What a run takes of its data ---------------*- C++ -*-===//
#ifndef REPRISE_TOOLS_INVENTORY_H
#define REPRISE_TOOLS_INVENTORY_H

#include "reprise/Runtime/Trainer/Trainer.h"

namespace reprise::tools {

/// "3 .txt, 1 hidden": the most frequent first; "" for none.
std::string describeBeside(const rt::SkippedRows &skipped);

/// Tells in one line which files of `spec` are rows and which are not, and
/// which rows an epoch leaves out. Says nothing of data without files whose
/// rows are all used.
void tellInventory(const rt::DataSpec &spec, const rt::DataInventory &data);

/// Tells which files an evaluation leaves out; nothing if it uses all of them.
void tellEvaluationFiles(const std::string &source, const rt::Dataset &data);

/// Warns of files that were left out because they are damaged.
void warnOfSkipped(const rt::SkippedRows &skipped);

} // namespace reprise::tools

#endif // REPRISE_TOOLS_INVENTORY_H
