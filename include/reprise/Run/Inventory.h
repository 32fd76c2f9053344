//===- Inventory.h - The files that a run uses ------------------*- C++ -*-===//
#ifndef REPRISE_RUN_INVENTORY_H
#define REPRISE_RUN_INVENTORY_H

#include "reprise/Runtime/Trainer/Trainer.h"

namespace reprise::driver {

/// Returns "3 .txt, 1 hidden": the most frequent first; "" for none.
std::string describeBeside(const rt::SkippedRows &skipped);

/// Prints in one line the files of `spec` that are rows and those that are not,
/// and the rows that an epoch leaves out. Prints nothing for data without files
/// whose rows are all used.
void tellInventory(const rt::DataSpec &spec, const rt::DataInventory &data);

/// Prints the files that an evaluation leaves out; nothing if it uses all of
/// them.
void tellEvaluationFiles(const std::string &source, const rt::Dataset &data);

/// Warns of files that were left out because they are damaged.
void warnOfSkipped(const rt::SkippedRows &skipped);

/// Shows which variables the weights left out, resized, or had none for.
void tellWeights(const rt::WeightsReport &report);

} // namespace reprise::driver

#endif // REPRISE_RUN_INVENTORY_H
