//===- BufferNames.h - What values and buffers are called -------*- C++ -*-===//
//
// A program's buffers, and whoever explains a plan before there is a program,
// call the same bytes by the same name:
//
//   layer1.0:add              made by 'add' of the module layer1.0
//   layer1.0:add#2            the second value of that name, by the order of
//                             the steps; a clone of the first one, maybe
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

/// What a step that copies is called.
constexpr const char *kCopyName = "copy";

/// What the planner calls the op of a step, and what it makes: "MODULE:NAME",
/// or "NAME" outside modules.
std::string nameOfOp(const std::string &module, const std::string &name);

/// What it calls the op that copies a value.
std::string nameOfCopy(const std::string &value);

/// By value, for a schedule of each op once: unlike any other value's, but for
/// views, which are called like what they view, and fixed values.
std::vector<std::string> nameValues(const plan::Graph &graph,
                                    const plan::Schedule &schedule);

/// By buffer of the liveness. `names` are those of nameValues.
std::vector<std::string> nameBuffers(const plan::Graph &graph,
                                     const plan::Liveness &liveness,
                                     const std::vector<std::string> &names);

/// Bytes that steps touch: the planner rounds up, which would predict a peak
/// that nothing measures.
uint64_t touchedBytes(const plan::Graph &graph, const plan::Buffer &buffer);

} // namespace reprise

#endif // REPRISE_PLAN_BUFFERNAMES_H
