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
#ifndef REPRISE_BRIDGE_BUFFERNAMES_H
#define REPRISE_BRIDGE_BUFFERNAMES_H

#include "reprise/Plan/Schedule.h"

namespace reprise {

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

#endif // REPRISE_BRIDGE_BUFFERNAMES_H
