//===- EvaluationData.h - What an evaluation will need ----------*- C++ -*-===//
#ifndef REPRISE_TOOLS_EVALUATIONDATA_H
#define REPRISE_TOOLS_EVALUATIONDATA_H

#include "RunSource.h"

namespace reprise::tools {

/// Refuses rows for tests that a run would end with when it evaluates: classes
/// that the training images do not have, files whose headers cannot be read.
rt::Status checkEvaluationData(const RunFlags &flags);

/// Warns of folders that are named as splits and taken as classes and, where
/// the run `trains`, of what lies beside the splits.
void warnOfLayout(const RunFlags &flags, bool trains);

/// Warns of classes that the rows to evaluate lack. With data whose classes
/// nobody names, `classes` that a program tells apart (0: unknown) are compared
/// with their number.
void warnOfClasses(const rt::Dataset &data, const RunFlags &flags,
                   int32_t classes);

} // namespace reprise::tools

#endif // REPRISE_TOOLS_EVALUATIONDATA_H
