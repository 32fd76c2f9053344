//===- BufferNames.h - Names of values and buffers --------------*- C++ -*-===//
//
// Names for a program's buffers. Programs, and explanations of a plan without a
// program, use the same names for the same bytes:
//
//   layer1.0:add              computed by 'add' of the module layer1.0
//   layer1.0:add#2            the second value of that name, in the order of
//                             the steps; perhaps a clone of the first
//   workspace of layer1.0:add
//
// Bytes that several values use in turn, one computed in place of another, have
// the name of the first.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_PLAN_BUFFERNAMES_H
#define REPRISE_PLAN_BUFFERNAMES_H

#include "reprise/Plan/Schedule.h"

namespace reprise {

/// The name of a step that copies.
constexpr const char *kCopyName = "copy";

/// The planner's name for the op of a step, and for its result: "MODULE:NAME",
/// or "NAME" outside modules.
std::string nameOfOp(const std::string &module, const std::string &name);

/// The planner's name for the op that copies a value.
std::string nameOfCopy(const std::string &value);

/// The names of values by ValueId, for a schedule of each op once. Names are
/// unique, except that views have the name of the value that they view, and
/// fixed values may repeat.
std::vector<std::string> nameValues(const plan::Graph &graph,
                                    const plan::Schedule &schedule);

/// The names of the liveness's buffers by index. `names` are those of
/// nameValues.
std::vector<std::string> nameBuffers(const plan::Graph &graph,
                                     const plan::Liveness &liveness,
                                     const std::vector<std::string> &names);

/// Bytes that steps touch: the planner's rounded bytes would predict a peak
/// that no measurement reaches.
uint64_t touchedBytes(const plan::Graph &graph, const plan::Buffer &buffer);

} // namespace reprise

#endif // REPRISE_PLAN_BUFFERNAMES_H
