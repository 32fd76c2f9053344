//===- GraphJson.h - Graphs as JSON -----------------------------*- C++ -*-===//
//
// The schema is in docs/plan-json.md. Names are ids: no two ops and no two
// values share one.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_PLAN_FORMAT_GRAPHJSON_H
#define REPRISE_PLAN_FORMAT_GRAPHJSON_H

#include "format/JsonText.h"
#include "reprise/Plan/Graph.h"

namespace reprise::plan::format {

struct GraphFile {
  /// Passes checkGraph. Ops are in the file's "order" where it has one, else
  /// sorted so that each comes after what it needs and the file's sequence is
  /// kept as far as that allows. What changes a fixed value has its readers in
  /// Op::after.
  Graph graph;
  bool hasOrder = false;
};

/// `name` is what messages call the file.
rt::Expected<GraphFile> readGraph(const std::string &name, std::string text);

} // namespace reprise::plan::format

#endif // REPRISE_PLAN_FORMAT_GRAPHJSON_H
