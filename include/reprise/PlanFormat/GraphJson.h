//===- GraphJson.h - Graphs as JSON -----------------------------*- C++ -*-===//
//
// The schema is in docs/plan-json.md. Names are ids: no two ops and no two
// values share one.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_PLANFORMAT_GRAPHJSON_H
#define REPRISE_PLANFORMAT_GRAPHJSON_H

#include "reprise/Plan/Graph.h"
#include "reprise/PlanFormat/JsonText.h"

namespace reprise::plan::format {

struct GraphFile {
  /// A graph that passes checkGraph. Ops are in the file's "order" if it has
  /// one, otherwise sorted so that each comes after its dependencies and the
  /// file's sequence is kept as far as possible. An op that changes a fixed
  /// value has the value's readers in Op::after.
  Graph graph;
  bool hasOrder = false;
};

/// `name` is the file's name in messages.
rt::Expected<GraphFile> readGraph(const std::string &name, std::string text);

} // namespace reprise::plan::format

#endif // REPRISE_PLANFORMAT_GRAPHJSON_H
