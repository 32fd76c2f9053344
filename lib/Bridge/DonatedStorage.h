//===- DonatedStorage.h - Results in the storage of arguments ---*- C++ -*-===//
#ifndef REPRISE_LIB_BRIDGE_DONATEDSTORAGE_H
#define REPRISE_LIB_BRIDGE_DONATEDSTORAGE_H

#include "reprise/Plan/Graph.h"

namespace reprise {

/// Lets `result`, which the function returns, take the storage of `argument`,
/// a fixed value of as many bytes, if its producer follows all readers of the
/// argument, or is the last one and may write over it. Both are ids of
/// storages, not of views. Returns true if it does: the result then has no
/// bytes, and its producer overwrites the argument.
bool takeDonated(plan::Graph &graph, plan::ValueId result,
                 plan::ValueId argument, uint64_t argumentBytes);

} // namespace reprise

#endif // REPRISE_LIB_BRIDGE_DONATEDSTORAGE_H
