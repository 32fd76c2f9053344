//===- Course.h - What decides the course of a run --------------*- C++ -*-===//
//
// A run's bits follow from its settings: learning rate, schedule, warm-up, the
// steps of a schedule, the optimizer's constants, threads, data. A state holds
// them, so that a resumed run goes on as it was, and a difference is named.
//
// Names, as options say them: lr, schedule, warmup, steps of the run, and,
// where data are files of images, train-images, eval-images, normalize, or of
// volumes, normalize and orientation; and facts of what it runs with: data,
// buckets of images, and whatever the backend tells of the program (threads,
// accumulate, amp, clip-grad-norm, grad-clipper, clip-tolerance, clip-momentum,
// clip-norm-type, label-smoothing, class-weights, ignore-index, mixup,
// momentum, weight-decay, norm-bias-weight-decay, nesterov, optimizer, model).
// A schedule is one text with its numbers. Of sgd each number has a name of its
// own; another optimizer is one text with all its numbers.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_TRAINER_COURSE_H
#define REPRISE_RUNTIME_TRAINER_COURSE_H

#include "reprise/Runtime/Status.h"
#include "reprise/Runtime/Trainer/LearningRate.h"
#include <map>
#include <set>
#include <string>

namespace reprise::rt {

class Dataset;

/// Settings by name, as text: numbers with as few digits as bring them back.
using Course = std::map<std::string, std::string>;

/// A number as it stands in a course.
std::string courseNumber(double value);

/// Adds lr, schedule and warmup.
void addLearningRate(const LearningRate &rate, Course &course);
/// The inverse; `file` is named when the course is damaged.
Status readLearningRate(const std::string &file, const Course &course,
                        LearningRate &rate);

/// The length of the run, "steps".
Status readSteps(const std::string &file, const Course &course,
                 uint64_t &steps);

/// What tells data apart: their number, the shape of the first column of data,
/// and a digest of 64 rows in equal distances.
Expected<std::string> describeData(const Dataset &data);

/// Reads whether each epoch has another order of rows.
Status readShuffle(const std::string &file, const Course &course,
                   bool &shuffles);

/// How a run is to go on.
struct CourseRequest {
  /// What it would be without a state.
  Course asked;
  /// Names that the user states; for others of the run the state's hold.
  std::set<std::string> given;
  /// Names whose difference is wanted; "all" for every one.
  std::set<std::string> overridden;
};

/// The course of a run that goes on from the state in `file`. Fails with every
/// difference that is not wanted, and both values.
Expected<Course> continueCourse(const std::string &file, const Course &stored,
                                const CourseRequest &request);

/// Fails on a name that no course has.
Status checkOverrides(const std::set<std::string> &names);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_COURSE_H
