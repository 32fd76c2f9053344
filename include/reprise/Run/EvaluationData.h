//===- EvaluationData.h - Check the data of a run ---------------*- C++ -*-===//
#ifndef REPRISE_RUN_EVALUATIONDATA_H
#define REPRISE_RUN_EVALUATIONDATA_H

#include "reprise/Run/RunSource.h"
#include <chrono>

namespace reprise::driver {

/// Rejects test rows with which an evaluation would fail: classes that the
/// training images do not have, files whose headers cannot be read.
rt::Status checkEvaluationData(const RunSource &source);

/// Rejects training images whose headers cannot be read, as far as they are
/// read within `limit`.
rt::Status checkTrainingFiles(const RunSource &source,
                              std::chrono::seconds limit);

/// Warns of folders that are named like splits but used as classes and, if the
/// run `trains`, of files outside the splits.
void warnOfLayout(const RunSource &source, bool trains);

/// Warns of classes that the rows to evaluate lack. For data without class
/// names, compares the number of `classes` of the program (0: unknown) with the
/// data's.
void warnOfClasses(const rt::Dataset &data, const RunSource &source,
                   int32_t classes);

} // namespace reprise::driver

#endif // REPRISE_RUN_EVALUATIONDATA_H
