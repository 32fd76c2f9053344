//===- Averages.h - Moving averages of variables ----------------*- C++ -*-===//
//
// A program may keep moving averages of its parameters and running statistics
// as variables of its optimizer (reprise/Averages.h); its evaluation reads them
// in place of the variables.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TRAINER_AVERAGES_H
#define REPRISE_TRAINER_AVERAGES_H

#include "StoredVariables.h"

namespace reprise::rt {

/// Returns true if the program keeps averages.
bool keepsAverages(const Backend &backend);
/// Returns true if the file has averages of tensors that it also has.
bool storesAverages(const SafetensorsFile &file);

/// Sets each average to the present value of its variable.
Status beginAverages(Backend &backend);

/// Sets the variables to the averages in the file; those without one keep their
/// values. Fails at averages of another shape or type.
Status takeAverages(Backend &backend, const SafetensorsFile &file);

/// Removes from `found` the averages that the file lacks, if it has none, or
/// those that the program does not keep, if it keeps none.
enum class AveragesDiffer { No, Missing, Unexpected };
AveragesDiffer forgiveAverages(const Backend &backend,
                               const SafetensorsFile &file, Match &found);

} // namespace reprise::rt

#endif // REPRISE_TRAINER_AVERAGES_H
